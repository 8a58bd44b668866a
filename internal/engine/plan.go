package engine

import (
	"fmt"

	"gort/ep"
	"gort/graph"
	"gort/op"
	"gort/tensor"
)

// plan is a program compiled for one set of input types and shapes: where every
// value lies and the steps that make them. It does not change once compiled.
type plan struct {
	p        *program
	inputs   []graph.Type // by graph input; the key of the plan
	captures []graph.Type
	slots    []slot
	steps    []step
	outputs  []int32 // slot of each graph output
	arena    []int64 // bytes by provider
	frames   framePool
}

type slotKind uint8

const (
	slotNone    slotKind = iota
	slotConst            // the same in every run of this plan
	slotInput            // given by the caller
	slotCapture          // given by the outer graph
	slotArena            // planned memory
	slotOutput           // memory that the caller keeps
	slotView             // a window of another slot
	slotDynamic          // made at run time, when its shape is known
)

// slot is a value in the memory of one provider.
type slot struct {
	kind     slotKind
	value    graph.ValueID
	provider ep.ID
	dtype    tensor.DType
	shape    tensor.Shape
	index    int32 // of an input, capture or output
	root     int32 // of a view: the slot whose memory it shares
	strides  []int // of a view, in elements; nil when contiguous
	elem     int   // of a view: its first element, counted from the root's first
	size     int64 // bytes of slotArena
	offset   int64 // of slotArena
	konst    tensor.Value
	first    int32 // step that makes the memory; -1 before the first step
	last     int32 // last step that reads it
}

type stepKind uint8

const (
	stepRun      stepKind = iota // every shape is planned
	stepDynamic                  // shapes are found when the step is reached
	stepControl                  // runs subgraphs; the kernel finds the shapes
	stepPack                     // makes a strided value contiguous
	stepTransfer                 // copies a value to another provider's memory
)

type step struct {
	kind    stepKind
	node    *node
	in      []int32 // slots by position, -1 where omitted
	outer   []int32 // slots of implicit inputs
	out     []int32
	scratch int32
	patch   []int32 // positions of inputs whose operand changes from run to run
	patched []int32 // the same for outputs
	release []int32 // dynamic slots that nothing reads after this step
}

// compiler makes one plan.
type compiler struct {
	*plan
	env    *op.Env
	facts  []op.Fact
	home   []int32           // slot of each value where it was made, -1 when there is none
	copies map[copyKey]int32 // of values in other providers' memory, and packed
	needed []bool            // by value id
}

type copyKey struct {
	slot     int32
	provider ep.ID
	packed   bool
}

// compile plans a run for inputs and captures of these types, whose tensors have
// concrete shapes.
func (p *program) compile(inputs, captures []op.Fact) (*plan, error) {
	c := &compiler{
		plan: &plan{p: p, arena: make([]int64, p.s.providers.Len())},
		env:  &op.Env{Registry: p.s.registry},
	}
	for _, f := range inputs {
		c.inputs = append(c.inputs, f.Type)
	}
	for _, f := range captures {
		c.captures = append(c.captures, f.Type)
	}
	if err := c.infer(inputs, captures); err != nil {
		return nil, err
	}
	c.markNeeded()
	c.place()
	for _, n := range p.nodes {
		if err := c.node(n); err != nil {
			return nil, err
		}
	}
	if err := c.collectOutputs(); err != nil {
		return nil, err
	}
	c.lifetimes()
	c.assignArena()
	if c.total() > p.s.opts.MaxMemory {
		return nil, &LimitError{What: "planned memory", Value: c.total(), Limit: p.s.opts.MaxMemory}
	}
	c.findPatches()
	return c.plan, nil
}

func (c *compiler) total() int64 {
	var n int64
	for _, a := range c.arena {
		n += a
	}
	return n
}

