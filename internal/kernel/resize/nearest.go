package resize

import (
	"context"

	"gort/internal/parallel"
)

// inlineWork is the number of elements below which waking a worker does not pay.
const inlineWork = 16 << 10

// Nearest picks an element for each output position. axes has one table of a
// single tap for each dimension, nil where nothing changes. Positions outside
// get the value outside.
func Nearest[T any](ctx context.Context, pool *parallel.Pool, in, out []int, axes []*Axis, outside T, x, y []T) error {
	if len(y) == 0 {
		return nil
	}
	// Unchanged dimensions at the end are copied as one.
	last, width := len(in)-1, 1
	for last > 0 && axes[last] == nil {
		width *= in[last]
		last--
	}
	row := out[last] * width
	return pool.For(ctx, len(y)/row, max(1, inlineWork/row), func(lo, hi int) {
		for r := lo; r < hi; r++ {
			from, stride, rest, inside := 0, width*in[last], r, true
			for d := last - 1; d >= 0; d-- {
				o := rest % out[d]
				rest /= out[d]
				if a := axes[d]; a != nil {
					inside = inside && (a.Outside == nil || !a.Outside[o])
					o = a.Index[o]
				}
				from += o * stride
				stride *= in[d]
			}
			dst := y[r*row:][:row]
			if !inside {
				fill(dst, outside)
				continue
			}
			pick(dst, x[from:][:width*in[last]], axes[last], width, outside)
		}
	})
}

// pick chooses blocks of width elements of one row.
func pick[T any](dst, src []T, a *Axis, width int, outside T) {
	switch {
	case a == nil:
		copy(dst, src)
	case width == 1:
		for o, i := range a.Index {
			dst[o] = src[i]
		}
	default:
		for o, i := range a.Index {
			copy(dst[o*width:(o+1)*width], src[i*width:])
		}
	}
	if a == nil || a.Outside == nil {
		return
	}
	for o, out := range a.Outside {
		if out {
			fill(dst[o*width:(o+1)*width], outside)
		}
	}
}

func fill[T any](s []T, v T) {
	for i := range s {
		s[i] = v
	}
}
