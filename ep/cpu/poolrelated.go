package cpu

import (
	"context"
	"fmt"

	"gort/ep"
	"gort/internal/kernel/pool"
	"gort/op"
	"gort/tensor"
)

func newUnpool[T tensor.Element](b *Build) (ep.Kernel, error) {
	win, err := op.ReadTransposedWindow(b.Attrs, b.IntsAsInt("kernel_shape"))
	if err != nil {
		return nil, err
	}
	return Func(func(_ context.Context, inv *ep.Invocation) error {
		x, i, y := inv.In(0), inv.In(1), inv.Out(0)
		if !x.Shape().Equal(i.Shape()) || x.Rank() != len(win.Kernel)+2 || y == nil {
			return fmt.Errorf("indices %v do not fit the input %v", i.Shape(), x.Shape())
		}
		inner, _, err := win.Resolve(x.Shape()[2:])
		if err != nil {
			return err
		}
		inner = append([]int{x.Shape()[0], x.Shape()[1]}, inner...)
		if _, err := tensor.Shape(inner).NumElements(); err != nil {
			return err
		}
		return pool.Unpool(tensor.Elements[T](x), tensor.Elements[int64](i), inner, y.Shape(), tensor.Elements[T](y))
	}), nil
}

func newRoiAlign[T pool.Float](b *Build) (ep.Kernel, error) {
	g := pool.Regions{OutHeight: b.Int("output_height"), OutWidth: b.Int("output_width"), Scale: float64(b.Float("spatial_scale")),
		SamplingRatio: b.Int("sampling_ratio"), HalfPixel: b.String("coordinate_transformation_mode") == "half_pixel", Max: b.String("mode") == "max"}
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		g := g
		x := inv.In(0).Shape()
		g.Batch, g.Channels, g.Height, g.Width = x[0], x[1], x[2], x[3]
		return pool.Align(ctx, b.Pool, &g, tensor.Elements[T](inv.In(0)), tensor.Elements[T](inv.In(1)), tensor.Elements[int64](inv.In(2)), tensor.Elements[T](inv.Out(0)))
	}), nil
}

func newMaxRoiPool[T pool.Float](b *Build) (ep.Kernel, error) {
	size := b.IntsAsInt("pooled_shape")
	g := pool.Regions{OutHeight: size[0], OutWidth: size[1], Scale: float64(b.Float("spatial_scale"))}
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		g := g
		x := inv.In(0).Shape()
		g.Batch, g.Channels, g.Height, g.Width = x[0], x[1], x[2], x[3]
		return pool.MaxRegions(ctx, b.Pool, &g, tensor.Elements[T](inv.In(0)), tensor.Elements[T](inv.In(1)), tensor.Elements[T](inv.Out(0)))
	}), nil
}
