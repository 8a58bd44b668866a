package cpu

import (
	"context"
	"fmt"

	"gort/ep"
	"gort/internal/kernel/elementwise"
	"gort/internal/parallel"
	"gort/op"
	"gort/tensor"
)

var activations = ByType{tensor.Float32: newActivation[float32], tensor.Float64: newActivation[float64]}

var clips = ByType{
	tensor.Float32: newClip[float32], tensor.Float64: newClip[float64],
	tensor.Int8: newClip[int8], tensor.Int16: newClip[int16], tensor.Int32: newClip[int32], tensor.Int64: newClip[int64],
	tensor.Uint8: newClip[uint8], tensor.Uint16: newClip[uint16], tensor.Uint32: newClip[uint32], tensor.Uint64: newClip[uint64],
}

var shrinks = ByType{
	tensor.Float32: newShrink[float32], tensor.Float64: newShrink[float64],
	tensor.Int8: newShrink[int8], tensor.Int16: newShrink[int16], tensor.Int32: newShrink[int32], tensor.Int64: newShrink[int64],
	tensor.Uint8: newShrink[uint8], tensor.Uint16: newShrink[uint16], tensor.Uint32: newShrink[uint32], tensor.Uint64: newShrink[uint64],
}

var prelus = ByType{
	tensor.Float32: newPRelu[float32], tensor.Float64: newPRelu[float64],
	tensor.Int32: newPRelu[int32], tensor.Int64: newPRelu[int64], tensor.Uint32: newPRelu[uint32], tensor.Uint64: newPRelu[uint64],
}

var swiGLUs = ByType{tensor.Float32: newSwiGLU[float32], tensor.Float64: newSwiGLU[float64]}

var activationBindings = []Binding{
	{Op: "Relu", Types: map[string]op.DTypes{"T": float32And64 | op.IntTypes}, ViaFloat32: true, New: numerics.Input(0)},
	{Op: "LeakyRelu", Types: floatTypes, ViaFloat32: true, New: activations.Input(0)},
	{Op: "PRelu", Types: map[string]op.DTypes{"T": prelus.Types()}, ViaFloat32: true, New: prelus.Input(0)},
	{Op: "Elu", Types: floatTypes, ViaFloat32: true, New: activations.Input(0)},
	{Op: "Selu", Types: floatTypes, ViaFloat32: true, New: activations.Input(0)},
	{Op: "Celu", Types: floatTypes, ViaFloat32: true, New: activations.Input(0)},
	{Op: "Sigmoid", Types: floatTypes, ViaFloat32: true, New: functions.Input(0)},
	{Op: "HardSigmoid", Types: floatTypes, ViaFloat32: true, New: activations.Input(0)},
	{Op: "HardSwish", Types: floatTypes, ViaFloat32: true, New: functions.Input(0)},
	{Op: "Softplus", Types: floatTypes, ViaFloat32: true, New: functions.Input(0)},
	{Op: "Softsign", Types: floatTypes, ViaFloat32: true, New: functions.Input(0)},
	{Op: "ThresholdedRelu", Types: floatTypes, ViaFloat32: true, New: activations.Input(0)},
	{Op: "Tanh", Types: floatTypes, ViaFloat32: true, New: functions.Input(0)},
	{Op: "Gelu", Types: floatTypes, ViaFloat32: true, New: activations.Input(0)},
	{Op: "Mish", Types: floatTypes, ViaFloat32: true, New: functions.Input(0)},
	{Op: "Swish", Types: floatTypes, ViaFloat32: true, New: activations.Input(0)},
	{Op: "SwiGLU", Types: floatTypes, ViaFloat32: true, New: swiGLUs.Input(0)},
	{Op: "Shrink", Types: numberTypes, ViaFloat32: true, New: shrinks.Input(0)},
	{Op: "Clip", Types: numberTypes, ViaFloat32: true, New: clips.Input(0)},
}

// secondParam names the attribute that is an activation's second parameter.
var secondParam = map[string]string{"HardSigmoid": "beta", "Selu": "gamma"}

