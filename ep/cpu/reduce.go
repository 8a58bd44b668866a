package cpu

import (
	"context"

	"gort/ep"
	"gort/internal/kernel/elementwise"
	"gort/internal/kernel/reduce"
	"gort/internal/parallel"
	"gort/op"
	"gort/tensor"
)

var reductions = ByType{
	tensor.Float32: newFloatReduce[float32], tensor.Float64: newFloatReduce[float64],
	tensor.Int32: newIntReduce[int32, int64], tensor.Int64: newIntReduce[int64, int64],
	tensor.Uint32: newIntReduce[uint32, uint64], tensor.Uint64: newIntReduce[uint64, uint64],
	tensor.Int8: newIntReduce[int8, int64], tensor.Uint8: newIntReduce[uint8, uint64],
	tensor.Bool: newBoolReduce,
}

var (
	wideTypes    = map[string]op.DTypes{"T": op.WideTypes &^ (1 << tensor.Float16)}
	extremaTypes = map[string]op.DTypes{"T": op.WideTypes&^(1<<tensor.Float16) | 1<<tensor.Int8 | 1<<tensor.Uint8 | 1<<tensor.Bool}
)

var reduceBindings = []Binding{
	{Op: "ReduceL1", Types: wideTypes, ViaFloat32: true, New: reductions.Input(0)},
	{Op: "ReduceL2", Types: wideTypes, ViaFloat32: true, New: reductions.Input(0)},
	{Op: "ReduceLogSum", Types: wideTypes, ViaFloat32: true, New: reductions.Input(0)},
	{Op: "ReduceLogSumExp", Types: wideTypes, ViaFloat32: true, New: reductions.Input(0)},
	{Op: "ReduceMax", Types: extremaTypes, ViaFloat32: true, New: reductions.Input(0)},
	{Op: "ReduceMean", Types: wideTypes, ViaFloat32: true, New: reductions.Input(0)},
	{Op: "ReduceMin", Types: extremaTypes, ViaFloat32: true, New: reductions.Input(0)},
	{Op: "ReduceProd", Types: wideTypes, ViaFloat32: true, New: reductions.Input(0)},
	{Op: "ReduceSum", Types: wideTypes, ViaFloat32: true, New: reductions.Input(0)},
	{Op: "ReduceSumSquare", Types: wideTypes, ViaFloat32: true, New: reductions.Input(0)},
}

// reducer is a kernel that reduces elements given as T with accumulators A.
type reducer[T elementwise.Number, A any] struct {
	pool  *parallel.Pool
	attrs op.Attrs
	axes  []int64 // of the attribute, in versions that have it
	input bool    // axes are input 1
	how   *reduce.Reduction[T, A]
}

func newReducer[T elementwise.Number, A any](b *Build, how *reduce.Reduction[T, A]) ep.Kernel {
	return &reducer[T, A]{b.Pool, b.Attrs, b.Ints("axes"), b.Def.Signature().Attr("axes") == nil, how}
}

// Run implements ep.Kernel.
func (k *reducer[T, A]) Run(ctx context.Context, inv *ep.Invocation) error {
	in, axes := inv.In(0), k.axes
	if list := inv.In(1); k.input && list != nil {
		axes = tensor.Elements[int64](list)
	}
	marked, err := op.ReducedAxes(k.attrs, axes, in.Rank())
	if err != nil {
		return err
	}
	out := inv.Out(0)
	if out == nil {
		if out, err = k.newOut(inv, marked); err != nil || out == nil {
			return err
		}
	}
	dst, err := elementwise.View[T](out)
	if err != nil {
		return err
	}
	src, err := elementwise.View[T](in)
	if err != nil {
		return err
	}
	return reduce.Run(ctx, k.pool, k.how, dst, src, in.Shape(), marked)
}

func (k *reducer[T, A]) newOut(inv *ep.Invocation, marked []bool) (*tensor.Tensor, error) {
	in := inv.In(0)
	var shape tensor.Shape
	for i, d := range in.Shape() {
		switch {
		case !marked[i]:
			shape = append(shape, d)
		case k.attrs.Bool("keepdims"):
			shape = append(shape, 1)
		}
	}
	return inv.NewOut(0, in.DType(), shape...)
}

func newFloatReduce[T reduce.Float](b *Build) (ep.Kernel, error) {
	switch b.Def.Name {
	case "ReduceMean":
		return newReducer(b, reduce.Mean[T]()), nil
	case "ReduceL2":
		return newReducer(b, reduce.L2[T]()), nil
	case "ReduceLogSum":
		return newReducer(b, reduce.LogSum[T]()), nil
	}
	return newNumberReduce[T](b)
}

func newIntReduce[T reduce.Integer, A int64 | uint64](b *Build) (ep.Kernel, error) {
	switch b.Def.Name {
	case "ReduceMean":
		return newReducer(b, reduce.IntMean[T, A]()), nil
	case "ReduceL2":
		return newReducer(b, reduce.IntL2[T]()), nil
	case "ReduceLogSum":
		return newReducer(b, reduce.IntLogSum[T]()), nil
	}
	return newNumberReduce[T](b)
}

func newNumberReduce[T reduce.Number](b *Build) (ep.Kernel, error) {
	switch b.Def.Name {
	case "ReduceSum":
		return newReducer(b, reduce.Sum[T]()), nil
	case "ReduceProd":
		return newReducer(b, reduce.Prod[T]()), nil
	case "ReduceMax":
		return newReducer(b, reduce.Max[T]()), nil
	case "ReduceMin":
		return newReducer(b, reduce.Min[T]()), nil
	case "ReduceL1":
		return newReducer(b, reduce.L1[T]()), nil
	case "ReduceLogSumExp":
		return newReducer(b, reduce.LogSumExp[T]()), nil
	}
	return newReducer(b, reduce.SumSquare[T]()), nil
}

func newBoolReduce(b *Build) (ep.Kernel, error) {
	if b.Def.Name == "ReduceMax" {
		return newReducer(b, reduce.Any()), nil
	}
	return newReducer(b, reduce.All()), nil
}
