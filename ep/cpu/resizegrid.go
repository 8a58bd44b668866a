package cpu

import (
	"context"

	"gort/ep"
	"gort/internal/kernel/resize"
	"gort/tensor"
)

func newGridSample[T tensor.Element](b *Build) (ep.Kernel, error) {
	if b.DType(1) == tensor.Float64 {
		return gridSample[T, float64](b)
	}
	return gridSample[T, float32](b)
}

func gridSample[T tensor.Element, G resize.Float](b *Build) (ep.Kernel, error) {
	mode := b.String("mode")
	switch mode {
	case "bilinear":
		mode = "linear"
	case "bicubic":
		mode = "cubic"
	}
	s := resize.Sampling{Mode: mode, Padding: b.String("padding_mode"), AlignCorners: b.Bool("align_corners")}
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		s := s
		x, y := inv.In(0), inv.Out(0)
		s.Batch, s.Channels, s.Input, s.Output = x.Shape()[0], x.Shape()[1], x.Shape()[2:], y.Shape()[2:]
		return resize.Sample(ctx, b.Pool, &s, tensor.Elements[T](x), tensor.Elements[G](inv.In(1)), tensor.Elements[T](y), numberOf[T], elementOf[T])
	}), nil
}

func newAffineGrid[T resize.Float](b *Build) (ep.Kernel, error) {
	align := b.Bool("align_corners")
	return Func(func(_ context.Context, inv *ep.Invocation) error {
		y := inv.Out(0)
		s := y.Shape()
		resize.Affine(s[1:len(s)-1], align, tensor.Elements[T](inv.In(0)), tensor.Elements[T](y))
		return nil
	}), nil
}
