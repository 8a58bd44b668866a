package cpu

import (
	"context"

	"gort/ep"
	"gort/internal/kernel/resize"
	"gort/tensor"
)

var gridSampleTypes = ByType{
	tensor.Float32: newGridSample(sampleNumber[float32]), tensor.Float64: newGridSample(sampleNumber[float64]),
	tensor.Int8: newGridSample(sampleNumber[int8]), tensor.Int16: newGridSample(sampleNumber[int16]),
	tensor.Int32: newGridSample(sampleNumber[int32]), tensor.Int64: newGridSample(sampleNumber[int64]),
	tensor.Uint8: newGridSample(sampleNumber[uint8]), tensor.Uint16: newGridSample(sampleNumber[uint16]),
	tensor.Uint32: newGridSample(sampleNumber[uint32]), tensor.Uint64: newGridSample(sampleNumber[uint64]),
	tensor.Complex64: newGridSample(sampleComplex[complex64]), tensor.Complex128: newGridSample(sampleComplex[complex128]),
	tensor.Bool: newGridSample(sampleBool), tensor.String: newGridSample(sampleString),
}

// checkGridSample declines what has no meaning: a mean of strings.
func checkGridSample(b *Build) string {
	if b.DType(0) == tensor.String && b.String("mode") != "nearest" {
		return "input 0 (X) is string, which can be sampled in mode nearest only"
	}
	return ""
}

// sampleNumber is a weighted sum in float64.
func sampleNumber[T tensor.Element](image []T, at []int, weight []float64) T {
	sum := 0.0
	for t, i := range at {
		if i >= 0 {
			sum += weight[t] * numberOf(image[i])
		}
	}
	return elementOf[T](sum)
}

func sampleComplex[T complex64 | complex128](image []T, at []int, weight []float64) T {
	var sum complex128
	for t, i := range at {
		if i >= 0 {
			v := complex128(image[i])
			sum += complex(weight[t]*real(v), weight[t]*imag(v))
		}
	}
	return T(sum)
}

// sampleBool takes true for 1; a sum that is not 0 is true.
func sampleBool(image []bool, at []int, weight []float64) bool {
	sum := 0.0
	for t, i := range at {
		if i >= 0 && image[i] {
			sum += weight[t]
		}
	}
	return sum != 0
}

// sampleString has one place, and "" outside.
func sampleString(image []string, at []int, _ []float64) string {
	if at[0] < 0 {
		return ""
	}
	return image[at[0]]
}

// sampler makes one element of those of an image.
type sampler[T tensor.Element] = func(image []T, at []int, weight []float64) T

func newGridSample[T tensor.Element](sum sampler[T]) func(b *Build) (ep.Kernel, error) {
	return func(b *Build) (ep.Kernel, error) {
		if b.DType(1) == tensor.Float64 {
			return gridSample[T, float64](b, sum)
		}
		return gridSample[T, float32](b, sum)
	}
}

func gridSample[T tensor.Element, G resize.Float](b *Build, sum sampler[T]) (ep.Kernel, error) {
	mode := b.String("mode")
	switch mode {
	case "bilinear":
		mode = "linear"
	case "bicubic":
		mode = "cubic"
	}
	s := resize.Sampling{Mode: mode, Padding: b.String("padding_mode"), AlignCorners: b.Bool("align_corners"), ElementsOnly: b.Def.Domain == microsoft}
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		s := s
		x, y := inv.In(0), inv.Out(0)
		s.Batch, s.Channels, s.Input, s.Output = x.Shape()[0], x.Shape()[1], x.Shape()[2:], y.Shape()[2:]
		return resize.Sample(ctx, b.Pool, &s, tensor.Elements[T](x), tensor.Elements[G](inv.In(1)), tensor.Elements[T](y), sum)
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
