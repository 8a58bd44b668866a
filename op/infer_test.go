package op_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"gort/graph"
	"gort/op"
	"gort/tensor"
)

func newEnv() *op.Env { return op.NewEnv(&graph.Model{}) }

// The chain that exporters write around a Reshape: the batch size is read from
// the input's shape and put before a known size.
func TestInferReshapeOfAShapeChain(t *testing.T) {
	for _, c := range []struct{ batch, reshaped, value string }{
		{"N", "tensor(float)[N,12]", "[N 12]"},
		{"5", "tensor(float)[5,12]", "[5 12]"},
		{"?", "tensor(float)[?,12]", "[? 12]"},
	} {
		s := newSketch(t, "chain")
		s.input("x", floatType(c.batch+" 3 4"))
		s.constant("first", int64Of(0))
		s.constant("axes", int64s(0))
		s.constant("rest", int64s(12))
		s.node("shape", "Shape", "x")
		s.node("batch", "Gather", "shape first", graph.NewAttr("axis", 0))
		s.node("row", "Unsqueeze", "batch axes")
		s.node("target", "Concat", "row rest", graph.NewAttr("axis", 0))
		s.node("y", "Reshape", "x target")
		s.outputs("y")
		facts := s.inferred(newEnv())
		wantTypes(t, facts, `
			shape: tensor(int64)[3]
			batch: tensor(int64)[]
			row: tensor(int64)[1]
			target: tensor(int64)[2]
			y: `+c.reshaped)
		v := facts["target"].Ints
		if f := facts["target"]; f.Const != nil {
			v = op.IntsOf(f.Const)
		}
		if v == nil || !strings.HasPrefix(intsText(v), c.value) {
			t.Errorf("batch %s: target is %s, want %s", c.batch, factText(facts["target"]), c.value)
		}
	}
}

// Arithmetic on sizes keeps what is known of the other elements.
func TestInferArithmeticOnSizes(t *testing.T) {
	s := newSketch(t, "sizes")
	s.input("x", floatType("N 6 8"))
	s.constant("halves", int64s(1, 2, 2))
	s.constant("one", int64s(1))
	s.node("shape", "Shape", "x")
	s.node("half", "Div", "shape halves")
	s.node("y", "Expand", "one half")
	s.outputs("y")
	wantTypes(t, s.inferred(newEnv()), "y: tensor(int64)[N,3,4]")
}

func TestInferSymbols(t *testing.T) {
	s := newSketch(t, "symbols")
	s.input("a", floatType("N 4"))
	s.input("b", floatType("N 4"))
	s.input("c", floatType("M 4"))
	s.input("row", floatType("1 4"))
	s.node("same", "Add", "a b")
	s.node("broadcast", "Add", "a row")
	s.node("either", "Add", "a c")
	s.node("stacked", "Concat", "a b", graph.NewAttr("axis", 0))
	s.node("beside", "Concat", "a b", graph.NewAttr("axis", 1))
	s.node("turned", "Transpose", "a")
	s.node("product", "MatMul", "a turned")
	wantTypes(t, s.inferred(newEnv()), `
		same: tensor(float)[N,4]
		broadcast: tensor(float)[N,4]
		either: tensor(float)[?,4]
		stacked: tensor(float)[?,4]
		beside: tensor(float)[N,8]
		turned: tensor(float)[4,N]
		product: tensor(float)[N,N]`)
}

// What a caller knows of the inputs is merged with what the graph declares.
func TestInferInputsMergeWithTheirDeclaration(t *testing.T) {
	s := newSketch(t, "merge")
	s.input("x", floatType("N ? 4"))
	s.node("y", "Relu", "x")
	s.outputs("y")
	for _, c := range []struct{ given, want string }{
		{"2 3 ?", "tensor(float)[2,3,4]"},
		{"? ? ?", "tensor(float)[N,?,4]"},
		{"M ? ?", "tensor(float)[M,?,4]"},
	} {
		facts := s.inferred(newEnv(), op.Fact{Type: floatType(c.given)})
		wantTypes(t, facts, "y: "+c.want)
	}
	if _, err := newEnv().Graph(s.Graph, []op.Fact{{Type: intType("2 3 4")}}, nil); err == nil || !strings.Contains(err.Error(), `input "x"`) {
		t.Errorf("an input of another element type than declared: %v, want an error that names it", err)
	}
}

