package gather

import (
	"context"

	"gort/internal/kernel/element"
	"gort/internal/parallel"
	"gort/tensor"
)

// nd says where the slices lie that index tuples name: within batches of the
// data, a tuple of depth indices names a block of elements.
type nd struct {
	shape    tensor.Shape // of the data
	batch    int          // leading dimensions that data and indices share
	depth    int          // indices in a tuple
	perBatch int          // tuples in a batch
	block    int          // elements of a slice
}

func ndOf(data, indices *tensor.Tensor, batch int) nd {
	shape, at := data.Shape(), indices.Shape()
	n := nd{shape: shape, batch: batch, depth: at[len(at)-1], perBatch: 1, block: 1}
	for _, k := range at[batch : len(at)-1] {
		n.perBatch *= k
	}
	for _, k := range shape[batch+n.depth:] {
		n.block *= k
	}
	return n
}

// tuples is how many index tuples there are.
func (n *nd) tuples() int {
	k := n.perBatch
	for _, b := range n.shape[:n.batch] {
		k *= b
	}
	return k
}

// checkTuples holds all indices against the axes they are for.
func checkTuples[I Index](idx []I, n *nd) error {
	sizes := n.shape[n.batch:][:n.depth]
	for i, v := range idx {
		k := i % n.depth
		if size := int64(sizes[k]); int64(v) < -size || int64(v) >= size {
			return &OutOfRange{i, int64(v), n.batch + k, sizes[k]}
		}
	}
	return nil
}

// place is where in the data the slice of a tuple starts.
func place[I Index](n *nd, tuple int, idx []I) int {
	at := tuple / n.perBatch
	for k, v := range idx[tuple*n.depth:][:n.depth] {
		size := n.shape[n.batch+k]
		at = at*size + wrap(v, size)
	}
	return at * n.block
}

// Slices reads the slice of data that each tuple along the last dimension of
// indices names, after batch leading dimensions that the two have in common.
func Slices(ctx context.Context, pool *parallel.Pool, dst, data, indices *tensor.Tensor, batch int) error {
	if dst.Size() == 0 {
		return nil
	}
	return kernelsOf(data).slices(ctx, pool, dst, data, indices, ndOf(data, indices, batch))
}

func (words[T]) slices(ctx context.Context, pool *parallel.Pool, dst, data, indices *tensor.Tensor, n nd) error {
	d, s := element.Words[T](dst), element.Words[T](data)
	if indices.DType() == tensor.Int32 {
		return slices(ctx, pool, d, s, tensor.Elements[int32](indices), n)
	}
	return slices(ctx, pool, d, s, tensor.Elements[int64](indices), n)
}

func slices[T any, I Index](ctx context.Context, pool *parallel.Pool, d, s []T, idx []I, n nd) error {
	if err := checkTuples(idx, &n); err != nil {
		return err
	}
	return pool.For(ctx, n.tuples(), max(1, chunk/n.block), func(lo, hi int) {
		for t := lo; t < hi; t++ {
			copy(d[t*n.block:][:n.block], s[place(&n, t, idx):])
		}
	})
}

// ScatterSlices writes each slice of updates over the slice of dst that a tuple
// along the last dimension of indices names.
func ScatterSlices(ctx context.Context, dst, indices, updates *tensor.Tensor) error {
	if updates.Size() == 0 {
		return nil
	}
	return kernelsOf(dst).scatterSlices(ctx, dst, indices, updates, ndOf(dst, indices, 0))
}

func (words[T]) scatterSlices(ctx context.Context, dst, indices, updates *tensor.Tensor, n nd) error {
	return scatterSlices(ctx, element.Words[T](dst), element.Words[T](updates), tensor.Elements[int64](indices), n, nil)
}

func scatterSlices[T any](ctx context.Context, d, u []T, idx []int64, n nd, combine func(a, b T) T) error {
	if n.depth > 0 {
		if err := checkTuples(idx, &n); err != nil {
			return err
		}
	}
	for t := range len(u) / n.block {
		if t&1023 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		to, from := d[place(&n, t, idx):][:n.block], u[t*n.block:][:n.block]
		if combine == nil {
			copy(to, from)
			continue
		}
		for i, v := range from {
			to[i] = combine(to[i], v)
		}
	}
	return ctx.Err()
}
