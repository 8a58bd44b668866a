package optimize

import (
	"context"

	"gort/graph"
	"gort/tensor"
)

// Identities removes nodes whose first output is one of their inputs, element for
// element: Identity itself, and others with the attributes and inputs they have.
//
//	Identity(x)  Dropout(x)  Concat(x)    →  x
//	Cast(x) to the type of x              →  x
//	Reshape(x) to the shape of x          →  x
//	Mul(x, 1)  Div(x, 1)  Tile(x, [1, 1]) →  x
//
// Not so: x + 0 of floats, which makes of -0 a 0; Mul(x, [[1]]), which may add a
// dimension; Dropout in training mode; nodes of whose other outputs one is read.
type Identities struct{}

// Name implements Pass.
func (Identities) Name() string { return "identities" }

// identities says for operators of ai.onnx when the first output is input number
// from, element for element and in the same shape; from is 0 but for operators in
// commutative. A rule sees a node whose input is given and whose other outputs are
// not read.
var identities = map[string]func(s *State, n *graph.Node, from int) bool{
	"Identity":  func(*State, *graph.Node, int) bool { return true },
	"Dropout":   inferenceDropout,
	"Cast":      sameType,
	"CastLike":  sameType,
	"Reshape":   sameShape,
	"Flatten":   sameShape,
	"Squeeze":   sameShape,
	"Unsqueeze": sameShape,
	"Expand":    sameShape,
	"Transpose": identityPerm,
	"Concat":    single,
	"Sum":       single,
	"Max":       single,
	"Min":       single,
	"Mean":      single,
	"Tile":      func(s *State, n *graph.Node, _ int) bool { return n.Opset >= 6 && s.allInts(n, 1, 1) },
	"Pad":       func(s *State, n *graph.Node, _ int) bool { return n.Opset >= 11 && s.allInts(n, 1, 0) },
	"Mul":       timesOne,
	"Div":       timesOne,
	"Add":       addZero,
	"Sub":       addZero,
}

// commutative lists the identities in which the second input may be the result.
var commutative = map[string]bool{"Mul": true, "Add": true}

// Run implements Pass. Nodes are looked at in execution order: of a chain each
// finds the first value as its input.
func (Identities) Run(_ context.Context, s *State) (bool, error) {
	order, err := s.Graph.Order()
	if err != nil {
		return false, err
	}
	changed := false
	for _, id := range order {
		n := s.Graph.Node(id)
		rule := identities[n.Op]
		if rule == nil || !s.is(n, n.Op) || n.Outputs()[0] == graph.NoValue || s.othersRead(n) {
			continue
		}
		for from, in := range n.Inputs() {
			if from > 0 && !commutative[n.Op] {
				break
			}
			if in == graph.NoValue || !rule(s, n, from) {
				continue
			}
			if s.replace(n.Outputs()[0], in) {
				changed = s.removeNode(n) || changed
			}
			break
		}
	}
	return changed, nil
}

func (s *State) othersRead(n *graph.Node) bool {
	for _, id := range n.Outputs()[1:] {
		if id != graph.NoValue && len(s.Graph.Value(id).Uses()) > 0 {
			return true
		}
	}
	return false
}

// inferenceDropout: without training mode Dropout passes its input through
// (specification, Dropout: "output is a copy of the input").
func inferenceDropout(s *State, n *graph.Node, _ int) bool {
	a := s.Attrs(n)
	switch {
	case n.Opset < 7:
		return a.Bool("is_test")
	case n.Opset < 12 || len(n.Inputs()) < 3 || n.Inputs()[2] == graph.NoValue:
		return true
	}
	c := s.Const(n.Inputs()[2])
	return c != nil && c.DType() == tensor.Bool && c.Size() == 1 && !tensor.Elements[bool](c.Contiguous())[0]
}

func single(_ *State, n *graph.Node, _ int) bool { return len(n.Inputs()) == 1 }

func sameType(s *State, n *graph.Node, _ int) bool {
	in, out := s.Fact(n.Inputs()[0]).Type, s.Fact(n.Outputs()[0]).Type
	return in.IsTensor() && out.IsTensor() && in.DType.Valid() && in.DType == out.DType
}

// sameShape holds when both shapes are known to be equal, symbols included.
func sameShape(s *State, n *graph.Node, from int) bool {
	in, out := s.Fact(n.Inputs()[from]).Type.Shape, s.Fact(n.Outputs()[0]).Type.Shape
	if !in.IsRanked() || !out.IsRanked() || len(in.Dims()) != len(out.Dims()) {
		return false
	}
	for i, d := range in.Dims() {
		if !d.Same(out.Dims()[i]) {
			return false
		}
	}
	return true
}

func identityPerm(s *State, n *graph.Node, _ int) bool {
	perm := s.Attrs(n).Ints("perm")
	for i, p := range perm {
		if int(p) != i {
			return false
		}
	}
	return perm != nil
}

// allInts reports whether input i is a constant whose elements are all v.
func (s *State) allInts(n *graph.Node, i int, v int64) bool {
	if i >= len(n.Inputs()) {
		return false
	}
	list, ok := s.Fact(n.Inputs()[i]).Ints.Known()
	if c := s.Const(n.Inputs()[i]); c != nil {
		var err error
		list, err = tensor.Int64s(c)
		ok = err == nil
	}
	for _, x := range list {
		if x != v {
			return false
		}
	}
	return ok
}

// neutral reports whether the input beside number from is a constant, v, that
// neither broadcasts input from nor changes any of its values.
func (s *State) neutral(n *graph.Node, from int, v float64) bool {
	if n.Opset < 7 { // broadcasting was an attribute's business
		return false
	}
	c := s.Const(n.Inputs()[1-from])
	if c == nil || c.Size() != 1 || !sameShape(s, n, from) {
		return false
	}
	list, err := tensor.Float64s(c)
	return err == nil && list[0] == v
}

func timesOne(s *State, n *graph.Node, from int) bool { return s.neutral(n, from, 1) }

// addZero: adding zero keeps integers; of floats it would turn -0 into 0, so
// those stay.
func addZero(s *State, n *graph.Node, from int) bool {
	c := s.Fact(n.Inputs()[from]).Type.DType.Class()
	return (c == tensor.ClassInt || c == tensor.ClassUint) && s.neutral(n, from, 0)
}
