package optimize

import (
	"context"

	"gort/graph"
	"gort/op"
	"gort/tensor"
)

// Pass is one rewrite of a graph. Run reports whether it changed anything; what
// it can not change it leaves as it is.
type Pass interface {
	Name() string
	Run(ctx context.Context, s *State) (changed bool, err error)
}

// Evaluator computes a node whose inputs are all known. It is how constants are
// folded without this package knowing any kernel. It returns nil values and no
// error when nothing can compute the node.
type Evaluator interface {
	Evaluate(ctx context.Context, n *graph.Node, inputs []tensor.Value) ([]tensor.Value, error)
}

// State is one graph and what passes may know and use.
type State struct {
	Graph *graph.Graph
	Env   *op.Env
	Eval  Evaluator // nil when nothing can be evaluated
	// Provider is the name of the provider whose own passes run; empty for the
	// generic ones.
	Provider string
	// Facts is what inference knows of each value, by id, from before the passes
	// ran. Values that a pass added have none.
	Facts  []op.Fact
	budget *int64 // bytes by which folding may still grow the model
}

// Fact returns what is known of a value.
func (s *State) Fact(id graph.ValueID) op.Fact {
	if id < 0 {
		return op.Fact{}
	}
	v := s.Graph.Value(id)
	if v != nil && v.IsConstant() {
		return op.FactOf(v.Const)
	}
	if int(id) < len(s.Facts) {
		return s.Facts[id]
	}
	if v != nil {
		return op.Fact{Type: v.Type}
	}
	return op.Fact{}
}

// Const returns a value that is the same in every run, nil for any other. Inside
// a subgraph that may be a captured one.
func (s *State) Const(id graph.ValueID) *tensor.Tensor {
	v := s.Graph.Value(id)
	if v == nil || v.IsInput() {
		return nil
	}
	if producer, _ := v.Producer(); v.Const == nil && producer == graph.NoNode && int(id) < len(s.Facts) {
		return s.Facts[id].Const
	}
	return v.Const
}

// Attrs reads a node's attributes with its definition's defaults.
func (s *State) Attrs(n *graph.Node) op.Attrs {
	def, err := s.Env.Lookup(n)
	if err != nil {
		def = nil
	}
	return op.Attrs{Node: n, Def: def}
}

// is reports whether a node is an operator of ai.onnx, rather than the call of a
// function that a model defines under that name.
func (s *State) is(n *graph.Node, op string) bool {
	return n.Op == op && graph.NormalDomain(n.Domain) == "" && s.Env.Function(n) == nil
}

// pure reports whether a node's outputs depend on nothing but its inputs and
// attributes, so that it can be folded or merged.
func (s *State) pure(n *graph.Node) bool {
	def, err := s.Env.Lookup(n)
	return err == nil && !def.Nondeterministic && len(n.Subgraphs()) == 0 && s.Env.Function(n) == nil
}
