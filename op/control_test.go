package op_test

import (
	"fmt"
	"strings"
	"testing"

	"gort/graph"
	"gort/op"
)

// flow builds small graphs for operators that have bodies.
type flow struct {
	t *testing.T
	*graph.Graph
}

func newFlow(t *testing.T) flow { return flow{t, graph.New("g")} }

func (f flow) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// in declares an input as moveFact describes it; "?" declares nothing.
func (f flow) in(name, fact string) graph.ValueID {
	f.t.Helper()
	typ := graph.Type{}
	if fact != "?" {
		typ = moveFact(fact).Type
	}
	id, err := f.AddValue(name, typ)
	f.must(err)
	f.must(f.AddInput(id))
	return id
}

// node adds a node of one output.
func (f flow) node(name string, attrs []graph.Attr, in ...graph.ValueID) graph.ValueID {
	f.t.Helper()
	out, err := f.AddValue(fmt.Sprint("v", f.ValueBound()), graph.Type{})
	f.must(err)
	_, err = f.AddNode(graph.NodeSpec{Op: name, Opset: 18, Attrs: attrs, Inputs: in, Outputs: []graph.ValueID{out}})
	f.must(err)
	return out
}

func (f flow) out(ids ...graph.ValueID) *graph.Graph {
	f.t.Helper()
	for _, id := range ids {
		f.must(f.AddOutput(id))
	}
	return f.Graph
}

// branch is a graph without inputs that gives a value of a type.
func branch(t *testing.T, fact string) *graph.Graph {
	f := newFlow(t)
	id, err := f.AddValue("c", moveFact(fact).Type)
	f.must(err)
	return f.out(f.node("Identity", nil, id))
}

func TestIfShapes(t *testing.T) {
	both := func(a, b string) []graph.Attr {
		return attrs("then_branch", branch(t, a), "else_branch", branch(t, b))
	}
	runMoveCases(t, []moveCase{
		{"If", 13, both("float[2,3]", "float[2,3]"), moveFacts("bool[]"), "float[2,3]"},
		{"If", 13, both("float[2,3]", "float[2,N]"), moveFacts("bool[]"), "float[2,?]"},
		{"If", 13, both("float[2,3]", "float[2]"), moveFacts("bool[1]"), "float"},
		{"If", 13, both("float[2,3]", "float[2]"), moveFacts("bool[]=1"), "float[2,3]"},
		{"If", 13, both("float[2,3]", "int64[2]"), moveFacts("bool[]=0"), "int64[2]"},
		{"If", 13, both("float[2,3]", "int64[2]"), moveFacts("bool[]"), "!in then_branch, but"},
		{"If", 13, both("float[2]", "float[2]"), moveFacts("bool[2]"), "!must be one element"},
		{"If", 13, attrs("then_branch", branch(t, "float[2]"), "else_branch", graph.New("none")), moveFacts("bool[]"), "!has 0 outputs"},
	})
}

// growing is a loop body that appends to its state and gives it away.
func growing(t *testing.T, declared string) *graph.Graph {
	f := newFlow(t)
	f.in("i", "int64[]")
	cond := f.in("c", "bool[]")
	x := f.in("x", declared)
	grown := f.node("Concat", attrs("axis", 0), x, x)
	return f.out(f.node("Identity", nil, cond), grown, f.node("Identity", nil, x))
}

func TestLoopShapes(t *testing.T) {
	still := func() *graph.Graph {
		f := newFlow(t)
		i := f.in("i", "int64[]")
		cond := f.in("c", "bool[]")
		x := f.in("x", "?")
		return f.out(cond, f.node("Identity", nil, x), i)
	}
	runMoveCases(t, []moveCase{
		// The state keeps its shape, and the condition is the one that lets the body run.
		{"Loop", 13, attrs("body", still()), moveFacts("int64[]=5", "", "float[2,N]"), "float[2,N] | int64[5]"},
		{"Loop", 13, attrs("body", still()), moveFacts("int64[]=5", "bool[]=1", "float[2,N]"), "float[2,N] | int64[5]"},
		{"Loop", 13, attrs("body", still()), moveFacts("int64[]=5", "bool[]", "float[2,N]"), "float[2,N] | int64[?]"},
		{"Loop", 13, attrs("body", still()), moveFacts("int64[]=5", "bool[]=0", "float[2,N]"), "float[2,N] | int64[0]"},
		{"Loop", 13, attrs("body", still()), moveFacts("int64[]=-1", "", "float[2,N]"), "float[2,N] | int64[0]"},
		{"Loop", 13, attrs("body", still()), moveFacts("", "", "float[2,N]"), "float[2,N] | int64[?]"},
		// A state that grows has no fixed shape.
		{"Loop", 13, attrs("body", growing(t, "?")), moveFacts("int64[]=5", "", "float[2,3]"), "float[?,3] | float[5,?,3]"},
		{"Loop", 13, attrs("body", growing(t, "float[?,3]")), moveFacts("int64[]", "", "float[2,3]"), "float[?,3] | float[?,?,3]"},
		{"Loop", 13, attrs("body", still()), moveFacts("int64[]=5", ""), "!must have 2 and one for each | "},
		{"Loop", 13, attrs("body", still()), moveFacts("int64[2]", "", "float[2]"), "!must be one element | "},
	})
}

