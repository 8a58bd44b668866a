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

var arithmetic = ByType{
	tensor.Float32: newArithmetic[float32], tensor.Float64: newArithmetic[float64],
	tensor.Int8: newArithmetic[int8], tensor.Int16: newArithmetic[int16], tensor.Int32: newArithmetic[int32], tensor.Int64: newArithmetic[int64],
	tensor.Uint8: newArithmetic[uint8], tensor.Uint16: newArithmetic[uint16], tensor.Uint32: newArithmetic[uint32], tensor.Uint64: newArithmetic[uint64],
}

var folding = ByType{
	tensor.Float32: newFolding[float32], tensor.Float64: newFolding[float64],
	tensor.Int8: newFolding[int8], tensor.Int16: newFolding[int16], tensor.Int32: newFolding[int32], tensor.Int64: newFolding[int64],
	tensor.Uint8: newFolding[uint8], tensor.Uint16: newFolding[uint16], tensor.Uint32: newFolding[uint32], tensor.Uint64: newFolding[uint64],
}

var arithmeticBindings = []Binding{
	{Op: "Add", Types: numberTypes, ViaFloat32: true, New: arithmetic.Input(0)},
	{Op: "Sub", Types: numberTypes, ViaFloat32: true, New: arithmetic.Input(0)},
	{Op: "Mul", Types: numberTypes, ViaFloat32: true, New: arithmetic.Input(0)},
	{Op: "Div", Types: numberTypes, ViaFloat32: true, New: arithmetic.Input(0)},
	{Op: "Mod", Types: numberTypes, ViaFloat32: true, New: arithmetic.Input(0)},
	{Op: "Pow", Types: map[string]op.DTypes{"T": float32And64 | op.IndexTypes, "T1": nativeTypes}, ViaFloat32: true, New: newPow},
	{Op: "Max", Types: numberTypes, ViaFloat32: true, New: folding.Input(0)},
	{Op: "Min", Types: numberTypes, ViaFloat32: true, New: folding.Input(0)},
	{Op: "Mean", Types: floatTypes, ViaFloat32: true, New: folding.Input(0)},
	{Op: "Sum", Types: floatTypes, ViaFloat32: true, New: folding.Input(0)},
}

// second returns the shape as which the second operand is read: before opset 7
// it is placed by the attributes axis and broadcast.
type second struct {
	legacy bool
	attrs  op.Attrs
}

func newSecond(b *Build) second {
	return second{legacy: b.Def.Signature().Attr("broadcast") != nil && b.Bool("broadcast"), attrs: b.Attrs}
}

func (s second) shape(x, y *tensor.Tensor) (tensor.Shape, error) {
	if !s.legacy {
		return y.Shape(), nil
	}
	return op.LegacyBroadcast(s.attrs, x.Shape(), y.Shape())
}

// binary is a kernel of two operands that broadcast.
type binary[A, B, R tensor.Element] struct {
	pool  *parallel.Pool
	grain int
	loop  elementwise.Loop2[A, B, R]
	second
}

// Run implements ep.Kernel.
func (k *binary[A, B, R]) Run(ctx context.Context, inv *ep.Invocation) error {
	x, y, out := inv.In(0), inv.In(1), inv.Out(0)
	sy, err := k.shape(x, y)
	if err != nil {
		return err
	}
	return elementwise.Binary(ctx, k.pool, k.grain, k.loop, tensor.Elements[R](out), out.Shape(), tensor.Elements[A](x), x.Shape(), tensor.Elements[B](y), sy)
}

// arithmeticKernel is a binary kernel of one type.
type arithmeticKernel[T elementwise.Number] struct {
	binary[T, T, T]
	divides bool // integer divisors are checked
}

// InPlace implements ep.InPlacer.
func (k *arithmeticKernel[T]) InPlace() []ep.Reuse {
	return []ep.Reuse{{Output: 0, Input: 0}, {Output: 0, Input: 1}}
}

// Run implements ep.Kernel.
func (k *arithmeticKernel[T]) Run(ctx context.Context, inv *ep.Invocation) error {
	if k.divides && inv.Out(0).Size() > 0 && elementwise.HasZero(tensor.Elements[T](inv.In(1))) {
		return fmt.Errorf("input 1 (B) holds 0: %w", elementwise.ErrDivideByZero)
	}
	return k.binary.Run(ctx, inv)
}

func newArithmetic[T elementwise.Number](b *Build) (ep.Kernel, error) {
	name := b.Def.Name
	if name == "Mod" && b.Bool("fmod") {
		name = "Fmod"
	}
	return &arithmeticKernel[T]{
		binary:  binary[T, T, T]{b.Pool, elementwise.GrainCheap, elementwise.Arithmetic[T](name), newSecond(b)},
		divides: name == "Div" || name == "Mod" || name == "Fmod",
	}, nil
}

// powBases and powExponents pick Pow's loop by the types of base and exponent.
var powBases = ByType{
	tensor.Float32: powExponents[float32]().Input(1), tensor.Float64: powExponents[float64]().Input(1),
	tensor.Int32: powExponents[int32]().Input(1), tensor.Int64: powExponents[int64]().Input(1),
}

func powExponents[A elementwise.Number]() ByType {
	return ByType{
		tensor.Float32: newPowOf[A, float32], tensor.Float64: newPowOf[A, float64],
		tensor.Int8: newPowOf[A, int8], tensor.Int16: newPowOf[A, int16], tensor.Int32: newPowOf[A, int32], tensor.Int64: newPowOf[A, int64],
		tensor.Uint8: newPowOf[A, uint8], tensor.Uint16: newPowOf[A, uint16], tensor.Uint32: newPowOf[A, uint32], tensor.Uint64: newPowOf[A, uint64],
	}
}

func newPow(b *Build) (ep.Kernel, error) { return powBases.Input(0)(b) }

func newPowOf[A, B elementwise.Number](b *Build) (ep.Kernel, error) {
	return &binary[A, B, A]{b.Pool, elementwise.GrainDear, elementwise.Pow[A, B](), newSecond(b)}, nil
}

// fold is a kernel that combines any number of operands that broadcast.
type fold[T elementwise.Number] struct {
	pool *parallel.Pool
	loop elementwise.Loop2[T, T, T]
	mean bool
}

// InPlace implements ep.InPlacer. Only the operands of the first step may be
// written over: the others are read after it.
func (k *fold[T]) InPlace() []ep.Reuse {
	return []ep.Reuse{{Output: 0, Input: 0}, {Output: 0, Input: 1}}
}

// Run implements ep.Kernel.
func (k *fold[T]) Run(ctx context.Context, inv *ep.Invocation) error {
	out := inv.Out(0)
	dst, shape := tensor.Elements[T](out), out.Shape()
	acc, accShape := tensor.Elements[T](inv.In(0)), inv.In(0).Shape()
	if len(inv.Inputs) == 1 {
		copy(dst, acc)
		return nil
	}
	for i := 1; i < len(inv.Inputs); i++ {
		x := inv.In(i)
		if err := elementwise.Binary(ctx, k.pool, elementwise.GrainCheap, k.loop, dst, shape, acc, accShape, tensor.Elements[T](x), x.Shape()); err != nil {
			return err
		}
		acc, accShape = dst, shape
	}
	if k.mean {
		elementwise.Scale(dst, len(inv.Inputs))
	}
	return nil
}

func newFolding[T elementwise.Number](b *Build) (ep.Kernel, error) {
	return &fold[T]{b.Pool, elementwise.Arithmetic[T](b.Def.Name), b.Def.Name == "Mean"}, nil
}
