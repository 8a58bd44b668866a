package difftest

import (
	"slices"

	"gort/graph"
	"gort/tensor"
)

// sequenceGenerators call the operators on sequences and optionals.
var sequenceGenerators = []Generator{
	{Op: "SequenceConstruct", Make: func(g *G) {
		g.controlOpset()
		d := g.element("T", "S")
		for range g.Between(1, 4) {
			g.In(g.Tensor(d, g.Shape(0, 3)...))
		}
	}},
	{Op: "SequenceEmpty", Make: func(g *G) {
		g.controlOpset()
		if d := g.element("S"); d != tensor.Float32 || g.Maybe() {
			g.Attr("dtype", int(d))
		}
	}},
	{Op: "SequenceInsert", Make: func(g *G) {
		g.controlOpset()
		d := g.element("T", "S")
		s := g.sequence(d, g.IntN(4))
		g.In(s)
		g.In(g.Tensor(d, g.Shape(0, 3)...))
		g.maybePosition(-len(s.Items), len(s.Items))
	}},
	{Op: "SequenceErase", Make: func(g *G) {
		g.controlOpset()
		s := g.sequence(g.element("S"), g.Between(1, 4))
		g.In(s)
		g.maybePosition(-len(s.Items), len(s.Items)-1)
	}},
	{Op: "SequenceAt", Make: func(g *G) {
		g.controlOpset()
		s := g.sequence(g.element("S", "T"), g.Between(1, 4))
		g.In(s)
		g.position(-len(s.Items), len(s.Items)-1)
	}},
	{Op: "SequenceLength", Make: func(g *G) {
		g.controlOpset()
		g.In(g.sequence(g.element("S"), g.IntN(5)))
	}},
	{Op: "SequenceMap", Make: sequenceMap},
	{Op: "SplitToSequence", Make: splitToSequence},
	{Op: "ConcatFromSequence", Make: func(g *G) {
		g.controlOpset()
		s := &tensor.Sequence{Elem: tensor.TensorOf(g.element("S", "T"))}
		shape, added := g.Shape(1, 3), g.Maybe()
		rank := len(shape)
		if added {
			rank++
		}
		axis := g.Axis(rank)
		for range g.Between(1, 4) {
			dims := slices.Clone(shape)
			if !added {
				dims[(axis+rank)%rank] = g.IntN(5)
			}
			s.Items = append(s.Items, g.Tensor(s.Elem.DType, dims...))
		}
		g.In(s)
		g.Attr("axis", axis)
		if added || g.Maybe() {
			g.Attr("new_axis", added)
		}
	}},
	{Op: "Optional", Make: func(g *G) {
		g.controlOpset()
		t := g.Type("V")
		if g.Forces("O") {
			t = *g.Type("O").Elem
		}
		if g.OneIn(3) && !g.Forces("V") {
			g.Attr("type", graph.FromTensorType(t))
			return
		}
		g.In(g.Value(t, g.Shape(0, 3)))
	}},
	{Op: "OptionalGetElement", Make: func(g *G) {
		g.controlOpset()
		t := g.Type("O")
		if g.Forces("V") {
			t = tensor.OptionalOf(g.Type("V"))
		}
		if t.Kind == tensor.KindOptional {
			g.In(&tensor.Optional{Elem: *t.Elem, Value: g.Value(*t.Elem, g.Shape(0, 3))})
			return
		}
		g.In(g.Value(t, g.Shape(0, 3)))
	}},
	{Op: "OptionalHasElement", Make: func(g *G) {
		g.controlOpset()
		if g.Since() >= 18 && g.OneIn(6) && !g.Forces("O") {
			if g.Maybe() {
				g.Omit()
			}
			return
		}
		g.In(g.Value(g.Type("O"), g.Shape(0, 3)))
	}},
}

