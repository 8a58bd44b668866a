package cumulative

import (
	"slices"
	"testing"

	"gort/internal/parallel"
)

func TestExamples(t *testing.T) {
	// The specification's examples of CumSum and CumProd.
	for _, c := range []struct {
		mode      Mode
		sum, prod []int32
	}{
		{Mode{}, []int32{1, 3, 6}, []int32{1, 2, 6}},
		{Mode{Exclusive: true}, []int32{0, 1, 3}, []int32{1, 1, 2}},
		{Mode{Reverse: true}, []int32{6, 5, 3}, []int32{6, 6, 3}},
		{Mode{Exclusive: true, Reverse: true}, []int32{5, 3, 0}, []int32{6, 3, 1}},
	} {
		got := make([]int32, 3)
		if err := Sum(t.Context(), nil, got, []int32{1, 2, 3}, []int{3}, 0, c.mode); err != nil || !slices.Equal(got, c.sum) {
			t.Errorf("sums %+v are %v, %v; want %v", c.mode, got, err, c.sum)
		}
		if err := Prod(t.Context(), nil, got, []int32{1, 2, 3}, []int{3}, 0, c.mode); err != nil || !slices.Equal(got, c.prod) {
			t.Errorf("products %+v are %v, %v; want %v", c.mode, got, err, c.prod)
		}
	}
}

func TestAxes(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	shape := []int{3, 4, 5}
	src := make([]float64, 60)
	for i := range src {
		src[i] = float64(i%7) - 2
	}
	for axis := range shape {
		for _, m := range []Mode{{}, {true, false}, {false, true}, {true, true}} {
			got := make([]float64, 60)
			if err := Sum(t.Context(), pool, got, src, shape, axis, m); err != nil {
				t.Fatal(err)
			}
			stride := []int{20, 5, 1}[axis]
			for i := range got {
				k, want := i/stride%shape[axis], 0.0
				for j := range shape[axis] {
					if m.Reverse && j < k || !m.Reverse && j > k || m.Exclusive && j == k {
						continue
					}
					want += src[i+(j-k)*stride]
				}
				if got[i] != want {
					t.Fatalf("axis %d %+v: element %d is %v, want %v", axis, m, i, got[i], want)
				}
			}
		}
	}
	if err := Sum(t.Context(), nil, []int64{}, nil, []int{2, 0}, 1, Mode{}); err != nil {
		t.Error(err)
	}
}
