package engine

import (
	"context"
	"fmt"
	"unsafe"

	"gort/ep"
	"gort/tensor"
)

// call is the Allocator of one step: it makes the outputs whose shapes the
// kernel finds out.
type call struct {
	frame *frame
	step  int
}

// AllocateOutput implements ep.Allocator.
func (c *call) AllocateOutput(i int, d tensor.DType, shape tensor.Shape) (*ep.Arg, error) {
	f := c.frame
	st := &f.plan.steps[c.step]
	if i < 0 || i >= len(st.out) || st.out[i] < 0 {
		return nil, fmt.Errorf("output %d is not asked for", i)
	}
	s := st.out[i]
	n, err := shape.NumElements()
	if err != nil {
		return nil, err
	}
	sl := &f.plan.slots[s]
	if sl.shape != nil && (!sl.shape.Equal(shape) || sl.dtype != d) {
		return nil, fmt.Errorf("output %d was inferred as %v %v, the kernel makes %v %v", i, sl.dtype, sl.shape, d, shape)
	}
	size := d.Bytes(n)
	if limit := f.plan.p.s.opts.MaxTensorBytes; int64(size) > limit {
		return nil, &LimitError{What: "tensor bytes", Node: st.node.Label(), Value: int64(size), Limit: limit}
	}
	if err := f.release(s); err != nil {
		return nil, err
	}
	a := &f.args[s]
	a.DType, a.Shape, a.Strides = d, shape.Clone(), nil
	switch {
	case d == tensor.String || f.isOutput(s):
		t, err := tensor.New(d, shape...)
		if err != nil {
			return nil, err
		}
		a.Value = t
	default:
		b, err := f.provider(sl.provider).Allocate(size, arenaAlign)
		if err != nil {
			return nil, err
		}
		f.owned[s] = b
		a.Buffer, a.Offset = b, 0
		if f.plan.p.s.hostMemory[sl.provider] {
			mem, err := b.Writable()
			if err != nil {
				return nil, err
			}
			t, err := tensor.FromBytes(d, mem, shape...)
			if err != nil {
				return nil, err
			}
			a.Value = t
		}
	}
	f.invs[c.step].Outputs[i] = *a
	return &f.invs[c.step].Outputs[i], nil
}

// SetOutput implements ep.Allocator.
func (c *call) SetOutput(i int, v tensor.Value) error {
	f := c.frame
	st := &f.plan.steps[c.step]
	if i < 0 || i >= len(st.out) || st.out[i] < 0 {
		return fmt.Errorf("output %d is not asked for", i)
	}
	s := st.out[i]
	v = f.keep(v)
	if t, ok := v.(*tensor.Tensor); ok {
		sl := &f.plan.slots[s]
		if sl.shape != nil && (!sl.shape.Equal(t.Shape()) || sl.dtype != t.DType()) {
			return fmt.Errorf("output %d was inferred as %v %v, the kernel made %v", i, sl.dtype, sl.shape, t)
		}
		if sl.kind != slotDynamic {
			dst, ok := f.args[s].Value.(*tensor.Tensor)
			if !ok {
				return fmt.Errorf("output %d has no host memory", i)
			}
			return tensor.Copy(dst, t)
		}
	}
	if err := f.release(s); err != nil {
		return err
	}
	f.args[s] = hostArg(v)
	f.invs[c.step].Outputs[i] = f.args[s]
	return nil
}

// isOutput reports whether a slot is handed to the caller.
func (f *frame) isOutput(s int32) bool {
	for _, o := range f.plan.outputs {
		if o == s {
			return true
		}
	}
	return false
}

// keep copies the tensors of a value that lie in planned memory, so that the
// value outlives the step that made it.
func (f *frame) keep(v tensor.Value) tensor.Value {
	switch v := v.(type) {
	case *tensor.Tensor:
		if v != nil && f.planned(v) {
			return v.Clone()
		}
	case *tensor.Sequence:
		for i, it := range v.Items {
			if k := f.keep(it); k != it {
				w := *v
				w.Items = append([]tensor.Value(nil), v.Items...)
				w.Items[i] = k
				for j := i + 1; j < len(w.Items); j++ {
					w.Items[j] = f.keep(w.Items[j])
				}
				return &w
			}
		}
	case *tensor.Optional:
		if v.Value == nil {
			return v
		}
		if k := f.keep(v.Value); k != v.Value {
			return &tensor.Optional{Elem: v.Elem, Value: k}
		}
	case *tensor.Map:
		keys, _ := f.keep(v.Keys).(*tensor.Tensor)
		values := f.keep(v.Values)
		if keys != v.Keys || values != v.Values {
			return &tensor.Map{Keys: keys, Values: values}
		}
	}
	return v
}

func overlaps(a, b []byte) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	a0, b0 := uintptr(unsafe.Pointer(unsafe.SliceData(a))), uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return a0 < b0+uintptr(len(b)) && b0 < a0+uintptr(len(a))
}

// boundSubgraph runs a subgraph of a control-flow node with the captured values
// of the current run.
type boundSubgraph struct {
	frame   *frame
	step    int
	program *program
}

// NumInputs implements ep.Subgraph.
func (b *boundSubgraph) NumInputs() int { return len(b.program.g.Inputs()) }

// NumOutputs implements ep.Subgraph.
func (b *boundSubgraph) NumOutputs() int { return len(b.program.g.Outputs()) }

// Run implements ep.Subgraph.
func (b *boundSubgraph) Run(ctx context.Context, inputs []tensor.Value) ([]tensor.Value, error) {
	st := &b.frame.plan.steps[b.step]
	captures := make([]tensor.Value, len(st.outer))
	for i, s := range st.outer {
		if s < 0 {
			continue
		}
		a, err := b.frame.current(s)
		if err != nil {
			return nil, err
		}
		captures[i] = a.Value
	}
	return b.program.run(ctx, b.frame, inputs, captures, nil)
}
