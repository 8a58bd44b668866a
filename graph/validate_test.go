package graph

import (
	"errors"
	"strings"
	"testing"

	"gort/tensor"
)

// nested returns a model whose main graph has an If-like node with a subgraph that
// captures a value, and a function with an attribute.
func nested(t testing.TB) *Model {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	f32 := TensorType(tensor.Float32, Fixed(2))
	g := New("main")
	x, err := g.AddValue("x", f32)
	must(err)
	must(g.AddInput(x))
	w, err := g.AddConst("w", tensor.Must(tensor.FromSlice([]float32{1, 2})))
	must(err)
	sum, err := g.AddValue("sum", f32)
	must(err)
	_, err = g.AddNode(NodeSpec{Name: "add", Op: "Add", Inputs: []ValueID{x, w}, Outputs: []ValueID{sum}})
	must(err)

	body := New("body")
	in, err := body.AddValue("sum", f32)
	must(err)
	body.Captures = []Capture{{Implicit: 0, Inner: in}}
	r, err := body.AddValue("r", f32)
	must(err)
	_, err = body.AddNode(NodeSpec{Name: "neg", Op: "Neg", Inputs: []ValueID{in}, Outputs: []ValueID{r}})
	must(err)
	must(body.AddOutput(r))

	y, err := g.AddValue("y", f32)
	must(err)
	_, err = g.AddNode(NodeSpec{Name: "if", Op: "If", Inputs: []ValueID{x}, Implicit: []ValueID{sum}, Outputs: []ValueID{y}, Attrs: []Attr{NewAttr("body", body)}})
	must(err)
	must(g.AddOutput(y))

	fg := New("F")
	a, err := fg.AddValue("a", Type{})
	must(err)
	must(fg.AddInput(a))
	b, err := fg.AddValue("b", Type{})
	must(err)
	_, err = fg.AddNode(NodeSpec{Name: "leaky", Op: "LeakyRelu", Inputs: []ValueID{a}, Outputs: []ValueID{b}, Attrs: []Attr{{Name: "alpha", Kind: AttrFloat, Ref: "slope"}}})
	must(err)
	must(fg.AddOutput(b))
	key := FunctionKey{Domain: "local", Name: "F"}
	return &Model{
		IRVersion: 10, Opsets: map[string]int{"": 20}, Graph: g,
		Functions: map[FunctionKey]*Function{key: {Key: key, Attrs: []string{"slope"}, Opsets: map[string]int{"": 20}, Graph: fg}},
	}
}

func TestValidateAcceptsAndCloneKeeps(t *testing.T) {
	m := nested(t)
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	c := m.Clone()
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	if describe(c.Graph) != describe(m.Graph) {
		t.Error("the clone differs")
	}
	c.Graph.Node(1).Subgraphs()[0].Node(0).Op = "Abs"
	c.Opsets[""] = 1
	if m.Graph.Node(1).Subgraphs()[0].Node(0).Op != "Neg" || m.Opsets[""] != 20 {
		t.Error("the clone shares what it should not")
	}
	w, _ := m.Graph.Lookup("w")
	if c.Graph.Value(w).Const != m.Graph.Value(w).Const {
		t.Error("constants should be shared")
	}
}

