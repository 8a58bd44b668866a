package onnx

import (
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"gort/graph"
	"gort/internal/onnxpb"
	"gort/tensor"
)

// The functions below write test models in few words.

func model(g *onnxpb.GraphProto, fs ...*onnxpb.FunctionProto) *onnxpb.ModelProto {
	return &onnxpb.ModelProto{IrVersion: new(int64(10)), Graph: g, Functions: fs, OpsetImport: imports("", 20, "local", 1)}
}

func imports(pairs ...any) []*onnxpb.OperatorSetIdProto {
	var out []*onnxpb.OperatorSetIdProto
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, &onnxpb.OperatorSetIdProto{Domain: new(pairs[i].(string)), Version: new(int64(pairs[i+1].(int)))})
	}
	return out
}

// node reads "Op a b > c d".
func node(s string, attrs ...*onnxpb.AttributeProto) *onnxpb.NodeProto {
	left, right, _ := strings.Cut(s, ">")
	in := strings.Fields(left)
	domain, op, ok := strings.Cut(in[0], ".")
	if !ok {
		domain, op = "", in[0]
	}
	n := &onnxpb.NodeProto{OpType: new(op), Input: in[1:], Output: strings.Fields(right), Attribute: attrs}
	if domain != "" {
		n.Domain = new(domain)
	}
	return n
}

func graphAttr(name string, g *onnxpb.GraphProto) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: &name, Type: onnxpb.AttributeProto_GRAPH.Enum(), G: g}
}

func gr(name string, in, out string, nodes ...*onnxpb.NodeProto) *onnxpb.GraphProto {
	g := &onnxpb.GraphProto{Name: &name, Node: nodes}
	for _, s := range strings.Fields(in) {
		g.Input = append(g.Input, valueInfo(s, graph.TensorType(tensor.Float32, graph.OfRank(1))))
	}
	for _, s := range strings.Fields(out) {
		g.Output = append(g.Output, valueInfo(s, graph.Type{}))
	}
	return g
}

func floats(name string, v ...float32) *onnxpb.TensorProto {
	p := tensor.ToProto(tensor.Must(tensor.FromSlice(v)))
	p.Name = &name
	return p
}

