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
		return []Pass{Fold{}, FoldShapes{}, Identities{}, Duplicates{}, Dead{}}
	case LevelBasic:
		return []Pass{Fold{}, Identities{}, Dead{}}
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
	passes := Passes(o.Level)
	if len(passes) == 0 {
		return nil
	}
	budget := o.Growth
	if budget == 0 {
		budget = DefaultGrowth
	}
	for round := 0; round < maxRounds; round++ {
		facts := map[*graph.Graph][]op.Fact{}
		env.OnSubgraph = func(_ *graph.Node, sub *graph.Graph, f []op.Fact) { facts[sub] = f }
		root, err := env.Graph(g, nil, nil)
		env.OnSubgraph = nil
		if err != nil {
			return nil
		}
		facts[g] = root
		changed := false
		for sub, f := range facts {
			s := &State{Graph: sub, Env: env, Eval: o.Evaluator, Facts: f, budget: &budget}
			for _, p := range passes {
				if err := ctx.Err(); err != nil {
					return err
				}
				did, err := p.Run(ctx, s)
				if err != nil {
					return err
				}
				changed = changed || did
			}
		}
		if !changed {
			return nil
		}
	}
	return nil
}
