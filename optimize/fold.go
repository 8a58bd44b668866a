package optimize

import (
	"context"
	"math"

	"gort/graph"
	"gort/tensor"
)

// Fold replaces nodes whose inputs are all constant by what they compute:
//
//	Add(2, 3)                 →  5
//	Transpose(weights)        →  turned weights
//	ConstantOfShape([64, 64]) →  64·64 zeros, if the model may grow by them
//
// Nodes are looked at in execution order, so one run folds whole chains. Inside a
// subgraph a captured constant is one, too; what a loop carries from iteration to
// iteration is not.
//
// A result may make the model larger. By how much all of them together may is
// bounded by Options.Growth, less what constants that only the folded nodes read
// took. What an operator refuses to compute is left for the run, which then
// reports it, and so is what differs from run to run.
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
		if v := s.Graph.Value(id); v.IsConstant() && len(v.Uses()) == 1 {
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
		if err != nil || count > math.MaxInt/16 { // no type has larger elements, so its bytes are an int
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