// element returns the element type that these type variables have in common.
func (g *G) element(variables ...string) tensor.DType {
	for _, v := range variables {
		if g.Forces(v) {
			return g.DType(v)
		}
	}
	all := g.Def.Signature().Types[variables[0]].Elements()
	if common := all & commonTypes; common != 0 && !g.OneIn(4) {
		all = common
	}
	return Pick(g, all.List()...)
}

// sequence returns n tensors of any shapes.
func (g *G) sequence(d tensor.DType, n int) *tensor.Sequence {
	s := &tensor.Sequence{Elem: tensor.TensorOf(d)}
	for range n {
		s.Items = append(s.Items, g.Tensor(d, g.Shape(0, 3)...))
	}
	return s
}

// position adds an input with an index.
func (g *G) position(lo, hi int) {
	t := Scalar(g.DType("I"), float64(g.Between(lo, hi)))
	g.Either(t)
}

func (g *G) maybePosition(lo, hi int) {
	if g.OneIn(4) && !g.Forces("I") {
		return
	}
	g.position(lo, hi)
}

// splitToSequence draws parts of one size, of many sizes, or single ones.
func splitToSequence(g *G) {
	g.controlOpset()
	d := g.element("T", "S")
	shape := g.Shape(1, 3)
	axis := g.Axis(len(shape))
	n := shape[(axis+len(shape))%len(shape)]
	g.In(g.Tensor(d, shape...))
	if axis != 0 || g.Maybe() {
		g.Attr("axis", axis)
	}
	kind := g.IntN(3)
	if g.Forces("I") {
		kind = g.IntN(2)
	}
	keepdims := g.IntN(2)
	switch kind {
	case 0:
		// The specification ignores keepdims where parts have a given size. ONNX Runtime
		// does so for a list of sizes, but for one size it drops the dimension, or fails
		// when the parts are longer than 1.
		keepdims = 1
		g.Either(Scalar(g.DType("I"), float64(g.Between(1, n+1))))
	case 1:
		var parts []int
		for rest := n; rest > 0; {
			parts = append(parts, g.Between(0, rest))
			rest -= parts[len(parts)-1]
		}
		if len(parts) == 0 {
			parts = []int{0}
		}
		g.Either(Ints(g.DType("I"), parts...))
	default:
		if g.Maybe() {
			g.Omit()
		}
	}
	g.MaybeAttr("keepdims", keepdims)
}

// sequenceMap maps over one or two sequences, beside tensors that every element
// meets, by a body that captures others.
func sequenceMap(g *G) {
	g.controlOpset()
	n := g.IntN(4)
	first := g.sequence(g.element("S"), n)
	g.In(first)
	s := g.Body()
	in := []Operand{s.In(first.Elem, nil)}
	for i := range g.IntN(3) {
		t := g.Type("V")
		if i > 0 && g.Forces("V") {
			t = tensor.TensorOf(tensor.Int64)
		}
		if t.Kind == tensor.KindSequence {
			g.In(g.sequence(t.Elem.DType, n))
			in = append(in, s.In(*t.Elem, nil))
			continue
		}
		x := g.Tensor(t.DType, g.Shape(0, 2)...)
		g.In(x)
		in = append(in, s.In(t, x.Shape()))
	}
	var out []Operand
	for range g.Between(1, 3) {
		o := Pick(g, in...)
		switch {
		case g.OneIn(4):
			out = append(out, s.Do("Shape", tensor.TensorOf(tensor.Int64), nil, nil, o))
		case s.adds(o.Type.DType) && g.Maybe():
			out = append(out, s.Do("Add", o.Type, nil, nil, o, s.Fed(g.Tensor(o.Type.DType))))
		case g.OneIn(4):
			out = append(out, s.Do("SequenceConstruct", tensor.SequenceOf(o.Type), nil, nil, o, o))
			out[len(out)-1] = s.Do("SequenceAt", o.Type, nil, nil, out[len(out)-1], s.Const(tensor.Scalar(int64(-1))))
		default:
			out = append(out, s.Copy(o))
		}
	}
	g.Attr("body", s.Out(out...))
	g.OutputCount(len(out))
}
