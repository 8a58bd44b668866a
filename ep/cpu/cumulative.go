package cpu

import (
	"context"
	"fmt"

	"gort/ep"
	"gort/internal/kernel/cumulative"
	"gort/internal/parallel"
	"gort/op"
	"gort/tensor"
)

var cumulatives = ByType{
	tensor.Float32: newCumulative[float32], tensor.Float64: newCumulative[float64],
	tensor.Int32: newCumulative[int32], tensor.Int64: newCumulative[int64],
	tensor.Uint32: newCumulative[uint32], tensor.Uint64: newCumulative[uint64],
}

var cumulativeBindings = []Binding{
	{Op: "CumSum", Types: map[string]op.DTypes{"T": cumulatives.Types()}, ViaFloat32: true, New: cumulatives.Input(0)},
	{Op: "CumProd", Types: map[string]op.DTypes{"T": cumulatives.Types()}, ViaFloat32: true, New: cumulatives.Input(0)},
}

// cumulativeKernel is CumSum or CumProd.
type cumulativeKernel[T cumulative.Number] struct {
	pool *parallel.Pool
	mode cumulative.Mode
	run  func(ctx context.Context, pool *parallel.Pool, dst, src []T, shape []int, axis int, m cumulative.Mode) error
}

func newCumulative[T cumulative.Number](b *Build) (ep.Kernel, error) {
	k := &cumulativeKernel[T]{b.Pool, cumulative.Mode{Exclusive: b.Bool("exclusive"), Reverse: b.Bool("reverse")}, cumulative.Sum[T]}
	if b.Def.Name == "CumProd" {
		k.run = cumulative.Prod[T]
	}
	return k, nil
}

// Run implements ep.Kernel.
func (k *cumulativeKernel[T]) Run(ctx context.Context, inv *ep.Invocation) error {
	in := inv.In(0)
	list, err := op.Int64s(inv.In(1))
	if err != nil {
		return err
	}
	if len(list) != 1 {
		return fmt.Errorf("input 1 (axis) has shape %v, must be a scalar", inv.In(1).Shape())
	}
	axis, err := tensor.Axis(int(list[0]), in.Rank())
	if err != nil {
		return fmt.Errorf("input 1 (axis): %w", err)
	}
	return k.run(ctx, k.pool, tensor.Elements[T](inv.Out(0)), tensor.Elements[T](in), in.Shape(), axis, k.mode)
}
