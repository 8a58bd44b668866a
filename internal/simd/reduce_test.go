package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestReductions(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range lengths() {
		a, checkA := guarded(n)
		b, checkB := guarded(n)
		for i := range a {
			a[i], b[i] = rng.Float32()*2-1, rng.Float32()*2-1
		}
		var dot, dotSize, sum, sumSize float64
		most := math.Inf(-1)
		for i := range a {
			p := float64(a[i]) * float64(b[i])
			dot += p
			dotSize += math.Abs(p)
			sum += float64(a[i])
			sumSize += math.Abs(float64(a[i]))
			most = max(most, float64(a[i]))
		}
		var sums, maxima []float32
		bothWays(func(mode string) {
			if got := Dot(a, b); math.Abs(float64(got)-dot) > dotSize*float64(n/8+8)*0x1p-24 {
				t.Errorf("%s: Dot of %d is %g, want %g", mode, n, got, dot)
			}
			sums = append(sums, Sum(a))
			if got := sums[len(sums)-1]; math.Abs(float64(got)-sum) > sumSize*float64(n/8+8)*0x1p-24 {
				t.Errorf("%s: Sum of %d is %g, want %g", mode, n, got, sum)
			}
			maxima = append(maxima, MaxReduce(a))
			if got := maxima[len(maxima)-1]; float64(got) != most {
				t.Errorf("%s: MaxReduce of %d is %g, want %g", mode, n, got, most)
			}
		})
		requireSame(t, "Sum: assembly against pure Go", sums[:1], sums[1:])
		checkA(t)
		checkB(t)
		if n == 0 {
			continue
		}
		// A NaN anywhere is seen by all of them; an infinity wins.
		at := rng.IntN(n)
		bothWays(func(mode string) {
			a[at] = float32(math.Inf(1))
			if got := MaxReduce(a); !math.IsInf(float64(got), 1) {
				t.Errorf("%s: MaxReduce of %d with +Inf at %d is %g", mode, n, at, got)
			}
			a[at] = float32(math.NaN())
			if d, s, m := Dot(a, b), Sum(a), MaxReduce(a); d == d || s == s || m == m {
				t.Errorf("%s: NaN at %d of %d gives Dot %g Sum %g MaxReduce %g", mode, at, n, d, s, m)
			}
		})
	}
}

func TestAXPY(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range lengths() {
		pad := rng.IntN(5)
		b, checkB := guarded(3*(n+pad) + n)
		for i := range b {
			b[i] = rng.Float32()*2 - 1
		}
		old := make([]float32, n)
		for i := range old {
			old[i] = rng.Float32()
		}
		s := [4]float32{1, -0.3, 0.7, 1.9}
		bothWays(func(mode string) {
			one, checkOne := guarded(n)
			copy(one, old)
			AXPY(one, b, s[1])
			checkOne(t)
			four, checkFour := guarded(n)
			copy(four, old)
			AXPY4(four, b, n+pad, &s)
			checkFour(t)
			checkB(t)
			for i := range old {
				want1 := float64(old[i]) + float64(s[1])*float64(b[i])
				want4 := float64(old[i])
				for p, x := range s {
					want4 += float64(x) * float64(b[p*(n+pad)+i])
				}
				if math.Abs(float64(one[i])-want1) > 2*0x1p-23 || math.Abs(float64(four[i])-want4) > 16*0x1p-23 {
					t.Fatalf("%s length %d element %d: AXPY %g want %g, AXPY4 %g want %g", mode, n, i, one[i], want1, four[i], want4)
				}
			}
			steps := append([]float32(nil), old...)
			for p, x := range s {
				AXPY(steps, b[p*(n+pad):], x)
			}
			requireSame(t, mode+": AXPY4 against four AXPY", four, steps)
		})
	}
}
