package main

import (
	"bytes"
	"testing"

	"gort/graph"
	"gort/onnx"
	"gort/tensor"
)

// modelBytes writes a model of one node whose inputs and outputs are the model's.
func modelBytes(t *testing.T, domain, operator string, in, out map[string]graph.Type, inNames, outNames []string) []byte {
	t.Helper()
	g := graph.New("test")
	value := func(name string, ty graph.Type) graph.ValueID {
		id, err := g.AddValue(name, ty)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	spec := graph.NodeSpec{Name: "node", Domain: domain, Op: operator, Opset: 1}
	if domain == "" {
		spec.Opset = 17
	}
	for _, name := range inNames {
		id := value(name, in[name])
		spec.Inputs = append(spec.Inputs, id)
		if err := g.AddInput(id); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range outNames {
		spec.Outputs = append(spec.Outputs, value(name, out[name]))
	}
	if _, err := g.AddNode(spec); err != nil {
		t.Fatal(err)
	}
	for _, id := range spec.Outputs {
		if err := g.AddOutput(id); err != nil {
			t.Fatal(err)
		}
	}
	m, err := onnx.FromGraph(&graph.Model{IRVersion: 8, ProducerName: "test", Opsets: map[string]int{"": 17, "com.example": 1}, Graph: g})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func floats(dims ...graph.Dim) graph.Type {
	return graph.TensorType(tensor.Float32, graph.ShapeOf(dims...))
}

// customOpModel has one node of an operator that nobody knows.
func customOpModel(t *testing.T) []byte {
	ty := floats(graph.Symbol("N"))
	return modelBytes(t, "com.example", "Frobnicate", map[string]graph.Type{"x": ty}, map[string]graph.Type{"y": ty}, []string{"x"}, []string{"y"})
}

// addModel adds a [N,2] and b [2] to sum.
func addModel(t *testing.T) []byte {
	in := map[string]graph.Type{"a": floats(graph.Symbol("N"), graph.Known(2)), "b": floats(graph.Known(2))}
	out := map[string]graph.Type{"sum": floats(graph.Symbol("N"), graph.Known(2))}
	return modelBytes(t, "", "Add", in, out, []string{"a", "b"}, []string{"sum"})
}
