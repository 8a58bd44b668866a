package optimize

import (
	"context"

	"gort/graph"
	"gort/tensor"
)

// Fold replaces nodes whose inputs are all constant by what they compute.
//
// Nodes are looked at in execution order, so one run folds whole chains. A result
// may make the model larger; how much all of them together may is bounded by
// Options.Growth. What an operator refuses to compute is left for the run, which
// then reports it.
type Fold struct{}

// Name implements Pass.
func (Fold) Name() string { return "fold" }

// Run implements Pass.
func (Fold) Run(ctx context.Context, s *State) (bool, error) {
	if s.Eval == nil {
		return false, nil
	}
	order, err := s.Graph.Order()
	if err != nil {
		return false, err
	}
	changed := false
	for _, id := range order {
		n := s.Graph.Node(id)
		if !s.pure(n) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return changed, err
		}
		inputs, size, ok := s.constInputs(n)
		if !ok || !s.affordable(n, size) {
			continue
		}
		out, err := s.Eval.Evaluate(ctx, n, inputs)
		if err != nil || out == nil {
			continue
		}
		if s.replaceByConstants(n, out, size) {
			changed = true
		}
	}
	return changed, nil
}

// constInputs returns a node's inputs and their bytes when all are constant.
func (s *State) constInputs(n *graph.Node) ([]tensor.Value, int64, bool) {
	inputs := make([]tensor.Value, len(n.Inputs()))
	var size int64
	for i, id := range n.Inputs() {
		if id == graph.NoValue {
			continue
		}
		c := s.Const(id)
		if c == nil {
			return nil, 0, false
		}
		inputs[i] = c
		if len(s.Graph.Value(id).Uses()) == 1 {
			size += int64(c.NumBytes()) // folding frees it
		}
	}
	return inputs, size, true
}

// affordable reports whether the outputs are tensors that fit what the model may
// still grow by.
func (s *State) affordable(n *graph.Node, freed int64) bool {
	var size int64
	for _, id := range n.Outputs() {
		if id == graph.NoValue {
			continue
		}
		t := s.Fact(id).Type
		if !t.IsTensor() {
			return false
		}
		shape, ok := t.Shape.Concrete()
		if !ok {
			// The size shows only afterwards; it can not exceed what the run would make.
			continue
		}
		count, err := shape.NumElements()
		if err != nil {
			return false
		}
		size += int64(t.DType.Bytes(count))
	}
	return size-freed <= *s.budget
}

// replaceByConstants puts constants in a node's place. It does nothing when a
// value is no tensor or when they exceed the budget.
func (s *State) replaceByConstants(n *graph.Node, out []tensor.Value, freed int64) bool {
	var size int64
	for i, id := range n.Outputs() {
		if id == graph.NoValue {
			continue
		}
		t, ok := out[i].(*tensor.Tensor)
		if !ok {
			return false
		}
		size += int64(t.NumBytes())
	}
	if size-freed > *s.budget {
		return false
	}
	*s.budget -= max(size-freed, 0)
	for i, id := range n.Outputs() {
		if id == graph.NoValue || len(s.Graph.Value(id).Uses()) == 0 {
			continue
		}
		if !s.replaceByConstant(id, out[i].(*tensor.Tensor)) {
			return false
		}
	}
	return s.removeNode(n)
}

// replaceByConstant makes everything that reads a value read a constant.
func (s *State) replaceByConstant(id graph.ValueID, t *tensor.Tensor) bool {
	c, err := s.Graph.AddConst("", t)
	if err != nil {
		return false
	}
	return s.Graph.ReplaceUses(id, c) == nil
}

// removeNode removes a node that nothing reads, and the constants only it read.
func (s *State) removeNode(n *graph.Node) bool {
	inputs := append(append([]graph.ValueID(nil), n.Inputs()...), n.Implicit()...)
	if s.Graph.RemoveNode(n.ID) != nil {
		return false
	}
	for _, id := range inputs {
		if v := s.Graph.Value(id); v != nil && v.IsConstant() && len(v.Uses()) == 0 {
			// An input slot may name a value twice; the second time it is gone.
			_ = s.Graph.RemoveValue(id)
		}
	}
	return true
}
