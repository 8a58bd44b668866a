package engine

import (
	"fmt"
	"sync"

	"gort/ep"
	"gort/op"
	"gort/tensor"
)

// frame is the state of one run of a plan: memory, operands and invocations, all
// prepared, so that a run fills in pointers and calls kernels. Frames are kept
// for the next run.
type frame struct {
	plan    *plan
	arenas  []*ep.Buffer // by provider, nil where nothing is planned
	args    []ep.Arg     // by slot
	headers []*tensor.Tensor
	invs    []ep.Invocation
	calls   []call
	owned   []*ep.Buffer // by slot: memory of dynamic values
	env     op.Env
	parent  *frame // of the graph that holds this subgraph, during a run
}

// framePool keeps the idle frames of one plan.
type framePool struct {
	mu     sync.Mutex
	idle   []*frame
	closed bool
}

func (p *framePool) get(pl *plan) (*frame, error) {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		f := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return f, nil
	}
	p.mu.Unlock()
	return newFrame(pl)
}

// maxIdle bounds the frames kept for each plan: more runs than this at once
// allocate anew.
const maxIdle = 16

func (p *framePool) put(f *frame) error {
	p.mu.Lock()
	if !p.closed && len(p.idle) < maxIdle {
		p.idle = append(p.idle, f)
		p.mu.Unlock()
		return nil
	}
	p.mu.Unlock()
	return f.free()
}

