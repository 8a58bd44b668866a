package cpu

import (
	"context"
	"math"

	"gort/ep"
	"gort/internal/kernel/quant"
	"gort/internal/parallel"
	"gort/op"
	"gort/tensor"
)

var quantBindings = []Binding{
	{Op: "QuantizeLinear", New: newQuantize},
	{Op: "DequantizeLinear", ViaFloat32: true, New: newDequantize},
	{Op: "DynamicQuantizeLinear", New: newDynamicQuantize},
	{Op: "MatMulInteger", New: newMatMulInteger},
	{Op: "QLinearMatMul", Types: map[string]op.DTypes{"T1": bytes8, "T2": bytes8, "T3": bytes8}, Check: checkQLinearMatMul, New: newQLinearMatMul},
	{Op: "ConvInteger", New: newConvInteger},
	{Op: "QLinearConv", New: newQLinearConv},
}

// bytes8 are the element types of the integer products.
const bytes8 = op.DTypes(1<<tensor.Int8 | 1<<tensor.Uint8)

// codes are the least and largest codes of the integer types.
var codes = map[tensor.DType][2]int32{
	tensor.Uint8: {0, math.MaxUint8}, tensor.Int8: {math.MinInt8, math.MaxInt8},
	tensor.Uint16: {0, math.MaxUint16}, tensor.Int16: {math.MinInt16, math.MaxInt16},
	tensor.Uint4: {0, 15}, tensor.Int4: {-8, 7}, tensor.Uint2: {0, 3}, tensor.Int2: {-2, 1},
}

// linear is what QuantizeLinear and DequantizeLinear share.
type linear struct {
	pool        *parallel.Pool
	axis, block int
	layouts     perShape[*quant.Layout]
}

func (k *linear) read(b *Build) {
	k.pool, k.axis, k.block = b.Pool, b.Int("axis"), b.Int("block_size")
}

func (k *linear) layout(x, scale tensor.Shape) (*quant.Layout, error) {
	return k.layouts.get(k.derive, x, scale)
}

func (k *linear) derive(s ...tensor.Shape) (*quant.Layout, error) {
	axis := k.axis
	if axis < 0 {
		axis += len(s[0])
	}
	return quant.NewLayout(s[0], s[1], axis, k.block)
}

// asFloats returns a tensor's elements as float32, without copying where they are.
func asFloats(t *tensor.Tensor) ([]float32, error) {
	if t == nil {
		return nil, nil
	}
	if t.DType() == tensor.Float32 {
		return tensor.Elements[float32](t), nil
	}
	return op.FloatsOf(t)
}

// zeroPoints returns integer zero points, nil when they are omitted or all 0.
func zeroPoints(t *tensor.Tensor) ([]int32, error) {
	if t == nil {
		return nil, nil
	}
	list, err := tensor.Int64s(t)
	if err != nil {
		return nil, err
	}
	out, any := make([]int32, len(list)), false
	for i, v := range list {
		out[i] = int32(v)
		any = any || v != 0
	}
	if !any {
		return nil, nil
	}
	return out, nil
}

// quantize is QuantizeLinear.
type quantize struct {
	linear
	to        tensor.DType
	precision tensor.DType // of the division
	saturate  bool
}

func newQuantize(b *Build) (ep.Kernel, error) {
	k := &quantize{to: b.OutDType(0), precision: tensor.DType(b.Int("precision")), saturate: b.Bool("saturate")}
	k.read(b)
	if k.precision == tensor.Undefined {
		k.precision = b.DType(1)
	}
	return k, nil
}

// round returns how quotients get the precision of the division.
func (k *quantize) round() quant.Round {
	switch k.precision {
	case tensor.Float16:
		return func(q []float32) {
			for i, v := range q {
				q[i] = tensor.F16From(v).Float32()
			}
		}
	case tensor.BFloat16:
		return func(q []float32) {
			for i, v := range q {
				q[i] = tensor.BF16From(v).Float32()
			}
		}
	}
	return nil
}

