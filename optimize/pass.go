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

// State is what passes work on.
type State struct {
	Graph *graph.Graph
	Env   *op.Env
	Eval  Evaluator // nil when nothing can be evaluated
	Facts []op.Fact // by value id, of the graph as it was when the pass started
}
