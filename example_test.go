package gort_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"gort"
	"gort/graph"
	"gort/onnx"
	"gort/tensor"
)

// modelBytes is a small model: y = Relu(x · w + b), with x of any number of rows
// of three. modelFile is a file that holds it.
var (
	modelBytes = linearModel()
	modelFile  = writeTemp(modelBytes)
)

// linearModel builds the model as a graph and writes it as an ONNX file.
func linearModel() []byte {
	g := graph.New("linear")
	rows := graph.Symbol("rows")
	x := check(g.AddValue("x", graph.TensorType(tensor.Float32, graph.ShapeOf(rows, graph.Known(3)))))
	y := check(g.AddValue("y", graph.TensorType(tensor.Float32, graph.ShapeOf(rows, graph.Known(2)))))
	w := check(g.AddConst("w", tensor.Must(tensor.FromSlice([]float32{1, 0, 0, 1, 1, -1}, 3, 2))))
	b := check(g.AddConst("b", tensor.Must(tensor.FromSlice([]float32{0.5, 0}, 2))))
	sum := g.NewValue(graph.Type{})
	check(0, g.AddInput(x))
	check(g.AddNode(graph.NodeSpec{Name: "linear", Op: "Gemm", Opset: 13, Inputs: []graph.ValueID{x, w, b}, Outputs: []graph.ValueID{sum}}))
	check(g.AddNode(graph.NodeSpec{Name: "relu", Op: "Relu", Opset: 13, Inputs: []graph.ValueID{sum}, Outputs: []graph.ValueID{y}}))
	check(0, g.AddOutput(y))
	return writeModel(g)
}

func writeModel(g *graph.Graph) []byte {
	m := check(onnx.FromGraph(&graph.Model{Graph: g, ProducerName: "example", Opsets: map[string]int{"": 13}}))
	var file bytes.Buffer
	check(0, m.Write(&file))
	return file.Bytes()
}

func writeTemp(data []byte) string {
	file := filepath.Join(check(os.MkdirTemp("", "gort-example-")), "model.onnx")
	check(0, os.WriteFile(file, data, 0o600))
	return file
}

func check[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestMain(m *testing.M) {
	code := m.Run()
	if err := os.RemoveAll(filepath.Dir(modelFile)); err != nil {
		log.Print(err)
	}
	os.Exit(code)
}

func Example() {
	s, err := gort.Open(modelFile)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	x, err := tensor.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	if err != nil {
		log.Fatal(err)
	}
	out, err := s.Run(context.Background(), map[string]tensor.Value{"x": x})
	if err != nil {
		log.Fatal(err)
	}
	y := out["y"].(*tensor.Tensor)
	scores, err := tensor.Data[float32](y)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y, scores)
	// Output: float32 2x2 [4.5 0 10.5 0]
}

// TestREADMESnippet: the README shows the body of Example, word for word.
func TestREADMESnippet(t *testing.T) {
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(source), "func Example() {\n")
	body, _, _ = strings.Cut(body, "\t// Output:")
	body = strings.ReplaceAll("\n"+body, "\n\t", "\n")
	if !strings.Contains(string(readme), body) {
		t.Errorf("README.md does not hold the body of Example:%s", body)
	}
}

// RunValues takes and gives values by position.
func ExampleSession_RunValues() {
	s := check(gort.Open(modelFile))
	defer s.Close()
	for _, rows := range []int{1, 3} { // each number of rows is planned once
		x := check(tensor.New(tensor.Float32, rows, 3))
		out := check(s.RunValues(context.Background(), x))
		fmt.Println(out[0], tensor.Elements[float32](out[0].(*tensor.Tensor)))
	}
	// Output:
	// float32 1x2 [0.5 0]
	// float32 3x2 [0.5 0 0.5 0 0.5 0]
}

// A binding keeps the tensors from run to run: the program writes into x, runs,
// and reads from y.
func ExampleSession_Bind() {
	s := check(gort.Open(modelFile))
	defer s.Close()
	x, y := make([]float32, 3), make([]float32, 2)
	b := s.Bind()
	if err := errors.Join(
		b.Input("x", tensor.Must(tensor.FromSlice(x, 1, 3))),
		b.Output("y", tensor.Must(tensor.FromSlice(y, 1, 2))),
	); err != nil {
		log.Fatal(err)
	}
	for i := range 3 {
		x[1] = float32(i)
		if err := b.Run(context.Background()); err != nil {
			log.Fatal(err)
		}
		fmt.Println(y)
	}
	// Output:
	// [0.5 0]
	// [0.5 1]
	// [0.5 2]
}

