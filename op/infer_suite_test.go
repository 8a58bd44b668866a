package op_test

import (
	"archive/zip"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"testing"

	"gort/graph"
	"gort/internal/testdata"
	"gort/onnx"
	"gort/op"
	"gort/tensor"
)

// TestInferSuite holds inference against every case of ONNX's backend suite: the
// outputs' types and shapes are those of the expected outputs, whether the inputs
// are known as declared, in part, or by value. By value, they are known in full
// unless they depend on data.
func TestInferSuite(t *testing.T) {
	for _, name := range []string{"node.zip", "node-head-delta.zip", "simple.zip", "pytorch-converted.zip", "pytorch-operator.zip"} {
		z := testdata.Zip(t, "conformance", name)
		models, err := fs.Glob(z, "*/*/model.onnx")
		if err != nil || len(models) == 0 {
			t.Fatalf("%s: no models: %v", name, err)
		}
		for _, file := range models {
			t.Run(path.Base(path.Dir(file)), func(t *testing.T) { inferCase(t, z, file) })
		}
	}
}

func inferCase(t *testing.T, z *zip.ReadCloser, file string) {
	m, err := onnx.OpenFS(z, file)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	gm, err := m.Graph()
	if err != nil {
		t.Fatal(err)
	}
	g, set := gm.Graph, path.Join(path.Dir(file), "test_data_set_0")
	inputs, wants := caseValues(t, z, g, g.Inputs(), set+"/input_%d.pb"), caseValues(t, z, g, g.Outputs(), set+"/output_%d.pb")
	env := op.NewEnv(gm)
	check := func(known string, in []op.Fact, full bool) {
		facts, err := env.Graph(g, in, nil)
		if err != nil {
			t.Errorf("inputs known %s %s: %v", known, factsText(in), err)
			return
		}
		for i, id := range g.Outputs() {
			got, want := facts[id], wants[i]
			if s := contradiction(got, want); s != "" {
				t.Errorf("inputs known %s %s: output %d is %s, want %s: %s", known, factsText(in), i, factText(got), factText(want), s)
			}
			if _, concrete := got.Type.Shape.Concrete(); full && got.Type.IsTensor() && !concrete && !dataDecides(env, g) {
				t.Errorf("inputs known %s %s: output %d is %s, want %s", known, factsText(in), i, factText(got), factText(want))
			}
		}
	}
	check("as declared", nil, false)
	check("by value", inputs, true)
	for variant := range 4 {
		check("in part", lessOf(inputs, variant), false)
	}
}

// dataDecides reports whether the shape of something in a graph depends on data.
func dataDecides(env *op.Env, g *graph.Graph) bool {
	for n := range g.Nodes() {
		if env.Function(n) != nil {
			return true
		}
		if d, err := env.Lookup(n); err != nil || d.DataDependent || d.Infer == nil || len(n.Subgraphs()) > 0 {
			return true
		}
	}
	return false
}

// caseValues reads the values of a case; those of inputs with a default are not there.
func caseValues(t *testing.T, z *zip.ReadCloser, g *graph.Graph, ids []graph.ValueID, pattern string) []op.Fact {
	t.Helper()
	out := make([]op.Fact, len(ids))
	for i, id := range ids {
		raw, err := fs.ReadFile(z, fmt.Sprintf(pattern, i))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		v, err := tensor.ReadPB(raw, g.Value(id).Type.WithoutShape())
		if err != nil {
			t.Fatalf("%s: %v", fmt.Sprintf(pattern, i), err)
		}
		out[i] = op.FactOf(v)
	}
	return out
}
