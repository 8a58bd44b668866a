package op_test

import (
	"fmt"
	"math"
	"strings"

	"gort/graph"
	"gort/op"
	"gort/tensor"
)

// dice turns bytes into choices. Without bytes left every choice is the first.
type dice struct{ data []byte }

// below returns a number from 0 to n-1.
func (d *dice) below(n int) int {
	if len(d.data) == 0 || n < 2 {
		return 0
	}
	v := int(d.data[0])
	d.data = d.data[1:]
	if n > 256 && len(d.data) > 0 {
		v |= int(d.data[0]) << 8
		d.data = d.data[1:]
	}
	return v % n
}

// oneIn is true in one of n throws, and never without bytes left.
func (d *dice) oneIn(n int) bool { return d.below(n) == n-1 }

func oneOf[T any](d *dice, list ...T) T { return list[d.below(len(list))] }

// call is a node of one definition and what is known of its inputs.
type call struct {
	def      *op.Def
	node     *graph.Node
	in       []op.Fact
	implicit []op.Fact
	outputs  int
}

// String writes the call down as a bug report needs it.
func (c *call) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s-%d at opset %d", c.def.Name, c.def.Since, c.node.Opset)
	for i, f := range c.in {
		fmt.Fprintf(&b, "\n  input %d: %s", i, factText(f))
	}
	for i, f := range c.implicit {
		fmt.Fprintf(&b, "\n  implicit %d: %s", i, factText(f))
	}
	for _, a := range c.node.Attrs {
		fmt.Fprintf(&b, "\n  attribute %s: %v %s", a.Name, a.Kind, attrText(a.Value))
	}
	fmt.Fprintf(&b, "\n  outputs: %v", c.node.Outputs())
	return b.String()
}

func factText(f op.Fact) string {
	s := fmt.Sprint(f.Type)
	if !f.Type.IsKnown() {
		s = "nothing known"
	}
	if f.Const != nil {
		s += " = " + fmt.Sprint(f.Const)
	}
	if f.Ints != nil {
		s += " ints " + intsText(f.Ints)
	}
	return s
}

func factsText(facts []op.Fact) string {
	parts := make([]string, len(facts))
	for i, f := range facts {
		parts[i] = factText(f)
	}
	return "(" + strings.Join(parts, "; ") + ")"
}

func intsText(v *op.Ints) string {
	parts := make([]string, len(v.Elems))
	for i, e := range v.Elems {
		if n, ok := e.Value(); ok {
			parts[i] = fmt.Sprint(n)
		} else {
			parts[i] = e.Dim().String()
		}
	}
	return fmt.Sprintf("%v (scalar %v)", parts, v.Scalar)
}

func attrText(v any) string {
	switch v := v.(type) {
	case *graph.Graph:
		var b strings.Builder
		fmt.Fprintf(&b, "graph of %d inputs and %d outputs", len(v.Inputs()), len(v.Outputs()))
		for _, id := range v.Inputs() {
			fmt.Fprintf(&b, ", input %v", v.Value(id).Type)
		}
		for n := range v.Nodes() {
			fmt.Fprintf(&b, ", %v = %s(%v)", n.Outputs(), n.Op, n.Inputs())
		}
		return b.String()
	case *graph.Sparse:
		return fmt.Sprintf("sparse %v: %v at %v", v.Dims, v.Values, v.Indices)
	}
	return fmt.Sprintf("%#v", v)
}