// A default that a caller may override is no constant.
func TestInferDefaultsAreNotConstant(t *testing.T) {
	s := newSketch(t, "default")
	s.input("x", floatType("2 6"))
	s.input("target", intType("2"))
	s.Value(s.id("target")).Const = int64s(3, 4)
	s.node("y", "Reshape", "x target")
	s.outputs("y")
	facts := s.inferred(newEnv())
	wantTypes(t, facts, "y: tensor(float)[?,?]")
	if facts["target"].Const != nil {
		t.Errorf("target is %s, want no value", factText(facts["target"]))
	}
}

// Shapes that an exporter left behind give way to what follows from the
// operators; element types may not contradict.
func TestInferDeclaredTypesOfValues(t *testing.T) {
	declare := func(declared graph.Type) (*sketch, error) {
		s := newSketch(t, "declared")
		s.input("x", floatType("N 4"))
		n := s.node("y", "Relu", "x")
		s.Value(n.Outputs()[0]).Type = declared
		s.outputs("y")
		_, err := newEnv().Graph(s.Graph, nil, nil)
		return s, err
	}
	for _, c := range []struct {
		declared graph.Type
		want     string
	}{
		{floatType("7 4"), "tensor(float)[7,4]"},
		{floatType("7 5"), "tensor(float)[N,4]"},
		{floatType("7"), "tensor(float)[N,4]"},
	} {
		s, err := declare(c.declared)
		if err != nil {
			t.Errorf("declared %v: %v", c.declared, err)
			continue
		}
		wantTypes(t, s.inferred(newEnv()), "y: "+c.want)
	}
	if _, err := declare(intType("N 4")); !knownError(err) {
		t.Errorf("declared as integers: %v, want an *op.Error", err)
	}
}

// Every node that breaks its definition is reported, and what follows is still inferred.
func TestInferReportsEveryNode(t *testing.T) {
	s := newSketch(t, "wrong")
	s.input("x", floatType("2 3"))
	s.input("n", intType("2"))
	s.node("a", "Add", "x n")
	s.node("b", "Transpose", "x", graph.NewAttr("perm", []int{0, 0}))
	s.node("c", "Frobnicate", "x")
	s.node("d", "Relu", "x", graph.NewAttr("alpha", 1))
	s.node("e", "Relu", "x")
	facts, err := newEnv().Graph(s.Graph, nil, nil)
	for _, label := range []string{"Add a", "Transpose b", "Frobnicate c", "Relu d"} {
		if err == nil || !strings.Contains(err.Error(), label) {
			t.Errorf("the error does not name node %q: %v", label, err)
		}
	}
	var unknown *op.UnknownError
	if !errors.As(err, &unknown) || unknown.Op != "Frobnicate" || unknown.Opset != testOpset {
		t.Errorf("the error has %+v, want the unknown operator Frobnicate of opset %d", unknown, testOpset)
	}
	if got := facts[s.id("e")].Type.String(); got != "tensor(float)[2,3]" {
		t.Errorf("e is %s, want tensor(float)[2,3]", got)
	}
}

func TestCheckSaysWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		op, inputs string
		outputs    string
		attrs      []graph.Attr
		where      string
		says       string
	}{
		{"Add", "x", "y", nil, "", "1 inputs, the operator takes 2"},
		{"Clip", "x x x x", "y", nil, "", "4 inputs, the operator takes 1 to 3"},
		{"Concat", "", "y", []graph.Attr{graph.NewAttr("axis", 0)}, "", "0 inputs, the operator takes 1 or more"},
		{"Relu", "x", "y z", nil, "", "2 outputs, the operator gives 1"},
		{"Add", "_ x", "y", nil, "input 0 (A)", "is omitted, but the operator requires it"},
		{"Add", "x n", "y", nil, "input 1 (B)", "is tensor(int64), but T is tensor(float) by an earlier input"},
		{"Relu", "text", "y", nil, "input 0 (X)", "is tensor(string), allowed are"},
		{"Relu", "x", "y", []graph.Attr{graph.NewAttr("alpha", 1)}, "attribute alpha", "is not an attribute of version 14 of the operator"},
		{"Softmax", "x", "y", []graph.Attr{graph.NewAttr("axis", 0.5)}, "attribute axis", "is a float, must be a int"},
		{"Concat", "x", "y", nil, "attribute axis", "is required (int) but not given"},
	} {
		s := newSketch(t, "check")
		s.input("x", floatType("2 3"))
		s.input("n", intType("2 3"))
		s.input("text", graph.TensorType(tensor.String, parseShape("2")))
		s.node(c.outputs, c.op, c.inputs, c.attrs...)
		_, err := newEnv().Graph(s.Graph, nil, nil)
		var e *op.Error
		if !errors.As(err, &e) {
			t.Errorf("%s(%s): %v, want an *op.Error", c.op, c.inputs, err)
			continue
		}
		if e.Op != c.op || e.Opset != testOpset || e.Where != c.where || !strings.Contains(e.Reason, c.says) {
			t.Errorf("%s(%s): %v\nwant %q: %q", c.op, c.inputs, e, c.where, c.says)
		}
	}
}

