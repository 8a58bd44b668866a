package search

import (
	"context"
	"fmt"

	"gort/internal/parallel"
	"gort/internal/simd"
	"gort/tensor"
)

// Extreme says which element of a line is looked for: the smallest or the
// largest, and of equal ones the first or the last. NaN is beyond all numbers.
type Extreme struct{ Min, Last bool }

type argKernel interface {
	arg(ctx context.Context, pool *parallel.Pool, dst []int64, src *tensor.Tensor, axis int, e Extreme) error
}

type numbers[T number] struct{}

var argKernels = map[tensor.DType]argKernel{
	tensor.Float32: numbers[float32]{}, tensor.Float64: numbers[float64]{},
	tensor.Int8: numbers[int8]{}, tensor.Int16: numbers[int16]{}, tensor.Int32: numbers[int32]{}, tensor.Int64: numbers[int64]{},
	tensor.Uint8: numbers[uint8]{}, tensor.Uint16: numbers[uint16]{}, tensor.Uint32: numbers[uint32]{}, tensor.Uint64: numbers[uint64]{},
}

// ArgTypes lists the element types that Arg and TopK compare.
func ArgTypes() []tensor.DType {
	var list []tensor.DType
	for d := range argKernels {
		list = append(list, d)
	}
	return list
}

// Arg writes the index of the extreme element along an axis.
func Arg(ctx context.Context, pool *parallel.Pool, dst []int64, src *tensor.Tensor, axis int, e Extreme) error {
	k, ok := argKernels[src.DType()]
	if !ok {
		return fmt.Errorf("no order of %v", src.DType())
	}
	if len(dst) == 0 {
		return nil
	}
	if src.Size() == 0 {
		return fmt.Errorf("axis %d of %v is empty: there is no extreme", axis, src.Shape())
	}
	return k.arg(ctx, pool, dst, src, axis, e)
}

func (numbers[T]) arg(ctx context.Context, pool *parallel.Pool, dst []int64, src *tensor.Tensor, axis int, e Extreme) error {
	s, n := tensor.Elements[T](src), src.Shape()[axis]
	inner := 1
	for _, k := range src.Shape()[axis+1:] {
		inner *= k
	}
	better := betterOf[T](e)
	if inner == 1 {
		return pool.For(ctx, len(dst), max(1, 16384/n), func(lo, hi int) {
			for r := lo; r < hi; r++ {
				dst[r] = int64(argLine(s[r*n:][:n], e, better))
			}
		})
	}
	return pool.For(ctx, len(dst)/inner, max(1, 16384/(n*inner)), func(lo, hi int) {
		for o := lo; o < hi; o++ {
			part, best := s[o*n*inner:][:n*inner], dst[o*inner:][:inner]
			clear(best)
			for i := 1; i < n; i++ {
				for j, v := range part[i*inner:][:inner] {
					if better(v, part[int(best[j])*inner+j]) {
						best[j] = int64(i)
					}
				}
			}
		}
	})
}

// betterOf returns whether a later element v takes the place of the best so far.
func betterOf[T number](e Extreme) func(v, best T) bool {
	switch {
	case e.Min && e.Last:
		return func(v, best T) bool { return v <= best || v != v }
	case e.Min:
		return func(v, best T) bool { return v < best || v != v && best == best }
	case e.Last:
		return func(v, best T) bool { return v >= best || v != v }
	}
	return func(v, best T) bool { return v > best || v != v && best == best }
}

// argLine finds the extreme of a contiguous line.
func argLine[T number](line []T, e Extreme, better func(v, best T) bool) int {
	if !e.Min && !e.Last && isFloat32[T]() {
		f := asFloat32(line)
		most := simd.MaxReduce(f)
		for i, v := range f {
			if v == most || v != v {
				return i
			}
		}
	}
	at, best := 0, line[0]
	for i, v := range line[1:] {
		if better(v, best) {
			at, best = i+1, v
		}
	}
	return at
}
