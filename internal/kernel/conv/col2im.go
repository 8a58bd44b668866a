package conv

import (
	"context"

	"gort/internal/parallel"
)

// Number lists the element types of [Col2Im]. Strings are among them because the
// operator takes any type: blocks that do not overlap are only put in their places,
// and where they do, adding strings joins them.
type Number interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | complex64 | complex128 | string
}

// Col2Im adds up the blocks that a sliding window would cut out of an image
// (ONNX Col2Im). p is the convolution with that window, In its channels: x has
// In*taps rows of positions for each image, y the images.
func Col2Im[T Number](ctx context.Context, pool *parallel.Pool, p *Plan, x, y []T) error {
	grain := max(1, inlineWork/max(1, p.taps*p.pixels))
	return pool.For(ctx, p.Batch*p.In, grain, func(lo, hi int) {
		runs := p.runs(nil, 0, p.pixels)
		for i := lo; i < hi; i++ {
			out := y[i*p.plane:][:p.plane]
			clear(out)
			addTaps(p, runs, x[i*p.taps*p.pixels:], p.pixels, out)
		}
	})
}
