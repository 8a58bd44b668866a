package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"gort/ep"
	"gort/graph"
	"gort/op"
	"gort/tensor"
)

// run computes a program's outputs. bound holds, where not nil, the caller's own
// memory for an output.
func (p *program) run(ctx context.Context, parent *frame, inputs, captures []tensor.Value, bound []*tensor.Tensor) (out []tensor.Value, err error) {
	if len(inputs) != len(p.g.Inputs()) {
		return nil, fmt.Errorf("graph %q takes %d inputs, got %d", p.g.Name, len(p.g.Inputs()), len(inputs))
	}
	pl, err := p.planFor(inputs, captures)
	if err != nil {
		return nil, err
	}
	f, err := pl.frames.get(pl)
	if err != nil {
		return nil, err
	}
	f.parent = parent
	defer func() {
		if e := f.reset(); e != nil && err == nil {
			err = e
		}
		if e := pl.frames.put(f); e != nil && err == nil {
			err = e
		}
	}()
	if err := f.bind(inputs, captures, bound); err != nil {
		return nil, err
	}
	if err := f.execute(ctx); err != nil {
		return nil, err
	}
	return f.results(ctx, bound)
}

// bind points the frame at the values of this run.
func (f *frame) bind(inputs, captures []tensor.Value, bound []*tensor.Tensor) error {
	for s := range f.plan.slots {
		sl := &f.plan.slots[s]
		a := &f.args[s]
		switch sl.kind {
		case slotInput:
			a.Value = contiguous(inputs[sl.index])
		case slotCapture:
			a.Value = contiguous(captures[sl.index])
		case slotOutput:
			if err := f.bindOutput(int32(s), bound); err != nil {
				return err
			}
		}
	}
	return nil
}

func contiguous(v tensor.Value) tensor.Value {
	if t, ok := v.(*tensor.Tensor); ok && t != nil {
		return t.Contiguous()
	}
	return v
}

// bindOutput gives an output's memory to the frame: the caller's, when it can be
// written in place, or fresh.
func (f *frame) bindOutput(s int32, bound []*tensor.Tensor) error {
	sl := &f.plan.slots[s]
	if int(sl.index) < len(bound) {
		if t := bound[sl.index]; t != nil && t.IsContiguous() && !t.DType().Packed() {
			// The graph's output may be a view of this memory under another shape.
			if t.DType() == sl.dtype && t.Size() == sl.shape.Size() {
				if f.headers[s] == nil {
					f.headers[s] = new(tensor.Tensor)
				}
				if err := t.ViewInto(f.headers[s], sl.shape, nil, t.Offset()); err != nil {
					return err
				}
				f.args[s].Value = f.headers[s]
				return nil
			}
		}
	}
	t, err := tensor.New(sl.dtype, sl.shape...)
	if err != nil {
		return err
	}
	f.args[s].Value = t
	return nil
}

// execute runs the steps in order.
func (f *frame) execute(ctx context.Context) (err error) {
	at := 0
	defer func() {
		if r := recover(); r != nil {
			err = f.fail(at, &PanicError{Value: r, Stack: debug.Stack()})
		}
	}()
	for at = range f.plan.steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		st := &f.plan.steps[at]
		inv := &f.invs[at]
		for _, k := range st.patch {
			a, err := f.current(st.in[k])
			if err != nil {
				return f.fail(at, err)
			}
			inv.Inputs[k] = *a
		}
		for _, k := range st.patched {
			inv.Outputs[k] = f.args[st.out[k]]
		}
		var err error
		switch st.kind {
		case stepRun:
			err = st.node.kernel.Run(ctx, inv)
		case stepPack:
			err = f.pack(inv)
		case stepTransfer:
			err = f.transfer(ctx, at)
		default:
			err = f.dynamic(ctx, at)
		}
		if err != nil {
			return f.fail(at, err)
		}
		for _, s := range st.release {
			if err := f.release(s); err != nil {
				return f.fail(at, err)
			}
		}
	}
	return nil
}

