package cpu

import (
	"context"

	"gort/ep"
	"gort/internal/kernel/elementwise"
	"gort/internal/parallel"
	"gort/op"
	"gort/tensor"
)

const (
	float32And64 = op.DTypes(1<<tensor.Float32 | 1<<tensor.Float64)
	// nativeTypes are the numbers that Go computes with.
	nativeTypes = float32And64 | op.IntegerTypes
)

var (
	floatTypes  = map[string]op.DTypes{"T": float32And64}
	numberTypes = map[string]op.DTypes{"T": nativeTypes}
)

var (
	functions = ByType{tensor.Float32: newFunction[float32], tensor.Float64: newFunction[float64]}
	numerics  = ByType{
		tensor.Float32: newNumeric[float32], tensor.Float64: newNumeric[float64],
		tensor.Int8: newNumeric[int8], tensor.Int16: newNumeric[int16], tensor.Int32: newNumeric[int32], tensor.Int64: newNumeric[int64],
		tensor.Uint8: newNumeric[uint8], tensor.Uint16: newNumeric[uint16], tensor.Uint32: newNumeric[uint32], tensor.Uint64: newNumeric[uint64],
	}
)

var unaryBindings = []Binding{
	{Op: "Abs", Types: numberTypes, ViaFloat32: true, New: numerics.Input(0)},
	{Op: "Acos", Types: floatTypes, ViaFloat32: true, New: functions.Input(0)},
	{Op: "Acosh", Types: floatTypes, ViaFloat32: true, New: functions.Input(0)},
	{Op: "Asin", Types: floatTypes, ViaFloat32: true, New: functions.Input(0)},
	{Op: "Asinh", Types: floatTypes, ViaFloat32: true, New: functions.Input(0)},
	{Op: "Atan", Types: floatTypes, ViaFloat32: true, New: functions.Input(0)},
	{Op: "Atanh", Types: floatTypes, ViaFloat32: true, New: functions.Input(0)},
	{Op: "Ceil", Types: floatTypes, ViaFloat32: true, New: functions.Input(0)},
	{Op: "Cos", Types: floatTypes, ViaFloat32: true, New: functions.Input(0)},
	{Op: "Cosh", Types: floatTypes, ViaFloat32: true, New: functions.Input(0)},
	{Op: "Erf", Types: numberTypes, ViaFloat32: true, New: numerics.Input(0)},
	{Op: "Exp", Types: floatTypes, ViaFloat32: true, New: functions.Input(0)},
	{Op: "Floor", Types: floatTypes, ViaFloat32: true, New: functions.Input(0)},
	{Op: "IsInf", New: newIsInf},
	{Op: "IsNaN", New: newIsNaN},
	{Op: "Log", Types: floatTypes, ViaFloat32: true, New: functions.Input(0)},
	{Op: "Neg", Types: numberTypes, ViaFloat32: true, New: numerics.Input(0)},
	{Op: "Reciprocal", Types: floatTypes, ViaFloat32: true, New: functions.Input(0)},
	{Op: "Round", Types: floatTypes, ViaFloat32: true, New: functions.Input(0)},
	{Op: "Sign", Types: numberTypes, ViaFloat32: true, New: numerics.Input(0)},
	{Op: "Sin", Types: floatTypes, ViaFloat32: true, New: functions.Input(0)},
	{Op: "Sinh", Types: floatTypes, ViaFloat32: true, New: functions.Input(0)},
	{Op: "Sqrt", Types: floatTypes, ViaFloat32: true, New: functions.Input(0)},
	{Op: "Tan", Types: floatTypes, ViaFloat32: true, New: functions.Input(0)},
}

// mapping is a kernel that applies a loop to each element and keeps the type.
type mapping[T tensor.Element] struct {
	pool  *parallel.Pool
	grain int
	loop  elementwise.Loop1[T, T]
}

// InPlace implements ep.InPlacer.
func (k *mapping[T]) InPlace() []ep.Reuse { return []ep.Reuse{{Output: 0, Input: 0}} }

// Run implements ep.Kernel.
func (k *mapping[T]) Run(ctx context.Context, inv *ep.Invocation) error {
	return elementwise.Unary(ctx, k.pool, k.grain, k.loop, tensor.Elements[T](inv.Out(0)), tensor.Elements[T](inv.In(0)))
}

// cheap are the operators on one number that cost about an instruction each.
var cheap = map[string]bool{
	"Abs": true, "Ceil": true, "Floor": true, "Neg": true, "Reciprocal": true, "Round": true,
	"Sign": true, "Sqrt": true, "Relu": true, "HardSwish": true,
}

func grainOf(name string) int {
	if cheap[name] {
		return elementwise.GrainCheap
	}
	return elementwise.GrainDear
}

func newFunction[T elementwise.Float](b *Build) (ep.Kernel, error) {
	return &mapping[T]{b.Pool, grainOf(b.Def.Name), elementwise.Function[T](b.Def.Name)}, nil
}

func newNumeric[T elementwise.Number](b *Build) (ep.Kernel, error) {
	return &mapping[T]{b.Pool, grainOf(b.Def.Name), elementwise.Numeric[T](b.Def.Name)}, nil
}

// predicate is a kernel that asks a question about the bits of each element.
type predicate[U elementwise.Unsigned] struct {
	pool *parallel.Pool
	loop elementwise.Loop1[U, bool]
}

// Run implements ep.Kernel.
func (k *predicate[U]) Run(ctx context.Context, inv *ep.Invocation) error {
	in, err := elementwise.View[U](inv.In(0))
	if err != nil {
		return err
	}
	return elementwise.Unary(ctx, k.pool, elementwise.GrainCheap, k.loop, tensor.Elements[bool](inv.Out(0)), in)
}

func newIsNaN(b *Build) (ep.Kernel, error) {
	switch d := b.DType(0); d.Bits() {
	case 8:
		return &predicate[uint8]{b.Pool, elementwise.IsNaN[uint8](d)}, nil
	case 16:
		return &predicate[uint16]{b.Pool, elementwise.IsNaN[uint16](d)}, nil
	case 32:
		return &predicate[uint32]{b.Pool, elementwise.IsNaN[uint32](d)}, nil
	default:
		return &predicate[uint64]{b.Pool, elementwise.IsNaN[uint64](d)}, nil
	}
}

func newIsInf(b *Build) (ep.Kernel, error) {
	neg, pos := b.Bool("detect_negative"), b.Bool("detect_positive")
	switch d := b.DType(0); d.Bits() {
	case 8:
		return &predicate[uint8]{b.Pool, elementwise.IsInf[uint8](d, neg, pos)}, nil
	case 16:
		return &predicate[uint16]{b.Pool, elementwise.IsInf[uint16](d, neg, pos)}, nil
	case 32:
		return &predicate[uint32]{b.Pool, elementwise.IsInf[uint32](d, neg, pos)}, nil
	default:
		return &predicate[uint64]{b.Pool, elementwise.IsInf[uint64](d, neg, pos)}, nil
	}
}
