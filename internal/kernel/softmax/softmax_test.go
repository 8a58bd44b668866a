package softmax

import (
	"math"
	"math/rand/v2"
	"testing"

	"gort/internal/parallel"
)

// naive computes one vector by the formulas in the package documentation.
func naive(kind Kind, x []float64) []float64 {
	at, sum := 0, 0.0
	for i, v := range x {
		if v > x[at] {
			at = i
		}
	}
	for _, v := range x {
		sum += math.Exp(v - x[at])
	}
	out := make([]float64, len(x))
	for i, v := range x {
		switch kind {
		case Soft:
			out[i] = math.Exp(v-x[at]) / sum
		case Log:
			out[i] = v - x[at] - math.Log(sum)
		case Hard:
			if i == at {
				out[i] = 1
			}
		}
	}
	return out
}

func test[T Float](t *testing.T, pool *parallel.Pool, shape []int, axis int, tol float64) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(axis), uint64(product(shape))))
	src := make([]T, product(shape))
	for i := range src {
		src[i] = T(math.Round(r.NormFloat64()*40) / 8) // ties included
	}
	l := Along(shape, axis)
	for _, kind := range []Kind{Soft, Log, Hard} {
		got := make([]T, len(src))
		if err := Run(t.Context(), pool, kind, got, src, l); err != nil {
			t.Fatal(err)
		}
		for o := range l.Outer {
			for i := range l.Inner {
				x := make([]float64, l.N)
				for k := range x {
					x[k] = float64(src[(o*l.N+k)*l.Inner+i])
				}
				for k, want := range naive(kind, x) {
					if g := float64(got[(o*l.N+k)*l.Inner+i]); math.Abs(g-want) > tol*(1+math.Abs(want)) {
						t.Fatalf("kind %d of %v along %d: vector %d,%d element %d is %v, want %v", kind, shape, axis, o, i, k, g, want)
					}
				}
			}
		}
		again := append([]T(nil), src...)
		if err := Run(t.Context(), nil, kind, again, again, l); err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if got[i] != again[i] {
				t.Fatalf("kind %d of %v along %d in place: element %d is %v, want %v", kind, shape, axis, i, again[i], got[i])
			}
		}
	}
}

func TestRun(t *testing.T) {
	pool := parallel.New(3)
	defer pool.Close()
	for _, c := range []struct {
		shape []int
		axis  int
	}{
		{[]int{1}, 0}, {[]int{5}, 0}, {[]int{3, 7}, 1}, {[]int{3, 7}, 0}, {[]int{2, 3, 5}, 1}, {[]int{4, 1, 5}, 1},
		{[]int{2, 1000}, 1}, {[]int{3, 600}, 0}, {[]int{2, 9, 257}, 1}, {[]int{0, 3}, 1}, {[]int{3, 0}, 0},
	} {
		test[float32](t, pool, c.shape, c.axis, 1e-6)
		test[float64](t, pool, c.shape, c.axis, 1e-14)
	}
}

func TestLargeAndSpecial(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	l := Layout{1, 3, 1}
	got := make([]float32, 3)
	for _, c := range []struct{ in, want []float32 }{
		{[]float32{1e38, -1e38, 1e38}, []float32{0.5, 0, 0.5}},
		{[]float32{-inf, 0, -inf}, []float32{0, 1, 0}},
	} {
		if err := Run(t.Context(), nil, Soft, got, c.in, l); err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("softmax %v is %v, want %v", c.in, got, c.want)
				break
			}
		}
	}
	for _, kind := range []Kind{Soft, Log} {
		if err := Run(t.Context(), nil, kind, got, []float32{1, nan, 2}, l); err != nil {
			t.Fatal(err)
		}
		for _, v := range got {
			if v == v {
				t.Errorf("kind %d of a vector with NaN is %v", kind, got)
			}
		}
	}
}

func TestFrom(t *testing.T) {
	if l := From([]int{2, 3, 5}, 1); l != (Layout{2, 15, 1}) {
		t.Errorf("From(2x3x5, 1) is %v", l)
	}
	if l := From([]int{2, 3}, 2); l != (Layout{6, 1, 1}) {
		t.Errorf("From(2x3, 2) is %v", l)
	}
}
