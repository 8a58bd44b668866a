package matmul

import (
	"context"
	"fmt"
	"slices"

	"gort/internal/parallel"
)

// Term is one operand of an Einsum: contiguous data whose dimensions carry
// labels. A label may occur twice, which takes the diagonal.
type Term[T Number] struct {
	Data   []T
	Labels []int
	Dims   []int
}

// Einsum computes the sum of products over all labels that are not among out,
// into y, whose dimensions are out in this order. Equal labels have equal sizes or
// 1, which broadcasts. Terms are contracted two at a time, from the left; each
// contraction is a stack of matrix products: labels of both that stay are the
// stack, labels of one that stay its rows or columns, and the others are summed.
func Einsum[T Number](ctx context.Context, p *parallel.Pool, multiply Multiply[T], terms []Term[T], out []int, y []T) error {
	size := map[int]int{}
	for _, t := range terms {
		for i, l := range t.Labels {
			switch d, known := size[l]; {
			case !known || d == 1:
				size[l] = t.Dims[i]
			case t.Dims[i] != d && t.Dims[i] != 1:
				return fmt.Errorf("one label has the sizes %d and %d", d, t.Dims[i])
			}
		}
	}
	list := make([]Term[T], len(terms))
	for i, t := range terms {
		list[i] = t.simple(size)
	}
	acc := list[0]
	for i := 1; i < len(list); i++ {
		keep := slices.Clone(out)
		for _, later := range list[i+1:] {
			keep = append(keep, later.Labels...)
		}
		var err error
		if acc, err = contract(ctx, p, multiply, acc, list[i], keep, size); err != nil {
			return err
		}
	}
	order := make([]int, 0, len(out))
	for _, l := range out {
		if size[l] != 1 {
			order = append(order, l)
		}
	}
	acc = acc.sumOut(out)
	if !sameSet(acc.Labels, order) {
		return fmt.Errorf("output labels %v are not those of the operands, %v", order, acc.Labels)
	}
	acc = acc.permuted(order)
	if len(acc.Data) != len(y) {
		return fmt.Errorf("result has %d elements, there is room for %d", len(acc.Data), len(y))
	}
	copy(y, acc.Data)
	return nil
}

func sameSet(a, b []int) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// simple drops dimensions of size 1 and takes diagonals, so that every label
// occurs once and with its size.
func (t Term[T]) simple(size map[int]int) Term[T] {
	stride := make([]int, len(t.Dims))
	step := 1
	for i := len(t.Dims) - 1; i >= 0; i-- {
		stride[i] = step
		step *= t.Dims[i]
	}
	var labels, dims, strides []int
	diagonal := false
	for i, l := range t.Labels {
		if t.Dims[i] == 1 {
			continue
		}
		if at := slices.Index(labels, l); at >= 0 {
			strides[at] += stride[i]
			diagonal = true
			continue
		}
		labels, dims, strides = append(labels, l), append(dims, size[l]), append(strides, stride[i])
	}
	out := Term[T]{t.Data, labels, dims}
	if diagonal {
		out.Data = gather(t.Data, dims, strides)
	}
	return out
}

// sumOut sums over the labels that are not in keep.
func (t Term[T]) sumOut(keep []int) Term[T] {
	var stay, sum []int
	n := 1
	for i, l := range t.Labels {
		if slices.Contains(keep, l) {
			stay = append(stay, l)
		} else {
			sum = append(sum, l)
			n *= t.Dims[i]
		}
	}
	if len(sum) == 0 {
		return t
	}
	p := t.permuted(append(slices.Clone(stay), sum...))
	out := Term[T]{Labels: stay, Dims: p.Dims[:len(stay)]}
	out.Data = make([]T, product(out.Dims))
	for i := range out.Data {
		var s T
		for _, v := range p.Data[i*n : (i+1)*n] {
			s += v
		}
		out.Data[i] = s
	}
	return out
}

// permuted brings the dimensions into this order of labels.
func (t Term[T]) permuted(order []int) Term[T] {
	if slices.Equal(order, t.Labels) {
		return t
	}
	out := Term[T]{Labels: order, Dims: make([]int, len(order))}
	strides := make([]int, len(order))
	step := 1
	for i := len(t.Labels) - 1; i >= 0; i-- {
		at := slices.Index(order, t.Labels[i])
		out.Dims[at], strides[at] = t.Dims[i], step
		step *= t.Dims[i]
	}
	out.Data = gather(t.Data, out.Dims, strides)
	return out
}

// contract multiplies two terms and sums over the labels that are not in keep.
func contract[T Number](ctx context.Context, p *parallel.Pool, multiply Multiply[T], a, b Term[T], keep []int, size map[int]int) (Term[T], error) {
	a = a.sumOut(append(slices.Clone(keep), b.Labels...))
	b = b.sumOut(append(slices.Clone(keep), a.Labels...))
	var stack, rows, cols, sum []int
	for _, l := range a.Labels {
		switch inB, stays := slices.Contains(b.Labels, l), slices.Contains(keep, l); {
		case inB && stays:
			stack = append(stack, l)
		case inB:
			sum = append(sum, l)
		default:
			rows = append(rows, l)
		}
	}
	for _, l := range b.Labels {
		if !slices.Contains(a.Labels, l) {
			cols = append(cols, l)
		}
	}
	n := func(labels []int) int {
		v := 1
		for _, l := range labels {
			v *= size[l]
		}
		return v
	}
	s := Stack[T]{Multiply: multiply, M: n(rows), N: n(cols), K: n(sum), Dims: []int{n(stack)}}
	// A transposed operand that already lies in order is used as it is.
	if s.TransA = slices.Equal(a.Labels, slices.Concat(stack, sum, rows)) && len(rows) > 0 && len(sum) > 0; !s.TransA {
		a = a.permuted(slices.Concat(stack, rows, sum))
	}
	if s.TransB = slices.Equal(b.Labels, slices.Concat(stack, cols, sum)) && len(cols) > 0 && len(sum) > 0; !s.TransB {
		b = b.permuted(slices.Concat(stack, sum, cols))
	}
	out := Term[T]{Labels: slices.Concat(stack, rows, cols)}
	for _, l := range out.Labels {
		out.Dims = append(out.Dims, size[l])
	}
	out.Data = make([]T, product(out.Dims))
	if s.M == 1 && s.N == 1 && s.K == 1 {
		for i := range out.Data {
			out.Data[i] = a.Data[i] * b.Data[i]
		}
		return out, nil
	}
	s.A = Operand[T]{a.Data, s.K, []int{s.M * s.K}}
	s.B = Operand[T]{b.Data, s.N, []int{s.K * s.N}}
	s.C = Operand[T]{out.Data, s.N, []int{s.M * s.N}}
	if s.TransA {
		s.A.Ld = s.M
	}
	if s.TransB {
		s.B.Ld = s.K
	}
	return out, s.Run(ctx, p)
}

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// gather copies a strided window row by row.
func gather[T any](src []T, dims, strides []int) []T {
	out := make([]T, product(dims))
	if len(out) == 0 {
		return out
	}
	index := make([]int, len(dims))
	last := len(dims) - 1
	if last < 0 {
		out[0] = src[0]
		return out
	}
	n, step := dims[last], strides[last]
	for at, from := 0, 0; at < len(out); at += n {
		for j := range n {
			out[at+j] = src[from+j*step]
		}
		for d := last - 1; d >= 0; d-- {
			from += strides[d]
			if index[d]++; index[d] < dims[d] {
				break
			}
			from -= index[d] * strides[d]
			index[d] = 0
		}
	}
	return out
}