// TestValidateFindsDefects breaks one thing at a time and expects it to be named.
func TestValidateFindsDefects(t *testing.T) {
	body := func(m *Model) *Graph { return m.Graph.nodes[1].Subgraphs()[0] }
	fn := func(m *Model) *Function { return m.Functions[FunctionKey{Domain: "local", Name: "F"}] }
	for _, c := range []struct {
		name string
		harm func(m *Model)
		want string
	}{
		{"use dropped", func(m *Model) { m.Graph.values[0].uses = nil }, "does not know that it is read"},
		{"use invented", func(m *Model) { m.Graph.values[0].uses = append(m.Graph.values[0].uses, Use{Node: 0, Slot: 7}) }, "is not number 7"},
		{"use of no node", func(m *Model) { m.Graph.values[0].uses = append(m.Graph.values[0].uses, Use{Node: 9}) }, "read by node 9, which does not exist"},
		{"position wrong", func(m *Model) { m.Graph.nodes[0].inPos[0] = 1 }, "does not know"},
		{"position missing", func(m *Model) { m.Graph.nodes[0].inPos = nil }, "positions of them"},
		{"producer gone", func(m *Model) { m.Graph.nodes[0] = nil; m.Graph.live-- }, "its producer 0 does not exist"},
		{"producer wrong", func(m *Model) { m.Graph.values[2].output = 1 }, "it is not output 1 of its producer"},
		{"value gone", func(m *Model) { m.Graph.dropValue(1) }, "is value 1, which does not exist"},
		{"count wrong", func(m *Model) { m.Graph.live = 7 }, "counts 7 nodes and has 2"},
		{"name unnamed", func(m *Model) { m.Graph.values[1].Name = "" }, "has no name"},
		{"name twice", func(m *Model) { m.Graph.values[1].Name = "x" }, "its name finds value 0, not 1"},
		{"name of nothing", func(m *Model) { m.Graph.byName["ghost"] = 99 }, `the name "ghost" finds value 99`},
		{"input moved", func(m *Model) { m.Graph.values[0].input = 3 }, "is not input 3"},
		{"input gone", func(m *Model) { m.Graph.inputs[0] = 77 }, "input 0 is value 77, which does not exist"},
		{"output gone", func(m *Model) { m.Graph.outputs[0] = 77 }, "output 0 is value 77, which does not exist"},
		{"never made", func(m *Model) { m.Graph.values[1].Const = nil }, "nothing gives it a value"},
		{"constant type", func(m *Model) { m.Graph.values[1].Type = TensorType(tensor.Int64, Shape{}) }, "its constant is tensor(float)[2]"},
		{"constant shape", func(m *Model) { m.Graph.values[1].Type = TensorType(tensor.Float32, Fixed(3)) }, "its constant is tensor(float)[2]"},
		{"cycle", func(m *Model) {
			if err := m.Graph.SetInput(0, 1, 3); err != nil {
				panic(err)
			}
		}, "form a cycle"},
		{"no operator", func(m *Model) { m.Graph.nodes[0].Op = "" }, "no operator"},
		{"attribute kind", func(m *Model) { m.Graph.nodes[0].Attrs = []Attr{{Name: "axis", Kind: AttrInt, Value: "one"}} }, "it is a int but holds a string"},
		{"attribute nil", func(m *Model) { m.Graph.nodes[0].Attrs = []Attr{{Name: "axis", Kind: AttrInt}} }, "holds a <nil>"},
		{"attribute twice", func(m *Model) { m.Graph.nodes[0].Attrs = []Attr{NewAttr("a", 1), NewAttr("a", 2)} }, "given twice"},
		{"reference outside", func(m *Model) { m.Graph.nodes[0].Attrs = []Attr{{Name: "a", Kind: AttrInt, Ref: "b"}} }, "but the node is in none"},
		{"captures outside", func(m *Model) { m.Graph.Captures = []Capture{{}} }, "nothing surrounds it"},
		{"capture out of range", func(m *Model) { body(m).Captures[0].Implicit = 4 }, "captures implicit input 4 of 1"},
		{"capture of nothing", func(m *Model) { body(m).Captures[0].Inner = 44 }, "capture 0 is value 44"},
		{"capture dropped", func(m *Model) { body(m).Captures = nil }, "nothing gives it a value"},
		{"capture twice", func(m *Model) { body(m).Captures = append(body(m).Captures, body(m).Captures[0]) }, "captured twice"},
		{"capture of what is made", func(m *Model) { body(m).Captures[0].Inner = 1 }, "an input or made by a node"},
		{"capture type", func(m *Model) { body(m).values[0].Type = TensorType(tensor.Bool, Shape{}) }, "of type tensor(bool)"},
		{"implicit without subgraph", func(m *Model) { m.Graph.nodes[1].Attrs = nil }, "but no subgraph"},
		{"graph inside itself", func(m *Model) { body(m).nodes[0].SetAttr(NewAttr("g", body(m))) }, "inside itself"},
		{"subgraph shared", func(m *Model) { m.Graph.nodes[1].SetAttr(NewAttr("other", body(m))) }, "belongs to two nodes"},
		{"subgraph nil", func(m *Model) { m.Graph.nodes[1].SetAttr(NewAttr("other", []*Graph{nil})) }, "a subgraph is nil"},
		{"subgraph broken", func(m *Model) { body(m).nodes[0].inPos[0] = 5 }, `graph "main": node "if": graph "body": node "neg"`},
		{"function attribute", func(m *Model) { fn(m).Attrs = nil }, `attribute "slope", which the function does not have`},
		{"function default kind", func(m *Model) { fn(m).Attrs, fn(m).Defaults = nil, []Attr{NewAttr("slope", 1)} }, "it is a float but refers to"},
		{"function attribute twice", func(m *Model) { fn(m).Attrs = []string{"slope", "slope"} }, "listed twice"},
		{"function without body", func(m *Model) { fn(m).Graph = nil }, "no body"},
		{"function key", func(m *Model) { fn(m).Key.Name = "G" }, "another key"},
		{"function ring", func(m *Model) { n := fn(m).Graph.nodes[0]; n.Domain, n.Op = "local", "F" }, "in a ring"},
		{"no graph", func(m *Model) { m.Graph = nil }, "there is no graph"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := nested(t)
			c.harm(m)
			err := m.Validate()
			var v *ValidationError
			if !errors.As(err, &v) {
				t.Fatalf("got %v, want a *ValidationError", err)
			}
			for _, d := range v.Defects {
				if strings.Contains(d.String(), c.want) {
					return
				}
			}
			t.Errorf("no defect says %q among %v", c.want, v.Defects)
		})
	}
}

