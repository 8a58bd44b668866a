package optimize

import (
	"context"

	"gort/graph"
	"gort/op"
)

// Level is how much a graph is rewritten.
type Level int

// Levels of optimisation.
const (
	// LevelAll runs every pass. It is the zero value and the default.
	LevelAll Level = iota
	// LevelBasic runs the passes that only remove or fold nodes.
	LevelBasic
	// LevelOff leaves the graph as it is.
	LevelOff
)

// String names the level as the command line does.
func (l Level) String() string {
	switch l {
	case LevelAll:
		return "all"
	case LevelBasic:
		return "basic"
	}
	return "off"
}

// DefaultGrowth is by how many bytes folding may grow a model unless Options say
// otherwise: enough for networks that make their weights by ConstantOfShape.
const DefaultGrowth = 1 << 30

// Options say what Run may do.
type Options struct {
	Level     Level
	Evaluator Evaluator
	// Growth bounds by how many bytes constants that folding makes may exceed
	// those it makes superfluous; 0 means DefaultGrowth.
	Growth int64
}

// Passes returns the passes of a level, in the order in which they run.
func Passes(l Level) []Pass {
	switch l {
	case LevelAll:
		return []Pass{Fold{}, FoldShapes{}, Branches{}, Identities{}, Duplicates{}, Dead{}}
	case LevelBasic:
		return []Pass{Fold{}, Branches{}, Identities{}, Dead{}}
	}
	return nil
}

// maxRounds bounds the repetition of passes. Each pass sees a whole chain at
// once, so that one round does nearly everything and a second finds what one
// pass opened up for an earlier one.
const maxRounds = 4

// Run rewrites a graph and its subgraphs in place. A graph that inference
// refuses is left as it is: whoever builds it reports the error.
func Run(ctx context.Context, g *graph.Graph, env *op.Env, o Options) error {
	r := runner{ctx: ctx, env: env, eval: o.Evaluator, passes: Passes(o.Level), budget: o.Growth}
	if r.budget == 0 {
		r.budget = DefaultGrowth
	}
	if len(r.passes) == 0 {
		return nil
	}
	for range maxRounds {
		if r.infer(g) != nil {
			return nil
		}
		changed, err := r.graph(g)
		if err != nil || !changed {
			return err
		}
	}
	return nil
}

// runner is what the rounds of one Run share.
type runner struct {
	ctx    context.Context
	env    *op.Env
	eval   Evaluator
	passes []Pass
	budget int64
	facts  map[*graph.Graph][]op.Fact // from the start of the round
}

// infer derives the facts of a graph and of its subgraphs.
func (r *runner) infer(g *graph.Graph) error {
	r.facts = map[*graph.Graph][]op.Fact{}
	r.env.OnSubgraph = func(_ *graph.Node, sub *graph.Graph, f []op.Fact) { r.facts[sub] = f }
	defer func() { r.env.OnSubgraph = nil }()
	root, err := r.env.Graph(g, nil, nil)
	r.facts[g] = root
	return err
}

// graph runs the passes over the subgraphs of a graph and then over itself. A
// subgraph without facts, such as a branch that is never taken, stays as it is.
func (r *runner) graph(g *graph.Graph) (changed bool, err error) {
	for n := range g.Nodes() {
		for _, sub := range n.Subgraphs() {
			if r.facts[sub] == nil {
				continue
			}
			did, err := r.graph(sub)
			if err != nil {
				return changed, err
			}
			changed = changed || did
		}
		if g.PruneCaptures(n.ID) {
			changed = true
		}
	}
	s := &State{Graph: g, Env: r.env, Eval: r.eval, Facts: r.facts[g], budget: &r.budget}
	for _, p := range r.passes {
		if err := r.ctx.Err(); err != nil {
			return changed, err
		}
		did, err := p.Run(r.ctx, s)
		if err != nil {
			return changed, err
		}
		changed = changed || did
	}
	return changed, nil
}
