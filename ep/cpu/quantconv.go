package cpu

import (
	"context"
	"fmt"

	"gort/ep"
	"gort/internal/kernel/conv"
	"gort/internal/kernel/quant"
	"gort/tensor"
)

// intConv convolves 8-bit integers.
type intConv[X, W byteType] struct {
	convPlan
	w, zeroX, zeroW int // inputs; beyond all of them where omitted

	packed *conv.Int8Weights
	shape  tensor.Shape
}

// pack packs filters less their zero points.
func (k *intConv[X, W]) pack(w *tensor.Tensor, zero []W) (*conv.Int8Weights, error) {
	s, groups := w.Shape(), k.attrs.Int("group")
	if len(s) < 3 || s[0]%groups != 0 || len(zero) > 1 && len(zero) != s[0] {
		return nil, fmt.Errorf("filters %v with %d zero points in %d groups", s, len(zero), groups)
	}
	return conv.PackInt8(groups, s[0]/groups, tensor.Shape(s[1:]).Size(), tensor.Elements[W](w.Contiguous()), zero), nil
}

// Prepack implements ep.Prepacker.
func (k *intConv[X, W]) Prepack(_ context.Context, consts []*tensor.Tensor) ([]bool, error) {
	done := make([]bool, len(consts))
	w := consts[k.w]
	if w == nil {
		return done, nil
	}
	var zero []W
	if k.zeroW < len(consts) {
		if consts[k.zeroW] == nil {
			return done, nil
		}
		zero, done[k.zeroW] = tensor.Elements[W](consts[k.zeroW].Contiguous()), true
	}
	var err error
	if k.packed, err = k.pack(w, zero); err != nil {
		return nil, err
	}
	k.shape, done[k.w] = w.Shape().Clone(), true
	return done, nil
}

// run convolves and hands the sums to emit.
func (k *intConv[X, W]) run(ctx context.Context, inv *ep.Invocation, emit func(p *conv.Plan, filter, pixel int, sums []int32)) error {
	packed, shape := k.packed, k.shape
	if packed == nil {
		var err error
		if packed, err = k.pack(inv.In(k.w), elementsOr[W](inv, k.zeroW)); err != nil {
			return err
		}
		shape = inv.In(k.w).Shape()
	}
	p, err := k.plan(inv.In(0).Shape(), shape)
	if err != nil {
		return err
	}
	zero := X(0)
	if z := elementsOr[X](inv, k.zeroX); len(z) == 1 {
		zero = z[0]
	} else if len(z) > 1 {
		return fmt.Errorf("the input has %d zero points, must have 1", len(z))
	}
	return conv.Int8(ctx, k.pool, p, tensor.Elements[X](inv.In(0)), zero, packed, func(filter, pixel int, sums []int32) {
		emit(p, filter, pixel, sums)
	})
}

// convInteger is ConvInteger.
type convInteger[X, W byteType] struct{ intConv[X, W] }

func newConvInteger(b *Build) (ep.Kernel, error) {
	return byBytes(b, 0, 1, newConvIntegerOf[uint8, uint8], newConvIntegerOf[uint8, int8], newConvIntegerOf[int8, uint8], newConvIntegerOf[int8, int8])
}

func newConvIntegerOf[X, W byteType](b *Build) (ep.Kernel, error) {
	return &convInteger[X, W]{intConv[X, W]{convPlan: convPlan{attrs: b.Attrs, pool: b.Pool}, w: 1, zeroX: 2, zeroW: zeroInput(b, 3)}}, nil
}

// Run implements ep.Kernel.
func (k *convInteger[X, W]) Run(ctx context.Context, inv *ep.Invocation) error {
	y := tensor.Elements[int32](inv.Out(0))
	return k.run(ctx, inv, func(p *conv.Plan, filter, pixel int, sums []int32) {
		copy(y[filter*p.Pixels()+pixel:], sums)
	})
}

// qlinearConv is QLinearConv.
type qlinearConv[X, W byteType] struct {
	intConv[X, W]
	to tensor.DType
}

func newQLinearConv(b *Build) (ep.Kernel, error) {
	return byBytes(b, 0, 3, newQLinearConvOf[uint8, uint8], newQLinearConvOf[uint8, int8], newQLinearConvOf[int8, uint8], newQLinearConvOf[int8, int8])
}

func newQLinearConvOf[X, W byteType](b *Build) (ep.Kernel, error) {
	return &qlinearConv[X, W]{intConv[X, W]{convPlan: convPlan{attrs: b.Attrs, pool: b.Pool}, w: 3, zeroX: 2, zeroW: 5}, b.OutDType(0)}, nil
}

// Run implements ep.Kernel.
func (k *qlinearConv[X, W]) Run(ctx context.Context, inv *ep.Invocation) error {
	if k.to == tensor.Int8 {
		return requantizedConv[int8](ctx, k, inv)
	}
	return requantizedConv[uint8](ctx, k, inv)
}

func requantizedConv[Y byteType, X, W byteType](ctx context.Context, k *qlinearConv[X, W], inv *ep.Invocation) error {
	xs, ws, ys := tensor.Elements[float32](inv.In(1)), tensor.Elements[float32](inv.In(4)), tensor.Elements[float32](inv.In(6))
	zero := tensor.Elements[Y](inv.In(7))
	filters := inv.Out(0).Shape()[1]
	if len(xs) != 1 || len(ys) != 1 || len(zero) != 1 || len(ws) != 1 && len(ws) != filters {
		return fmt.Errorf("x_scale, w_scale, y_scale and y_zero_point have %d, %d, %d and %d elements for %d filters", len(xs), len(ws), len(ys), len(zero), filters)
	}
	bias := elementsOr[int32](inv, 8)
	lo, hi := quant.Limits[Y]()
	y := tensor.Elements[Y](inv.Out(0))
	return k.run(ctx, inv, func(p *conv.Plan, filter, pixel int, sums []int32) {
		m := filter % filters
		if bias != nil {
			for i := range sums {
				sums[i] += bias[m]
			}
		}
		factor := [1]float32{xs[0] * ws[min(m, len(ws)-1)] / ys[0]}
		quant.Requantize(sums, factor[:], int32(zero[0]), lo, hi, y[filter*p.Pixels()+pixel:])
	})
}
