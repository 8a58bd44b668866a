package difftest

import (
	"slices"

	"gort/graph"
	"gort/op"
	"gort/tensor"
)

// controlGenerators call the operators that run subgraphs.
var controlGenerators = []Generator{
	{Op: "If", Make: func(g *G) {
		g.controlOpset()
		g.condition(g.Maybe())
		n := g.Between(1, 3)
		types := make([]tensor.Type, n)
		for i := range types {
			types[i] = g.Type("V")
			if g.Forces("V") && i > 0 {
				types[i] = tensor.TensorOf(tensor.Float32)
			}
		}
		rank, same := g.IntN(3), g.Sizes(0, 3)
		for _, name := range g.shuffled("then_branch", "else_branch") {
			s := g.Body()
			var out []Operand
			for _, t := range types {
				// The branches may give different shapes, seldom different ranks. ONNX
				// Runtime has that from version 11 on; the text of version 1 allows it too.
				dims := g.Sizes(rank, rank)
				switch {
				case g.Since() < 11:
					dims = same
				case g.OneIn(5):
					dims = g.Shape(0, 3)
				}
				out = append(out, s.make(t, dims))
			}
			g.Attr(name, s.Out(out...))
		}
		g.OutputCount(n)
	}},
	{Op: "Loop", Make: loop},
	{Op: "Scan", Make: scan},
}

// shuffled returns the items in any order.
func (g *G) shuffled(items ...string) []string {
	g.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	return items
}

const newestOpset = 25

// controlOpset has the model import one of the versions in which the definition
// holds, from 7 on: earlier arithmetic does not broadcast, and ONNX Runtime lacks it.
func (g *G) controlOpset() {
	last := g.Since()
	for last < newestOpset {
		if d, err := op.Standard().Lookup("", g.Def.Name, last+1); err != nil || d != g.Def {
			break
		}
		last++
	}
	g.Opset(g.Between(max(g.Since(), 7), max(last, 7)))
}

// condition adds an input of one bool and returns its shape.
func (g *G) condition(v bool) []int {
	t := tensor.Scalar(v)
	if g.OneIn(4) {
		t = tensor.Must(t.Reshape(1))
	}
	g.Either(t)
	return t.Shape()
}

// passes reports whether Identity takes a type in the model's opset.
func (s *Sub) passes(t tensor.Type) bool {
	d, err := op.Standard().Lookup("", "Identity", s.g.c.Version)
	if err != nil {
		return false
	}
	sig := d.Signature()
	return sig.Types[sig.Inputs[0].Type].Has(t)
}

// adds reports whether Add takes an element type in the model's opset.
func (s *Sub) adds(d tensor.DType) bool {
	def, err := op.Standard().Lookup("", "Add", s.g.c.Version)
	// ONNX Runtime adds these only.
	known := slices.Contains([]tensor.DType{tensor.Float32, tensor.Float64, tensor.Int32, tensor.Int64}, d)
	return err == nil && known && def.Signature().Types["T"].Tensor.Has(d)
}

// make computes a value of a type, out of nothing or of what the model is fed.
// dims are of a tensor; items of sequences vary.
func (s *Sub) make(t tensor.Type, dims []int) Operand {
	g := s.g
	passes, builds := s.passes(t), op.AllTypes.Has(innermost(t)) && t.Kind == tensor.KindSequence
	if !passes && !builds {
		return s.Fed(g.Value(t, dims)) // which ONNX Runtime refuses as an output
	}
	if s.depth < 2 && g.OneIn(5) {
		return s.makeInner(t, dims)
	}
	if v := s.inputLike(t, dims); v != nil && passes && g.Maybe() {
		return s.Copy(s.Fed(v))
	}
	switch t.Kind {
	case tensor.KindSequence:
		if passes && g.OneIn(3) || !builds {
			return s.Copy(s.Fed(g.Value(t, nil)))
		}
		if g.OneIn(4) {
			return s.Do("SequenceEmpty", t, nil, []graph.Attr{graph.NewAttr("dtype", int64(t.Elem.DType))})
		}
		var items []Operand
		for range g.Between(1, 3) {
			items = append(items, s.make(*t.Elem, g.Shape(0, 2)))
		}
		return s.Do("SequenceConstruct", t, nil, nil, items...)
	case tensor.KindOptional:
		switch g.IntN(3) {
		case 0:
			return s.Copy(s.Fed(g.Value(t, dims)))
		case 1:
			return s.Do("Optional", t, nil, []graph.Attr{graph.NewAttr("type", graph.FromTensorType(*t.Elem))})
		}
		return s.Do("Optional", t, nil, nil, s.make(*t.Elem, dims))
	}
	x := g.Tensor(t.DType, dims...)
	var o Operand
	if g.Maybe() && t.DType != tensor.String {
		o = s.Const(x)
	} else {
		o = s.Fed(x)
	}
	switch {
	case s.adds(t.DType) && g.Maybe():
		return s.Do("Add", t, dims, nil, o, s.Fed(g.Tensor(t.DType, dims...)))
	case len(dims) > 0 && op.AllTypes.Has(t.DType) && g.OneIn(3):
		back := slices.Clone(dims)
		slices.Reverse(back)
		o = s.Do("Transpose", t, back, nil, o)
		return s.Do("Transpose", t, dims, nil, o)
	}
	return s.Copy(o)
}

// inputLike is an input of the node of that type, for a tensor also of these
// dimensions, if there is one: what a body changes others must not see change.
func (s *Sub) inputLike(t tensor.Type, dims []int) tensor.Value {
	for _, in := range s.g.c.Inputs {
		if in.Value == nil || !in.Value.Type().Equal(t) {
			continue
		}
		if x, ok := in.Value.(*tensor.Tensor); !ok || slices.Equal([]int(x.Shape()), dims) {
			return in.Value
		}
	}
	return nil
}

// makeInner is make by a nested If or Loop.
func (s *Sub) makeInner(t tensor.Type, dims []int) Operand {
	g := s.g
	shared := new(outside)
	if g.Maybe() {
		cond := s.Fed(tensor.Scalar(g.Maybe()))
		if g.Maybe() {
			cond = s.Do("Not", cond.Type, cond.Dims, nil, cond)
		}
		then, other := s.Inner(shared), s.Inner(shared)
		attrs := []graph.Attr{
			graph.NewAttr("then_branch", then.Out(then.make(t, dims))),
			graph.NewAttr("else_branch", other.Out(other.make(t, dims))),
		}
		return s.Node("If", shared, t, dims, attrs, cond)
	}
	start := s.make(t, dims)
	again := s.make(t, dims)
	count := s.Const(tensor.Scalar(int64(g.IntN(3))))
	body := s.Inner(shared)
	body.In(tensor.TensorOf(tensor.Int64), []int{})
	cond := body.In(tensor.TensorOf(tensor.Bool), []int{})
	state := body.In(t, dims)
	next := body.Capture(again)
	if t.Kind == tensor.KindTensor && body.adds(t.DType) {
		next = body.Do("Add", t, dims, nil, state, next)
	} else if !body.passes(t) {
		next = body.Do("SequenceInsert", t, nil, nil, state, body.make(*t.Elem, g.Shape(0, 2)))
	} else {
		next = body.Copy(next)
	}
	return s.Node("Loop", shared, t, dims, []graph.Attr{graph.NewAttr("body", body.Out(body.Copy(cond), next))}, count, Operand{ID: graph.NoValue}, start)
}
