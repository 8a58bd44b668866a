package cpu

import (
	"context"
	"sync"

	"gort/ep"
	"gort/op"
	"gort/tensor"
)

// viaFloat32Types are the types that compute in float32.
const viaFloat32Types = op.DTypes(1<<tensor.Float16 | 1<<tensor.BFloat16)

// widenableTypes are the types that convert to float64 exactly, and from it by rounding.
const widenableTypes = viaFloat32Types | 1<<tensor.Float32 | 1<<tensor.Float64

// wider returns the type to which a node's operands are converted before its kernel
// runs, and the types that are: Undefined and none where the kernel takes them as they are.
func (bd *Binding) wider(b *Build) (tensor.DType, op.DTypes) {
	var seen op.DTypes
	for _, list := range [2][]ep.Operand{b.Inputs, b.Outputs} {
		for _, o := range list {
			if o.Present && o.Type.IsTensor() && widenableTypes.Has(o.Type.DType) {
				seen |= 1 << o.Type.DType
			}
		}
	}
	switch {
	case bd.OneWidth && seen.Has(tensor.Float64) && seen != 1<<tensor.Float64:
		return tensor.Float64, widenableTypes &^ (1 << tensor.Float64)
	case bd.ViaFloat32 && seen&viaFloat32Types != 0:
		return tensor.Float32, viaFloat32Types
	}
	return tensor.Undefined, 0
}

// viaWider runs a kernel of one floating-point type on operands of narrower ones:
// inputs are widened (exactly), and each output element is rounded once.
type viaWider struct {
	kernel  ep.Kernel
	wide    tensor.DType
	in, out []tensor.DType   // the narrow type of an operand, else Undefined
	consts  []*tensor.Tensor // widened constant inputs that the kernel reads at every run
}

func newViaWider(bd *Binding, b *Build, to tensor.DType, from op.DTypes) (ep.Kernel, error) {
	k := &viaWider{wide: to}
	wide := *b
	widen := func(list []ep.Operand) ([]ep.Operand, []tensor.DType) {
		types := make([]tensor.DType, len(list))
		out := append([]ep.Operand(nil), list...)
		for i, o := range list {
			if !o.Present || !o.Type.IsTensor() || !from.Has(o.Type.DType) {
				continue
			}
			types[i] = o.Type.DType
			out[i].Type.DType = to
			if o.Const != nil {
				if c, err := tensor.Convert(o.Const, to, tensor.ConvertOptions{}); err == nil {
					out[i].Const = c
				}
			}
		}
		return out, types
	}
	wide.Inputs, k.in = widen(b.Inputs)
	wide.Outputs, k.out = widen(b.Outputs)
	inner, err := bd.New(&wide)
	if err != nil {
		return nil, err
	}
	k.kernel = inner
	return k, nil
}

// Prepack implements ep.Prepacker: constants are widened once, and packed by the
// kernel where it does that.
func (k *viaWider) Prepack(ctx context.Context, consts []*tensor.Tensor) ([]bool, error) {
	wide := append([]*tensor.Tensor(nil), consts...)
	for i, c := range consts {
		if c == nil || i >= len(k.in) || k.in[i] == tensor.Undefined {
			continue
		}
		var err error
		if wide[i], err = tensor.Convert(c, k.wide, tensor.ConvertOptions{}); err != nil {
			return nil, err
		}
	}
	done := make([]bool, len(consts))
	if p, ok := k.kernel.(ep.Prepacker); ok {
		packed, err := p.Prepack(ctx, wide)
		if err != nil {
			return nil, err
		}
		copy(done, packed) // a kernel that keeps nothing may return nil
	}
	k.consts = make([]*tensor.Tensor, len(consts))
	for i := range consts {
		if !done[i] && wide[i] != consts[i] {
			k.consts[i], done[i] = wide[i], true
		}
	}
	return done, nil
}

// wideMemory keeps the wide copies between runs.
var wideMemory = sync.Pool{New: func() any { return new([]byte) }}

// wideRun is one call: the operands of the wide kernel and the memory of the copies.
type wideRun struct {
	inv    ep.Invocation
	outer  *ep.Invocation
	wide   tensor.DType
	types  []tensor.DType
	memory []*[]byte
}