func TestScanShapes(t *testing.T) {
	body := func() *graph.Graph {
		f := newFlow(t)
		s, x := f.in("s", "?"), f.in("x", "?")
		return f.out(f.node("Identity", nil, s), f.node("Unsqueeze", nil, x, f.constant("axes", 0)))
	}
	runMoveCases(t, []moveCase{
		{"Scan", 11, attrs("body", body(), "num_scan_inputs", 1), moveFacts("float[4]", "float[T,3]"), "float[4] | float[T,1,3]"},
		{"Scan", 11, attrs("body", body(), "num_scan_inputs", 1, "scan_input_axes", []int{-1}, "scan_output_axes", []int{2}), moveFacts("float[4]", "float[3,T]"), "float[4] | float[1,3,T]"},
		{"Scan", 8, attrs("body", body(), "num_scan_inputs", 1), moveFacts("int64[B]", "float[B,4]", "float[B,T,3]"), "float[B,4] | float[B,T,1,3]"},
		{"Scan", 11, attrs("body", body(), "num_scan_inputs", 3), moveFacts("float[4]", "float[T,3]"), "!does not fit the body | "},
		{"Scan", 11, attrs("body", body(), "num_scan_inputs", 1, "scan_input_axes", []int{2}), moveFacts("float[4]", "float[3,T]"), "!out of range | "},
		{"Scan", 11, attrs("body", body(), "num_scan_inputs", 1, "scan_input_directions", []int{2}), moveFacts("float[4]", "float[3,T]"), "!allowed are 0 | "},
		{"Scan", 8, attrs("body", body(), "num_scan_inputs", 1), moveFacts("", "float[2,4]", "float[3,T,3]"), "!another batch size | "},
	})
}

func (f flow) constant(name string, list ...int64) graph.ValueID {
	f.t.Helper()
	id, err := f.AddConst(name, tensorOf(list))
	f.must(err)
	return id
}

// A Squeeze that fits only some inputs stands in the branch that is not taken for
// the others.
func TestIfTakesWhatFits(t *testing.T) {
	squeeze := newFlow(t)
	x, err := squeeze.AddValue("x", moveFact("float[2,3]").Type)
	squeeze.must(err)
	bad := squeeze.out(squeeze.node("Squeeze", nil, x, squeeze.constant("axes", 0)))
	runMoveCases(t, []moveCase{
		{"If", 13, attrs("then_branch", bad, "else_branch", branch(t, "float[2,3]")), moveFacts("bool[]"), "float"},
		{"If", 13, attrs("then_branch", bad, "else_branch", branch(t, "float[2,3]")), moveFacts("bool[]=1"), "!cannot squeeze"},
	})
	unknown := newFlow(t)
	y, err := unknown.AddValue("y", moveFact("float").Type)
	unknown.must(err)
	nobody := unknown.out(unknown.node("NoSuchOperator", nil, y))
	_, err = inferMove(t, "", moveCase{op: "If", opset: 13, attrs: attrs("then_branch", nobody, "else_branch", branch(t, "float")), in: moveFacts("bool[]")}, 1)
	if err == nil || !strings.Contains(err.Error(), "NoSuchOperator") {
		t.Errorf("an operator that nobody knows: %v", err)
	}
}

