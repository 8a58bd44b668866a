package gather

import (
	"context"

	"gort/internal/kernel/element"
	"gort/internal/parallel"
	"gort/tensor"
)

// lines walks an array of indices, line by line of its last dimension, beside a
// larger array that the indices point into along one axis.
type lines struct {
	shape   tensor.Shape // of the indices
	strides []int        // of the data
	axis    int
	size    int // of the data's axis
	length  int // of a line
}

func linesOf(data, indices *tensor.Tensor, axis int) lines {
	shape := indices.Shape()
	return lines{shape, data.Shape().Strides(), axis, data.Shape()[axis], shape[len(shape)-1]}
}

// count is the number of lines.
func (l *lines) count() int {
	n := 1
	for _, k := range l.shape[:len(l.shape)-1] {
		n *= k
	}
	return n
}

// base is the place in the data of the first element of a line, the axis left out.
func (l *lines) base(line int) int {
	at := 0
	for k := len(l.shape) - 2; k >= 0; k-- {
		if k != l.axis {
			at += line % l.shape[k] * l.strides[k]
		}
		line /= l.shape[k]
	}
	return at
}

// step is how far apart in the data the elements of a line are, the axis left out.
func (l *lines) step() int {
	if l.axis == len(l.shape)-1 {
		return 0
	}
	return 1
}

// Elements reads one element for each index: element (i, j, k) of dst is element
// (i, indices[i, j, k], k) of data, for axis 1 of 3.
func Elements(ctx context.Context, pool *parallel.Pool, dst, data, indices *tensor.Tensor, axis int) error {
	return kernelsOf(data).elements(ctx, pool, dst, data, indices, axis)
}

func (words[T]) elements(ctx context.Context, pool *parallel.Pool, dst, data, indices *tensor.Tensor, axis int) error {
	d, s, l := element.Words[T](dst), element.Words[T](data), linesOf(data, indices, axis)
	if indices.DType() == tensor.Int32 {
		return gatherElements(ctx, pool, d, s, tensor.Elements[int32](indices), l)
	}
	return gatherElements(ctx, pool, d, s, tensor.Elements[int64](indices), l)
}

func gatherElements[T element.Word, I Index](ctx context.Context, pool *parallel.Pool, d, s []T, idx []I, l lines) error {
	if err := check(idx, l.axis, l.size); err != nil || len(idx) == 0 {
		return err
	}
	along, step := l.strides[l.axis], l.step()
	return pool.For(ctx, l.count(), max(1, chunk/l.length), func(lo, hi int) {
		for line := lo; line < hi; line++ {
			at := l.base(line)
			to := d[line*l.length:][:l.length]
			for j, v := range idx[line*l.length:][:l.length] {
				to[j] = s[at+j*step+wrap(v, l.size)*along]
			}
		}
	})
}

// ScatterElements writes each update over the element of dst that its index
// names: element (i, indices[i, j, k], k) for update (i, j, k), axis 1 of 3. Of
// several updates to one element the last one stays.
func ScatterElements(ctx context.Context, dst, indices, updates *tensor.Tensor, axis int) error {
	return kernelsOf(dst).scatterElements(ctx, dst, indices, updates, axis)
}

func (words[T]) scatterElements(ctx context.Context, dst, indices, updates *tensor.Tensor, axis int) error {
	d, u, l := element.Words[T](dst), element.Words[T](updates), linesOf(dst, indices, axis)
	if indices.DType() == tensor.Int32 {
		return scatterEach(ctx, d, u, tensor.Elements[int32](indices), l, nil)
	}
	return scatterEach(ctx, d, u, tensor.Elements[int64](indices), l, nil)
}

// scatterEach writes updates, or what combine makes of the old element and the update.
func scatterEach[T any, I Index](ctx context.Context, d, u []T, idx []I, l lines, combine func(a, b T) T) error {
	if err := check(idx, l.axis, l.size); err != nil || len(idx) == 0 {
		return err
	}
	along, step := l.strides[l.axis], l.step()
	for line := range l.count() {
		if line&1023 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		at := l.base(line)
		from := u[line*l.length:][:l.length]
		for j, v := range idx[line*l.length:][:l.length] {
			p := &d[at+j*step+wrap(v, l.size)*along]
			if combine == nil {
				*p = from[j]
			} else {
				*p = combine(*p, from[j])
			}
		}
	}
	return ctx.Err()
}
