package op_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gort/graph"
	"gort/op"
	"gort/tensor"
)

// expandable is a definition for trying bodies: its body is text.
func expandable(text string) *op.Def {
	return &op.Def{
		Domain: "test", Name: "Tried", Since: 1,
		Inputs: "x: T; y?: T", Outputs: "a: T; b?: T", Types: "T = @float",
		Attrs: "n: int = 7; f: float; s: string = ab; list: ints = 1 2; free: ints",
		Body:  func(*op.Context) (op.Body, error) { return op.Body{Opset: 18, Text: text}, nil },
	}
}

// expand expands a node with these inputs and outputs by a body.
func expand(t *testing.T, text, inputs, outputs string, attrs ...graph.Attr) (*graph.Function, error) {
	t.Helper()
	s := newSketch(t, "outer")
	for _, name := range strings.Fields(strings.ReplaceAll(inputs, "_", "")) {
		s.input(name, floatType("2"))
	}
	d := expandable(text)
	if len(strings.Fields(inputs)) > 2 {
		d.Inputs += "; z*: T"
	}
	n := s.add(graph.NodeSpec{Domain: "test", Op: "Tried", Opset: 1, Attrs: attrs}, outputs, inputs)
	in := make([]op.Fact, len(n.Inputs()))
	for i, id := range n.Inputs() {
		if id != graph.NoValue {
			in[i].Type = s.Value(id).Type
		}
	}
	f, err := newEnv().Expand(d, n, in)
	if err == nil && f != nil {
		if err := f.Graph.Validate(); err != nil {
			t.Errorf("the body of %q is no valid graph: %v", text, err)
		}
	}
	return f, err
}

// bodyText writes a function back down, a node a line.
func bodyText(f *graph.Function) string { return graphText(f.Graph) }

func graphText(g *graph.Graph) string {
	fresh := map[graph.ValueID]string{} // values without a name of their own, counted
	name := func(id graph.ValueID) string {
		if id == graph.NoValue {
			return ""
		}
		v := g.Value(id)
		text := v.Name
		if len(text) > 4 {
			if fresh[id] == "" {
				fresh[id] = fmt.Sprint(len(fresh))
			}
			text = fresh[id]
		}
		if v.Const != nil {
			list, err := tensor.Float64s(v.Const)
			if err != nil {
				panic(err)
			}
			text += fmt.Sprint(" = ", list)
		}
		return text
	}
	names := func(ids []graph.ValueID) string {
		var out []string
		for _, id := range ids {
			out = append(out, name(id))
		}
		return strings.Join(out, ", ")
	}
	head := "(" + names(g.Inputs()) + ") -> (" + names(g.Outputs()) + ")"
	for i, c := range g.Captures {
		if i == 0 {
			head += ", captures"
		}
		head += " " + name(c.Inner)
	}
	lines := []string{head}
	for n := range g.Nodes() {
		line := names(n.Outputs()) + " = " + n.Op
		for _, a := range n.Attrs {
			if sub, ok := a.Value.(*graph.Graph); ok {
				line += fmt.Sprintf(" <%s: %v = {%s}>", a.Name, a.Kind, graphText(sub))
				continue
			}
			line += fmt.Sprintf(" <%s: %v = %v>", a.Name, a.Kind, a.Value)
		}
		line += fmt.Sprintf(" (%s)", names(n.Inputs()))
		if len(n.Implicit()) > 0 {
			line += " implicit " + strings.ReplaceAll(names(n.Implicit()), ",", "")
		}
		lines = append(lines, fmt.Sprintf("%s opset %d", line, n.Opset))
	}
	return strings.Join(lines, "\n")
}

