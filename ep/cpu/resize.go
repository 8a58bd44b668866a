package cpu

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"gort/ep"
	"gort/graph"
	"gort/internal/kernel/resize"
	"gort/internal/parallel"
	"gort/op"
	"gort/tensor"
)

var (
	resizeTypes = ByType{
		tensor.Float32: newResize[float32], tensor.Float64: newResize[float64],
		tensor.Int8: newResize[int8], tensor.Int16: newResize[int16], tensor.Int32: newResize[int32], tensor.Int64: newResize[int64],
		tensor.Uint8: newResize[uint8], tensor.Uint16: newResize[uint16], tensor.Uint32: newResize[uint32], tensor.Uint64: newResize[uint64],
		tensor.Bool: newResize[bool], tensor.String: newResize[string],
		tensor.Complex64: newResize[complex64], tensor.Complex128: newResize[complex128],
	}
	affineGridTypes = ByType{tensor.Float32: newAffineGrid[float32], tensor.Float64: newAffineGrid[float64]}
)

var resizeBindings = []Binding{
	{Op: "Resize", Types: map[string]op.DTypes{"T": resizeTypes.Types(), "T1": resizeTypes.Types()}, ViaFloat32: true, Check: checkResize, New: resizeTypes.Input(0)},
	{Op: "Upsample", Types: map[string]op.DTypes{"T": resizeTypes.Types()}, ViaFloat32: true, Check: checkResize, New: resizeTypes.Input(0)},
	{Op: "GridSample", Types: map[string]op.DTypes{"T1": gridSampleTypes.Types(), "T2": wideFloats}, ViaFloat32: true, Check: checkGridSample, New: gridSampleTypes.Input(0)},
	{Op: "AffineGrid", Types: map[string]op.DTypes{"T1": affineGridTypes.Types()}, ViaFloat32: true, New: affineGridTypes.Input(0)},
}

func checkResize(b *Build) string {
	switch d := b.DType(0); d.Class() {
	case tensor.ClassBool, tensor.ClassString, tensor.ClassComplex:
		if b.String("mode") != "nearest" {
			return fmt.Sprintf("input 0 (X) is %v, which can be resized in mode nearest only", d.ONNX())
		}
	}
	return ""
}

// resizeKernel is Resize and Upsample.
type resizeKernel[T tensor.Element] struct {
	attrs   op.Attrs
	pool    *parallel.Pool
	options resize.Options
	fixed   []float32 // scales that are attributes

	roi, scales, sizes int // inputs, -1 is nowhere

	last atomic.Pointer[resizePlan]
}

// resizePlan is what follows from the input's shape and the small inputs.
type resizePlan struct {
	in, out     tensor.Shape
	scales, roi []float32
	axes        []*resize.Axis
	f32         *resize.Interpolation[float32]
	f64         *resize.Interpolation[float64]
}

func newResize[T tensor.Element](b *Build) (ep.Kernel, error) {
	k := &resizeKernel[T]{attrs: b.Attrs, pool: b.Pool, roi: -1, scales: 1, sizes: -1}
	k.options = resize.Options{Mode: b.String("mode"), Coordinates: "asymmetric", Nearest: "legacy", CubicA: -0.75}
	if k.options.Mode == "bilinear" {
		k.options.Mode = "linear"
	}
	switch {
	case b.Node.Op == "Upsample":
		k.fixed = op.UpsampleScales(b.Attrs)
	case b.Since() >= 11:
		k.roi, k.scales, k.sizes = 1, 2, 3
		k.options.Coordinates, k.options.Nearest = b.String("coordinate_transformation_mode"), b.String("nearest_mode")
		k.options.CubicA, k.options.ExcludeOutside = float64(b.Float("cubic_coeff_a")), b.Bool("exclude_outside")
		k.options.Antialias, k.options.Extrapolation = b.Bool("antialias"), float64(b.Float("extrapolation_value"))
	}
	return k, nil
}

// floats returns the elements of an input; nil when it is omitted or empty.
func (k *resizeKernel[T]) floats(inv *ep.Invocation, i int) ([]float32, error) {
	if i < 0 {
		return nil, nil
	}
	t := inv.In(i)
	switch {
	case t == nil || t.Size() == 0:
		return nil, nil
	case t.DType() == tensor.Float32:
		return tensor.Elements[float32](t), nil
	}
	return op.FloatsOf(t)
}

func (k *resizeKernel[T]) plan(inv *ep.Invocation) (*resizePlan, error) {
	x, y := inv.In(0).Shape(), inv.Out(0).Shape()
	var err error
	p := &resizePlan{in: x, out: y, scales: k.fixed}
	if p.scales == nil {
		if p.scales, err = k.floats(inv, k.scales); err != nil {
			return nil, err
		}
	}
	if k.options.Coordinates == "tf_crop_and_resize" {
		if p.roi, err = k.floats(inv, k.roi); err != nil {
			return nil, err
		}
	}
	if l := k.last.Load(); l != nil && l.in.Equal(p.in) && l.out.Equal(p.out) && slices.Equal(l.scales, p.scales) && slices.Equal(l.roi, p.roi) {
		return l, nil
	}
	p.in, p.out, p.scales, p.roi = x.Clone(), y.Clone(), slices.Clone(p.scales), slices.Clone(p.roi)
	var sizes *op.Ints
	if p.scales == nil && k.sizes >= 0 && inv.In(k.sizes) != nil {
		sizes = op.IntsOf(inv.In(k.sizes))
	}
	target, err := op.NewResizeTarget(k.attrs, graph.Fixed(x...).Dims(), p.scales, sizes)
	if err != nil {
		return nil, err
	}
	if err := k.makeAxes(p, target); err != nil {
		return nil, err
	}
	if k.options.Mode != "nearest" {
		if isWide[T]() {
			p.f64 = resize.NewInterpolation[float64](p.in, p.axes, k.options.Extrapolation)
		} else {
			p.f32 = resize.NewInterpolation[float32](p.in, p.axes, k.options.Extrapolation)
		}
	}
	k.last.Store(p)
	return p, nil
}

