package gather

import (
	"context"

	"gort/internal/kernel/element"
	"gort/internal/parallel"
	"gort/tensor"
)

// blocks says how Gather walks the data: outer times size blocks of elements.
type blocks struct{ axis, outer, size, block int }

// Gather replaces an axis of data by the shape of indices: element (o, i, b) of
// dst is element (o, indices[i], b) of data.
func Gather(ctx context.Context, pool *parallel.Pool, dst, data, indices *tensor.Tensor, axis int) error {
	outer, inner := around(data.Shape(), axis)
	return kernelsOf(data).blocks(ctx, pool, dst, data, indices, blocks{axis, outer, data.Shape()[axis], inner})
}

func (words[T]) blocks(ctx context.Context, pool *parallel.Pool, dst, data, indices *tensor.Tensor, b blocks) error {
	d, s := element.Words[T](dst), element.Words[T](data)
	if indices.DType() == tensor.Int32 {
		return gatherBlocks(ctx, pool, d, s, tensor.Elements[int32](indices), b)
	}
	return gatherBlocks(ctx, pool, d, s, tensor.Elements[int64](indices), b)
}

func gatherBlocks[T element.Word, I Index](ctx context.Context, pool *parallel.Pool, d, s []T, idx []I, b blocks) error {
	if err := check(idx, b.axis, b.size); err != nil {
		return err
	}
	if len(d) < 2*chunk {
		copyBlocks(d, s, idx, b, 0, b.outer*len(idx))
		return ctx.Err()
	}
	return pool.For(ctx, b.outer*len(idx), max(1, chunk/b.block), func(lo, hi int) {
		copyBlocks(d, s, idx, b, lo, hi)
	})
}

// copyBlocks copies blocks lo to hi of the output.
func copyBlocks[T element.Word, I Index](d, s []T, idx []I, b blocks, lo, hi int) {
	for lo < hi {
		o, first := lo/len(idx), lo%len(idx)
		list := idx[first:min(len(idx), first+hi-lo)]
		from, to := s[o*b.size*b.block:], d[lo*b.block:]
		lo += len(list)
		if b.block == 1 {
			to = to[:len(list)]
			for i, v := range list {
				to[i] = from[wrap(v, b.size)]
			}
			continue
		}
		for i, v := range list {
			copy(to[i*b.block:][:b.block], from[wrap(v, b.size)*b.block:])
		}
	}
}
