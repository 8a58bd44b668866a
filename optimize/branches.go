package optimize

import (
	"context"

	"gort/graph"
	"gort/op"
	"gort/tensor"
)

// Branches replaces an If whose condition is constant by the nodes of the branch
// that it takes:
//
//	If(true) { then: Relu(x), else: Neg(x) }  →  Relu(x)
//
// Exporters guard by an If what depends on a shape, which is constant once the
// shape is known. The condition's own nodes and what the other branch captured
// are then for Dead to remove.
type Branches struct{}

// Name implements Pass.
func (Branches) Name() string { return "branches" }

// Run implements Pass. Nodes that a branch brings are looked at too, so nested
// Ifs go in one run.
func (Branches) Run(_ context.Context, s *State) (bool, error) {
	changed := false
	for n := range s.Graph.Nodes() {
		if !s.is(n, "If") || len(n.Inputs()) == 0 {
			continue
		}
		c := s.Const(n.Inputs()[0])
		if c == nil || c.DType() != tensor.Bool || c.Size() != 1 {
			continue
		}
		name := "else_branch"
		if tensor.Elements[bool](c.Contiguous())[0] {
			name = "then_branch"
		}
		a, _ := n.Attr(name)
		branch, ok := a.Value.(*graph.Graph)
		if !ok || len(branch.Inputs()) > 0 || len(branch.Outputs()) != len(n.Outputs()) {
			continue
		}
		if err := s.take(n, branch); err != nil {
			return changed, err
		}
		changed = true
	}
	return changed, nil
}

// take puts a branch in the place of its If: as the call of a function whose
// parameters are the condition, which nothing reads, and what the branch captures.
func (s *State) take(n *graph.Node, branch *graph.Graph) error {
	body := branch.Clone()
	if err := body.AddInput(body.NewValue(graph.Type{})); err != nil {
		return err
	}
	for i, c := range body.Captures {
		if err := body.AddInput(c.Inner); err != nil {
			return err
		}
		if err := s.Graph.SetInput(n.ID, 1+i, n.Implicit()[c.Implicit]); err != nil {
			return err
		}
	}
	body.Captures, n.Attrs = nil, nil
	return op.Inline(s.Graph, n.ID, &graph.Function{Key: graph.FunctionKey{Name: n.Op}, Graph: body})
}