// A model can come from memory, from a network, from anything that reads.
func ExampleLoad() {
	s := check(gort.Load(bytes.NewReader(modelBytes)))
	defer s.Close()
	for _, v := range s.Inputs() {
		fmt.Println(v.Name, v.Type)
	}
	for _, v := range s.Outputs() {
		fmt.Println(v.Name, v.Type)
	}
	fmt.Println(s.Metadata().ProducerName, s.Metadata().Opsets)
	// Output:
	// x tensor(float)[rows,3]
	// y tensor(float)[rows,2]
	// example map[:13]
}

// OpenFS reads from a file system: an embed.FS that the program carries, a zip
// archive, or a directory. External data is looked for beside the model.
func ExampleOpenFS() {
	models := fstest.MapFS{"models/linear.onnx": {Data: modelBytes}} // stands for an embed.FS
	s := check(gort.OpenFS(models, "models/linear.onnx"))
	defer s.Close()
	out := check(s.RunValues(context.Background(), tensor.Must(tensor.FromSlice([]float32{1, 1, 1}, 1, 3))))
	fmt.Println(tensor.Elements[float32](out[0].(*tensor.Tensor)))
	// Output: [2.5 0]
}

// Options set how a session is made and what a model may use.
func ExampleWithLimits() {
	s, err := gort.Open(modelFile,
		gort.WithThreads(1),
		gort.WithOptimization(gort.OptimizeBasic),
		gort.WithLimits(gort.Limits{MaxTensorBytes: 1 << 10}),
	)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	_, err = s.RunValues(context.Background(), check(tensor.New(tensor.Float32, 1000, 3)))
	var limit *gort.LimitError
	fmt.Println(errors.As(err, &limit))
	// Output: true
}

// Nodes that nothing can run are all listed when the model is opened, with the
// reason of each provider.
func ExampleUnsupportedError() {
	g := graph.New("unsupported")
	last := check(g.AddValue("x", graph.TensorType(tensor.Float32, graph.Fixed(1))))
	check(0, g.AddInput(last))
	for _, op := range []string{"Teleport", "Relu", "Levitate"} {
		next := g.NewValue(graph.Type{})
		check(g.AddNode(graph.NodeSpec{Name: "my_" + strings.ToLower(op), Op: op, Opset: 13, Inputs: []graph.ValueID{last}, Outputs: []graph.ValueID{next}}))
		last = next
	}
	check(0, g.AddOutput(last))

	_, err := gort.Load(bytes.NewReader(writeModel(g)))
	var unsupported *gort.UnsupportedError
	if errors.As(err, &unsupported) {
		for _, n := range unsupported.Nodes {
			fmt.Println(n.Node, n.Op, n.Opset)
		}
	}
	// Output:
	// my_teleport Teleport 13
	// my_levitate Levitate 13
}

// An input that is missing, unknown, or of the wrong type or shape is refused
// before anything runs.
func ExampleInputError() {
	s := check(gort.Open(modelFile))
	defer s.Close()
	for _, in := range []map[string]tensor.Value{
		{},
		{"X": tensor.Scalar[float32](1)},
		{"x": check(tensor.New(tensor.Float64, 1, 3))},
		{"x": check(tensor.New(tensor.Float32, 1, 4))},
	} {
		_, err := s.Run(context.Background(), in)
		var bad *gort.InputError
		if errors.As(err, &bad) {
			fmt.Println(err)
		}
	}
	// Output:
	// input "x" is missing
	// input "X" is not an input of the model; it takes [x]
	// input "x" is tensor(double)[1,3], the model takes tensor(float)[rows,3]
	// input "x" is tensor(float)[1,4], the model takes tensor(float)[rows,3]: dimension 1 must be 3
}

// Cancelling the context ends a run between nodes and inside long ones.
func ExampleSession_Run_cancel() {
	s := check(gort.Open(modelFile))
	defer s.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := s.Run(ctx, map[string]tensor.Value{"x": check(tensor.New(tensor.Float32, 1, 3))})
	fmt.Println(errors.Is(err, context.Canceled))
	// Output: true
}