// close frees the idle frames; frames still in use are freed when they come back.
func (p *framePool) close() error {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	var first error
	for _, f := range idle {
		if err := f.free(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

func (f *frame) provider(id ep.ID) ep.Provider { return f.plan.p.s.providers.Provider(id) }

func newFrame(pl *plan) (*frame, error) {
	f := &frame{
		plan:    pl,
		arenas:  make([]*ep.Buffer, len(pl.arena)),
		args:    make([]ep.Arg, len(pl.slots)),
		headers: make([]*tensor.Tensor, len(pl.slots)),
		invs:    make([]ep.Invocation, len(pl.steps)),
		calls:   make([]call, len(pl.steps)),
		owned:   make([]*ep.Buffer, len(pl.slots)),
		env:     op.Env{Registry: pl.p.s.registry},
	}
	if err := f.prepare(); err != nil {
		if e := f.free(); e != nil {
			err = fmt.Errorf("%w (and while giving back memory: %v)", err, e)
		}
		return nil, err
	}
	return f, nil
}

func (f *frame) prepare() error {
	for id, size := range f.plan.arena {
		if size == 0 {
			continue
		}
		b, err := f.provider(ep.ID(id)).Allocate(int(size), arenaAlign)
		if err != nil {
			return err
		}
		f.arenas[id] = b
	}
	for s := range f.plan.slots {
		if err := f.prepareSlot(int32(s)); err != nil {
			return err
		}
	}
	for i := range f.plan.steps {
		st := &f.plan.steps[i]
		inv := &f.invs[i]
		f.calls[i] = call{frame: f, step: i}
		inv.Alloc = &f.calls[i]
		inv.Inputs, inv.Outputs, inv.Wanted = make([]ep.Arg, len(st.in)), make([]ep.Arg, len(st.out)), make([]bool, len(st.out))
		for k, s := range st.in {
			if s >= 0 {
				inv.Inputs[k] = f.args[s]
			}
		}
		for k, s := range st.out {
			if inv.Wanted[k] = s >= 0; s >= 0 {
				inv.Outputs[k] = f.args[s]
			}
		}
		if st.scratch >= 0 {
			inv.Scratch = f.args[st.scratch]
		}
		if st.kind == stepControl {
			for k := range st.node.subs {
				inv.Subgraphs = append(inv.Subgraphs, &boundSubgraph{frame: f, step: i, program: st.node.subs[k]})
			}
		}
	}
	return nil
}

func (f *frame) prepareSlot(s int32) error {
	sl := &f.plan.slots[s]
	a := &f.args[s]
	a.DType, a.Shape, a.Strides = sl.dtype, sl.shape, sl.strides
	switch sl.kind {
	case slotConst:
		a.Value = sl.konst
	case slotArena:
		b := f.arenas[sl.provider]
		a.Buffer, a.Offset = b, int(sl.offset)
		if !f.plan.p.s.hostMemory[sl.provider] {
			return nil
		}
		mem, err := b.Writable()
		if err != nil {
			return err
		}
		t, err := tensor.FromBytes(sl.dtype, mem[sl.offset:][:sl.size:sl.size], sl.shape...)
		if err != nil {
			return err
		}
		f.headers[s], a.Value = t, t
	case slotView:
		r := &f.plan.slots[sl.root]
		a.Buffer = f.args[sl.root].Buffer
		a.Offset = f.args[sl.root].Offset + sl.elem*sl.dtype.Bits()/8
		if r.kind == slotArena && f.plan.p.s.hostMemory[r.provider] || r.kind == slotConst {
			return f.resolveView(s)
		}
	}
	return nil
}

// resolveView describes a view slot from the current value of its root.
func (f *frame) resolveView(s int32) error {
	sl := &f.plan.slots[s]
	a := &f.args[s]
	base, ok := f.args[sl.root].Value.(*tensor.Tensor)
	if !ok {
		root := &f.args[sl.root]
		a.Buffer, a.Offset = root.Buffer, root.Offset+sl.elem*sl.dtype.Bits()/8
		return nil
	}
	if f.headers[s] == nil {
		f.headers[s] = new(tensor.Tensor)
	}
	if err := base.ViewInto(f.headers[s], sl.shape, sl.strides, base.Offset()+sl.elem); err != nil {
		return err
	}
	a.Value = f.headers[s]
	return nil
}

// current returns the operand of a slot, up to date.
func (f *frame) current(s int32) (*ep.Arg, error) {
	if f.plan.slots[s].kind == slotView {
		switch f.plan.slots[f.plan.slots[s].root].kind {
		case slotInput, slotCapture, slotOutput, slotDynamic:
			if err := f.resolveView(s); err != nil {
				return nil, err
			}
		}
	}
	return &f.args[s], nil
}

// release frees the memory of a dynamic slot.
func (f *frame) release(s int32) error {
	f.args[s] = ep.Arg{DType: f.plan.slots[s].dtype, Shape: f.plan.slots[s].shape}
	b := f.owned[s]
	if b == nil {
		return nil
	}
	f.owned[s] = nil
	return f.provider(f.plan.slots[s].provider).Free(b)
}

// reset drops everything that belonged to the last run.
func (f *frame) reset() error {
	var first error
	for s := range f.plan.slots {
		switch f.plan.slots[s].kind {
		case slotDynamic:
			if err := f.release(int32(s)); err != nil && first == nil {
				first = err
			}
		case slotInput, slotCapture, slotOutput:
			f.args[s].Value = nil
		}
	}
	for i := range f.plan.steps {
		st := &f.plan.steps[i]
		for _, k := range st.patch {
			f.invs[i].Inputs[k] = ep.Arg{}
		}
		for _, k := range st.patched {
			f.invs[i].Outputs[k] = ep.Arg{}
		}
	}
	f.parent = nil
	return first
}

// free gives all memory back.
func (f *frame) free() error {
	first := f.reset()
	for id, b := range f.arenas {
		if b == nil {
			continue
		}
		f.arenas[id] = nil
		if err := f.provider(ep.ID(id)).Free(b); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// planned reports whether a tensor lies in memory that this or an enclosing
// frame will overwrite.
func (f *frame) planned(t *tensor.Tensor) bool {
	mem := t.Storage()
	if len(mem) == 0 {
		return false
	}
	for g := f; g != nil; g = g.parent {
		for _, b := range g.arenas {
			if b == nil {
				continue
			}
			if arena, err := b.Bytes(); err == nil && overlaps(arena, mem) {
				return true
			}
		}
	}
	return false
}
