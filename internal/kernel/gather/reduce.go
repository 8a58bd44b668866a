package gather

import (
	"context"
	"fmt"

	"gort/tensor"
)

// Reduction says what becomes of an element that is already there.
type Reduction uint8

// Reductions. Add of bool is or, Mul is and; minimum and maximum of a NaN are NaN.
const (
	Add Reduction = iota
	Mul
	Min
	Max
)

// Reductions are the reductions by the names the operators give them.
var Reductions = map[string]Reduction{"add": Add, "mul": Mul, "min": Min, "max": Max}

// number is every type that reductions compute with.
type number interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

func combineOf[T number](r Reduction) func(a, b T) T {
	switch r {
	case Add:
		return func(a, b T) T { return a + b }
	case Mul:
		return func(a, b T) T { return a * b }
	case Min:
		return func(a, b T) T { return min(a, b) }
	}
	return func(a, b T) T { return max(a, b) }
}

func combineBools(r Reduction) func(a, b bool) bool {
	if r == Add || r == Max {
		return func(a, b bool) bool { return a || b }
	}
	return func(a, b bool) bool { return a && b }
}

// reducer scatters with a reduction, for one element type.
type reducer interface {
	elements(ctx context.Context, dst, indices, updates *tensor.Tensor, axis int, r Reduction) error
	slices(ctx context.Context, dst, indices, updates *tensor.Tensor, r Reduction) error
}

type (
	numbers[T number] struct{}
	bools             struct{}
)

var reducers = map[tensor.DType]reducer{
	tensor.Float32: numbers[float32]{}, tensor.Float64: numbers[float64]{},
	tensor.Int8: numbers[int8]{}, tensor.Int16: numbers[int16]{}, tensor.Int32: numbers[int32]{}, tensor.Int64: numbers[int64]{},
	tensor.Uint8: numbers[uint8]{}, tensor.Uint16: numbers[uint16]{}, tensor.Uint32: numbers[uint32]{}, tensor.Uint64: numbers[uint64]{},
	tensor.Bool: bools{},
}

// ReducedTypes lists the element types that reductions work on.
func ReducedTypes() []tensor.DType {
	var list []tensor.DType
	for d := range reducers {
		list = append(list, d)
	}
	return list
}

// ReduceElements is ScatterElements with a reduction.
func ReduceElements(ctx context.Context, dst, indices, updates *tensor.Tensor, axis int, r Reduction) error {
	k, ok := reducers[dst.DType()]
	if !ok {
		return fmt.Errorf("no reduction of %v", dst.DType())
	}
	return k.elements(ctx, dst, indices, updates, axis, r)
}

// ReduceSlices is ScatterSlices with a reduction.
func ReduceSlices(ctx context.Context, dst, indices, updates *tensor.Tensor, r Reduction) error {
	k, ok := reducers[dst.DType()]
	if !ok {
		return fmt.Errorf("no reduction of %v", dst.DType())
	}
	if updates.Size() == 0 {
		return nil
	}
	return k.slices(ctx, dst, indices, updates, r)
}

func reduceElements[T tensor.Element](ctx context.Context, dst, indices, updates *tensor.Tensor, axis int, f func(a, b T) T) error {
	d, u, l := tensor.Elements[T](dst), tensor.Elements[T](updates), linesOf(dst, indices, axis)
	if indices.DType() == tensor.Int32 {
		return scatterEach(ctx, d, u, tensor.Elements[int32](indices), l, f)
	}
	return scatterEach(ctx, d, u, tensor.Elements[int64](indices), l, f)
}

func reduceSlices[T tensor.Element](ctx context.Context, dst, indices, updates *tensor.Tensor, f func(a, b T) T) error {
	return scatterSlices(ctx, tensor.Elements[T](dst), tensor.Elements[T](updates), tensor.Elements[int64](indices), ndOf(dst, indices, 0), f)
}

func (numbers[T]) elements(ctx context.Context, dst, indices, updates *tensor.Tensor, axis int, r Reduction) error {
	return reduceElements(ctx, dst, indices, updates, axis, combineOf[T](r))
}

func (numbers[T]) slices(ctx context.Context, dst, indices, updates *tensor.Tensor, r Reduction) error {
	return reduceSlices(ctx, dst, indices, updates, combineOf[T](r))
}

func (bools) elements(ctx context.Context, dst, indices, updates *tensor.Tensor, axis int, r Reduction) error {
	return reduceElements(ctx, dst, indices, updates, axis, combineBools(r))
}

func (bools) slices(ctx context.Context, dst, indices, updates *tensor.Tensor, r Reduction) error {
	return reduceSlices(ctx, dst, indices, updates, combineBools(r))
}
