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

// Options say what Run may do.
type Options struct {
	Level     Level
	Evaluator Evaluator
}

// Run rewrites a graph and its subgraphs in place.
func Run(ctx context.Context, g *graph.Graph, env *op.Env, o Options) error {
	return nil
}
