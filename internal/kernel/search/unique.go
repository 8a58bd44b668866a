package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gort/internal/kernel/element"
	"gort/tensor"
)

// Groups are the distinct items among those compared, in the order asked for:
// First is the index of each one's first occurrence, Counts how often it occurs,
// and Inverse maps every item to its group.
type Groups struct{ First, Counts, Inverse []int64 }

type groupKernel interface {
	compare(src *tensor.Tensor, run int) func(a, b int) int
}

type (
	ordered[T number] struct{}
	texts             struct{}
)

var groupKernels = map[tensor.DType]groupKernel{
	tensor.Float32: ordered[float32]{}, tensor.Float64: ordered[float64]{},
	tensor.Int8: ordered[int8]{}, tensor.Int16: ordered[int16]{}, tensor.Int32: ordered[int32]{}, tensor.Int64: ordered[int64]{},
	tensor.Uint8: ordered[uint8]{}, tensor.Uint16: ordered[uint16]{}, tensor.Uint32: ordered[uint32]{}, tensor.Uint64: ordered[uint64]{},
	tensor.Bool: flags{}, tensor.String: texts{}, tensor.Complex64: pairs{}, tensor.Complex128: widePairs{},
}

// UniqueTypes lists the element types that Unique compares.
func UniqueTypes() []tensor.DType {
	var list []tensor.DType
	for d := range groupKernels {
		list = append(list, d)
	}
	return list
}

func compareRuns[T number](s []T, run int) func(a, b int) int {
	return func(a, b int) int {
		x, y := s[a*run:][:run], s[b*run:][:run]
		for i, v := range x {
			w := y[i]
			switch {
			case v < w:
				return -1
			case v > w:
				return 1
			case v != w: // NaN comes last, and one is like the other
				if c := cmp.Compare(keyOf(v), keyOf(w)); c != 0 {
					return c
				}
			}
		}
		return 0
	}
}

func (ordered[T]) compare(src *tensor.Tensor, run int) func(a, b int) int {
	return compareRuns(tensor.Elements[T](src), run)
}

func (texts) compare(src *tensor.Tensor, run int) func(a, b int) int {
	s := tensor.Elements[string](src)
	return func(a, b int) int { return slices.Compare(s[a*run:][:run], s[b*run:][:run]) }
}

// flags compares bools, pairs and widePairs complex numbers: by the real, then
// the imaginary part.
type (
	flags     struct{}
	pairs     struct{}
	widePairs struct{}
)

func (flags) compare(src *tensor.Tensor, run int) func(a, b int) int {
	return compareRuns(element.Words[uint8](src), run)
}

func (pairs) compare(src *tensor.Tensor, run int) func(a, b int) int {
	parts := make([]float32, 0, 2*src.Size())
	for _, v := range tensor.Elements[complex64](src) {
		parts = append(parts, real(v), imag(v))
	}
	return compareRuns(parts, 2*run)
}

func (widePairs) compare(src *tensor.Tensor, run int) func(a, b int) int {
	parts := make([]float64, 0, 2*src.Size())
	for _, v := range tensor.Elements[complex128](src) {
		parts = append(parts, real(v), imag(v))
	}
	return compareRuns(parts, 2*run)
}

// Unique groups n items of run consecutive elements of src. Groups come in
// ascending order when sorted, else in that of their first occurrence. NaNs are
// equal here and larger than all numbers.
func Unique(ctx context.Context, src *tensor.Tensor, n, run int, sorted bool) (Groups, error) {
	k, ok := groupKernels[src.DType()]
	if !ok {
		return Groups{}, fmt.Errorf("no order of %v", src.DType())
	}
	compare := k.compare(src, run)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	stop := false
	calls := 0
	slices.SortFunc(order, func(a, b int) int {
		if calls++; calls&0xffff == 0 && !stop {
			stop = ctx.Err() != nil
		}
		if stop { // comparing nothing more lets the sort run out
			return 0
		}
		if c := compare(a, b); c != 0 {
			return c
		}
		return a - b
	})
	if stop {
		return Groups{}, ctx.Err()
	}
	g := Groups{Inverse: make([]int64, n)}
	for i, at := range order {
		if i == 0 || compare(order[i-1], at) != 0 {
			g.First, g.Counts = append(g.First, int64(at)), append(g.Counts, 0)
		}
		last := len(g.First) - 1
		g.Counts[last]++
		g.Inverse[at] = int64(last)
	}
	if !sorted {
		g.byOccurrence()
	}
	return g, nil
}

// byOccurrence puts the groups into the order of their first items.
func (g *Groups) byOccurrence() {
	order := make([]int, len(g.First))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(g.First[a], g.First[b]) })
	first, counts, moved := make([]int64, len(order)), make([]int64, len(order)), make([]int64, len(order))
	for to, from := range order {
		first[to], counts[to], moved[from] = g.First[from], g.Counts[from], int64(to)
	}
	for i, v := range g.Inverse {
		g.Inverse[i] = moved[v]
	}
	g.First, g.Counts = first, counts
}
