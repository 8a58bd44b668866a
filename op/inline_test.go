package op_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gort/graph"
	"gort/op"
)

// localFunction makes a function of domain local from a sketch of its body.
func localFunction(body *sketch, required []string, defaults ...graph.Attr) *graph.Function {
	return &graph.Function{
		Key: graph.FunctionKey{Domain: "local", Name: body.Name}, Opsets: map[string]int{"": testOpset},
		Attrs: required, Defaults: defaults, Graph: body.Graph,
	}
}

// reference is an attribute of a function's node that the call supplies.
func reference(name string, kind graph.AttrKind, ref string) graph.Attr {
	return graph.Attr{Name: name, Kind: kind, Ref: ref}
}

// scaled is a function: y = Relu(x) with an attribute, z = y + bias.
func scaled(t *testing.T) *graph.Function {
	s := newSketch(t, "Scaled")
	s.input("x", graph.Type{})
	s.input("bias", graph.Type{})
	s.constant("one", int64s(1))
	s.node("shape", "Shape", "x", reference("start", graph.AttrInt, "from"), reference("end", graph.AttrInt, "to"))
	s.node("sum", "Add", "shape one")
	s.node("clipped", "Clip", "x bias _")
	s.outputs("clipped sum")
	return localFunction(s, []string{"from"}, graph.NewAttr("to", 2))
}

