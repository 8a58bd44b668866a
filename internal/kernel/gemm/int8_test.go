package gemm

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gort/internal/parallel"
)

func TestInt8(t *testing.T) {
	t.Run("u8u8", testInt8[uint8, uint8])
	t.Run("u8s8", testInt8[uint8, int8])
	t.Run("s8u8", testInt8[int8, uint8])
	t.Run("s8s8", testInt8[int8, int8])
}

func testInt8[A, B Byte](t *testing.T) {
	pool := parallel.New(3)
	defer pool.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, d := range [][3]int{{0, 3, 2}, {3, 0, 2}, {3, 2, 0}, {1, 1, 1}, {5, 7, 9}, {1, 300, 20}, {17, 300, 131}, {200, 17, 513}, {33, 1, 1027}, {6, 16, 2}, {500, 40, 30}} {
		for flags := range 4 {
			transA, transB := flags&1 > 0, flags&2 > 0
			m, n, k := d[0], d[1], d[2]
			r, lda := stored(transA, m, k)
			lda += flags
			a := drawBytes[A](rng, r*lda)
			r, ldb := stored(transB, k, n)
			ldb += flags
			b := drawBytes[B](rng, r*ldb)
			za := ZeroPoints[A](drawBytes[A](rng, []int{0, 1, m, m}[flags]))
			zb := ZeroPoints[B](drawBytes[B](rng, []int{1, n, 0, n}[flags]))
			ldc := n + flags
			ars, acs := strides(transA, lda)
			brs, bcs := strides(transB, ldb)
			got := make([]int32, m*ldc)
			packed := make([]int32, m*ldc)
			for i := range got {
				got[i], packed[i] = -7, -7
			}
			if err := Int8(bg, pool, transA, transB, m, n, k, a, lda, za, b, ldb, zb, got, ldc); err != nil {
				t.Fatal(err)
			}
			if err := Int8PackedB(bg, pool, transA, m, n, k, a, lda, za, PackInt8B(transB, k, n, b, ldb, zb), packed, ldc); err != nil {
				t.Fatal(err)
			}
			for i := range m {
				for j := range ldc {
					want := int32(-7)
					if j < n {
						want = 0
						for p := range k {
							want += (int32(a[i*ars+p*acs]) - int32(za.at(i))) * (int32(b[p*brs+j*bcs]) - int32(zb.at(j)))
						}
					}
					if g := got[i*ldc+j]; g != want || packed[i*ldc+j] != want {
						t.Fatalf("%v flags %d: C[%d,%d] = %d, packed %d, want %d", d, flags, i, j, g, packed[i*ldc+j], want)
					}
				}
			}
		}
	}
}

// drawBytes draws values with the extremes over-represented.
func drawBytes[T Byte](rng *rand.Rand, n int) []T {
	s := make([]T, n)
	for i := range s {
		switch rng.IntN(4) {
		case 0:
			s[i] = T(255 & 0x7f)
		case 1:
			s[i]--
			s[i] <<= 7
		default:
			s[i] = T(rng.Uint32())
		}
	}
	return s
}

func TestInt8ZeroPointCount(t *testing.T) {
	a := make([]uint8, 6)
	if err := Int8(bg, nil, false, false, 2, 2, 3, a, 3, a[:3], a, 2, nil, make([]int32, 4), 2); err == nil {
		t.Error("three zero points for two rows: no error")
	}
	if err := Int8(bg, nil, false, false, 2, 2, 3, a, 3, nil, a, 2, a[:3], make([]int32, 4), 2); err == nil {
		t.Error("three zero points for two columns: no error")
	}
}

func TestInt8DoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("sync.Pool drops objects under the race detector")
	}
	pool := parallel.New(2)
	defer pool.Close()
	a, c := make([]int8, 100*100), make([]int32, 100*100)
	if n := testing.AllocsPerRun(50, func() {
		_ = Int8[int8, int8](bg, pool, false, false, 100, 100, 100, a, 100, nil, a, 100, nil, c, 100)
	}); n >= 1 {
		t.Errorf("%v allocations a call", n)
	}
}

func BenchmarkInt8(b *testing.B) {
	for _, n := range []int{256, 512, 1024} {
		a := make([]uint8, n*n)
		c := make([]int32, n*n)
		pb := PackInt8B(false, n, n, a, n, nil)
		report := func(b *testing.B) {
			b.ReportMetric(2*float64(n)*float64(n)*float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gop/s")
		}
		b.Run(fmt.Sprintf("cube%d", n), func(b *testing.B) {
			for b.Loop() {
				_ = Int8[uint8, uint8](bg, nil, false, false, n, n, n, a, n, nil, a, n, nil, c, n)
			}
			report(b)
		})
		b.Run(fmt.Sprintf("cube%d/packed", n), func(b *testing.B) {
			for b.Loop() {
				_ = Int8PackedB[uint8](bg, nil, false, n, n, n, a, n, nil, pb, c, n)
			}
			report(b)
		})
	}
}