// infer derives concrete facts for this run, and turns fully known shape
// arithmetic into constants.
func (c *compiler) infer(inputs, captures []op.Fact) error {
	g := c.p.g
	c.facts = make([]op.Fact, g.ValueBound())
	for v := range g.Values() {
		if v.IsConstant() {
			c.facts[v.ID] = op.FactOf(v.Const)
		}
	}
	for i, id := range g.Inputs() {
		c.facts[id] = inputs[i]
	}
	for _, k := range g.Captures {
		c.facts[k.Inner] = captures[k.Implicit]
	}
	for _, n := range c.p.nodes {
		in, implicit := factsOf(n.Inputs(), c.facts), factsOf(n.Implicit(), c.facts)
		out := make([]op.Fact, len(n.Outputs()))
		if err := c.env.NodeDef(n.def, n.Node, in, implicit, out); err != nil {
			return err
		}
		for i, id := range n.Outputs() {
			if id == graph.NoValue {
				continue
			}
			f := out[i]
			built := c.p.facts[id].Type
			if !f.Type.IsKnown() || f.Type.IsTensor() && f.Type.DType == tensor.Undefined {
				s := f.Type.Shape
				f.Type = built.WithUnknownShape()
				if f.Type.IsTensor() {
					f.Type.Shape = s
				}
			}
			if f.Const == nil {
				f.Const = f.Value()
			}
			if err := c.checkSize(n, f.Type); err != nil {
				return err
			}
			c.facts[id] = f
		}
	}
	return nil
}

func (c *compiler) checkSize(n *node, t graph.Type) error {
	s, ok := t.Shape.Concrete()
	if !ok || !t.IsTensor() {
		return nil
	}
	count, err := s.NumElements()
	if err != nil {
		return nodeError(n.Node, factsOf(n.Inputs(), c.facts), c.p.s.providers.Provider(n.provider).Name(), err)
	}
	if b := int64(t.DType.Bytes(count)); b > c.p.s.opts.MaxTensorBytes {
		return &LimitError{What: "tensor bytes", Node: n.Label(), Value: b, Limit: c.p.s.opts.MaxTensorBytes}
	}
	return nil
}

// markNeeded finds the values that the outputs depend on, walking backwards. A
// value that is known by now needs nothing else.
func (c *compiler) markNeeded() {
	g := c.p.g
	c.needed = make([]bool, g.ValueBound())
	for _, o := range g.Outputs() {
		c.needed[o] = true
	}
	for i := len(c.p.nodes) - 1; i >= 0; i-- {
		n := c.p.nodes[i]
		if !c.runs(n) {
			continue
		}
		for _, list := range [2][]graph.ValueID{n.Inputs(), n.Implicit()} {
			for _, id := range list {
				if id != graph.NoValue {
					c.needed[id] = true
				}
			}
		}
	}
}

// runs reports whether a node makes a value that is needed and not known.
func (c *compiler) runs(n *node) bool {
	for _, o := range n.Outputs() {
		if o != graph.NoValue && c.needed[o] && c.facts[o].Const == nil {
			return true
		}
	}
	return false
}

// place gives slots to the values that exist before the first step.
func (c *compiler) place() {
	g := c.p.g
	c.home = make([]int32, g.ValueBound())
	c.copies = map[copyKey]int32{}
	for i := range c.home {
		c.home[i] = -1
	}
	host := c.p.s.hostID()
	for i, id := range g.Inputs() {
		c.home[id] = c.add(slot{kind: slotInput, value: id, provider: host, index: int32(i)}, c.facts[id].Type)
	}
	for _, k := range g.Captures {
		c.home[k.Inner] = c.add(slot{kind: slotCapture, value: k.Inner, provider: host, index: int32(k.Implicit)}, c.facts[k.Inner].Type)
	}
	for v := range g.Values() {
		if f := c.facts[v.ID]; f.Const != nil && c.needed[v.ID] && c.home[v.ID] < 0 {
			c.home[v.ID] = c.add(slot{kind: slotConst, value: v.ID, provider: host, konst: f.Const}, f.Type)
		}
	}
}

func (c *compiler) add(s slot, t graph.Type) int32 {
	s.dtype = t.DType
	if shape, ok := t.Shape.Concrete(); ok && t.IsTensor() {
		s.shape = shape
	}
	s.first, s.last = -1, -1
	c.slots = append(c.slots, s)
	return int32(len(c.slots) - 1)
}

// fixed reports whether a slot's type and shape are settled by the plan.
func (s *slot) fixed() bool { return s.shape != nil && s.dtype != tensor.String }

