package pool

import (
	"math"
	"slices"
	"testing"
)

// Windows of three, each ending where the mask does: by hand.
func TestMaxMasked(t *testing.T) {
	w := &Window{Planes: 2, Input: []int{5}, Output: []int{3}, Kernel: []int{3}, Strides: []int{1}, Dilations: []int{1}, Begin: []int{0}, End: []int{0}}
	x := []float32{1, 5, 2, 9, 3, -1, -5, -2, -9, -3}
	y := make([]float32, 6)
	none := float32(-math.MaxFloat32)
	for _, c := range []struct{ mask, want []int32 }{
		{[]int32{1, 1, 1, 1, 1}, []int32{5, 9, 9, -1, -2, -2}},
		{[]int32{1, 1, 0, 1, 1}, []int32{5, 5, 0, -1, -5, 0}},
		{[]int32{1, 1, 1, 1, 1, 1, 1, 1, 0, 0}, []int32{5, 9, 9, -1, -2, -2}},
	} {
		if err := MaxMasked(t.Context(), nil, w, x, c.mask, y); err != nil {
			t.Fatal(err)
		}
		want := make([]float32, len(c.want))
		for i, v := range c.want {
			if want[i] = float32(v); v == 0 {
				want[i] = none
			}
		}
		if !slices.Equal(y, want) {
			t.Errorf("mask %v: got %v, want %v", c.mask, y, want)
		}
	}
}
