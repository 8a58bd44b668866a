package optimize

import (
	"context"

	"gort/graph"
	"gort/op"
)

// RunProvider runs an execution provider's own passes over a graph in which
// nodes are placed (graph.Node.Provider), followed by Dead. A pass is to touch
// only nodes for which State.Placed holds. facts are the graph's, by value id.
func RunProvider(ctx context.Context, g *graph.Graph, env *op.Env, facts []op.Fact, provider string, passes []Pass) (changed bool, err error) {
	budget := int64(DefaultGrowth)
	s := &State{Graph: g, Env: env, Facts: facts, Provider: provider, budget: &budget}
	for _, p := range passes {
		did, err := p.Run(ctx, s)
		if err != nil {
			return changed, err
		}
		changed = changed || did
	}
	if changed {
		if _, err := (Dead{}).Run(ctx, s); err != nil {
			return true, err
		}
	}
	return changed, nil
}

// Placed reports whether a node is placed on the provider whose passes run.
func (s *State) Placed(n *graph.Node) bool { return s.Provider == "" || n.Provider == s.Provider }
