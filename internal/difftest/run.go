package difftest

import (
	"bytes"
	"context"

	"gort"
	"gort/ep"
	"gort/ep/cpu"
	"gort/graph"
	"gort/op"
	"gort/optimize"
	"gort/tensor"
)

// Way is one way of running a model.
type Way struct {
	Name    string
	options func() []gort.Option
}

// ways returns the ways in which gort can run a call of d.
func ways(d *op.Def) []Way {
	out := []Way{
		{"gort", func() []gort.Option { return nil }},
		{"gort without optimisation", func() []gort.Option {
			return []gort.Option{gort.WithOptimization(optimize.LevelOff)}
		}},
	}
	if d.Body != nil {
		out = append(out, Way{"the function body", func() []gort.Option {
			return []gort.Option{gort.WithProviders(&without{cpu.New(), d})}
		}})
	}
	return out
}

// without is the CPU provider with one operator less, so that a node of it runs by
// its function body.
type without struct {
	*cpu.Provider
	def *op.Def
}

func (p *without) Supports(q *ep.Query) ep.Match {
	if q.Def.Name == p.def.Name && q.Def.Domain == p.def.Domain {
		return ep.Decline("set aside, so that its function body runs")
	}
	return p.Provider.Supports(q)
}

// Answer is what a way made of a call.
type Answer struct {
	Outputs []tensor.Value
	Types   []graph.Type // of the outputs
	Err     error
}

// run runs a model on inputs.
func (w Way) run(ctx context.Context, model []byte, inputs []tensor.Value) (a Answer) {
	s, err := gort.Load(bytes.NewReader(model), append(w.options(), gort.WithThreads(1))...)
	if err != nil {
		return Answer{Err: err}
	}
	defer func() {
		if err := s.Close(); err != nil && a.Err == nil {
			a.Err = err
		}
	}()
	for _, o := range s.Outputs() {
		a.Types = append(a.Types, o.Type)
	}
	a.Outputs, a.Err = s.RunValues(ctx, inputs...)
	return a
}