// randomCall makes up a node of a definition. Most choices fit the definition,
// so that its shape function is reached; some do not.
func randomCall(d *dice, def *op.Def) *call {
	c := &call{def: def}
	sig := def.Signature()
	m := maker{dice: d, vars: map[string]tensor.Type{}, rank: oneOf(d, 4, 3, 2, 1, 3, 4, 2, 0)}
	g := graph.New("fuzz")
	spec := graph.NodeSpec{Name: "n", Domain: def.Domain, Op: def.Name, Opset: def.Since + oneOf(d, 0, 0, 0, 1)}
	for i := range countOf(d, sig.MinInputs, sig.MaxInputs) {
		p := sig.Input(i)
		if p == nil {
			p = &op.Param{Type: "T"}
		}
		if p.Arity == op.Optional && d.oneIn(3) || d.oneIn(40) {
			spec.Inputs = append(spec.Inputs, graph.NoValue)
			c.in = append(c.in, op.Fact{})
			continue
		}
		spec.Inputs = append(spec.Inputs, g.NewValue(graph.Type{}))
		c.in = append(c.in, m.fact(m.typeFor(sig, p)))
	}
	c.outputs = countOf(d, sig.MinOutputs, sig.MaxOutput)
	for range c.outputs {
		o := graph.NoValue
		if !d.oneIn(8) {
			o = g.NewValue(graph.Type{})
		}
		spec.Outputs = append(spec.Outputs, o)
	}
	for range d.below(3) {
		spec.Implicit = append(spec.Implicit, g.NewValue(graph.Type{}))
		c.implicit = append(c.implicit, m.fact(tensor.TensorOf(oneOf(d, tensor.Float32, tensor.Int64))))
	}
	for _, a := range sig.Attrs {
		if (a.Required && !d.oneIn(40)) || d.oneIn(2) {
			spec.Attrs = append(spec.Attrs, graph.NewAttr(a.Name, m.attr(def, a, c)))
		}
	}
	if d.oneIn(60) {
		spec.Attrs = append(spec.Attrs, graph.NewAttr("surplus", int64(1)))
	}
	id, err := g.AddNode(spec)
	if err != nil {
		panic(err) // the node above is well linked
	}
	c.node = g.Node(id)
	return c
}

// countOf throws how many inputs or outputs a node has; now and then a wrong number.
func countOf(d *dice, lo, hi int) int {
	if hi < 0 {
		hi = lo + 4
	}
	if d.oneIn(50) {
		return d.below(hi + 3)
	}
	return lo + d.below(hi-lo+1)
}

// maker makes facts and attributes of one node that have a chance to fit together.
type maker struct {
	*dice
	vars map[string]tensor.Type
	rank int
	dims []graph.Dim // the sizes of earlier inputs
}

func (m *maker) typeFor(sig *op.Signature, p *op.Param) tensor.Type {
	if m.oneIn(60) {
		return tensor.TensorOf(tensor.DTypes()[m.below(len(tensor.DTypes()))])
	}
	if t, ok := m.vars[p.Type]; ok && !p.Heterogeneous {
		return t
	}
	list := sig.Types[p.Type].List()
	if len(list) == 0 {
		return tensor.TensorOf(tensor.Float32)
	}
	t := list[m.below(len(list))]
	m.vars[p.Type] = t
	return t
}

// fact makes up what is known of a value of a type.
func (m *maker) fact(t tensor.Type) op.Fact {
	if m.oneIn(20) {
		return op.Fact{}
	}
	if t.Kind == tensor.KindTensor && m.oneIn(3) {
		if c := m.constant(t.DType); c != nil {
			return op.FactOf(c)
		}
	}
	f := op.Fact{Type: m.withShapes(graph.FromTensorType(t))}
	class := t.DType.Class()
	integer := t.Kind == tensor.KindTensor && (class == tensor.ClassInt || class == tensor.ClassUint) && !t.DType.Packed()
	if integer && m.oneIn(2) {
		f.Ints = m.partial(t.DType)
		f.Type.Shape = graph.Fixed(len(f.Ints.Elems))
		if f.Ints.Scalar {
			f.Type.Shape = graph.ShapeOf()
		}
	}
	return f
}

func (m *maker) withShapes(t graph.Type) graph.Type {
	if t.IsTensor() {
		t.Shape = m.shape()
	}
	if t.Elem != nil {
		e := m.withShapes(*t.Elem)
		t.Elem = &e
	}
	return t
}

