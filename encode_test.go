package gort_test

import (
	"bytes"
	"io"
	"testing"

	"gort/graph"
	"gort/onnx"
)

// encode writes a graph of ai.onnx operators as a model file.
func encode(t *testing.T, g *graph.Graph) io.Reader {
	t.Helper()
	m, err := onnx.FromGraph(&graph.Model{IRVersion: 8, Opsets: map[string]int{"": 13}, Graph: g})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	return &b
}