func (r *wideRun) temp(shape tensor.Shape) (*tensor.Tensor, error) {
	n, err := shape.NumElements()
	if err != nil {
		return nil, err
	}
	buf := wideMemory.Get().(*[]byte)
	r.memory = append(r.memory, buf)
	size := r.wide.Bytes(n)
	if cap(*buf) < size {
		*buf = make([]byte, size)
	}
	*buf = (*buf)[:size]
	return tensor.FromBytes(r.wide, *buf, shape...)
}

// AllocateOutput implements ep.Allocator.
func (r *wideRun) AllocateOutput(i int, d tensor.DType, shape tensor.Shape) (*ep.Arg, error) {
	if r.types[i] == tensor.Undefined {
		return r.outer.Alloc.AllocateOutput(i, d, shape)
	}
	t, err := r.temp(shape)
	if err != nil {
		return nil, err
	}
	r.inv.Outputs[i] = ep.Arg{DType: r.wide, Shape: t.Shape(), Value: t}
	return &r.inv.Outputs[i], nil
}

// SetOutput implements ep.Allocator.
func (r *wideRun) SetOutput(i int, v tensor.Value) error {
	if t, ok := v.(*tensor.Tensor); ok && r.types[i] != tensor.Undefined {
		low, err := tensor.Convert(t, r.types[i], tensor.ConvertOptions{})
		if err != nil {
			return err
		}
		v = low
	}
	return r.outer.Alloc.SetOutput(i, v)
}

// Run implements ep.Kernel.
func (k *viaWider) Run(ctx context.Context, inv *ep.Invocation) error {
	r := &wideRun{outer: inv, wide: k.wide, types: k.out, inv: *inv}
	defer func() {
		for _, m := range r.memory {
			wideMemory.Put(m)
		}
	}()
	r.inv.Alloc = r
	r.inv.Inputs = append([]ep.Arg(nil), inv.Inputs...)
	r.inv.Outputs = append([]ep.Arg(nil), inv.Outputs...)
	for i := range r.inv.Inputs {
		if i < len(k.consts) && k.consts[i] != nil {
			c := k.consts[i]
			r.inv.Inputs[i] = ep.Arg{DType: r.wide, Shape: c.Shape(), Value: c}
			continue
		}
		t := inv.In(i)
		if t == nil || i >= len(k.in) || k.in[i] == tensor.Undefined {
			continue
		}
		w, err := r.temp(t.Shape())
		if err != nil {
			return err
		}
		if err := tensor.ConvertInto(w, t, tensor.ConvertOptions{}); err != nil {
			return err
		}
		r.inv.Inputs[i] = ep.Arg{DType: r.wide, Shape: w.Shape(), Value: w}
	}
	for i := range r.inv.Outputs {
		t := inv.Out(i)
		if t == nil || k.out[i] == tensor.Undefined {
			continue
		}
		w, err := r.temp(t.Shape())
		if err != nil {
			return err
		}
		r.inv.Outputs[i] = ep.Arg{DType: r.wide, Shape: w.Shape(), Value: w}
	}
	if s, ok := k.kernel.(ep.Scratcher); ok {
		shapes := make([]tensor.Shape, len(r.inv.Inputs))
		for i := range shapes {
			if t := r.inv.In(i); t != nil {
				shapes[i] = t.Shape()
			}
		}
		if n := s.Scratch(shapes); n > 0 {
			size := r.wide.Bytes(1)
			t, err := r.temp(tensor.Shape{(n + size - 1) / size})
			if err != nil {
				return err
			}
			r.inv.Scratch = ep.Arg{Value: t}
		}
	}
	if err := k.kernel.Run(ctx, &r.inv); err != nil {
		return err
	}
	for i := range r.inv.Outputs {
		w := r.inv.Out(i)
		if w == nil || k.out[i] == tensor.Undefined {
			continue
		}
		low := inv.Out(i)
		if low == nil {
			var err error
			if low, err = inv.NewOut(i, k.out[i], w.Shape()...); err != nil {
				return err
			}
		}
		if err := tensor.ConvertInto(low, w, tensor.ConvertOptions{}); err != nil {
			return err
		}
	}
	return nil
}