func (m *maker) shape() graph.Shape {
	if m.oneIn(10) {
		return graph.Shape{}
	}
	rank := m.rank
	if m.oneIn(3) {
		rank = m.below(7)
	}
	dims := make([]graph.Dim, rank)
	for i := range dims {
		dims[i] = m.dim()
	}
	return graph.ShapeOf(dims...)
}

func (m *maker) dim() graph.Dim {
	if len(m.dims) > 0 && m.oneIn(2) {
		return m.dims[m.below(len(m.dims))]
	}
	d := graph.Known(m.below(9))
	switch m.below(12) {
	case 6:
		d = graph.Dim{}
	case 7:
		d = graph.Symbol("N")
	case 8:
		d = graph.Symbol("M")
	case 9:
		d = graph.Known(1)
	case 10:
		d = graph.Known(2)
	case 11:
		d = graph.Known(oneOf(m.dice, 0, 16, 255, 1<<20, 1<<31, 1<<33, 1<<62, math.MaxInt-1))
	}
	m.dims = append(m.dims, d)
	return d
}

// numbers are elements and attribute values: mostly plausible axes, sizes and
// counts, some that overflow.
func (m *maker) number() int64 {
	switch m.below(8) {
	case 6:
		return int64(m.below(9)) - 4
	case 7:
		return oneOf[int64](m.dice, 16, 255, 1<<16, 1<<31, -1<<31, 1<<33, 1<<62, math.MaxInt64, math.MinInt64, math.MinInt64+1)
	}
	return int64(m.below(5)) - oneOf[int64](m.dice, 0, 0, 0, 1)
}

func (m *maker) numbers() []int64 {
	n := oneOf(m.dice, m.rank, m.rank, max(m.rank-2, 0), 2*max(m.rank-2, 0), 2*m.rank, 1, 2, m.below(9))
	list := make([]int64, n)
	if m.oneIn(3) { // an order of axes
		for i := range list {
			list[i] = int64(i)
		}
		for i := range list {
			k := m.below(n)
			list[i], list[k] = list[k], list[i]
		}
		return list
	}
	for i := range list {
		list[i] = m.number()
	}
	return list
}

// constant makes up a small tensor; nil when the type holds no numbers.
func (m *maker) constant(d tensor.DType) *tensor.Tensor {
	list := m.numbers()
	shape := []int{len(list)}
	switch {
	case m.oneIn(4):
		list, shape = []int64{m.number()}, []int{}
	case m.oneIn(8):
		shape = []int{1, len(list)}
	}
	if d == tensor.String {
		words := make([]string, len(list))
		for i := range words {
			words[i] = oneOf(m.dice, "a", "", "7", "-1.5", "ü", "nonsense")
		}
		t, _ := tensor.FromSlice(words, shape...)
		return t
	}
	t, err := tensor.FromSlice(list, shape...)
	if err != nil {
		return nil
	}
	if d.Class() == tensor.ClassComplex {
		t, _ = tensor.New(d, shape...)
		return t
	}
	t, err = tensor.Convert(t, d, tensor.ConvertOptions{})
	if err != nil {
		return nil
	}
	return t
}

// partial makes up an integer value of which some elements are known.
func (m *maker) partial(t tensor.DType) *op.Ints {
	list := m.numbers()
	v := &op.Ints{Elems: make([]op.Int, len(list))}
	for i, n := range list {
		switch m.below(5) {
		case 3:
			v.Elems[i] = op.DimInt(graph.Symbol(oneOf(m.dice, "N", "M")))
		case 4:
		default:
			v.Elems[i] = op.KnownInt(inRange(t, n))
		}
	}
	if m.oneIn(4) {
		v.Scalar = true
		v.Elems = append(v.Elems, op.Int{})[:1]
	}
	return v
}

// inRange keeps the low bits of n that an integer type has.
func inRange(t tensor.DType, n int64) int64 {
	if c, err := tensor.Convert(tensor.Must(tensor.FromSlice([]int64{n})), t, tensor.ConvertOptions{}); err == nil {
		if list, err := op.Int64s(c); err == nil {
			return list[0]
		}
	}
	return 0
}
