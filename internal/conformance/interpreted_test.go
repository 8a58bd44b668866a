package conformance_test

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"regexp"
	"testing"

	"gort/ep"
	"gort/ep/cpu"
	"gort/graph"
	"gort/internal/conformance"
	"gort/internal/engine"
	"gort/onnx"
	"gort/op"
	"gort/optimize"
	"gort/tensor"
)

var cases = flag.String("cases", "", "regular expression of the suite's cases to run")

// interpreted is a session that runs a model node by node.
type interpreted struct {
	model    *onnx.Model
	graph    *graph.Graph
	it       *engine.Interpreter
	provider *cpu.Provider
}

func openInterpreted(ctx context.Context, fsys fs.FS, name string) (conformance.Session, error) {
	m, err := onnx.OpenFS(fsys, name)
	if err != nil {
		return nil, err
	}
	g, err := m.Graph()
	if err != nil {
		return nil, err
	}
	env := op.NewEnv(g)
	if err := optimize.LowerGradients(g.Graph, env); err != nil {
		return nil, err
	}
	p := cpu.New()
	if err := p.Open(ctx, ep.Config{Threads: 1}); err != nil {
		return nil, err
	}
	return &interpreted{m, g.Graph, &engine.Interpreter{Provider: p, Env: env}, p}, nil
}

func types(g *graph.Graph, ids []graph.ValueID) []graph.Type {
	var out []graph.Type
	for _, id := range ids {
		out = append(out, g.Value(id).Type)
	}
	return out
}

func (s *interpreted) InputTypes() []graph.Type  { return types(s.graph, s.graph.Inputs()) }
func (s *interpreted) OutputTypes() []graph.Type { return types(s.graph, s.graph.Outputs()) }
func (s *interpreted) Run(ctx context.Context, in []tensor.Value) (out []tensor.Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return s.it.Run(ctx, s.graph, in, nil)
}
func (s *interpreted) Close() error {
	return s.provider.Close()
}

// TestInterpretedCases runs the suite node by node, without a plan: where it
// agrees and TestSuite does not, the planner is to blame. -cases selects some, so
// that a kernel can be tried alone:
//
//	go test ./internal/conformance -run Interpreted -cases '^node/test_abs'
func TestInterpretedCases(t *testing.T) {
	s := loadSuite(t)
	expected, err := conformance.ExpectedFailures()
	if err != nil {
		t.Fatal(err)
	}
	re := regexp.MustCompile(*cases)
	ran := 0
	for _, c := range s.Cases {
		if !re.MatchString(c.ID()) {
			continue
		}
		ran++
		if status, reason := conformance.Judge(c.ID(), c.Run(t.Context(), openInterpreted), expected); status == conformance.Fail {
			t.Errorf("%s: %s", c.ID(), reason)
		}
	}
	if ran == 0 {
		t.Errorf("no case matches %q", *cases)
	}
}
