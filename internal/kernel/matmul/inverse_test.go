package matmul

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A matrix times its inverse is the identity, also where rows have to change places.
func TestInverse(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 8))
	for _, n := range []int{1, 2, 3, 5, 8} {
		x, y := make([]float64, 4*n*n), make([]float64, 4*n*n)
		for i := range x {
			x[i] = r.NormFloat64()
		}
		if n > 1 {
			x[0] = 0 // no pivot
		}
		if err := Inverse(t.Context(), nil, n, x, y); err != nil {
			t.Fatal(err)
		}
		for m := range 4 {
			a, b := x[m*n*n:][:n*n], y[m*n*n:][:n*n]
			for i := range n * n {
				var sum float64
				for k := range n {
					sum += a[i/n*n+k] * b[k*n+i%n]
				}
				want := 0.0
				if i/n == i%n {
					want = 1
				}
				if math.Abs(sum-want) > 1e-9 {
					t.Fatalf("%d x %d, matrix %d: element %d of the product is %v, want %v", n, n, m, i, sum, want)
				}
			}
		}
	}
	y := make([]float32, 4)
	if err := Inverse(t.Context(), nil, 2, []float32{1, 2, 2, 4}, y); err != nil {
		t.Fatal(err)
	}
	for _, v := range y {
		if f := float64(v); !math.IsInf(f, 0) && !math.IsNaN(f) {
			t.Errorf("the inverse of a singular matrix is %v", y)
		}
	}
	if err := Inverse[float32](t.Context(), nil, 0, nil, nil); err != nil {
		t.Error(err)
	}
}
