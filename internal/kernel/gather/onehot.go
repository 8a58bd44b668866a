package gather

import (
	"context"

	"gort/internal/kernel/element"
	"gort/internal/parallel"
	"gort/tensor"
)

// OneHot writes values[1] where position d along an axis of dst is the index,
// counted from the end when negative, and values[0] elsewhere; an index out of
// range leaves its whole line off.
func OneHot(ctx context.Context, pool *parallel.Pool, dst *tensor.Tensor, indices []int64, values *tensor.Tensor, axis int) error {
	if dst.Size() == 0 {
		return nil
	}
	_, inner := around(dst.Shape(), axis)
	return kernelsOf(values).oneHot(ctx, pool, dst, indices, values, dst.Shape()[axis], inner)
}

func (words[T]) oneHot(ctx context.Context, pool *parallel.Pool, dst *tensor.Tensor, indices []int64, values *tensor.Tensor, depth, inner int) error {
	d, v := element.Words[T](dst), element.Words[T](values)
	off, on := v[0], v[1]
	return pool.For(ctx, len(indices)/inner, max(1, chunk/(depth*inner)), func(lo, hi int) {
		part := d[lo*depth*inner : hi*depth*inner]
		for i := range part {
			part[i] = off
		}
		for i := lo * inner; i < hi*inner; i++ {
			k := indices[i]
			if k < 0 {
				k += int64(depth)
			}
			if k >= 0 && k < int64(depth) {
				d[(i/inner*depth+int(k))*inner+i%inner] = on
			}
		}
	})
}
