package cpu

import (
	"context"
	"fmt"

	"gort/ep"
	"gort/graph"
	"gort/internal/kernel/conv"
	"gort/op"
	"gort/tensor"
)

var convTransposeTypes = ByType{tensor.Float32: newConvTranspose[float32], tensor.Float64: newConvTranspose[float64]}

// convTranspose runs on the plan of the convolution it is the transpose of.
type convTranspose[T conv.Float] struct{ convPlan }

func newConvTranspose[T conv.Float](b *Build) (ep.Kernel, error) {
	return &convTranspose[T]{convPlan{attrs: b.Attrs, pool: b.Pool}}, nil
}

func (k *convTranspose[T]) derive(s ...tensor.Shape) (*conv.Plan, error) {
	x, w := s[0], s[1]
	groups := k.attrs.Int("group")
	if len(x) < 3 || len(w) != len(x) || x[1] != w[0] || x[1]%groups != 0 {
		return nil, fmt.Errorf("weights %v do not fit the input %v in %d groups", w, x, groups)
	}
	kernel, err := op.KernelShape(k.attrs, graph.Fixed(w...))
	if err != nil {
		return nil, err
	}
	win, err := op.ReadTransposedWindow(k.attrs, kernel)
	if err != nil {
		return nil, err
	}
	out, begin, err := win.Resolve(x[2:])
	if err != nil {
		return nil, err
	}
	return conv.NewPlan(conv.Geometry{Batch: x[0], Groups: groups, In: w[1], Out: x[1] / groups,
		Input: out, Output: x[2:], Kernel: kernel, Strides: win.Strides, Dilations: win.Dilations, Begin: begin}), nil
}

// Run implements ep.Kernel.
func (k *convTranspose[T]) Run(ctx context.Context, inv *ep.Invocation) error {
	x, w := inv.In(0), inv.In(1)
	p, err := k.plans.get(k.derive, x.Shape(), w.Shape())
	if err != nil {
		return err
	}
	return conv.Transposed(ctx, k.pool, p, tensor.Elements[T](x), tensor.Elements[T](w), elementsOr[T](inv, 2), tensor.Elements[T](inv.Out(0)))
}

var deformTypes = ByType{tensor.Float32: newDeform[float32], tensor.Float64: newDeform[float64]}

func checkDeform(b *Build) string {
	if r, ok := b.Inputs[0].Type.Shape.Rank(); ok && r != 4 {
		return fmt.Sprintf("input 0 (X) has rank %d, the CPU kernel of DeformConv takes 4 (images)", r)
	}
	return ""
}

// deform is DeformConv on images.
type deform[T conv.Float] struct {
	convPlan
	groups int
}

func newDeform[T conv.Float](b *Build) (ep.Kernel, error) {
	return &deform[T]{convPlan{attrs: b.Attrs, pool: b.Pool, make: conv.NewDeformPlan}, b.Int("offset_group")}, nil
}

// Run implements ep.Kernel.
func (k *deform[T]) Run(ctx context.Context, inv *ep.Invocation) error {
	x, w := inv.In(0), inv.In(1)
	if len(x.Shape()) != 4 {
		return fmt.Errorf("input %v has rank %d, must be 4", x.Shape(), x.Rank())
	}
	p, err := k.plan(x.Shape(), w.Shape())
	if err != nil {
		return err
	}
	return conv.Deform(ctx, k.pool, p, k.groups, tensor.Elements[T](x), tensor.Elements[T](w), tensor.Elements[T](inv.In(2)),
		elementsOr[T](inv, 3), elementsOr[T](inv, 4), tensor.Elements[T](inv.Out(0)))
}

var col2imTypes = ByType{
	tensor.Float32: newCol2Im[float32], tensor.Float64: newCol2Im[float64],
	tensor.Int8: newCol2Im[int8], tensor.Int16: newCol2Im[int16], tensor.Int32: newCol2Im[int32], tensor.Int64: newCol2Im[int64],
	tensor.Uint8: newCol2Im[uint8], tensor.Uint16: newCol2Im[uint16], tensor.Uint32: newCol2Im[uint32], tensor.Uint64: newCol2Im[uint64],
	tensor.Complex64: newCol2Im[complex64], tensor.Complex128: newCol2Im[complex128],
	tensor.String: newCol2Im[string], tensor.Bool: newCol2ImBool,
}

func newCol2Im[T interface {
	conv.Number
	tensor.Element
}](b *Build) (ep.Kernel, error) {
	return col2im(b, func(ctx context.Context, p *conv.Plan, x, y *tensor.Tensor) error {
		return conv.Col2Im(ctx, b.Pool, p, tensor.Elements[T](x), tensor.Elements[T](y))
	})
}

// newCol2ImBool adds as NumPy does: true where any of the overlapping blocks is.
func newCol2ImBool(b *Build) (ep.Kernel, error) {
	return col2im(b, func(ctx context.Context, p *conv.Plan, x, y *tensor.Tensor) error {
		in, out := tensor.Elements[bool](x), tensor.Elements[bool](y)
		counts, sums := make([]int32, len(in)), make([]int32, len(out))
		for i, v := range in {
			if v {
				counts[i] = 1
			}
		}
		err := conv.Col2Im(ctx, b.Pool, p, counts, sums)
		for i, n := range sums {
			out[i] = n > 0
		}
		return err
	})
}

func col2im(b *Build, add func(ctx context.Context, p *conv.Plan, x, y *tensor.Tensor) error) (ep.Kernel, error) {
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		block, err := tensor.Int64s(inv.In(2))
		if err != nil {
			return err
		}
		kernel := make([]int, len(block))
		taps := 1
		for i, v := range block {
			kernel[i] = int(v)
			taps *= int(v)
		}
		win, err := op.ReadWindow(b.Attrs, kernel)
		if err != nil {
			return err
		}
		in, out := inv.In(0).Shape(), inv.Out(0)
		if out == nil || taps < 1 {
			return fmt.Errorf("block_shape %v does not divide the input %v", block, in)
		}
		image := out.Shape()[2:]
		blocks, begin, err := win.Resolve(image)
		if err != nil {
			return err
		}
		p := conv.NewPlan(conv.Geometry{Batch: in[0], Groups: 1, In: in[1] / taps, Out: 1,
			Input: image, Output: blocks, Kernel: kernel, Strides: win.Strides, Dilations: win.Dilations, Begin: begin})
		return add(ctx, p, inv.In(0), out)
	}), nil
}

func newCausalConv(b *Build) (ep.Kernel, error) {
	silu := b.String("activation") != "none"
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		x, w := inv.In(0), inv.In(1)
		s, k := x.Shape(), w.Shape()[2]
		if w.Shape()[0] != s[1] || k < 1 {
			return fmt.Errorf("weights %v do not fit the input %v", w.Shape(), s)
		}
		var y, state []float32
		if t := inv.Out(0); t != nil {
			y = tensor.Elements[float32](t)
		}
		if t := inv.Out(1); t != nil {
			state = tensor.Elements[float32](t)
		}
		return conv.Causal(ctx, b.Pool, s[0], s[1], s[2], k, tensor.Elements[float32](x), tensor.Elements[float32](w),
			elementsOr[float32](inv, 2), elementsOr[float32](inv, 3), silu, y, state)
	}), nil
}
