package pool

import (
	"context"

	"gort/internal/parallel"
)

// Number lists the element types of [Max].
type Number interface {
	float32 | float64 | int8 | uint8
}

// Max computes the maximum of each window, NaN if it holds one, and least if
// nothing of it is inside the input. Where indices is not nil it gets the
// position of the maximum in x, the first one of several; within a plane the
// last dimension counts fastest, or the first when columnMajor is set. The
// position in an empty window is -1.
func Max[T Number](ctx context.Context, pool *parallel.Pool, w *Window, least T, x, y []T, indices []int64, columnMajor bool) error {
	if len(y) == 0 {
		return nil
	}
	last := len(w.Output) - 1
	width, plane, dilation := w.Output[last], product(w.Input), w.Dilations[last]
	rows, grain := w.rowsAndGrain()
	return pool.For(ctx, w.Planes*rows, grain, func(lo, hi int) {
		outer, at := make([]int, last), make([]int, 3*last)
		for r := lo; r < hi; r++ {
			in := x[r/rows*plane:][:plane]
			w.coordinates(outer, r%rows)
			for o := range width {
				first, end, start := w.taps(last, o)
				best, where := least, -1
				w.rows(outer, at, func(row int) {
					i := row + start
					for range end - first {
						if v := in[i]; v > best || v != v || where < 0 {
							best, where = v, i
						}
						i += dilation
					}
				})
				y[r*width+o] = best
				if indices != nil {
					indices[r*width+o] = w.index(r/rows*plane, where, columnMajor)
				}
			}
		}
	})
}

// index is the position that is reported for element i of the plane at base.
func (w *Window) index(base, i int, columnMajor bool) int64 {
	if i < 0 {
		return -1
	}
	if !columnMajor {
		return int64(base + i)
	}
	out, size := 0, product(w.Input)
	for d := len(w.Input) - 1; d >= 0; d-- {
		size /= w.Input[d]
		out += i % w.Input[d] * size
		i /= w.Input[d]
	}
	return int64(base + out)
}
