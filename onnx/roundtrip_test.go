package onnx

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"gort/graph"
	"gort/tensor"
)

// TestEveryKindOfAttributeAndType takes a graph with all of them through a file.
func TestEveryKindOfAttributeAndType(t *testing.T) {
	f32 := graph.TensorType(tensor.Float32, graph.ShapeOf(graph.Symbol("N"), graph.Known(0), graph.Dim{}))
	scalar := graph.TensorType(tensor.Int4, graph.Fixed())
	types := []graph.Type{
		f32, scalar, graph.TensorType(tensor.String, graph.Shape{}), {Kind: tensor.KindSparse, DType: tensor.Float64, Shape: graph.Fixed(2)},
		graph.SequenceType(f32), graph.OptionalType(graph.SequenceType(scalar)), graph.MapType(tensor.Int64, f32), graph.SequenceType(graph.Type{}), {},
	}
	vec := tensor.Must(tensor.FromSlice([]float32{1, 2}))
	sparse := &graph.Sparse{Values: vec, Indices: tensor.Must(tensor.FromSlice([]int64{0, 3})), Dims: tensor.Shape{4}}
	sub := func(name string) *graph.Graph {
		s := graph.New(name)
		c, err := s.AddConst("c_"+name, vec)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.AddOutput(c); err != nil {
			t.Fatal(err)
		}
		return s
	}
	g := graph.New("kinds")
	for i, ty := range types {
		id, err := g.AddValue("in"+string(rune('a'+i)), ty)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.AddInput(id); err != nil {
			t.Fatal(err)
		}
	}
	out := g.NewValue(graph.Type{})
	spec := graph.NodeSpec{Op: "Anything", Domain: "local", Outputs: []graph.ValueID{graph.NoValue, out}, Inputs: []graph.ValueID{graph.NoValue, 0}}
	for i, v := range []any{
		float32(1.5), int64(-3), "text", vec, sub("one"), []float32{1, 2}, []int64{3, 4}, []string{"a", ""}, []*tensor.Tensor{vec, vec},
		[]*graph.Graph{sub("two"), sub("three")}, sparse, []*graph.Sparse{sparse, sparse}, f32, types, []int64{}, []string{},
	} {
		spec.Attrs = append(spec.Attrs, graph.NewAttr("a"+string(rune('a'+i)), v))
	}
	if _, err := g.AddNode(spec); err != nil {
		t.Fatal(err)
	}
	if err := g.AddOutput(out); err != nil {
		t.Fatal(err)
	}
	m := &graph.Model{
		IRVersion: 13, ProducerName: "p", ProducerVersion: "1", Domain: "d", Version: 4, Doc: "doc",
		Metadata: map[string]string{"a": "b", "c": ""}, Opsets: map[string]int{"": 22, "local": 3}, Graph: g,
	}
	made, err := FromGraph(m)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "kinds.onnx")
	if err := made.Save(file, SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	again, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.Path() != file || again.IRVersion() != 13 {
		t.Errorf("opened %q, IR version %d", again.Path(), again.IRVersion())
	}
	back, err := again.Graph()
	if err != nil {
		t.Fatal(err)
	}
	if err := back.Validate(); err != nil {
		t.Fatal(err)
	}
	for n := range g.Nodes() {
		n.Opset = 3 // as every reader sets it
	}
	if want, got := dumpModel(m), dumpModel(back); got != want {
		t.Error(firstDifference(want, got))
	}
}

func TestOpenFailures(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(filepath.Join(dir, "missing")); !os.IsNotExist(unwrapPath(err)) {
		t.Errorf("a missing file gives %v", err)
	}
	if _, err := Open(dir); err == nil {
		t.Error("a directory opens")
	}
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(empty); err == nil || !isFormat(err, empty) {
		t.Errorf("an empty file gives %v", err)
	}
	if err := os.WriteFile(empty, make([]byte, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(empty, WithLimits(Limits{MaxBytes: 99})); err == nil {
		t.Error("a file above MaxBytes opens")
	}
	if _, err := OpenFS(os.DirFS(dir), "../x"); err == nil {
		t.Error("a path out of the file system opens")
	}
}

func unwrapPath(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p
	}
	return err
}

func isFormat(err error, path string) bool {
	var f *FormatError
	return errors.As(err, &f) && f.Path == path
}