// node plans one node: nothing when its outputs are known, a view, or a step.
func (c *compiler) node(n *node) error {
	if !c.runs(n) {
		return nil
	}
	st := step{node: n, scratch: -1}
	static := len(n.subs) == 0 && !n.def.DataDependent
	for _, o := range n.Outputs() {
		if o == graph.NoValue {
			continue
		}
		if s, ok := c.facts[o].Type.Shape.Concrete(); !ok || s == nil || !c.facts[o].Type.IsTensor() || !plannable(c.facts[o].Type.DType) {
			static = false
		}
	}
	for _, list := range [2][]graph.ValueID{n.Inputs(), n.Implicit()} {
		for _, id := range list {
			if id != graph.NoValue && c.home[id] < 0 {
				return fmt.Errorf("node %q reads %q, which nothing makes", n.Label(), c.p.g.Value(id).Name)
			}
		}
	}
	for i, id := range n.Inputs() {
		st.in = append(st.in, c.input(n, i, id))
	}
	for _, id := range n.Implicit() {
		s := int32(-1)
		if id != graph.NoValue {
			s = c.at(c.home[id], c.p.s.hostID())
		}
		st.outer = append(st.outer, s)
	}
	switch {
	case len(n.subs) > 0:
		st.kind = stepControl
	case !static:
		st.kind = stepDynamic
	case n.viewer != nil && c.view(n, &st):
		return nil
	}
	for _, id := range n.Outputs() {
		s := int32(-1)
		if id != graph.NoValue {
			kind := slotDynamic
			if st.kind == stepRun {
				kind = slotArena
			}
			s = c.add(slot{kind: kind, value: id, provider: n.provider}, c.facts[id].Type)
			c.slots[s].first = int32(len(c.steps))
			if kind == slotArena {
				c.slots[s].size = int64(c.slots[s].dtype.Bytes(c.slots[s].shape.Size()))
			}
			c.home[id] = s
		}
		st.out = append(st.out, s)
	}
	if st.kind == stepRun && n.scratch != nil {
		shapes := make([]tensor.Shape, len(st.in))
		for i, s := range st.in {
			if s >= 0 {
				shapes[i] = c.slots[s].shape
			}
		}
		if size := n.scratch.Scratch(shapes); size > 0 {
			st.scratch = c.add(slot{kind: slotArena, value: graph.NoValue, provider: n.provider, size: int64(size)}, graph.TensorType(tensor.Uint8, graph.Fixed(size)))
			c.slots[st.scratch].first, c.slots[st.scratch].last = int32(len(c.steps)), int32(len(c.steps))
		}
	}
	c.steps = append(c.steps, st)
	return nil
}

func plannable(d tensor.DType) bool { return d.Valid() && d != tensor.String }

// input returns the slot from which a node reads an input: in its provider's
// memory, contiguous unless the kernel reads strides.
func (c *compiler) input(n *node, i int, id graph.ValueID) int32 {
	if id == graph.NoValue || i < len(n.packed) && n.packed[i] {
		return -1
	}
	s := c.at(c.home[id], n.provider)
	if c.slots[s].strides == nil || n.strided != nil && n.strided.StridedInput(i) {
		return s
	}
	key := copyKey{s, n.provider, true}
	if d, ok := c.copies[key]; ok {
		return d
	}
	src := c.slots[s]
	d := c.add(slot{kind: slotArena, value: id, provider: n.provider, size: int64(src.dtype.Bytes(src.shape.Size()))}, graph.TensorType(src.dtype, graph.Fixed(src.shape...)))
	c.slots[d].first = int32(len(c.steps))
	c.steps = append(c.steps, step{kind: stepPack, in: []int32{s}, out: []int32{d}, scratch: -1})
	c.copies[key] = d
	return d
}

// at returns the slot of a value in a provider's memory, with a transfer before
// the first use there. Providers of one device share memory.
func (c *compiler) at(s int32, to ep.ID) int32 {
	from := c.slots[s].provider
	if from == to || c.p.s.providers.Provider(from).Device() == c.p.s.providers.Provider(to).Device() {
		return s
	}
	key := copyKey{s, to, false}
	if d, ok := c.copies[key]; ok {
		return d
	}
	src := c.slots[s]
	kind, size := slotDynamic, int64(0)
	if src.fixed() {
		kind, size = slotArena, int64(src.dtype.Bytes(src.shape.Size()))
	}
	t := graph.Type{Kind: tensor.KindTensor, DType: src.dtype}
	if src.shape != nil {
		t.Shape = graph.Fixed(src.shape...)
	}
	d := c.add(slot{kind: kind, value: src.value, provider: to, size: size}, t)
	c.slots[d].first = int32(len(c.steps))
	c.steps = append(c.steps, step{kind: stepTransfer, in: []int32{s}, out: []int32{d}, scratch: -1})
	c.copies[key] = d
	return d
}

