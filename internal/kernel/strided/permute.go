package strided

import "gort/tensor"

// Transposed is the move that writes src, of any strides, with its dimensions in
// the order perm (nil reverses them) to a contiguous tensor.
func Transposed(src *tensor.Tensor, perm []int) Move {
	var m Move
	shape, st := src.Shape(), src.Strides()
	step := src.Size()
	if step == 0 {
		m.Add(0, 0, 0)
		return m
	}
	for i := range shape {
		p := len(st) - 1 - i
		if perm != nil {
			p = perm[i]
		}
		step /= shape[p]
		m.Add(shape[p], step, st[p])
	}
	return m
}

// Expanded is the move that repeats dimensions of size 1, and missing leading
// ones, of src, of any strides, to a contiguous tensor of a shape that src
// broadcasts to.
func Expanded(src *tensor.Tensor, shape []int) Move {
	var m Move
	st := src.Strides()
	step := 1
	for _, n := range shape {
		step *= n
	}
	if step == 0 {
		m.Add(0, 0, 0)
		return m
	}
	missing := len(shape) - src.Rank()
	for i, n := range shape {
		step /= n
		from := 0
		if i >= missing && src.Shape()[i-missing] == n {
			from = st[i-missing]
		}
		m.Add(n, step, from)
	}
	return m
}
