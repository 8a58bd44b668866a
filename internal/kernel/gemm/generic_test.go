package gemm

import (
	"math/rand/v2"
	"testing"

	"gort/internal/parallel"
)

func TestGeneric(t *testing.T) {
	t.Run("float64", testGeneric[float64])
	t.Run("int32", testGeneric[int32])
	t.Run("int64", testGeneric[int64])
	t.Run("uint32", testGeneric[uint32])
	t.Run("uint64", testGeneric[uint64])
}

func testGeneric[T Number](t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(n int) []T {
		s := make([]T, n)
		for i := range s {
			s[i] = T(rng.IntN(1000))
		}
		return s
	}
	for _, d := range [][3]int{{0, 3, 2}, {3, 0, 2}, {3, 2, 0}, {1, 1, 1}, {5, 7, 9}, {1, 300, 20}, {17, 300, 131}, {33, 1, 260}} {
		for flags := range 4 {
			transA, transB := flags&1 > 0, flags&2 > 0
			m, n, k := d[0], d[1], d[2]
			r, lda := stored(transA, m, k)
			lda += flags
			a := draw(r * lda)
			r, ldb := stored(transB, k, n)
			ldb += flags
			b := draw(r * ldb)
			ldc := n + 3
			c := draw(m * ldc)
			alpha, beta := T(1+flags), T(flags)
			ars, acs := strides(transA, lda)
			brs, bcs := strides(transB, ldb)
			want := append([]T(nil), c...)
			for i := range m {
				for j := range n {
					var s T
					for p := range k {
						s += a[i*ars+p*acs] * b[p*brs+j*bcs]
					}
					want[i*ldc+j] = alpha*s + beta*c[i*ldc+j]
				}
			}
			if err := Generic(bg, pool, transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc); err != nil {
				t.Fatal(err)
			}
			for i := range want {
				if c[i] != want[i] { // exact in float64 too: all values are small integers
					t.Fatalf("%v flags %d: C[%d] = %v, want %v", d, flags, i, c[i], want[i])
				}
			}
		}
	}
}