// view makes a node's outputs windows of its inputs, when the kernel can. The
// kernel sees constants as they are and other inputs as headers: one that needs
// an element that is not known yet runs into the missing storage, and then the
// output is computed.
func (c *compiler) view(n *node, st *step) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	inv := &ep.Invocation{Inputs: make([]ep.Arg, len(st.in))}
	for i, s := range st.in {
		if s < 0 {
			continue
		}
		sl := &c.slots[s]
		if !sl.fixed() {
			return false
		}
		a := ep.Arg{DType: sl.dtype, Shape: sl.shape, Strides: sl.strides, Value: sl.konst}
		if a.Value == nil {
			h, err := tensor.Header(sl.dtype, sl.shape, sl.strides)
			if err != nil {
				return false
			}
			a.Value = h
		}
		inv.Inputs[i] = a
	}
	views := make([]ep.View, len(n.Outputs()))
	for i, id := range n.Outputs() {
		if id == graph.NoValue {
			continue
		}
		out, _ := c.facts[id].Type.Shape.Concrete()
		v, ok := n.viewer.View(i, inv, out)
		if !ok || v.Input >= len(st.in) || st.in[v.Input] < 0 || c.slots[st.in[v.Input]].dtype != c.facts[id].Type.DType {
			return false
		}
		if c.facts[id].Type.DType.Packed() && (v.Offset != 0 || v.Strides != nil) {
			return false // kernels read packed elements from a byte's start
		}
		views[i] = v
	}
	for i, id := range n.Outputs() {
		if id == graph.NoValue {
			continue
		}
		base := st.in[views[i].Input]
		src := &c.slots[base]
		w := slot{kind: slotView, value: id, provider: src.provider, root: base, strides: views[i].Strides, elem: views[i].Offset}
		if src.kind == slotView {
			w.root, w.elem = src.root, src.elem+views[i].Offset
		}
		c.home[id] = c.add(w, c.facts[id].Type)
	}
	return true
}

// collectOutputs decides where each graph output lies: in memory the caller
// keeps, if its own memory can be that, else in a copy.
func (c *compiler) collectOutputs() error {
	g := c.p.g
	taken := map[int32]bool{}
	for i, o := range g.Outputs() {
		s := c.home[o]
		if s < 0 {
			return fmt.Errorf("output %q of graph %q is made by no node", g.Value(o).Name, g.Name)
		}
		s = c.at(s, c.p.s.hostID())
		root := c.rootOf(s)
		r := &c.slots[root]
		v := &c.slots[s]
		whole := v.kind != slotView || v.strides == nil && v.elem == 0 && v.dtype == r.dtype && v.shape.Size() == r.shape.Size()
		if r.kind == slotArena && whole && !taken[root] {
			taken[root] = true
			r.kind, r.index = slotOutput, int32(i)
			c.outputs = append(c.outputs, s)
			continue
		}
		if v.kind == slotDynamic {
			c.outputs = append(c.outputs, s)
			continue
		}
		if !v.fixed() { // strings and values that are no tensors are passed on as they are
			c.outputs = append(c.outputs, s)
			continue
		}
		d := c.add(slot{kind: slotOutput, value: o, provider: c.p.s.hostID(), index: int32(i)}, graph.TensorType(v.dtype, graph.Fixed(v.shape...)))
		c.slots[d].first = int32(len(c.steps))
		c.steps = append(c.steps, step{kind: stepPack, in: []int32{s}, out: []int32{d}, scratch: -1})
		c.outputs = append(c.outputs, d)
	}
	return nil
}

func (c *compiler) rootOf(s int32) int32 {
	if c.slots[s].kind == slotView {
		return c.slots[s].root
	}
	return s
}
