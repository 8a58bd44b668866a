package optimize_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"gort/graph"
	"gort/internal/engine"
	"gort/internal/testdata"
	"gort/onnx"
	"gort/op"
	"gort/optimize"
	"gort/tensor"
)

var levels = []optimize.Level{optimize.LevelOff, optimize.LevelBasic, optimize.LevelAll}

// sameAtEveryLevel runs a graph as it is and at every level and compares the
// outputs bit for bit. It returns how many nodes LevelAll left, and false when
// the graph does not run as it is.
func sameAtEveryLevel(t *testing.T, it *engine.Interpreter, g *graph.Graph, inputs []tensor.Value) (left int, ran bool) {
	t.Helper()
	want, err := it.Run(t.Context(), g, inputs, nil)
	if err != nil {
		t.Logf("the graph does not run as it is: %v", err)
		return 0, false
	}
	for _, l := range levels {
		c := g.Clone()
		if err := optimize.Run(t.Context(), c, it.Env, optimize.Options{Level: l, Evaluator: it}); err != nil {
			t.Errorf("level %v: %v", l, err)
			continue
		}
		if err := c.Validate(); err != nil {
			t.Errorf("level %v leaves a graph that is not valid: %v", l, err)
			continue
		}
		got, err := it.Run(t.Context(), c, inputs, nil)
		if err != nil {
			t.Errorf("level %v: %v\nthe graph was\n%s\nand is\n%s", l, err, brief(t, g), brief(t, c))
			continue
		}
		for i := range want {
			if s := difference(got[i], want[i]); s != "" {
				t.Errorf("level %v: output %d: %s\nthe graph was\n%s\nand is\n%s", l, i, s, brief(t, g), brief(t, c))
			}
		}
		left = c.NumNodes()
	}
	return left, true
}

// brief is the text of a graph that is short enough to read.
func brief(t *testing.T, g *graph.Graph) string {
	if g.NumNodes() > 60 {
		return fmt.Sprintf("a graph of %d nodes", g.NumNodes())
	}
	return text(t, g)
}

// difference says how two values differ, in a bit of an element or otherwise.
func difference(got, want tensor.Value) string {
	if err := tensor.Compare(got, want, 0, 0); err != nil {
		return err.Error()
	}
	a, ok := got.(*tensor.Tensor)
	if !ok || a.DType() == tensor.String {
		return ""
	}
	x, err1 := a.Contiguous().Bytes()
	y, err2 := want.(*tensor.Tensor).Contiguous().Bytes()
	if err1 != nil || err2 != nil || !bytes.Equal(x, y) {
		return fmt.Sprintf("%v is not bit for bit %v", got, want)
	}
	return ""
}

// Optimized, a random graph gives what it gives as it is.
func TestRandomGraphsStayEqual(t *testing.T) {
	rounds := 400
	if testing.Short() {
		rounds = 50
	}
	before, after := 0, 0
	for seed := range rounds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			g, inputs := randomGraph(t, uint64(seed))
			if err := g.Validate(); err != nil {
				t.Fatal(err)
			}
			left, ran := sameAtEveryLevel(t, interpreter(t, newEnv()), g, inputs)
			if !ran {
				t.Errorf("a random graph does not run:\n%s", text(t, g))
			}
			before, after = before+g.NumNodes(), after+left
		})
	}
	if after > before*3/4 {
		t.Errorf("of %d nodes %d are left: the graphs have too little to optimize", before, after)
	}
}

// Models that people made: trained ones, and the suite's image classifiers
// except the three whose weights take hundreds of megabytes.
func TestModelsStayEqual(t *testing.T) {
	dir := testdata.Dir(t, "models")
	files, err := filepath.Glob(filepath.Join(dir, "trained", "*.onnx"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no models: %v", err)
	}
	ran := 0
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			if modelStaysEqual(t, os.DirFS(filepath.Dir(file)), filepath.Base(file)) {
				ran++
			}
		})
	}
	if ran < len(files)/2 {
		t.Errorf("%d of %d models ran", ran, len(files))
	}
}

func TestLightNetworksStayEqual(t *testing.T) {
	if testing.Short() {
		t.Skip("they compute for half a minute")
	}
	z := testdata.Zip(t, "conformance", "light.zip")
	for _, file := range lightNetworks(t, z) {
		t.Run(path.Base(file), func(t *testing.T) {
			if !modelStaysEqual(t, z, file) {
				t.Error("the network does not run")
			}
		})
	}
}

func lightNetworks(t *testing.T, z *zip.ReadCloser) (files []string) {
	t.Helper()
	all, err := fs.Glob(z, "light/*.onnx")
	if err != nil || len(all) == 0 {
		t.Fatalf("no networks: %v", err)
	}
	for _, f := range all {
		if !strings.Contains(f, "vgg19") && !strings.Contains(f, "alexnet") && !strings.Contains(f, "zfnet") {
			files = append(files, f)
		}
	}
	return files
}

// modelStaysEqual compares a model over made-up inputs; false when it does not
// run on these.
func modelStaysEqual(t *testing.T, fsys fs.FS, name string) bool {
	m, err := onnx.OpenFS(fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	gm, err := m.Graph()
	if err != nil {
		t.Fatal(err)
	}
	g := gm.Graph
	var inputs []tensor.Value
	for _, id := range g.Inputs() {
		inputs = append(inputs, madeUp(t, g.Value(id)))
	}
	left, ran := sameAtEveryLevel(t, interpreter(t, op.NewEnv(gm)), g, inputs)
	t.Logf("%d nodes, optimized %d", g.NumNodes(), left)
	return ran
}

// madeUp is a value of an input's type: small numbers, 1 for unknown sizes and 0
// for what is past. An input with a default takes that.
func madeUp(t *testing.T, v *graph.Value) tensor.Value {
	t.Helper()
	if v.Const != nil {
		return nil
	}
	shape := []int{}
	for _, d := range v.Type.Shape.Dims() {
		n, known := d.Size()
		switch {
		case known:
		case strings.Contains(d.Name(), "past"):
			n = 0
		default:
			n = 1
		}
		shape = append(shape, n)
	}
	if v.Type.DType == tensor.String {
		s, err := tensor.New(tensor.String, shape...)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	data := make([]float64, tensor.Shape(shape).Size())
	for i := range data {
		data[i] = 1 + math.Sin(float64(i))
	}
	c, err := tensor.Convert(tensor.Must(tensor.FromSlice(data, shape...)), v.Type.DType, tensor.ConvertOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
