package cpu

import (
	"context"

	"gort/ep"
	"gort/internal/kernel/matmul"
	"gort/internal/parallel"
	"gort/op"
	"gort/tensor"
)

// The narrow integers compute as int32: sums and products keep the low bits
// either way.
var einsumTypes = ByType{
	tensor.Float32: newEinsum[float32],
	tensor.Float64: newEinsum[float64],
	tensor.Int64:   newEinsum[int64],
	tensor.Int32:   newEinsum[int32],
	tensor.Uint64:  newEinsum[uint64],
	tensor.Uint32:  newEinsum[uint32],
	tensor.Int16:   newEinsum[int32],
	tensor.Int8:    newEinsum[int32],
	tensor.Uint16:  newEinsum[int32],
	tensor.Uint8:   newEinsum[int32],
}

type einsum[T matmul.Number] struct {
	pool     *parallel.Pool
	equation *op.Einsum
	multiply matmul.Multiply[T]
}

func newEinsum[T matmul.Number](b *Build) (ep.Kernel, error) {
	e, err := op.ParseEinsum(b.String("equation"))
	if err != nil {
		return nil, b.AttrErrorf("equation", "%v", err)
	}
	return &einsum[T]{b.Pool, e, matmul.MultiplyOf[T]()}, nil
}

// Run implements ep.Kernel.
func (k *einsum[T]) Run(ctx context.Context, inv *ep.Invocation) error {
	own := tensor.DTypeOf[T]()
	ranks := make([]int, len(inv.Inputs))
	for i := range ranks {
		ranks[i] = inv.In(i).Rank()
	}
	e, err := k.equation.Expand(ranks)
	if err != nil {
		return err
	}
	terms := make([]matmul.Term[T], len(ranks))
	for i := range terms {
		x := inv.In(i)
		if x.DType() != own {
			if x, err = tensor.Convert(x, own, tensor.ConvertOptions{}); err != nil {
				return err
			}
		}
		terms[i] = matmul.Term[T]{Data: tensor.Elements[T](x), Labels: e.Inputs[i], Dims: x.Shape()}
	}
	out := inv.Out(0)
	if out.DType() == own {
		return matmul.Einsum(ctx, k.pool, k.multiply, terms, e.Output, tensor.Elements[T](out))
	}
	wide, err := tensor.New(own, out.Shape()...)
	if err != nil {
		return err
	}
	if err := matmul.Einsum(ctx, k.pool, k.multiply, terms, e.Output, tensor.Elements[T](wide)); err != nil {
		return err
	}
	return tensor.ConvertInto(out, wide, tensor.ConvertOptions{})
}