func TestBodySyntax(t *testing.T) {
	for _, c := range []struct {
		name, text, inputs, outputs string
		attrs                       []graph.Attr
		want                        string
	}{
		{"one line", "a = Relu (x)", "x", "a", nil, "(x) -> (a)\na = Relu (x) opset 18"},
		{"blanks, comments and empty lines", "\n  # why\n\n\ta=Relu(x)  \n", "x", "a", nil, "(x) -> (a)\na = Relu (x) opset 18"},
		{"several outputs", "a, b = Split <axis = -1, num_outputs = 2> (x)", "x", "a b", nil,
			"(x) -> (a, b)\na, b = Split <axis: int = -1> <num_outputs: int = 2> (x) opset 18"},
		{"an omitted output", ", a = TopK (x, x)", "x", "a", nil, "(x) -> (a)\n, a = TopK (x, x) opset 18"},
		{"an omitted input", "a = Clip (x, , x)", "x", "a", nil, "(x) -> (a)\na = Clip (x, , x) opset 18"},
		{"no inputs", "a = Constant <value_int = 3> ()", "x", "a", nil, "(x) -> (a)\na = Constant <value_int: int = 3> () opset 18"},
		{"floats", "a = Op <v = 0.5, w = 1e3, l = [0.5, 1.0]> (x)", "x", "a", nil,
			"(x) -> (a)\na = Op <v: float = 0.5> <w: float = 1000> <l: list of floats = [0.5 1]> (x) opset 18"},
		{"lists", "a = Op <l = [1, -2], e = []> (x)", "x", "a", nil,
			"(x) -> (a)\na = Op <l: list of ints = [1 -2]> <e: list of ints = []> (x) opset 18"},
		{"strings", `a = Op <s = "p, (q) = <r>", e = ""> (x)`, "x", "a", nil,
			"(x) -> (a)\n" + `a = Op <s: string = p, (q) = <r>> <e: string = > (x) opset 18`},
		{"a kind before the value", "a = Op <v: float = @f> (x)", "x", "a", []graph.Attr{graph.NewAttr("f", 2.5)},
			"(x) -> (a)\na = Op <v: float = 2.5> (x) opset 18"},
		{"defaults of referred attributes", "a = Op <i = @n, s = @s, l = @list> (x)", "x", "a", nil,
			"(x) -> (a)\na = Op <i: int = 7> <s: string = ab> <l: list of ints = [1 2]> (x) opset 18"},
		{"given attributes instead of defaults", "a = Op <i = @n> (x)", "x", "a", []graph.Attr{graph.NewAttr("n", 9)},
			"(x) -> (a)\na = Op <i: int = 9> (x) opset 18"},
		{"an attribute that is neither given nor has a default", "a = Op <l = @free, i = @n> (x)", "x", "a", nil,
			"(x) -> (a)\na = Op <i: int = 7> (x) opset 18"},
		{"an input that the node leaves out", "a = Clip (x, y)", "x", "a", nil, "(x) -> (a)\na = Clip (x, ) opset 18"},
		{"an input that the node omits", "a = Sum (x, z_0)", "x _ z", "a", nil, "(x, y, z_0) -> (a)\na = Sum (x, z_0) opset 18"},
		{"repeated inputs", "a = Sum (z_0, z_1)", "x y p q", "a", nil, "(x, y, z_0, z_1) -> (a)\na = Sum (z_0, z_1) opset 18"},
		{"an output that is not asked for", "a = Relu (x)\nb = Neg (x)", "x", "a", nil,
			"(x) -> (a)\na = Relu (x) opset 18\nb = Neg (x) opset 18"},
		{"calls and literals as arguments", "a = Add (Mul (x, 2.5:x), @f:x)", "x", "a", []graph.Attr{graph.NewAttr("f", 0.5)},
			"(x) -> (a)\n0 = Mul (x, 1 = [2.5]) opset 18\na = Add (0, 2 = [0.5]) opset 18"},
		{"the type of a value that is made", "b = Relu (x)\na = Add (b, 1:b)", "x", "a", nil,
			"(x) -> (a)\nb = Relu (x) opset 18\n0 = CastLike (1 = [1], b) opset 18\na = Add (b, 0) opset 18"},
		{"an attribute as an argument, and one that is left out", "a = Slice (x, @list, [@n, 2], @free)", "x", "a", nil,
			"(x) -> (a)\na = Slice (x, 0 = [1 2], 1 = [7 2], ) opset 18"},
		{"over several lines", "a = Add (\n\tx, # this\n\tx)", "x", "a", nil, "(x) -> (a)\na = Add (x, x) opset 18"},
		{"graphs that see what is around them", `
			b = Neg (x)
			a = If <then_branch = () => (p) {
				p = Add (b, x)
			}, else_branch = () => (q) { q = If <then_branch = () => (x) {}, else_branch = () => (b) {}> (x) }> (x)`, "x", "a", nil,
			"(x) -> (a)\nb = Neg (x) opset 18\n" +
				"a = If <then_branch: graph = {() -> (p), captures b x\np = Add (b, x) opset 18}>" +
				" <else_branch: graph = {() -> (q), captures x b\nq = If <then_branch: graph = {() -> (0), captures x\n0 = Identity (x) opset 18}>" +
				" <else_branch: graph = {() -> (0), captures b\n0 = Identity (b) opset 18}> (x) implicit x b opset 18}> (x) implicit b x opset 18"},
		{"nothing", "", "x", "a", nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := expand(t, c.text, c.inputs, c.outputs, c.attrs...)
			if err != nil {
				t.Fatalf("%q: %v", c.text, err)
			}
			got := ""
			if f != nil {
				got = bodyText(f)
			}
			if got != c.want {
				t.Errorf("%q is\n%s\nwant\n%s", c.text, got, c.want)
			}
		})
	}
}