func (f *frame) pack(inv *ep.Invocation) error {
	dst, src := inv.Out(0), inv.In(0)
	if dst == nil || src == nil {
		return errors.New("a strided value on a device can not be made contiguous on the host")
	}
	return tensor.Copy(dst, src)
}

// dynamic runs a step whose shapes were not planned: they are inferred from the
// values at hand, or found by the kernel.
func (f *frame) dynamic(ctx context.Context, at int) error {
	st := &f.plan.steps[at]
	inv := &f.invs[at]
	n := st.node
	for i, s := range st.out {
		if s < 0 {
			continue
		}
		if err := f.release(s); err != nil {
			return err
		}
		inv.Outputs[i] = ep.Arg{}
	}
	if err := f.makeContiguous(st, inv); err != nil {
		return err
	}
	if st.kind == stepDynamic {
		done, err := f.allocateInferred(at)
		if err != nil || done {
			return err
		}
		if n.scratch != nil {
			if err := f.dynamicScratch(n, inv); err != nil {
				return err
			}
		}
	}
	if err := n.kernel.Run(ctx, inv); err != nil {
		return err
	}
	for i, s := range st.out {
		if s >= 0 && !inv.Outputs[i].Present() {
			return fmt.Errorf("the kernel did not make output %d", i)
		}
	}
	return nil
}

// makeContiguous copies strided inputs that the kernel does not read as they are.
func (f *frame) makeContiguous(st *step, inv *ep.Invocation) error {
	for i := range inv.Inputs {
		t := inv.In(i)
		if t == nil || t.IsContiguous() || st.node.strided != nil && st.node.strided.StridedInput(i) {
			continue
		}
		inv.Inputs[i] = hostArg(t.Contiguous())
	}
	return nil
}

// allocateInferred infers the outputs from the actual inputs and allocates those
// that have a shape by then. done means that all became windows of inputs.
func (f *frame) allocateInferred(at int) (done bool, err error) {
	st := &f.plan.steps[at]
	inv := &f.invs[at]
	n := st.node
	in, out := make([]op.Fact, len(n.Inputs())), make([]op.Fact, len(n.Outputs()))
	for i, id := range n.Inputs() {
		if id == graph.NoValue {
			continue
		}
		switch {
		case inv.Inputs[i].Value != nil:
			in[i] = op.FactOf(inv.Inputs[i].Value)
		case st.in[i] < 0:
			in[i] = f.plan.p.facts[id] // prepacked
		default:
			in[i].Type = graph.TensorType(inv.Inputs[i].DType, graph.Fixed(inv.Inputs[i].Shape...))
		}
	}
	if err := f.env.NodeDef(n.def, n.Node, in, nil, out); err != nil {
		return false, err
	}
	if n.def.DataDependent {
		return false, nil
	}
	views := 0
	for i, s := range st.out {
		if s < 0 {
			views++
			continue
		}
		shape, ok := out[i].Type.Shape.Concrete()
		if !ok || !out[i].Type.IsTensor() || !out[i].Type.DType.Valid() {
			continue
		}
		if n.viewer != nil && out[i].Type.DType != tensor.String && !f.isOutput(s) && f.viewNow(inv, n, i, s, shape) {
			views++
			continue
		}
		if _, err := f.calls[at].AllocateOutput(i, out[i].Type.DType, shape); err != nil {
			return false, err
		}
	}
	return views == len(st.out), nil
}

// viewNow makes a dynamic output a window of a host input.
func (f *frame) viewNow(inv *ep.Invocation, n *node, i int, s int32, shape tensor.Shape) bool {
	v, ok := n.viewer.View(i, inv, shape)
	if !ok {
		return false
	}
	base := inv.In(v.Input)
	if base == nil || base.DType().Packed() {
		return false
	}
	w, err := base.View(shape, v.Strides, base.Offset()+v.Offset)
	if err != nil {
		return false
	}
	f.args[s] = hostArg(w)
	inv.Outputs[i] = f.args[s]
	return true
}

