package conformance_test

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"gort/ep"
	"gort/ep/cpu"
	"gort/graph"
	"gort/internal/conformance"
	"gort/internal/engine"
	"gort/internal/testdata"
	"gort/onnx"
	"gort/op"
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
	p := cpu.New()
	if err := p.Open(ctx, ep.Config{Threads: 1}); err != nil {
		return nil, err
	}
	return &interpreted{m, g.Graph, &engine.Interpreter{Provider: p, Env: op.NewEnv(g)}, p}, nil
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

// TestInterpretedCases runs the cases that -cases selects, so that a kernel can
// be tried alone: go test ./internal/conformance -run Interpreted -cases '^node/test_abs'.
func TestInterpretedCases(t *testing.T) {
	if *cases == "" {
		t.Skip("no -cases given; TestSuite runs them all")
	}
	paths, err := filepath.Glob(filepath.Join(testdata.Dir(t, "conformance"), "*.zip"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no zip files", err)
	}
	s, err := conformance.Load(paths...)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	re := regexp.MustCompile(*cases)
	pass, fail := 0, 0
	for _, c := range s.Cases {
		if !re.MatchString(c.ID()) {
			continue
		}
		if err := c.Run(t.Context(), openInterpreted); err != nil {
			fail++
			t.Errorf("%s: %v", c.ID(), err)
		} else {
			pass++
		}
	}
	fmt.Fprintf(os.Stderr, "%d pass, %d fail\n", pass, fail)
}