func TestBodyErrors(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{"a Relu (x)", "no = found"},
		{"a = Relu x", "no argument list"},
		{"a = Relu (x", "no ) found"},
		{"a b = Relu (x)", "no = found"},
		{"a = Relu (x) x", "after the end of the call"},
		{"a = Relu (x) ; b = x", "is no sign"},
		{"a = Relu (y:b)", `"b" is not defined`},
		{"a = Relu (1:y)", "omitted, so has no type"},
		{"a = @f (x)", `attribute "f" has no graph`},
		{"a = If <then_branch = () => (q) {}> (x)", `"q" is not defined`},
		{"a = If <then_branch = () => (p) { p = Relu (x)> (x)", "after the end of the call"},
		{"a = Relu (q)", `"q" is not defined`},
		{"a = Op <v> (x)", `attribute "v" has no value`},
		{"a = Op <v = word> (x)", `"word" is no literal`},
		{"a = Op <v = [1, word]> (x)", `"word" is no literal`},
		{"a = Op <v = [1, 0.5]> (x)", "mixes ints [1] and floats [0.5]"},
		{`a = Op <v = ["s"]> (x)`, "is no number"},
		{"a = Op <v = 1 (x)", "no > found"},
		{"a = Op <v = [1> (x)", "no ] found"},
		{`a = Op <v = "s> (x)`, "has no end"},
		{"a = Relu (x)\na = Neg (x)", `"a"`},
		{"x = Relu (x)", `"x"`},
		{"b = Relu (x)", `output "a" is not made`},
		{"a = (x)", "no operator"},
	} {
		f, err := expand(t, c.text, "x", "a")
		if err == nil {
			t.Errorf("%q is\n%s\nwant an error that says %q", c.text, bodyText(f), c.says)
			continue
		}
		if !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "Tried-1") {
			t.Errorf("%q: %v\nwant an error that says %q and names the definition", c.text, err, c.says)
		}
	}
}

// Expand checks the node as inference does, and lets the body refuse it.
func TestExpandRefuses(t *testing.T) {
	_, err := expand(t, "a = Relu (x)", "x", "a", graph.NewAttr("n", "text"))
	if !knownError(err) {
		t.Errorf("a node with an attribute of a wrong kind: %v, want an *op.Error", err)
	}
	no := errors.New("not this one")
	d := expandable("")
	d.Body = func(*op.Context) (op.Body, error) { return op.Body{}, no }
	s := newSketch(t, "outer")
	s.input("x", floatType("2"))
	n := s.add(graph.NodeSpec{Domain: "test", Op: "Tried", Opset: 1}, "a", "x")
	if _, err := newEnv().Expand(d, n, []op.Fact{{Type: floatType("2")}}); !errors.Is(err, no) {
		t.Errorf("a body that refuses: %v, want %v", err, no)
	}
	d.Body = nil
	if f, err := newEnv().Expand(d, n, []op.Fact{{Type: floatType("2")}}); f != nil || err != nil {
		t.Errorf("a definition without a body expands to %v, %v, want nothing", f, err)
	}
}
