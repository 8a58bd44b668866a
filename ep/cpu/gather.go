package cpu

import (
	"context"
	"fmt"

	"gort/ep"
	"gort/internal/kernel/gather"
	"gort/internal/parallel"
	"gort/op"
	"gort/tensor"
)

var gatherBindings = []Binding{
	{Op: "Gather", New: newGather},
	{Op: "GatherElements", New: newGatherElements},
	{Op: "GatherND", New: newGatherND},
	{Op: "Compress", New: newCompress},
	{Op: "OneHot", New: newDenseOneHot},
}

// gatherBlocks reads blocks of its first input along an axis.
type gatherBlocks struct {
	pool *parallel.Pool
	axis int
}

func newGather(b *Build) (ep.Kernel, error) { return gatherBlocks{b.Pool, b.Int("axis")}, nil }

// View implements ep.Viewer: one index into the outermost dimension that has
// any size is a window.
func (k gatherBlocks) View(_ int, inv *ep.Invocation, _ tensor.Shape) (ep.View, bool) {
	shape := inv.In(0).Shape()
	axis, err := tensor.Axis(k.axis, len(shape))
	if err != nil {
		return ep.View{}, false
	}
	for _, n := range shape[:axis] {
		if n != 1 {
			return ep.View{}, false
		}
	}
	at, ok := gather.At(inv.In(1), shape[axis])
	if !ok {
		return ep.View{}, false
	}
	for _, n := range shape[axis+1:] {
		at *= n
	}
	return ep.View{Offset: at}, true
}

// Run implements ep.Kernel.
func (k gatherBlocks) Run(ctx context.Context, inv *ep.Invocation) error {
	axis, err := tensor.Axis(k.axis, inv.In(0).Rank())
	if err != nil {
		return err
	}
	return gather.Gather(ctx, k.pool, inv.Out(0), inv.In(0), inv.In(1), axis)
}

func newGatherElements(b *Build) (ep.Kernel, error) {
	axis, pool := b.Int("axis"), b.Pool
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		a, err := tensor.Axis(axis, inv.In(0).Rank())
		if err != nil {
			return err
		}
		return gather.Elements(ctx, pool, inv.Out(0), inv.In(0), inv.In(1), a)
	}), nil
}

func newGatherND(b *Build) (ep.Kernel, error) {
	batch, pool := b.Int("batch_dims"), b.Pool
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		return gather.Slices(ctx, pool, inv.Out(0), inv.In(0), inv.In(1), batch)
	}), nil
}

func newCompress(b *Build) (ep.Kernel, error) {
	flat, axis, pool := !b.Has("axis"), b.Int("axis"), b.Pool
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		in := inv.In(0)
		a := 0
		var err error
		if flat {
			in, err = in.Reshape(in.Size())
		} else {
			a, err = tensor.Axis(axis, in.Rank())
		}
		if err != nil {
			return err
		}
		condition := tensor.Elements[bool](inv.In(1))
		shape := in.Shape().Clone()
		if shape[a], err = gather.CountTrue(condition, shape[a]); err != nil {
			return err
		}
		out, err := inv.NewOut(0, in.DType(), shape...)
		if err != nil || out == nil {
			return err
		}
		return gather.Compress(ctx, pool, out, in, condition, a)
	}), nil
}

func newDenseOneHot(b *Build) (ep.Kernel, error) {
	axis, pool := b.Int("axis"), b.Pool
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		in, values := inv.In(0), inv.In(2)
		a, err := tensor.Axis(axis, in.Rank()+1)
		if err != nil {
			return err
		}
		if values.Size() != 2 {
			return fmt.Errorf("values has shape %v, must be two elements: off and on", values.Shape())
		}
		depth, err := op.OneHotDepth(inv.In(1))
		if err != nil {
			return fmt.Errorf("depth %w", err)
		}
		if in.DType() != tensor.Int64 {
			if in, err = tensor.Convert(in, tensor.Int64, tensor.ConvertOptions{}); err != nil {
				return err
			}
		}
		shape := append(in.Shape()[:a:a], depth)
		out, err := inv.NewOut(0, values.DType(), append(shape, in.Shape()[a:]...)...)
		if err != nil || out == nil {
			return err
		}
		return gather.OneHot(ctx, pool, out, tensor.Elements[int64](in), values, a)
	}), nil
}
