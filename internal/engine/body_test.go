package engine_test

import (
	"math"
	"testing"

	"gort/ep"
	"gort/ep/cpu"
	"gort/graph"
	"gort/internal/engine"
	"gort/op"
	"gort/optimize"
	"gort/tensor"
)

// scaledSoftplus is an operator that no provider has a kernel for; its body uses
// another such operator, so that expanding goes two levels deep.
var bodyDefs = []*op.Def{
	{Domain: "test", Name: "ScaledSoftplus", Since: 1,
		Inputs: "X: T", Outputs: "Y: T", Attrs: "scale: float = 2", Types: "T = @float",
		Infer: sameShape,
		Body: func(*op.Context) (op.Body, error) {
			return op.Body{Opset: 21, Text: `
				factor = Constant <value_float = @scale> ()
				typed = CastLike (factor, X)
				soft = Softplus (X)
				Y = Mul (soft, typed)`}, nil
		}},
	{Domain: "test", Name: "Twice", Since: 1,
		Inputs: "X: T", Outputs: "Y: T", Attrs: "f!: graph", Types: "T = @float",
		Infer: sameShape,
		Body: func(*op.Context) (op.Body, error) {
			return op.Body{Opset: 21, Text: `Y = @f (@f (X))`}, nil
		}},
}

// TestBodiesApplyGraphs: a body may stand for the nodes of the node's own graph,
// which reads values around the node.
func TestBodiesApplyGraphs(t *testing.T) {
	registry, err := op.Standard().With(bodyDefs...)
	if err != nil {
		t.Fatal(err)
	}
	f := sketch{t, graph.New("f")}
	f.io("v", "")
	f.Captures = []graph.Capture{{Implicit: 0, Inner: f.value("factor")}}
	f.node(graph.NodeSpec{Op: "Mul"}, "product", "v factor")
	f.io("", "product")
	s := sketch{t, graph.New("outer")}
	s.io("x factor", "")
	out := s.value("y")
	if _, err := s.AddNode(graph.NodeSpec{Domain: "test", Op: "Twice", Opset: 1, Inputs: []graph.ValueID{s.value("x")}, Outputs: []graph.ValueID{out},
		Implicit: []graph.ValueID{s.value("factor")}, Attrs: []graph.Attr{graph.NewAttr("f", f.Graph)}}); err != nil {
		t.Fatal(err)
	}
	s.io("", "y")
	inputs := []tensor.Value{tensor.Must(tensor.FromSlice([]float64{2, 3})), tensor.Must(tensor.FromSlice([]float64{5, 7}))}
	want := []tensor.Value{tensor.Must(tensor.FromSlice([]float64{50, 147}))}

	p := cpu.New()
	if err := p.Open(t.Context(), ep.Config{Threads: 1}); err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	got, err := (&engine.Interpreter{Provider: p, Env: &op.Env{Registry: registry}}).Run(t.Context(), s.Graph, inputs, nil)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "interpreted", got, want)

	reg, err := ep.NewRegistry(cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	session, err := engine.NewSession(t.Context(), newModel(s.Graph), registry, reg, nil, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if got, err = session.Run(t.Context(), inputs, nil); err != nil {
		t.Fatal(err)
	}
	compare(t, "planned", got, want)
}

func sameShape(c *op.Context) error {
	c.SetShape(0, c.Shape(0))
	return nil
}

// TestBodiesRunWithoutKernel: a function operator that no provider takes runs by
// its body, with attributes and defaults filled in, inside a branch of an If too,
// at every optimisation level.
func TestBodiesRunWithoutKernel(t *testing.T) {
	registry, err := op.Standard().With(bodyDefs...)
	if err != nil {
		t.Fatal(err)
	}
	x := []float32{-3, -0.5, 0, 0.5, 3}
	for _, scale := range []float32{0, 5} { // 0: not given, so the default of 2
		for _, level := range []optimize.Level{optimize.LevelAll, optimize.LevelOff} {
			g := bodyGraph(t, scale)
			reg, err := ep.NewRegistry(cpu.New())
			if err != nil {
				t.Fatal(err)
			}
			s, err := engine.NewSession(t.Context(), newModel(g), registry, reg, nil, engine.Options{Level: level})
			if err != nil {
				t.Fatal(err)
			}
			factor := float64(scale)
			if scale == 0 {
				factor = 2
			}
			for _, flag := range []bool{true, false} {
				out, err := s.Run(t.Context(), []tensor.Value{tensor.Must(tensor.FromSlice(x)), tensor.Scalar(flag)}, nil)
				if err != nil {
					t.Fatal(err)
				}
				want := make([]float32, len(x))
				for i, v := range x {
					want[i] = float32(factor * math.Log1p(math.Exp(float64(v))))
					if !flag {
						want[i] = v
					}
				}
				compare(t, "If over a body", out, []tensor.Value{tensor.Must(tensor.FromSlice(want))})
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// bodyGraph is If(flag, ScaledSoftplus(x), x).
func bodyGraph(t *testing.T, scale float32) *graph.Graph {
	t.Helper()
	typ := graph.TensorType(tensor.Float32, graph.ShapeOf(graph.Symbol("n")))
	branch := func(name string, spec graph.NodeSpec) *graph.Graph {
		g := graph.New(name)
		in, err := g.AddValue("captured", typ)
		if err != nil {
			t.Fatal(err)
		}
		g.Captures = []graph.Capture{{Implicit: 0, Inner: in}}
		spec.Inputs, spec.Outputs = []graph.ValueID{in}, []graph.ValueID{g.NewValue(graph.Type{})}
		if _, err := g.AddNode(spec); err != nil {
			t.Fatal(err)
		}
		if err := g.AddOutput(spec.Outputs[0]); err != nil {
			t.Fatal(err)
		}
		return g
	}
	call := graph.NodeSpec{Domain: "test", Op: "ScaledSoftplus", Opset: 1}
	if scale != 0 {
		call.Attrs = []graph.Attr{graph.NewAttr("scale", scale)}
	}
	g := graph.New("bodies")
	var ids []graph.ValueID
	for i, name := range []string{"x", "flag"} {
		id, err := g.AddValue(name, []graph.Type{typ, graph.TensorType(tensor.Bool, graph.ShapeOf())}[i])
		if err != nil {
			t.Fatal(err)
		}
		if err := g.AddInput(id); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	out := g.NewValue(graph.Type{})
	if _, err := g.AddNode(graph.NodeSpec{Op: "If", Opset: 21, Inputs: ids[1:], Implicit: ids[:1], Outputs: []graph.ValueID{out}, Attrs: []graph.Attr{
		graph.NewAttr("then_branch", branch("then", call)),
		graph.NewAttr("else_branch", branch("else", graph.NodeSpec{Op: "Identity", Opset: 21})),
	}}); err != nil {
		t.Fatal(err)
	}
	if err := g.AddOutput(out); err != nil {
		t.Fatal(err)
	}
	return g
}