func TestSequenceTypes(t *testing.T) {
	seq := func(fact string) op.Fact { return op.Fact{Type: graph.SequenceType(moveFact(fact).Type)} }
	opt := func(f op.Fact) op.Fact { return op.Fact{Type: graph.OptionalType(f.Type)} }
	body := func() *graph.Graph {
		f := newFlow(t)
		return f.out(f.node("Shape", nil, f.in("x", "?")))
	}
	for _, c := range []struct {
		op    string
		attrs []graph.Attr
		in    []op.Fact
		want  string
	}{
		{"SequenceConstruct", nil, moveFacts("float[2,3]", "float[2,4]"), "seq(tensor(float)[2,?])"},
		{"SequenceConstruct", nil, moveFacts("float[2,3]", "int64[2,4]"), "!"},
		{"SequenceEmpty", attrs("dtype", 7), nil, "seq(tensor(int64))"},
		{"SequenceEmpty", nil, nil, "seq(tensor(float))"},
		{"SequenceEmpty", attrs("dtype", 99), nil, "!"},
		{"SequenceInsert", nil, []op.Fact{seq("float[2]"), moveFact("float[N]")}, "seq(tensor(float)[?])"},
		{"SequenceInsert", nil, []op.Fact{seq("float[2]"), moveFact("int64[N]")}, "!"},
		{"SequenceErase", nil, []op.Fact{seq("float[2]")}, "seq(tensor(float)[2])"},
		{"SequenceAt", nil, []op.Fact{seq("float[N]"), moveFact("int64[]")}, "float[N]"},
		{"SequenceAt", nil, []op.Fact{seq("float[N]"), moveFact("int64[2]")}, "!"},
		{"SequenceLength", nil, []op.Fact{seq("float[N]")}, "int64[]"},
		{"SplitToSequence", nil, moveFacts("float[4,N]"), "seq(tensor(float)[1,N])"},
		{"SplitToSequence", attrs("keepdims", 0), moveFacts("float[4,N]"), "seq(tensor(float)[N])"},
		{"SplitToSequence", nil, moveFacts("float[4,N]", "int64[]=2"), "seq(tensor(float)[2,N])"},
		{"SplitToSequence", nil, moveFacts("float[4,N]", "int64[]=3"), "seq(tensor(float)[?,N])"},
		{"SplitToSequence", nil, moveFacts("float[4,N]", "int64[2]=2,1"), "!"},
		{"SplitToSequence", nil, moveFacts("float[4,N]", "int64[]=0"), "!"},
		{"ConcatFromSequence", attrs("axis", 0), []op.Fact{seq("float[2,N]")}, "float[?,N]"},
		{"ConcatFromSequence", attrs("axis", -1, "new_axis", 1), []op.Fact{seq("float[2,N]")}, "float[2,N,?]"},
		{"ConcatFromSequence", attrs("axis", 3, "new_axis", 1), []op.Fact{seq("float[2,N]")}, "!"},
		{"Optional", nil, moveFacts("float[2]"), "optional(tensor(float)[2])"},
		{"Optional", attrs("type", seq("float").Type), nil, "optional(seq(tensor(float)))"},
		{"Optional", nil, nil, "!"},
		{"OptionalGetElement", nil, []op.Fact{opt(moveFact("float[2]"))}, "float[2]"},
		{"OptionalGetElement", nil, []op.Fact{seq("float[2]")}, "seq(tensor(float)[2])"},
		{"OptionalHasElement", nil, []op.Fact{opt(seq("float[2]"))}, "bool[]"},
		{"OptionalHasElement", nil, nil, "bool[]"},
		{"SequenceMap", attrs("body", body()), []op.Fact{seq("float[2,N]")}, "seq(tensor(int64)[2])"},
		{"SequenceMap", attrs("body", body()), []op.Fact{seq("float[2,N]"), moveFact("float")}, "!"},
	} {
		got, err := inferMove(t, "", moveCase{op: c.op, opset: 18, attrs: c.attrs, in: c.in}, 1)
		switch {
		case c.want == "!" && err == nil:
			t.Errorf("%s of %v: no error, but %v", c.op, c.in, printFact(got[0]))
		case c.want == "!":
		case err != nil:
			t.Errorf("%s of %v: %v", c.op, c.in, err)
		case printFact(got[0]) != c.want:
			t.Errorf("%s of %v: got %s, want %s", c.op, c.in, printFact(got[0]), c.want)
		}
	}
}
