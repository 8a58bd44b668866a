package optimize

import (
	"context"

	"gort/graph"
	"gort/tensor"
)

// Identities removes nodes whose first output is their first input.
type Identities struct{}

// Name implements Pass.
func (Identities) Name() string { return "identities" }

// identities says for operators of ai.onnx when the first output is the first
// input, element for element and in the same shape. A rule sees a node whose
// first input is given and whose other outputs are not read.
var identities = map[string]func(s *State, n *graph.Node) bool{
	"Identity":  func(*State, *graph.Node) bool { return true },
	"Dropout":   inferenceDropout,
	"Cast":      sameType,
	"CastLike":  sameType,
	"Reshape":   sameShape,
	"Flatten":   sameShape,
	"Squeeze":   sameShape,
	"Unsqueeze": sameShape,
	"Expand":    sameShape,
	"Transpose": identityPerm,
	"Concat":    func(_ *State, n *graph.Node) bool { return len(n.Inputs()) == 1 },
	"Sum":       func(_ *State, n *graph.Node) bool { return len(n.Inputs()) == 1 },
	"Max":       func(_ *State, n *graph.Node) bool { return len(n.Inputs()) == 1 },
	"Min":       func(_ *State, n *graph.Node) bool { return len(n.Inputs()) == 1 },
	"Mean":      func(_ *State, n *graph.Node) bool { return len(n.Inputs()) == 1 },
	"Tile":      func(s *State, n *graph.Node) bool { return n.Opset >= 6 && s.allInts(n, 1, 1) },
	"Pad":       func(s *State, n *graph.Node) bool { return n.Opset >= 11 && s.allInts(n, 1, 0) },
	"Mul":       func(s *State, n *graph.Node) bool { return n.Opset >= 7 && s.neutral(n, 1) },
	"Div":       func(s *State, n *graph.Node) bool { return n.Opset >= 7 && s.neutral(n, 1) },
	"Add":       addZero,
	"Sub":       addZero,
}

// Run implements Pass.
func (Identities) Run(_ context.Context, s *State) (bool, error) {
	order, err := s.Graph.Order()
	if err != nil {
		return false, err
	}
	changed := false
	for _, id := range order {
		n := s.Graph.Node(id)
		rule := identities[n.Op]
		if rule == nil || n.Domain != "" || len(n.Inputs()) == 0 || n.Inputs()[0] == graph.NoValue || n.Outputs()[0] == graph.NoValue {
			continue
		}
		if s.othersRead(n) || !rule(s, n) {
			continue
		}
		if err := s.Graph.ReplaceUses(n.Outputs()[0], n.Inputs()[0]); err != nil {
			return changed, err
		}
		changed = s.removeNode(n) || changed
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
func inferenceDropout(s *State, n *graph.Node) bool {
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

func sameType(s *State, n *graph.Node) bool {
	in, out := s.Fact(n.Inputs()[0]).Type, s.Fact(n.Outputs()[0]).Type
	return in.IsTensor() && out.IsTensor() && in.DType.Valid() && in.DType == out.DType
}

// sameShape holds when both shapes are known to be equal, symbols included.
func sameShape(s *State, n *graph.Node) bool {
	in, out := s.Fact(n.Inputs()[0]).Type.Shape, s.Fact(n.Outputs()[0]).Type.Shape
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

func identityPerm(s *State, n *graph.Node) bool {
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

// neutral reports whether input 1 is a constant of ones or zeros (v) that
// neither broadcasts the first input nor changes any of its values.
func (s *State) neutral(n *graph.Node, v float64) bool {
	c := s.Const(n.Inputs()[1])
	if c == nil || c.Size() != 1 || !sameShape(s, n) {
		return false
	}
	list, err := tensor.Float64s(c)
	return err == nil && list[0] == v
}

// addZero: adding zero keeps integers; of floats it would turn -0 into 0, so
// those stay.
func addZero(s *State, n *graph.Node) bool {
	c := s.Fact(n.Inputs()[0]).Type.DType.Class()
	return n.Opset >= 7 && (c == tensor.ClassInt || c == tensor.ClassUint) && s.neutral(n, 0)
}
