package slice

import (
	"context"

	"gort/internal/kernel/element"
	"gort/internal/parallel"
	"gort/tensor"
)

// triangle copies rows of matrices and zeroes one side of a diagonal.
type triangle struct {
	rows, cols, k int
	upper         bool
}

// Trilu keeps the elements (i, j) with j ≥ i+k of each matrix, with upper false
// those with j ≤ i+k, and makes the others zero. dst may be src.
func Trilu(ctx context.Context, pool *parallel.Pool, dst, src *tensor.Tensor, k int64, upper bool) error {
	shape := src.Shape()
	t := triangle{rows: shape[len(shape)-2], cols: shape[len(shape)-1], upper: upper}
	t.k = int(min(max(k, -int64(t.rows)-1), int64(t.cols)+1))
	switch src.DType().Bits() {
	case 0:
		return trilu[string](ctx, pool, dst, src, t)
	case 8:
		return trilu[uint8](ctx, pool, dst, src, t)
	case 16:
		return trilu[uint16](ctx, pool, dst, src, t)
	case 32:
		return trilu[uint32](ctx, pool, dst, src, t)
	case 64:
		return trilu[uint64](ctx, pool, dst, src, t)
	}
	return trilu[[2]uint64](ctx, pool, dst, src, t)
}

func trilu[T element.Word](ctx context.Context, pool *parallel.Pool, dst, src *tensor.Tensor, t triangle) error {
	if t.cols == 0 || src.Size() == 0 {
		return nil
	}
	d, s := element.Words[T](dst), element.Words[T](src)
	return pool.For(ctx, len(s)/t.cols, max(1, 16384/t.cols), func(lo, hi int) {
		for r := lo; r < hi; r++ {
			to, from := d[r*t.cols:][:t.cols], s[r*t.cols:][:t.cols]
			if t.upper {
				cut := min(max(r%t.rows+t.k, 0), t.cols)
				clear(to[:cut])
				copy(to[cut:], from[cut:])
			} else {
				cut := min(max(r%t.rows+t.k+1, 0), t.cols)
				copy(to[:cut], from[:cut])
				clear(to[cut:])
			}
		}
	})
}