// nodesText writes the nodes of a graph in execution order with names of values.
func nodesText(t *testing.T, g *graph.Graph) string {
	t.Helper()
	order, err := g.Order()
	if err != nil {
		t.Fatal(err)
	}
	name := func(ids []graph.ValueID) string {
		out := make([]string, len(ids))
		for i, id := range ids {
			switch v := g.Value(id); {
			case id == graph.NoValue:
				out[i] = "_"
			case v.Const != nil && v.Const.Size() == 1:
				out[i] = "#" + v.Name
			default:
				out[i] = v.Name
			}
		}
		return strings.Join(out, " ")
	}
	var lines []string
	for _, id := range order {
		n := g.Node(id)
		line := fmt.Sprintf("%s = %s(%s)", name(n.Outputs()), n.Op, name(n.Inputs()))
		if len(n.Implicit()) > 0 {
			line += " captures " + name(n.Implicit())
		}
		for _, a := range n.Attrs {
			if _, isGraph := a.Value.(*graph.Graph); !isGraph {
				line += fmt.Sprintf(" %s=%v", a.Name, a.Value)
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(append(lines, "outputs "+name(g.Outputs())), "\n")
}

// inlined inlines one call and returns the graph's nodes.
func inlined(t *testing.T, s *sketch, call *graph.Node, f *graph.Function) string {
	t.Helper()
	if err := op.Inline(s.Graph, call.ID, f); err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(); err != nil {
		t.Fatalf("the graph is not valid afterwards: %v", err)
	}
	return nodesText(t, s.Graph)
}

func wantText(t *testing.T, got, want string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(want), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	if want = strings.Join(lines, "\n"); got != want {
		t.Errorf("the graph is\n%s\nwant\n%s", got, want)
	}
}

func callOf(s *sketch, f *graph.Function, outputs, inputs string, attrs ...graph.Attr) *graph.Node {
	return s.add(graph.NodeSpec{Name: "call", Domain: "local", Op: f.Key.Name, Opset: 1, Attrs: attrs}, outputs, inputs)
}

// Attributes are filled in, outputs keep their names, and what is inside gets
// names under the call's.
func TestInline(t *testing.T) {
	f := scaled(t)
	s := newSketch(t, "main")
	s.input("a", floatType("2 3"))
	s.input("b", floatType(""))
	call := callOf(s, f, "y n", "a b", graph.NewAttr("from", 1))
	s.node("z", "Neg", "y")
	s.outputs("z n y")
	wantText(t, inlined(t, s, call, f), `
		y = Clip(a b _)
		z = Neg(y)
		call/shape = Shape(a) start=1 end=2
		n = Add(call/shape #call/one)
		outputs z n y`)
	if a, _ := f.Graph.Node(0).Attr("start"); a.Ref != "from" {
		t.Errorf("the function itself has changed: start is %+v", a)
	}
}

func TestInlineOmittedInputsAndOutputs(t *testing.T) {
	f := scaled(t)
	s := newSketch(t, "main")
	s.input("a", floatType("2 3"))
	call := callOf(s, f, "y", "a", graph.NewAttr("from", 0), graph.NewAttr("to", 1))
	s.outputs("y")
	wantText(t, inlined(t, s, call, f), `
		call/shape = Shape(a) start=0 end=1
		call/sum = Add(call/shape #call/one)
		y = Clip(a _ _)
		outputs y`)

	s = newSketch(t, "main")
	s.input("a", floatType("2 3"))
	call = callOf(s, f, "_ n", "a", graph.NewAttr("from", 0))
	s.outputs("n")
	wantText(t, inlined(t, s, call, f), `
		call/shape = Shape(a) start=0 end=2
		n = Add(call/shape #call/one)
		call/clipped = Clip(a _ _)
		outputs n`)
}

func TestInlineTheSameInputTwiceAndTheSameFunctionTwice(t *testing.T) {
	f := scaled(t)
	s := newSketch(t, "main")
	s.input("a", floatType(""))
	first := callOf(s, f, "y", "a a", graph.NewAttr("from", 0))
	second := callOf(s, f, "z", "y a", graph.NewAttr("from", 0))
	s.outputs("z")
	inlined(t, s, first, f)
	inlined(t, s, second, f)
	if !slices.Equal(s.Outputs(), []graph.ValueID{s.id("z")}) || s.NumNodes() != 6 {
		t.Errorf("the graph is\n%s\nwant output z and 6 nodes", nodesText(t, s.Graph))
	}
	clip, _ := s.Value(s.id("y")).Producer()
	if got := s.Node(clip).Inputs(); got[0] != s.id("a") || got[1] != s.id("a") {
		t.Errorf("y is made of %v, want a twice (%v)", got, s.id("a"))
	}
}

// An output of the function that is one of its inputs becomes the call's input.
func TestInlineOutputThatIsAnInput(t *testing.T) {
	body := newSketch(t, "Both")
	body.input("x", graph.Type{})
	body.node("r", "Relu", "x")
	body.outputs("x r")
	f := localFunction(body, nil)
	s := newSketch(t, "main")
	s.input("a", floatType("2"))
	call := callOf(s, f, "same y", "a")
	s.node("z", "Neg", "same")
	s.outputs("z y same")
	wantText(t, inlined(t, s, call, f), `
		z = Neg(a)
		y = Relu(a)
		outputs z y a`)
}

// One value of the body may be two outputs.
func TestInlineOneValueAsTwoOutputs(t *testing.T) {
	body := newSketch(t, "Twice")
	body.input("x", graph.Type{})
	body.node("r", "Relu", "x")
	body.outputs("r r")
	f := localFunction(body, nil)
	s := newSketch(t, "main")
	s.input("a", floatType("2"))
	call := callOf(s, f, "y z", "a")
	s.outputs("z y")
	if err := op.Inline(s.Graph, call.ID, f); err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	if out := s.Outputs(); out[0] != out[1] || s.NumNodes() != 1 {
		t.Errorf("the graph is\n%s\nwant one Relu that is both outputs", nodesText(t, s.Graph))
	}
}

// Subgraphs in the body keep their captures, and references inside them are filled in.
func TestInlineSubgraphs(t *testing.T) {
	branch := func(name string) *sketch {
		b := newSketch(t, name)
		b.capture("x", 0)
		b.node("s", "Shape", "x", reference("start", graph.AttrInt, "from"))
		b.outputs("s")
		return b
	}
	body := newSketch(t, "Chosen")
	body.input("x", graph.Type{})
	body.input("cond", graph.Type{})
	body.node("v", "Relu", "x")
	then := branch("then")
	n := body.node("r", "If", "cond", graph.NewAttr("then_branch", then.Graph), graph.NewAttr("else_branch", branch("else").Graph))
	body.AddImplicit(n, body.id("v"))
	body.outputs("r")
	f := localFunction(body, []string{"from"})

	s := newSketch(t, "main")
	s.input("a", floatType("2"))
	s.input("c", graph.Type{})
	call := callOf(s, f, "y", "a c", graph.NewAttr("from", 1))
	s.outputs("y")
	wantText(t, inlined(t, s, call, f), `
		call/v = Relu(a)
		y = If(c) captures call/v
		outputs y`)
	for n := range s.Nodes() {
		for _, sub := range n.Subgraphs() {
			wantText(t, nodesText(t, sub), "s = Shape(x) start=1\noutputs s")
		}
	}
	wantText(t, nodesText(t, then.Graph), "s = Shape(x) start=<nil>\noutputs s")
}

// Names that the graph already has are not taken again.
func TestInlineNamesThatAreTaken(t *testing.T) {
	f := scaled(t)
	s := newSketch(t, "main")
	s.input("a", floatType("2"))
	s.input("call/shape", floatType("2"))
	call := callOf(s, f, "y n", "a call/shape", graph.NewAttr("from", 0))
	s.outputs("n")
	inlined(t, s, call, f)
	if !s.Value(s.id("call/shape")).IsInput() {
		t.Errorf("call/shape is no longer the graph's input:\n%s", nodesText(t, s.Graph))
	}
}

func TestInlineRefuses(t *testing.T) {
	f := scaled(t)
	for _, c := range []struct {
		outputs, inputs string
		attrs           []graph.Attr
		says            string
	}{
		{"y", "a", nil, "the function requires it but the call does not give it"},
		{"y", "a a a", []graph.Attr{graph.NewAttr("from", 0)}, "3 inputs and 1 outputs, the function has 2 and 2"},
		{"y n p", "a", []graph.Attr{graph.NewAttr("from", 0)}, "1 inputs and 3 outputs, the function has 2 and 2"},
	} {
		s := newSketch(t, "main")
		s.input("a", floatType("2"))
		call := callOf(s, f, c.outputs, c.inputs, c.attrs...)
		s.outputs("y")
		before := nodesText(t, s.Graph)
		err := op.Inline(s.Graph, call.ID, f)
		if !knownError(err) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s = Scaled(%s): %v\nwant an *op.Error that says %q", c.outputs, c.inputs, err, c.says)
		}
		wantText(t, nodesText(t, s.Graph), before)
	}
}

// An output that is an input which the call omits has no value to be.
func TestInlineOutputThatIsAnOmittedInput(t *testing.T) {
	body := newSketch(t, "Pass")
	body.input("x", graph.Type{})
	body.input("optional", graph.Type{})
	body.outputs("optional")
	f := localFunction(body, nil)
	s := newSketch(t, "main")
	s.input("a", floatType("2"))
	call := callOf(s, f, "y", "a")
	s.outputs("y")
	if err := op.Inline(s.Graph, call.ID, f); err == nil || !strings.Contains(err.Error(), "omits") {
		t.Errorf("%v, want an error that says which input the call omits", err)
	}
}
