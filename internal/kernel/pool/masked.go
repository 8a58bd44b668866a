package pool

import (
	"context"
	"math"

	"gort/internal/parallel"
)

// MaxMasked is Max of float32 where each row of a window ends at the first element
// that the mask says 0 of. The mask has one or more planes, which repeat. A window of
// which nothing is left gives the lowest number.
func MaxMasked(ctx context.Context, pool *parallel.Pool, w *Window, x []float32, mask []int32, y []float32) error {
	if len(y) == 0 {
		return nil
	}
	last := len(w.Output) - 1
	width, plane, dilation := w.Output[last], product(w.Input), w.Dilations[last]
	rows, grain := w.rowsAndGrain()
	masks := len(mask) / plane
	return pool.For(ctx, w.Planes*rows, grain, func(lo, hi int) {
		outer, at := make([]int, last), make([]int, 3*last)
		for r := lo; r < hi; r++ {
			in, on := x[r/rows*plane:][:plane], mask[r/rows%masks*plane:][:plane]
			w.coordinates(outer, r%rows)
			for o := range width {
				first, end, start := w.taps(last, o)
				best := float32(-math.MaxFloat32)
				w.rows(outer, at, func(row int) {
					i := row + start
					for range end - first {
						if on[i] == 0 {
							return
						}
						best = max(best, in[i])
						i += dilation
					}
				})
				y[r*width+o] = best
			}
		}
	})
}
