package difftest

import (
	"slices"

	"gort/graph"
	"gort/op"
	"gort/tensor"
)

// loop makes loops that end by their count, by the condition of their body, or
// before the first iteration.
func loop(g *G) {
	g.controlOpset()
	trips := g.IntN(4)
	var byBody bool
	if count := g.IntN(4); count > 0 {
		m := tensor.Scalar(int64(trips))
		if g.OneIn(4) {
			m = tensor.Must(m.Reshape(1))
		}
		g.Either(m)
		byBody = g.OneIn(4)
	} else {
		g.Omit()
		byBody = true
	}
	one := []int{}
	switch g.IntN(3) {
	case 0:
		g.Omit()
	case 1:
		one = g.condition(!g.OneIn(3))
	default:
		one = g.condition(true)
	}

	s := g.Body()
	i := s.In(tensor.TensorOf(tensor.Int64), []int{})
	cond := s.In(tensor.TensorOf(tensor.Bool), one) // ONNX Runtime wants the shape that the node is given
	stop := s.Copy(cond)
	if byBody {
		// The comparison of integers is younger than Loop.
		number := s.Do("Cast", tensor.TensorOf(tensor.Float32), []int{}, []graph.Attr{graph.NewAttr("to", int64(tensor.Float32))}, i)
		stop = s.Do("Less", tensor.TensorOf(tensor.Bool), []int{}, nil, number, s.Const(tensor.Scalar(float32(g.Between(-1, 3)))))
	}

	out := []Operand{stop}
	var states []loopState
	n := g.Between(0, 3)
	if g.Since() < 11 || g.Forces("V") {
		n = max(n, 1)
	}
	for j := range n {
		t := g.Type("V")
		if g.Forces("V") && j > 0 {
			t = tensor.TensorOf(tensor.Int64)
		}
		states = append(states, g.loopState(s, t))
	}
	for _, st := range states {
		g.In(st.start)
	}
	for _, st := range states {
		out = append(out, s.advance(st, i))
	}
	scans := g.IntN(3)
	if n == 0 {
		scans = max(scans, 1)
	}
	for range scans {
		out = append(out, s.piece(states, i))
	}
	g.Attr("body", s.Out(out...))
	g.OutputCount(n + scans)
	if g.OneIn(12) && n+scans > 1 { // ONNX Runtime wants all
		ask := make([]bool, n+scans)
		ask[g.IntN(len(ask))] = true
		g.Outputs(ask...)
	}
}

// loopState is a value that goes from iteration to iteration.
type loopState struct {
	start tensor.Value
	in    Operand
	grows bool // its shape changes
}

func (g *G) loopState(s *Sub, t tensor.Type) loopState {
	dims := g.Sizes(0, 2)
	st := loopState{start: g.Value(t, dims)}
	st.grows = t.Kind == tensor.KindTensor && len(dims) > 0 && dims[0]*8 < maxElements && op.AllTypes.Has(t.DType) && g.OneIn(3)
	if st.grows {
		dims = nil
	}
	st.in = s.In(t, dims)
	return st
}

// advance computes what a state is in the next iteration.
func (s *Sub) advance(st loopState, i Operand) Operand {
	g, in := s.g, st.in
	t := in.Type
	switch {
	case st.grows:
		return s.Do("Concat", t, nil, []graph.Attr{graph.NewAttr("axis", int64(0))}, in, in)
	case !s.passes(t):
		return in
	case t.Kind == tensor.KindSequence && op.AllTypes.Has(innermost(t)) && g.Maybe():
		return s.Do("SequenceInsert", t, nil, nil, in, s.make(*t.Elem, g.Shape(0, 2)))
	case t.Kind == tensor.KindTensor && s.adds(t.DType):
		if t.DType == tensor.Int64 && g.Maybe() {
			return s.Do("Add", t, in.Dims, nil, in, i)
		}
		return s.Do("Add", t, in.Dims, nil, in, s.make(t, in.Dims))
	case g.Maybe():
		return s.make(t, in.Dims)
	}
	return s.Copy(in)
}

// piece computes what one iteration adds to a scan output. Strings are left out:
// ONNX Runtime moves them as bytes, so that they come out empty or it crashes.
func (s *Sub) piece(states []loopState, i Operand) Operand {
	g := s.g
	var stable []Operand
	for _, st := range states {
		if !st.grows && st.in.Type.Kind == tensor.KindTensor && st.in.Type.DType != tensor.String && s.passes(st.in.Type) {
			stable = append(stable, st.in)
		}
	}
	switch {
	case len(stable) > 0 && g.Maybe():
		return s.Copy(stable[g.IntN(len(stable))])
	case g.OneIn(3):
		return s.Copy(i)
	case g.OneIn(3):
		dims := g.Shape(0, 2)
		return s.Do("Add", i.Type, dims, nil, i, s.Fed(g.Tensor(tensor.Int64, dims...)))
	}
	d := g.DType("V")
	if !op.AllTypes.Has(d) || d == tensor.String {
		d = tensor.Float32
	}
	return s.make(tensor.TensorOf(d), slices.Clone(g.Shape(0, 2)))
}