func newActivation[T elementwise.Float](b *Build) (ep.Kernel, error) {
	name := b.Def.Name
	if loop := contribLoops[name]; loop != "" {
		name = loop
	}
	p := elementwise.Params{Alpha: float64(b.Float("alpha"))}
	if s := secondParam[name]; s != "" {
		p.Beta = float64(b.Float(s))
	}
	if name == "Gelu" && b.String("approximate") == "tanh" {
		name = "GeluTanh"
	}
	return &mapping[T]{b.Pool, grainOf(name), elementwise.Activation[T](name, p)}, nil
}

func newShrink[T elementwise.Number](b *Build) (ep.Kernel, error) {
	loop := elementwise.Shrink[T](float64(b.Float("lambd")), float64(b.Float("bias")))
	return &mapping[T]{b.Pool, elementwise.GrainDear, loop}, nil
}

func newSwiGLU[T elementwise.Float](b *Build) (ep.Kernel, error) {
	loop := elementwise.SwiGLU[T](float64(b.Float("alpha")))
	return &arithmeticKernel[T]{binary: binary[T, T, T]{pool: b.Pool, grain: elementwise.GrainDear, loop: loop}}, nil
}

// prelu reads its slope as one number, by channels before opset 7, or broadcasts it.
type prelu[T elementwise.Number] struct {
	pool    *parallel.Pool
	channel bool
}

// InPlace implements ep.InPlacer.
func (k prelu[T]) InPlace() []ep.Reuse { return []ep.Reuse{{Output: 0, Input: 0}} }

// Run implements ep.Kernel.
func (k prelu[T]) Run(ctx context.Context, inv *ep.Invocation) error {
	x, slope, out := inv.In(0), inv.In(1), inv.Out(0)
	shape := slope.Shape()
	if k.channel {
		shape = op.PReluSlope(x.Shape(), shape)
	}
	return elementwise.Binary(ctx, k.pool, elementwise.GrainCheap, elementwise.PRelu[T], tensor.Elements[T](out), out.Shape(), tensor.Elements[T](x), x.Shape(), tensor.Elements[T](slope), shape)
}

func newPRelu[T elementwise.Number](b *Build) (ep.Kernel, error) {
	return prelu[T]{b.Pool, b.Since() < 7}, nil
}

// clip holds numbers between bounds that are attributes before opset 11 and
// scalar inputs since.
type clip[T elementwise.Number] struct {
	pool   *parallel.Pool
	lo, hi T
}

// InPlace implements ep.InPlacer.
func (k *clip[T]) InPlace() []ep.Reuse { return []ep.Reuse{{Output: 0, Input: 0}} }

// Run implements ep.Kernel.
func (k *clip[T]) Run(ctx context.Context, inv *ep.Invocation) error {
	lo, hi := k.lo, k.hi
	for i, bound := range [2]*T{&lo, &hi} {
		t := inv.In(i + 1)
		if t == nil {
			continue
		}
		v := tensor.Elements[T](t)
		if len(v) != 1 {
			return fmt.Errorf("input %d (%s) has shape %v, must be a scalar", i+1, [2]string{"min", "max"}[i], t.Shape())
		}
		*bound = v[0]
	}
	dst, src := tensor.Elements[T](inv.Out(0)), tensor.Elements[T](inv.In(0))
	if len(dst) <= elementwise.GrainCheap {
		elementwise.Clip(dst, src, lo, hi)
		return nil
	}
	return splitClip(ctx, k.pool, dst, src, lo, hi)
}

func splitClip[T elementwise.Number](ctx context.Context, pool *parallel.Pool, dst, src []T, lo, hi T) error {
	return pool.For(ctx, len(dst), elementwise.GrainCheap, func(i, j int) { elementwise.Clip(dst[i:j], src[i:j], lo, hi) })
}

func newClip[T elementwise.Number](b *Build) (ep.Kernel, error) {
	k := &clip[T]{pool: b.Pool}
	k.lo, k.hi = elementwise.Limits[T]()
	if b.Def.Signature().Attr("min") == nil {
		return k, nil
	}
	// Version 1 has no defaults, those of version 6 are all numbers but infinity.
	if b.Has("min") {
		k.lo = T(b.Float("min"))
	}
	if b.Has("max") {
		k.hi = T(b.Float("max"))
	}
	return k, nil
}