// A model-local function is inferred through its body, for each call anew.
func TestInferFunctions(t *testing.T) {
	body := newSketch(t, "Rows")
	body.input("data", graph.Type{})
	gather := body.node("r", "ReduceSum", "data _")
	gather.Attrs = []graph.Attr{{Name: "keepdims", Kind: graph.AttrInt, Ref: "keep"}}
	body.outputs("r")
	f := &graph.Function{
		Key: graph.FunctionKey{Domain: "local", Name: "Rows"}, Opsets: map[string]int{"": testOpset},
		Defaults: []graph.Attr{graph.NewAttr("keep", 1)}, Graph: body.Graph,
	}
	env := op.NewEnv(&graph.Model{Functions: map[graph.FunctionKey]*graph.Function{f.Key: f}})
	s := newSketch(t, "calls")
	s.input("x", floatType("2 3"))
	s.input("n", intType("4"))
	call := func(output, input string, attrs ...graph.Attr) {
		s.add(graph.NodeSpec{Name: "call " + output, Domain: "local", Op: "Rows", Opset: 1, Attrs: attrs}, output, input)
	}
	call("kept", "x")
	call("dropped", "x", graph.NewAttr("keep", 0))
	call("counted", "n")
	wantTypes(t, s.inferred(env), `
		kept: tensor(float)[1,1]
		dropped: tensor(float)[]
		counted: tensor(int64)[1]`)

	s.input("text", graph.TensorType(tensor.String, parseShape("2")))
	call("wrong", "text")
	_, err := env.Graph(s.Graph, nil, nil)
	if !knownError(err) || !strings.Contains(err.Error(), "in function Rows called by node \"call wrong\"") {
		t.Errorf("a call with strings: %v\nwant an *op.Error in function Rows called by node \"call wrong\"", err)
	}
}

func TestInferStopsAtDeepNesting(t *testing.T) {
	leaf := newSketch(t, "leaf")
	leaf.constant("one", int64s(1))
	leaf.outputs("one")
	g := leaf
	for range 100 {
		outer := newSketch(t, "level")
		outer.constant("cond", tensor.Must(tensor.FromSlice([]bool{true}, []int{}...)))
		outer.node("y", "If", "cond", graph.NewAttr("then_branch", g.Graph), graph.NewAttr("else_branch", leaf.Clone()))
		outer.outputs("y")
		g = outer
	}
	if _, err := newEnv().Graph(g.Graph, nil, nil); err == nil || !strings.Contains(err.Error(), "nested deeper") {
		t.Errorf("a hundred Ifs in each other: %v, want an error that says they are nested too deep", err)
	}
}

// Inference tells of each subgraph what it derived.
func TestInferTellsOfSubgraphs(t *testing.T) {
	then, els := newSketch(t, "then"), newSketch(t, "else")
	for _, b := range []*sketch{then, els} {
		b.capture("v", 0)
		b.node("r", "Identity", "v")
		b.outputs("r")
	}
	s := newSketch(t, "main")
	s.input("x", floatType("N 2"))
	s.input("cond", graph.TensorType(tensor.Bool, parseShape("")))
	n := s.node("y", "If", "cond", graph.NewAttr("then_branch", then.Graph), graph.NewAttr("else_branch", els.Graph))
	s.AddImplicit(n, s.id("x"))
	s.outputs("y")
	env, told := newEnv(), []string{}
	env.OnSubgraph = func(owner *graph.Node, g *graph.Graph, facts []op.Fact) {
		told = append(told, owner.Op+" "+g.Name+" "+facts[g.Captures[0].Inner].Type.String())
	}
	wantTypes(t, s.inferred(env), "y: tensor(float)[N,2]")
	slices.Sort(told)
	if want := []string{"If else tensor(float)[N,2]", "If then tensor(float)[N,2]"}; !slices.Equal(told, want) {
		t.Errorf("told of %q, want %q", told, want)
	}
}