func marshal(t testing.TB, m proto.Message) []byte {
	t.Helper()
	data, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// load takes a model through its wire form.
func load(t testing.TB, m *onnxpb.ModelProto, opts ...Option) (*graph.Model, error) {
	t.Helper()
	parsed, err := Parse(marshal(t, m), opts...)
	if err != nil {
		return nil, err
	}
	g, err := parsed.Graph()
	if err != nil {
		return nil, err
	}
	if err := g.Validate(); err != nil {
		t.Fatalf("the built graph is broken: %v", err)
	}
	made, err := FromGraph(g)
	if err != nil {
		t.Fatal(err)
	}
	back, err := rewrite(t, made).Graph()
	if err != nil {
		t.Fatal(err)
	}
	if err := back.Validate(); err != nil {
		t.Fatal(err)
	}
	return g, nil
}

func mustLoad(t testing.TB, m *onnxpb.ModelProto, opts ...Option) *graph.Model {
	t.Helper()
	g, err := load(t, m, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestCapturesThreadThroughEveryLevel(t *testing.T) {
	inner := gr("inner", "", "r", node("Add x w > r"))
	middle := gr("middle", "", "q", node("If cond > q", graphAttr("then_branch", inner)))
	main := gr("main", "x cond", "y", node("If cond > y", graphAttr("then_branch", middle)))
	main.Initializer = append(main.Initializer, floats("w", 1, 2))
	m := mustLoad(t, model(main))

	owner := m.Graph.Node(0)
	var outer []string
	for _, id := range owner.Implicit() {
		outer = append(outer, m.Graph.Value(id).Name)
	}
	if strings.Join(outer, " ") != "cond x w" {
		t.Errorf("the outer node captures %v", outer)
	}
	mid := owner.Subgraphs()[0]
	if len(mid.Captures) != 3 || len(mid.Node(0).Implicit()) != 2 {
		t.Errorf("the middle graph captures %v and its node reads %v", mid.Captures, mid.Node(0).Implicit())
	}
	in := mid.Node(0).Subgraphs()[0]
	if len(in.Captures) != 2 || in.Value(in.Captures[0].Inner).Name != "x" {
		t.Errorf("the inner graph captures %v", in.Captures)
	}
}

func TestInnerNamesHideOuterOnes(t *testing.T) {
	// "x" is defined inside after a node reads it: it is the inner one all the same.
	body := gr("body", "", "r", node("Neg x > r"), node("Abs w > x"))
	m := mustLoad(t, model(gr("main", "x w", "y", node("If x > y", graphAttr("then_branch", body)))))
	b := m.Graph.Node(0).Subgraphs()[0]
	if len(b.Captures) != 1 || b.Value(b.Captures[0].Inner).Name != "w" {
		t.Errorf("captures %v, want w alone", b.Captures)
	}
}

func TestWritingRenamesWhatWouldHideACapture(t *testing.T) {
	body := gr("body", "", "r", node("Neg x > r"))
	m := mustLoad(t, model(gr("main", "x", "y", node("If x > y", graphAttr("then_branch", body)))))
	// After this edit the body's own "r" bears the name of what it captures.
	x, _ := m.Graph.Lookup("x")
	if err := m.Graph.Rename(x, "r"); err != nil {
		t.Fatal(err)
	}
	made, err := FromGraph(m)
	if err != nil {
		t.Fatal(err)
	}
	back, err := rewrite(t, made).Graph()
	if err != nil {
		t.Fatal(err)
	}
	b := back.Graph.Node(0).Subgraphs()[0]
	if len(b.Captures) != 1 || b.Node(0).Inputs()[0] != b.Captures[0].Inner {
		t.Errorf("the body no longer reads its capture:\n%s", dumpModel(back))
	}
}

func TestDirectOutputOfACapture(t *testing.T) {
	m := mustLoad(t, model(gr("main", "x", "y", node("If x > y", graphAttr("then_branch", gr("body", "", "x"))))))
	b := m.Graph.Node(0).Subgraphs()[0]
	if len(b.Captures) != 1 || b.Outputs()[0] != b.Captures[0].Inner {
		t.Error("an outer value that is an output of a subgraph is a capture")
	}
}

func TestNodesOutOfOrder(t *testing.T) {
	m := mustLoad(t, model(gr("main", "x", "z", node("Neg y > z"), node("Abs x > y"))))
	order, err := m.Graph.Order()
	if err != nil || m.Graph.Node(order[0]).Op != "Abs" {
		t.Errorf("order %v, %v", order, err)
	}
}

func TestInitializersAndInputs(t *testing.T) {
	main := gr("main", "x w", "y", node("Add x w > y"))
	main.Initializer = append(main.Initializer, floats("w", 1, 2))
	p := model(main)
	m := mustLoad(t, p)
	id, _ := m.Graph.Lookup("w")
	if w := m.Graph.Value(id); !w.IsInput() || w.Const == nil || w.IsConstant() || w.Type.String() != "tensor(float)[?]" {
		t.Errorf("from IR version 4 on, w is a default: input %v, const %v, type %v", w.IsInput(), w.Const, w.Type)
	}
	p.IrVersion = new(int64(3))
	m = mustLoad(t, p)
	id, _ = m.Graph.Lookup("w")
	if w := m.Graph.Value(id); w.IsInput() || !w.IsConstant() || len(m.Graph.Inputs()) != 1 {
		t.Errorf("before IR version 4, w is a constant")
	}
}

func TestSparseInitializer(t *testing.T) {
	main := gr("main", "x", "y", node("Add x s > y"))
	idx := tensor.ToProto(tensor.Must(tensor.FromSlice([]int64{1, 3})))
	main.SparseInitializer = []*onnxpb.SparseTensorProto{{Values: floats("s", 5, 7), Indices: idx, Dims: []int64{4}}}
	m := mustLoad(t, model(main))
	id, _ := m.Graph.Lookup("s")
	if got := tensor.Elements[float32](m.Graph.Value(id).Const); got[0] != 0 || got[1] != 5 || got[3] != 7 {
		t.Errorf("dense values %v", got)
	}
	main.SparseInitializer[0].Dims = []int64{1 << 40}
	var limit *LimitError
	if _, err := load(t, model(main)); !errors.As(err, &limit) || limit.What != "MaxDenseBytes" {
		t.Errorf("a huge sparse initializer gives %v", err)
	}
}

func TestFunctions(t *testing.T) {
	alpha := &onnxpb.AttributeProto{Name: new("alpha"), Type: onnxpb.AttributeProto_FLOAT.Enum(), RefAttrName: new("slope")}
	f := &onnxpb.FunctionProto{
		Name: new("F"), Domain: new("local"), Overload: new("v1"), Input: []string{"a"}, Output: []string{"b"}, Attribute: []string{"slope"},
		AttributeProto: []*onnxpb.AttributeProto{{Name: new("beta"), Type: onnxpb.AttributeProto_INT.Enum(), I: new(int64(7))}},
		OpsetImport:    imports("ai.onnx", 18), Node: []*onnxpb.NodeProto{node("LeakyRelu a > b", alpha)},
	}
	call := node("local.F x > y")
	call.Overload = new("v1")
	m := mustLoad(t, model(gr("main", "x", "y", call), f))
	fn := m.Callee(m.Graph.Node(0))
	if fn == nil || fn.Graph.Node(0).Opset != 18 || len(fn.Defaults) != 1 || fn.Graph.Node(0).Attrs[0].Ref != "slope" {
		t.Fatalf("function %+v", fn)
	}
	// Without an import of the function's domain the call is still understood.
	p := model(gr("main", "x", "y", call), f)
	p.OpsetImport = imports("", 20)
	mustLoad(t, p)

	f.Node = append(f.Node, &onnxpb.NodeProto{OpType: new("F"), Domain: new("local"), Overload: new("v1"), Input: []string{"a"}})
	var ring *graph.RecursionError
	if _, err := load(t, model(gr("main", "x", "y", call), f)); !errors.As(err, &ring) {
		t.Errorf("a function that calls itself gives %v", err)
	}
}

func TestDefectiveModels(t *testing.T) {
	ref := &onnxpb.AttributeProto{Name: new("a"), Type: onnxpb.AttributeProto_INT.Enum(), RefAttrName: new("b")}
	twice := &onnxpb.AttributeProto{Name: new("a"), Type: onnxpb.AttributeProto_INT.Enum()}
	empty := &onnxpb.AttributeProto{Name: new("a"), Type: onnxpb.AttributeProto_TENSOR.Enum()}
	strange := &onnxpb.AttributeProto{Name: new("a"), Type: onnxpb.AttributeProto_AttributeType(99).Enum()}
	edit := func(f func(p *onnxpb.ModelProto)) *onnxpb.ModelProto {
		p := model(gr("main", "x", "y", node("Neg x > y")))
		f(p)
		return p
	}
	for _, c := range []struct {
		name string
		p    *onnxpb.ModelProto
		kind error
		want string
	}{
		{"undefined input", model(gr("main", "x", "y", node("Neg nope > y"))), ErrName, `"nope", is not defined`},
		{"undefined output", model(gr("main", "x", "z", node("Neg x > y"))), ErrName, `output "z" is made by no node`},
		{"made twice", model(gr("main", "x", "y", node("Neg x > y"), node("Abs x > y"))), ErrName, `"y" is already`},
		{"made twice by one node", model(gr("main", "x", "y", node("Split x > y y"))), ErrName, `"y" is already`},
		{"makes an input", model(gr("main", "x", "x", node("Neg x > x"))), ErrName, `"x" is already`},
		{"inputs alike", model(gr("main", "x x", "y", node("Neg x > y"))), ErrName, `two inputs are named "x"`},
		{"initializers alike", edit(func(p *onnxpb.ModelProto) {
			p.Graph.Initializer = []*onnxpb.TensorProto{floats("w"), floats("w")}
		}), ErrName, `two initializers are named "w"`},
		{"initializer unnamed", edit(func(p *onnxpb.ModelProto) { p.Graph.Initializer = []*onnxpb.TensorProto{floats("")} }), ErrName, "has no name"},
		{"no operator", edit(func(p *onnxpb.ModelProto) { p.Graph.Node[0].OpType = nil }), ErrName, "no operator"},
		{"not imported", edit(func(p *onnxpb.ModelProto) { p.Graph.Node[0].Domain = new("com.other") }), ErrOpset, `"com.other", which is not imported`},
		{"imported twice", edit(func(p *onnxpb.ModelProto) { p.OpsetImport = imports("", 20, "ai.onnx", 19) }), ErrOpset, "versions 20 and 19 of ai.onnx"},
		{"import of nothing", edit(func(p *onnxpb.ModelProto) { p.OpsetImport = imports("", 0) }), ErrOpset, "version 0"},
		{"IR version newer", edit(func(p *onnxpb.ModelProto) { p.IrVersion = new(int64(99)) }), ErrVersion, "IR version 99 is newer"},
		{"IR version missing", edit(func(p *onnxpb.ModelProto) { p.IrVersion = nil }), ErrVersion, "IR version is 0"},
		{"no graph", edit(func(p *onnxpb.ModelProto) { p.Graph = nil }), ErrTruncated, "no graph"},
		{"attribute twice", edit(func(p *onnxpb.ModelProto) { p.Graph.Node[0].Attribute = []*onnxpb.AttributeProto{twice, twice} }), ErrName, "given twice"},
		{"attribute without tensor", edit(func(p *onnxpb.ModelProto) { p.Graph.Node[0].Attribute = []*onnxpb.AttributeProto{empty} }), ErrType, "without a value"},
		{"attribute of unknown type", edit(func(p *onnxpb.ModelProto) { p.Graph.Node[0].Attribute = []*onnxpb.AttributeProto{strange} }), ErrType, "type 99"},
		{"function attribute twice", model(gr("main", "x", "y", node("Neg x > y")), &onnxpb.FunctionProto{Name: new("F"), Domain: new("local"), Attribute: []string{"a"}, AttributeProto: []*onnxpb.AttributeProto{twice}}), ErrName, `attribute "a" is listed twice`},
		{"function attribute unnamed", model(gr("main", "x", "y", node("Neg x > y")), &onnxpb.FunctionProto{Name: new("F"), Domain: new("local"), Attribute: []string{""}}), ErrName, "no name"},
		{"reference outside", edit(func(p *onnxpb.ModelProto) { p.Graph.Node[0].Attribute = []*onnxpb.AttributeProto{ref} }), ErrName, "the node is in none"},
		{"element type", edit(func(p *onnxpb.ModelProto) {
			p.Graph.Input[0].Type.GetTensorType().ElemType = new(int32(77))
		}), ErrType, "element type 77"},
		{"default of another type", edit(func(p *onnxpb.ModelProto) {
			p.Graph.Initializer = []*onnxpb.TensorProto{tensor.ToProto(tensor.Must(tensor.FromSlice([]int64{1})))}
			p.Graph.Initializer[0].Name = new("x")
		}), ErrType, "its initializer is tensor(int64)"},
		{"bytes missing", edit(func(p *onnxpb.ModelProto) {
			w := floats("w", 1, 2)
			w.Dims = []int64{3}
			p.Graph.Initializer = []*onnxpb.TensorProto{w}
		}), ErrTensor, "raw_data has 8 bytes, the shape needs 12"},
		{"huge shape", edit(func(p *onnxpb.ModelProto) {
			w := floats("w", 1, 2)
			w.Dims = []int64{1 << 62, 1 << 62}
			p.Graph.Initializer = []*onnxpb.TensorProto{w}
		}), ErrTensor, "more elements than memory can hold"},
		{"negative shape", edit(func(p *onnxpb.ModelProto) {
			w := floats("w", 1, 2)
			w.Dims = []int64{-2}
			p.Graph.Initializer = []*onnxpb.TensorProto{w}
		}), ErrTensor, "size -2"},
		{"segment", edit(func(p *onnxpb.ModelProto) {
			w := floats("w", 1, 2)
			w.Segment = &onnxpb.TensorProto_Segment{Begin: new(int64(0))}
			p.Graph.Initializer = []*onnxpb.TensorProto{w}
		}), ErrTensor, "segment"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := load(t, c.p)
			var format *FormatError
			if !errors.As(err, &format) || !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want a *FormatError of kind %q saying %q", err, c.kind, c.want)
			}
		})
	}
	var cycle *graph.CycleError
	if _, err := load(t, model(gr("main", "x", "a", node("Add x b > a"), node("Neg a > b")))); !errors.As(err, &cycle) {
		t.Errorf("a cycle gives %v", err)
	}
}

func TestOldFiles(t *testing.T) {
	// Attributes without a type, and IR version 1 without imports.
	p := &onnxpb.ModelProto{IrVersion: new(int64(1)), Graph: gr("main", "x", "y", node("Foo x > y", &onnxpb.AttributeProto{Name: new("a"), I: new(int64(3))}))}
	m := mustLoad(t, p)
	if n := m.Graph.Node(0); n.Opset != 1 || n.Attrs[0].Value != int64(3) {
		t.Errorf("opset %d, attributes %v", n.Opset, n.Attrs)
	}
}

func TestContradictingShapes(t *testing.T) {
	p := model(gr("main", "x", "y", node("Neg x > y")))
	p.Graph.ValueInfo = []*onnxpb.ValueInfoProto{valueInfo("y", graph.TensorType(tensor.Float32, graph.Fixed(2)))}
	p.Graph.Output[0] = valueInfo("y", graph.TensorType(tensor.Float32, graph.Fixed(3)))
	m := mustLoad(t, p)
	if got := m.Graph.Value(m.Graph.Outputs()[0]).Type.String(); got != "tensor(float)[3]" {
		t.Errorf("got %s: what the output declares counts", got)
	}
	p.Graph.Output[0] = valueInfo("y", graph.TensorType(tensor.Int64, graph.Shape{}))
	if _, err := load(t, p); !errors.Is(err, ErrType) {
		t.Errorf("two element types give %v", err)
	}
}