// Run implements ep.Kernel.
func (k *quantize) Run(ctx context.Context, inv *ep.Invocation) error {
	l, err := k.layout(inv.In(0).Shape(), inv.In(1).Shape())
	if err != nil {
		return err
	}
	x, err := asFloats(inv.In(0))
	if err != nil {
		return err
	}
	scale, err := asFloats(inv.In(1))
	if err != nil {
		return err
	}
	y := inv.Out(0)
	limits, integer := codes[k.to]
	if !integer {
		return k.floats(ctx, l, inv, x, scale, y)
	}
	zero, err := zeroPoints(inv.In(2))
	if err != nil {
		return err
	}
	lo, hi := limits[0], limits[1]
	switch k.to {
	case tensor.Uint8:
		return quant.Quantize(ctx, k.pool, l, x, scale, k.round(), zero, lo, hi, tensor.Elements[uint8](y))
	case tensor.Int8:
		return quant.Quantize(ctx, k.pool, l, x, scale, k.round(), zero, lo, hi, tensor.Elements[int8](y))
	case tensor.Uint16:
		return quant.Quantize(ctx, k.pool, l, x, scale, k.round(), zero, lo, hi, tensor.Elements[uint16](y))
	case tensor.Int16:
		return quant.Quantize(ctx, k.pool, l, x, scale, k.round(), zero, lo, hi, tensor.Elements[int16](y))
	}
	packed := make([]int8, len(x))
	if err := quant.Quantize(ctx, k.pool, l, x, scale, k.round(), zero, lo, hi, packed); err != nil {
		return err
	}
	t, err := tensor.Pack(k.to, packed, y.Shape()...)
	if err != nil {
		return err
	}
	return tensor.Copy(y, t)
}

// floats quantises to codes that are floats of 8 or 4 bits.
func (k *quantize) floats(ctx context.Context, l *quant.Layout, inv *ep.Invocation, x, scale []float32, y *tensor.Tensor) error {
	zero, err := asFloats(inv.In(2))
	if err != nil {
		return err
	}
	q := make([]float32, len(x))
	if err := quant.Quotients(ctx, k.pool, l, x, scale, k.round(), zero, q); err != nil {
		return err
	}
	t, err := tensor.FromSlice(q, y.Shape()...)
	if err != nil {
		return err
	}
	return tensor.ConvertInto(y, t, tensor.ConvertOptions{NoSaturate: !k.saturate})
}

// dequantize is DequantizeLinear.
type dequantize struct{ linear }

func newDequantize(b *Build) (ep.Kernel, error) {
	k := &dequantize{}
	k.read(b)
	return k, nil
}

// Run implements ep.Kernel.
func (k *dequantize) Run(ctx context.Context, inv *ep.Invocation) error {
	x := inv.In(0)
	l, err := k.layout(x.Shape(), inv.In(1).Shape())
	if err != nil {
		return err
	}
	scale, err := asFloats(inv.In(1))
	if err != nil {
		return err
	}
	y := tensor.Elements[float32](inv.Out(0))
	if c := x.DType().Class(); c == tensor.ClassFloat {
		return k.floats(ctx, l, inv, scale, y)
	}
	zero, err := zeroPoints(inv.In(2))
	if err != nil {
		return err
	}
	switch x.DType() {
	case tensor.Uint8:
		return quant.Dequantize(ctx, k.pool, l, tensor.Elements[uint8](x), scale, zero, y)
	case tensor.Int8:
		return quant.Dequantize(ctx, k.pool, l, tensor.Elements[int8](x), scale, zero, y)
	case tensor.Uint16:
		return quant.Dequantize(ctx, k.pool, l, tensor.Elements[uint16](x), scale, zero, y)
	case tensor.Int16:
		return quant.Dequantize(ctx, k.pool, l, tensor.Elements[int16](x), scale, zero, y)
	case tensor.Int32:
		return quant.Dequantize(ctx, k.pool, l, tensor.Elements[int32](x), scale, zero, y)
	}
	codes, err := tensor.Unpack(x)
	if err != nil {
		return err
	}
	return quant.Dequantize(ctx, k.pool, l, codes, scale, zero, y)
}

func (k *dequantize) floats(ctx context.Context, l *quant.Layout, inv *ep.Invocation, scale, y []float32) error {
	zero, err := asFloats(inv.In(2))
	if err != nil {
		return err
	}
	out := inv.Out(0)
	if err := tensor.ConvertInto(out, inv.In(0), tensor.ConvertOptions{}); err != nil {
		return err
	}
	return quant.DequantizeFloat(ctx, k.pool, l, y, scale, zero, y)
}

func newDynamicQuantize(b *Build) (ep.Kernel, error) {
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		x := inv.In(0)
		values := tensor.Elements[float32](x)
		scale, zero := quant.Range(values)
		if s := outElements[float32](inv, 1); s != nil {
			s[0] = scale
		}
		if z := outElements[uint8](inv, 2); z != nil {
			z[0] = zero
		}
		y := outElements[uint8](inv, 0)
		if y == nil {
			return nil
		}
		l, err := quant.NewLayout(x.Shape(), nil, 0, 0)
		if err != nil {
			return err
		}
		return quant.Quantize(ctx, b.Pool, l, values, []float32{scale}, nil, []int32{int32(zero)}, 0, math.MaxUint8, y)
	}), nil
}
