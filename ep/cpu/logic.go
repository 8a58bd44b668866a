package cpu

import (
	"context"

	"gort/ep"
	"gort/internal/kernel/elementwise"
	"gort/internal/parallel"
	"gort/op"
	"gort/tensor"
)

var comparison = ByType{
	tensor.Float32: newCompare[float32], tensor.Float64: newCompare[float64],
	tensor.Int8: newCompare[int8], tensor.Int16: newCompare[int16], tensor.Int32: newCompare[int32], tensor.Int64: newCompare[int64],
	tensor.Uint8: newCompare[uint8], tensor.Uint16: newCompare[uint16], tensor.Uint32: newCompare[uint32], tensor.Uint64: newCompare[uint64],
	tensor.String: newCompare[string], tensor.Bool: newLogic,
}

var bitwise = ByType{
	tensor.Int8: newBitwise[int8], tensor.Int16: newBitwise[int16], tensor.Int32: newBitwise[int32], tensor.Int64: newBitwise[int64],
	tensor.Uint8: newBitwise[uint8], tensor.Uint16: newBitwise[uint16], tensor.Uint32: newBitwise[uint32], tensor.Uint64: newBitwise[uint64],
}

var bitwiseNot = ByType{
	tensor.Int8: newBitwiseNot[int8], tensor.Int16: newBitwiseNot[int16], tensor.Int32: newBitwiseNot[int32], tensor.Int64: newBitwiseNot[int64],
	tensor.Uint8: newBitwiseNot[uint8], tensor.Uint16: newBitwiseNot[uint16], tensor.Uint32: newBitwiseNot[uint32], tensor.Uint64: newBitwiseNot[uint64],
}

var logicBindings = []Binding{
	{Op: "And", New: newLogic},
	{Op: "Or", New: newLogic},
	{Op: "Xor", New: newLogic},
	{Op: "Not", New: newNot},
	{Op: "Equal", Types: map[string]op.DTypes{"T": nativeTypes | 1<<tensor.Bool | 1<<tensor.String}, ViaFloat32: true, New: comparison.Input(0)},
	{Op: "Greater", Types: numberTypes, ViaFloat32: true, New: comparison.Input(0)},
	{Op: "GreaterOrEqual", Types: numberTypes, ViaFloat32: true, New: comparison.Input(0)},
	{Op: "Less", Types: numberTypes, ViaFloat32: true, New: comparison.Input(0)},
	{Op: "LessOrEqual", Types: numberTypes, ViaFloat32: true, New: comparison.Input(0)},
	{Op: "BitShift", New: bitwise.Input(0)},
	{Op: "BitwiseAnd", New: bitwise.Input(0)},
	{Op: "BitwiseOr", New: bitwise.Input(0)},
	{Op: "BitwiseXor", New: bitwise.Input(0)},
	{Op: "BitwiseNot", New: bitwiseNot.Input(0)},
	{Op: "Where", New: newWhere},
}

func newCompare[T orderedElement](b *Build) (ep.Kernel, error) {
	return &binary[T, T, bool]{b.Pool, elementwise.GrainCheap, elementwise.Compare[T](b.Def.Name), newSecond(b)}, nil
}

func newBitwise[T elementwise.Integer](b *Build) (ep.Kernel, error) {
	name := b.Def.Name
	if name == "BitShift" {
		name = map[string]string{"LEFT": "ShiftLeft", "RIGHT": "ShiftRight"}[b.String("direction")]
	}
	return &arithmeticKernel[T]{binary: binary[T, T, T]{b.Pool, elementwise.GrainCheap, elementwise.Bitwise[T](name), newSecond(b)}}, nil
}

func newBitwiseNot[T elementwise.Integer](b *Build) (ep.Kernel, error) {
	return &mapping[T]{b.Pool, elementwise.GrainCheap, elementwise.BitwiseNot[T]}, nil
}

// logic is a kernel of two booleans, read as bytes.
type logic struct {
	pool *parallel.Pool
	loop elementwise.Loop2[uint8, uint8, bool]
	second
}

func newLogic(b *Build) (ep.Kernel, error) {
	return &logic{b.Pool, elementwise.Logic(b.Def.Name), newSecond(b)}, nil
}

// InPlace implements ep.InPlacer.
func (k *logic) InPlace() []ep.Reuse { return []ep.Reuse{{Output: 0, Input: 0}, {Output: 0, Input: 1}} }

// Run implements ep.Kernel.
func (k *logic) Run(ctx context.Context, inv *ep.Invocation) error {
	x, err := elementwise.View[uint8](inv.In(0))
	if err != nil {
		return err
	}
	y, err := elementwise.View[uint8](inv.In(1))
	if err != nil {
		return err
	}
	sy, err := k.shape(inv.In(0), inv.In(1))
	if err != nil {
		return err
	}
	out := inv.Out(0)
	return elementwise.Binary(ctx, k.pool, elementwise.GrainCheap, k.loop, tensor.Elements[bool](out), out.Shape(), x, inv.In(0).Shape(), y, sy)
}

func newNot(b *Build) (ep.Kernel, error) {
	return &predicate[uint8]{b.Pool, elementwise.Not}, nil
}

// where selects elements as bits, whatever they mean.
type where[T elementwise.Bits] struct{ pool *parallel.Pool }

// InPlace implements ep.InPlacer.
func (k where[T]) InPlace() []ep.Reuse {
	return []ep.Reuse{{Output: 0, Input: 1}, {Output: 0, Input: 2}}
}

// Run implements ep.Kernel.
func (k where[T]) Run(ctx context.Context, inv *ep.Invocation) error {
	cond, x, y, out := inv.In(0), inv.In(1), inv.In(2), inv.Out(0)
	c, err := elementwise.View[uint8](cond)
	if err != nil {
		return err
	}
	a, err := elementwise.View[T](x)
	if err != nil {
		return err
	}
	b, err := elementwise.View[T](y)
	if err != nil {
		return err
	}
	dst, err := elementwise.View[T](out)
	if err != nil {
		return err
	}
	return elementwise.Ternary(ctx, k.pool, elementwise.GrainCheap, elementwise.Where[T], dst, out.Shape(), c, cond.Shape(), a, x.Shape(), b, y.Shape())
}

func newWhere(b *Build) (ep.Kernel, error) {
	d := b.DType(1)
	if d == tensor.Undefined {
		d = b.DType(2)
	}
	switch d.Bits() {
	case 8:
		return where[uint8]{b.Pool}, nil
	case 16:
		return where[uint16]{b.Pool}, nil
	case 32:
		return where[uint32]{b.Pool}, nil
	case 64:
		return where[uint64]{b.Pool}, nil
	case 128:
		return where[[2]uint64]{b.Pool}, nil
	}
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		cond, x, y, out := inv.In(0), inv.In(1), inv.In(2), inv.Out(0)
		c, err := elementwise.View[uint8](cond)
		if err != nil {
			return err
		}
		return elementwise.Ternary(ctx, b.Pool, elementwise.GrainCheap, elementwise.Where[string], tensor.Elements[string](out), out.Shape(), c, cond.Shape(), tensor.Elements[string](x), x.Shape(), tensor.Elements[string](y), y.Shape())
	}), nil
}

type orderedElement interface{ elementwise.Number | string }