func TestValidateReportsEverything(t *testing.T) {
	m := nested(t)
	m.Graph.nodes[0].Op = ""
	m.Graph.nodes[1].Op = ""
	m.Graph.live = 9
	var v *ValidationError
	if err := m.Validate(); !errors.As(err, &v) || len(v.Defects) != 3 {
		t.Errorf("got %v, want three defects", err)
	}
}

func TestPruneCaptures(t *testing.T) {
	m := nested(t)
	g := m.Graph
	owner := g.Node(1)
	body := owner.Subgraphs()[0]
	x, _ := g.Lookup("x")
	sum, _ := g.Lookup("sum")
	i := g.AddImplicit(owner, x)
	inner, err := body.AddValue("x", g.Value(x).Type)
	if err != nil {
		t.Fatal(err)
	}
	body.Captures = append(body.Captures, Capture{Implicit: i, Inner: inner})
	if err := body.SetInput(0, 0, inner); err != nil {
		t.Fatal(err)
	}
	if !g.PruneCaptures(owner.ID) || g.PruneCaptures(owner.ID) {
		t.Error("the first call should change something, the second nothing")
	}
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	if len(owner.Implicit()) != 1 || owner.Implicit()[0] != x || len(g.Value(sum).Uses()) != 0 || body.Captures[0] != (Capture{0, inner}) {
		t.Errorf("implicit %v, captures %v", owner.Implicit(), body.Captures)
	}
	if _, ok := body.Lookup("sum"); ok {
		t.Error("the unread capture is still a value")
	}
}

func TestCallOrder(t *testing.T) {
	m := &Model{Functions: map[FunctionKey]*Function{}}
	add := func(name string, calls ...string) {
		g := New(name)
		for _, c := range calls {
			if _, err := g.AddNode(NodeSpec{Op: c, Domain: "d"}); err != nil {
				t.Fatal(err)
			}
		}
		k := FunctionKey{Domain: "d", Name: name}
		m.Functions[k] = &Function{Key: k, Graph: g}
	}
	add("a", "b", "c", "Relu")
	add("b", "c")
	add("c")
	order, err := m.CallOrder()
	if err != nil || len(order) != 3 || order[0].Name != "c" || order[1].Name != "b" || order[2].Name != "a" {
		t.Errorf("order %v, %v", order, err)
	}
	add("c", "a")
	var ring *RecursionError
	if _, err := m.CallOrder(); !errors.As(err, &ring) || len(ring.Functions) != 3 {
		t.Errorf("got %v, want a ring of three", err)
	}
}

func TestSparseDense(t *testing.T) {
	vals := tensor.Must(tensor.FromSlice([]float32{5, 7}))
	lin := &Sparse{Values: vals, Indices: tensor.Must(tensor.FromSlice([]int64{1, 5})), Dims: tensor.Shape{2, 3}}
	coo := &Sparse{Values: vals, Indices: tensor.Must(tensor.FromSlice([]int64{0, 1, 1, 2}, 2, 2)), Dims: tensor.Shape{2, 3}}
	for _, s := range []*Sparse{lin, coo} {
		d, err := s.Dense(1 << 20)
		if err != nil {
			t.Fatal(err)
		}
		if got := tensor.Elements[float32](d); got[1] != 5 || got[5] != 7 || got[0] != 0 {
			t.Errorf("got %v", got)
		}
	}
	if _, err := lin.Dense(23); err == nil {
		t.Error("24 bytes pass a limit of 23")
	}
	lin.Indices = tensor.Must(tensor.FromSlice([]int64{1, 6}))
	if _, err := lin.Dense(1 << 20); err == nil {
		t.Error("an index outside passes")
	}
}
