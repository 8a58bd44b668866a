package optimize

import (
	"context"

	"gort/graph"
	"gort/op"
)

// RunRound runs passes once over a graph and its subgraphs, as a round of Run
// does. It returns what is left of the growth that o allows.
func RunRound(ctx context.Context, g *graph.Graph, env *op.Env, o Options, passes ...Pass) (changed bool, left int64, err error) {
	r := runner{ctx: ctx, env: env, eval: o.Evaluator, passes: passes, budget: o.Growth}
	if r.budget == 0 {
		r.budget = DefaultGrowth
	}
	if err := r.infer(g); err != nil {
		return false, r.budget, err
	}
	changed, err = r.graph(g)
	return changed, r.budget, err
}
