package op_test

import (
	"strings"
	"testing"

	"gort/graph"
	"gort/op"
	"gort/tensor"
)

// sketch builds a graph by names. Values come into being when they are made.
type sketch struct {
	t testing.TB
	*graph.Graph
}

// testOpset is the version of ai.onnx of sketched nodes.
const testOpset = 21

func newSketch(t testing.TB, name string) *sketch {
	return &sketch{t: t, Graph: graph.New(name)}
}

func (s *sketch) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// id finds a value; "" is an omitted one.
func (s *sketch) id(name string) graph.ValueID {
	s.t.Helper()
	if name == "" {
		return graph.NoValue
	}
	id, found := s.Lookup(name)
	if !found {
		s.t.Fatalf("graph %q has no value %q", s.Name, name)
	}
	return id
}

// input adds an input.
func (s *sketch) input(name string, t graph.Type) {
	s.t.Helper()
	id, err := s.AddValue(name, t)
	s.ok(err)
	s.ok(s.AddInput(id))
}

// constant adds a constant.
func (s *sketch) constant(name string, c *tensor.Tensor) {
	s.t.Helper()
	_, err := s.AddConst(name, c)
	s.ok(err)
}

// capture makes an outer value, by its implicit index, known under a name.
func (s *sketch) capture(name string, implicit int) {
	s.t.Helper()
	id, err := s.AddValue(name, graph.Type{})
	s.ok(err)
	s.Captures = append(s.Captures, graph.Capture{Implicit: implicit, Inner: id})
}

// node adds a node: names are separated by blanks, "_" is an omitted one.
func (s *sketch) node(outputs, op, inputs string, attrs ...graph.Attr) *graph.Node {
	s.t.Helper()
	return s.add(graph.NodeSpec{Name: op + " " + outputs, Op: op, Opset: testOpset, Attrs: attrs}, outputs, inputs)
}

func (s *sketch) add(spec graph.NodeSpec, outputs, inputs string) *graph.Node {
	s.t.Helper()
	for _, name := range strings.Fields(inputs) {
		spec.Inputs = append(spec.Inputs, s.id(strings.Trim(name, "_")))
	}
	for _, name := range strings.Fields(outputs) {
		id := graph.NoValue
		if name != "_" {
			var err error
			id, err = s.AddValue(name, graph.Type{})
			s.ok(err)
		}
		spec.Outputs = append(spec.Outputs, id)
	}
	id, err := s.AddNode(spec)
	s.ok(err)
	return s.Node(id)
}

// outputs makes values the graph's outputs.
func (s *sketch) outputs(names string) {
	s.t.Helper()
	for _, name := range strings.Fields(names) {
		s.ok(s.AddOutput(s.id(name)))
	}
}

// floatType is tensor(float) of dimensions written "N 3 ?".
func floatType(dims string) graph.Type { return graph.TensorType(tensor.Float32, parseShape(dims)) }

func intType(dims string) graph.Type { return graph.TensorType(tensor.Int64, parseShape(dims)) }

func parseShape(dims string) graph.Shape {
	var out []graph.Dim
	for _, f := range strings.Fields(dims) {
		n, number := 0, true
		for _, r := range f {
			number = number && r >= '0' && r <= '9'
			n = n*10 + int(r-'0')
		}
		switch {
		case number:
			out = append(out, graph.Known(n))
		case f == "?":
			out = append(out, graph.Dim{})
		default:
			out = append(out, graph.Symbol(f))
		}
	}
	return graph.ShapeOf(out...)
}

// int64s is a vector of integers, int64Of a scalar.
func int64s(list ...int64) *tensor.Tensor { return tensor.Must(tensor.FromSlice(list)) }

func int64Of(n int64) *tensor.Tensor { return tensor.Must(tensor.FromSlice([]int64{n}, []int{}...)) }

// inferred infers a graph that is valid and returns what is known of its values by name.
func (s *sketch) inferred(env *op.Env, in ...op.Fact) map[string]op.Fact {
	s.t.Helper()
	s.ok(s.Validate())
	facts, err := env.Graph(s.Graph, in, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	out := map[string]op.Fact{}
	for v := range s.Values() {
		out[v.Name] = facts[v.ID]
	}
	return out
}

// wantTypes checks facts against "name: type" lines.
func wantTypes(t *testing.T, facts map[string]op.Fact, lines string) {
	t.Helper()
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		name, want, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if got := facts[name].Type.String(); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}