func (f *frame) dynamicScratch(n *node, inv *ep.Invocation) error {
	shapes := make([]tensor.Shape, len(inv.Inputs))
	for i := range inv.Inputs {
		shapes[i] = inv.Inputs[i].Shape
		if t := inv.In(i); t != nil {
			shapes[i] = t.Shape()
		}
	}
	inv.Scratch = ep.Arg{}
	size := n.scratch.Scratch(shapes)
	if size == 0 {
		return nil
	}
	t, err := tensor.New(tensor.Uint8, size)
	if err != nil {
		return err
	}
	inv.Scratch = hostArg(t)
	return nil
}

// results collects the outputs; those that the caller bound are already in place
// or are copied there.
func (f *frame) results(ctx context.Context, bound []*tensor.Tensor) ([]tensor.Value, error) {
	for id := 0; id < f.plan.p.s.providers.Len(); id++ {
		if err := f.provider(ep.ID(id)).Sync(ctx); err != nil {
			return nil, err
		}
	}
	out := make([]tensor.Value, len(f.plan.outputs))
	for i, s := range f.plan.outputs {
		a, err := f.current(s)
		if err != nil {
			return nil, err
		}
		v := a.Value
		if i < len(bound) && bound[i] != nil {
			t, ok := v.(*tensor.Tensor)
			if !ok {
				return nil, fmt.Errorf("output %d is %v, but a tensor is bound to it", i, v.Type())
			}
			if err := settle(bound[i], t); err != nil {
				return nil, fmt.Errorf("output %d: %w", i, err)
			}
			out[i] = bound[i]
			continue
		}
		// The header belongs to the frame; the caller gets one of its own.
		if t, ok := v.(*tensor.Tensor); ok && t == f.headers[s] {
			if v, err = t.View(t.Shape(), nil, t.Offset()); err != nil {
				return nil, err
			}
		}
		if f.plan.slots[s].kind == slotDynamic {
			v = f.keepOwned(s, v)
		}
		out[i] = v
	}
	return out, nil
}

// keepOwned copies a dynamic output whose memory the frame is about to free.
func (f *frame) keepOwned(s int32, v tensor.Value) tensor.Value {
	if t, ok := v.(*tensor.Tensor); ok && f.owned[s] != nil {
		return t.Clone()
	}
	return v
}

// settle makes sure that dst, which the caller bound, holds the elements of src.
func settle(dst, src *tensor.Tensor) error {
	if dst.DType() != src.DType() || !dst.Shape().Equal(src.Shape()) {
		return fmt.Errorf("is %v, but %v is bound to it", src, dst)
	}
	if sameMemory(dst, src) {
		return nil
	}
	return tensor.Copy(dst, src)
}

func sameMemory(a, b *tensor.Tensor) bool {
	x, y := a.Storage(), b.Storage()
	return len(x) > 0 && len(y) > 0 && &x[0] == &y[0] && a.Offset() == b.Offset() && a.IsContiguous() && b.IsContiguous()
}

// fail names the node of a step that failed. Errors of nodes inside subgraphs
// and of cancellation are passed on as they are.
func (f *frame) fail(at int, err error) error {
	var inner *NodeError
	if errors.As(err, &inner) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	st := &f.plan.steps[at]
	if st.node == nil {
		return err
	}
	e := &NodeError{Node: st.node.Label(), Domain: st.node.Domain, Op: st.node.Op, Opset: st.node.Opset, Provider: f.provider(st.node.provider).Name(), Err: err}
	for i := range f.invs[at].Inputs {
		a := &f.invs[at].Inputs[i]
		switch {
		case a.Value != nil:
			e.Inputs = append(e.Inputs, a.Value.String())
		case a.Buffer != nil:
			e.Inputs = append(e.Inputs, a.DType.String()+" "+a.Shape.String())
		case st.in[i] < 0 && st.node.Inputs()[i] != graph.NoValue:
			e.Inputs = append(e.Inputs, "prepacked constant")
		default:
			e.Inputs = append(e.Inputs, "omitted")
		}
	}
	return e
}

// PanicError is a panic of a kernel, turned into an error.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("internal error: %v", e.Value) }
