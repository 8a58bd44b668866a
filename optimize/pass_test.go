package optimize_test

import (
	"context"
	"strings"
	"testing"

	"gort/ep"
	"gort/ep/cpu"
	"gort/graph"
	"gort/internal/engine"
	"gort/op"
	"gort/optimize"
)

// interpreter runs graphs node by node on the CPU provider.
func interpreter(t testing.TB, env *op.Env) *engine.Interpreter {
	t.Helper()
	p := cpu.New()
	if err := p.Open(t.Context(), ep.Config{Threads: 1}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return &engine.Interpreter{Provider: p, Env: env}
}

// newEnv has the standard operators and two of domain com.example, and functions.
func newEnv(functions ...*graph.Function) *op.Env {
	m := &graph.Model{Functions: map[graph.FunctionKey]*graph.Function{}}
	for _, f := range functions {
		m.Functions[f.Key] = f
	}
	env := op.NewEnv(m)
	var err error
	env.Registry, err = env.Registry.With(
		&op.Def{Domain: "com.example", Name: "Identity", Since: 1, Inputs: "X: T", Outputs: "Y: T", Types: "T = @float"},
		&op.Def{Domain: "com.example", Name: "Now", Since: 1, Inputs: "X: T", Outputs: "Y: T", Types: "T = @float", Nondeterministic: true},
	)
	if err != nil {
		panic(err)
	}
	return env
}

// rewrite is a graph before a pass and the nodes after it. An empty after means
// that the pass finds nothing to do.
type rewrite struct{ name, before, after string }

// check runs passes over each graph and compares; a second run changes nothing.
func check(t *testing.T, cases []rewrite, passes ...optimize.Pass) {
	t.Helper()
	for _, c := range cases {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			g := parse(t, c.before)
			want := c.after
			if want == "" {
				want = text(t, g)
			}
			changed := round(t, g, 0, passes...)
			if c.after == "" && changed {
				t.Errorf("the passes say that they changed\n%s", c.before)
			}
			wantGraph(t, g, want)
			if round(t, g, 0, passes...) {
				t.Errorf("a second run says that it changed\n%s", text(t, g))
			}
			wantGraph(t, g, want)
		})
	}
}

// round runs passes once and checks the graph they leave.
func round(t *testing.T, g *graph.Graph, growth int64, passes ...optimize.Pass) bool {
	t.Helper()
	env := newEnv()
	changed, _, err := optimize.RunRound(context.Background(), g, env, optimize.Options{Evaluator: interpreter(t, env), Growth: growth}, passes...)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Validate(); err != nil {
		t.Fatalf("the passes leave a graph that is not valid: %v\n%s", err, text(t, g))
	}
	return changed
}