// isWide reports whether float32 does not hold all values of T.
func isWide[T tensor.Element]() bool {
	return tensor.DTypeOf[T]().Bits() > 16 && tensor.DTypeOf[T]() != tensor.Float32
}

func (k *resizeKernel[T]) makeAxes(p *resizePlan, target *op.ResizeTarget) error {
	spans := make([]resize.Span, len(p.in))
	for d := range spans {
		spans[d] = resize.Span{Start: 0, End: 1}
	}
	if n := len(p.roi) / 2; n > 0 {
		dims := k.attrs.IntsAsInt("axes")
		if dims == nil {
			for d := range p.in {
				dims = append(dims, d)
			}
		}
		if len(dims) != n || len(p.roi) != 2*n {
			return fmt.Errorf("input 1 (roi) has %d elements, must have %d", len(p.roi), 2*len(dims))
		}
		for i, a := range dims {
			d, err := tensor.Axis(a, len(p.in))
			if err != nil {
				return err
			}
			spans[d] = resize.Span{Start: float64(p.roi[i]), End: float64(p.roi[n+i])}
		}
	}
	p.axes = make([]*resize.Axis, len(p.in))
	for d := range p.axes {
		if !target.Out[d].Is(p.out[d]) {
			return fmt.Errorf("dimension %d becomes %v, the output was planned with %d", d, target.Out[d], p.out[d])
		}
		// What is not scaled stays as it is. The formula of tf_half_pixel_for_nn would
		// move it by half an element, batches too; ONNX Runtime leaves it in place.
		whole := spans[d] == resize.Span{Start: 0, End: 1}
		if p.in[d] == p.out[d] && target.Scale[d] == 1 && whole {
			continue
		}
		if a := resize.NewAxis(&k.options, p.in[d], p.out[d], target.Scale[d], spans[d]); !a.Identity() {
			p.axes[d] = a
		}
	}
	return nil
}

// Run implements ep.Kernel.
func (k *resizeKernel[T]) Run(ctx context.Context, inv *ep.Invocation) error {
	if inv.Out(0) == nil {
		return fmt.Errorf("the output's shape does not follow from scales and sizes")
	}
	p, err := k.plan(inv)
	if err != nil {
		return err
	}
	x, y := tensor.Elements[T](inv.In(0)), tensor.Elements[T](inv.Out(0))
	switch {
	case k.options.Mode == "nearest":
		return resize.Nearest(ctx, k.pool, p.in, p.out, p.axes, elementOf[T](k.options.Extrapolation), x, y)
	case p.f64 != nil:
		return interpolate(ctx, k.pool, p.f64, x, y)
	}
	return interpolate(ctx, k.pool, p.f32, x, y)
}

// interpolate converts to the type of the sums and back, where they differ.
func interpolate[T tensor.Element, F resize.Float](ctx context.Context, pool *parallel.Pool, p *resize.Interpolation[F], x, y []T) error {
	if in, ok := any(x).([]F); ok {
		return p.Run(ctx, pool, in, any(y).([]F))
	}
	in, out := make([]F, len(x)), make([]F, len(y))
	for i, v := range x {
		in[i] = F(numberOf(v))
	}
	if err := p.Run(ctx, pool, in, out); err != nil {
		return err
	}
	for i, v := range out {
		y[i] = elementOf[T](float64(v))
	}
	return nil
}

// numberOf is an element as a number, 0 where it is none.
func numberOf[T tensor.Element](v T) float64 {
	switch v := any(v).(type) {
	case float32:
		return float64(v)
	case float64:
		return v
	case int8:
		return float64(v)
	case int16:
		return float64(v)
	case int32:
		return float64(v)
	case int64:
		return float64(v)
	case uint8:
		return float64(v)
	case uint16:
		return float64(v)
	case uint32:
		return float64(v)
	case uint64:
		return float64(v)
	}
	return 0
}

// elementOf is a number as an element: integers drop the fraction and stop at the
// ends of their range.
func elementOf[T tensor.Element](v float64) T {
	var t T
	switch p := any(&t).(type) {
	case *float32:
		*p = float32(v)
	case *float64:
		*p = v
	case *int8:
		*p = int8(min(max(v, math.MinInt8), math.MaxInt8))
	case *int16:
		*p = int16(min(max(v, math.MinInt16), math.MaxInt16))
	case *int32:
		*p = int32(min(max(v, math.MinInt32), math.MaxInt32))
	case *int64:
		*p = toInt64(v)
	case *uint8:
		*p = uint8(min(max(v, 0), math.MaxUint8))
	case *uint16:
		*p = uint16(min(max(v, 0), math.MaxUint16))
	case *uint32:
		*p = uint32(min(max(v, 0), math.MaxUint32))
	case *uint64:
		*p = toUint64(v)
	case *bool:
		*p = v != 0
	case *complex64:
		*p = complex(float32(v), 0)
	case *complex128:
		*p = complex(v, 0)
	}
	return t
}

func toInt64(v float64) int64 {
	switch {
	case v >= 1<<63:
		return math.MaxInt64
	case v <= -1<<63:
		return math.MinInt64
	}
	return int64(v)
}

func toUint64(v float64) uint64 {
	switch {
	case v >= 1<<64:
		return math.MaxUint64
	case !(v > 0):
		return 0
	}
	return uint64(v)
}
