package cpu_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gort/ep"
	"gort/ep/cpu"
	"gort/graph"
	"gort/internal/engine"
	"gort/op"
	"gort/tensor"
)

// flow builds and runs small graphs.
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

func (f flow) value(t graph.Type) graph.ValueID {
	f.t.Helper()
	id, err := f.AddValue(fmt.Sprint("v", f.ValueBound()), t)
	f.must(err)
	return id
}

func (f flow) in() graph.ValueID {
	f.t.Helper()
	id := f.value(graph.Type{})
	f.must(f.AddInput(id))
	return id
}

func (f flow) constant(c *tensor.Tensor) graph.ValueID {
	f.t.Helper()
	id, err := f.AddConst(fmt.Sprint("c", f.ValueBound()), c)
	f.must(err)
	return id
}

func (f flow) node(name string, opset int, attrs []graph.Attr, outputs int, in ...graph.ValueID) []graph.ValueID {
	f.t.Helper()
	out := make([]graph.ValueID, outputs)
	for i := range out {
		out[i] = f.value(graph.Type{})
	}
	_, err := f.AddNode(graph.NodeSpec{Op: name, Opset: opset, Attrs: attrs, Inputs: in, Outputs: out})
	f.must(err)
	return out
}

// do adds a node of opset 18 with one output.
func (f flow) do(name string, in ...graph.ValueID) graph.ValueID {
	f.t.Helper()
	return f.node(name, 18, nil, 1, in...)[0]
}

func (f flow) out(ids ...graph.ValueID) *graph.Graph {
	f.t.Helper()
	for _, id := range ids {
		f.must(f.AddOutput(id))
	}
	return f.Graph
}

func pairs(list ...any) []graph.Attr {
	var out []graph.Attr
	for i := 0; i < len(list); i += 2 {
		out = append(out, graph.NewAttr(list[i].(string), list[i+1]))
	}
	return out
}

// runNode computes one node; nil inputs are omitted.
func runNode(t *testing.T, ctx context.Context, name string, opset int, attrs []graph.Attr, outputs int, in ...tensor.Value) ([]tensor.Value, error) {
	t.Helper()
	f := newFlow(t)
	ids := make([]graph.ValueID, len(in))
	for i, v := range in {
		if ids[i] = graph.NoValue; v != nil {
			ids[i] = f.in()
		}
	}
	var given []tensor.Value
	for _, v := range in {
		if v != nil {
			given = append(given, v)
		}
	}
	g := f.out(f.node(name, opset, attrs, outputs, ids...)...)
	p := cpu.New()
	if err := p.Open(ctx, ep.Config{Threads: 2}); err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	it := &engine.Interpreter{Provider: p, Env: &op.Env{Registry: op.Standard()}}
	return it.Run(ctx, g, given, nil)
}

func ints(v ...int64) *tensor.Tensor     { return tensor.Must(tensor.FromSlice(v)) }
func floats(v ...float32) *tensor.Tensor { return tensor.Must(tensor.FromSlice(v)) }

// show prints a value with its type, shape and elements.
func show(v tensor.Value) string {
	switch v := v.(type) {
	case *tensor.Sequence:
		parts := []string{}
		for _, e := range v.Items {
			parts = append(parts, show(e))
		}
		return "(" + strings.Join(parts, "; ") + ")"
	case *tensor.Optional:
		if v.Value == nil {
			return "none"
		}
		return "some " + show(v.Value)
	case *tensor.Tensor:
		v = v.Contiguous()
		elems := ""
		switch v.DType() {
		case tensor.String:
			elems = fmt.Sprintf("%q", tensor.Elements[string](v))
		case tensor.Bool:
			elems = fmt.Sprint(tensor.Elements[bool](v))
		default:
			f, err := tensor.Float64s(v)
			if err != nil {
				return err.Error()
			}
			elems = fmt.Sprint(f)
		}
		return v.String() + " " + elems
	}
	return "nothing"
}

func showAll(list []tensor.Value) string {
	parts := []string{}
	for _, v := range list {
		parts = append(parts, show(v))
	}
	return strings.Join(parts, " | ")
}

// nodeCase is one node with inputs, and what it gives, or ! and a part of the error.
type nodeCase struct {
	op      string
	opset   int
	attrs   []graph.Attr
	outputs int
	in      []tensor.Value
	want    string
}

func runNodeCases(t *testing.T, cases []nodeCase) {
	t.Helper()
	for _, c := range cases {
		got, err := runNode(t, t.Context(), c.op, c.opset, c.attrs, c.outputs, c.in...)
		part, failing := strings.CutPrefix(c.want, "!")
		switch {
		case failing && (err == nil || !strings.Contains(err.Error(), part)):
			t.Errorf("%s-%d of %s: error %v, want one with %q", c.op, c.opset, showAll(c.in), err, part)
		case failing:
		case err != nil:
			t.Errorf("%s-%d of %s: %v", c.op, c.opset, showAll(c.in), err)
		case showAll(got) != c.want:
			t.Errorf("%s-%d of %s: got %s, want %s", c.op, c.opset, showAll(c.in), showAll(got), c.want)
		}
	}
}

func values(list ...tensor.Value) []tensor.Value { return list }

// doubling carries x, gives x away, and goes on while i+1 < stop.
func doubling(t *testing.T, stop int64) *graph.Graph {
	f := newFlow(t)
	i, _, x := f.in(), f.in(), f.in()
	next := f.do("Add", i, f.constant(tensor.Scalar[int64](1)))
	return f.out(f.do("Less", next, f.constant(tensor.Scalar(stop))), f.do("Add", x, x), f.do("Identity", x))
}

// joining carries a vector that grows by itself.
func joining(t *testing.T) *graph.Graph {
	f := newFlow(t)
	_, cond, x := f.in(), f.in(), f.in()
	return f.out(cond, f.node("Concat", 13, pairs("axis", 0), 1, x, x)[0])
}

// declared is a body whose scan output is declared as int32[2,?].
func declared(t *testing.T) *graph.Graph {
	f := newFlow(t)
	_, cond := f.in(), f.in()
	c := f.constant(tensor.Must(tensor.New(tensor.Int32, 2, 3)))
	out := f.value(graph.TensorType(tensor.Int32, graph.ShapeOf(graph.Known(2), graph.Known(3))))
	_, err := f.AddNode(graph.NodeSpec{Op: "Identity", Opset: 18, Inputs: []graph.ValueID{c}, Outputs: []graph.ValueID{out}})
	f.must(err)
	return f.out(cond, out)
}

// collecting carries a sequence and appends the iteration number.
func collecting(t *testing.T) *graph.Graph {
	f := newFlow(t)
	i, cond, s := f.in(), f.in(), f.in()
	return f.out(cond, f.do("SequenceInsert", s, i))
}

func TestLoop(t *testing.T) {
	m, yes, no := func(n int64) tensor.Value { return tensor.Scalar(n) }, tensor.Scalar(true), tensor.Scalar(false)
	runNodeCases(t, []nodeCase{
		{"Loop", 16, pairs("body", doubling(t, 100)), 2, values(m(3), yes, floats(1, 2)), "float32 2 [8 16] | float32 3x2 [1 2 2 4 4 8]"},
		{"Loop", 16, pairs("body", doubling(t, 100)), 2, values(m(3), nil, floats(1, 2)), "float32 2 [8 16] | float32 3x2 [1 2 2 4 4 8]"},
		{"Loop", 16, pairs("body", doubling(t, 2)), 2, values(m(9), nil, floats(1)), "float32 1 [4] | float32 2x1 [1 2]"},
		{"Loop", 16, pairs("body", doubling(t, 2)), 2, values(nil, nil, floats(1)), "float32 1 [4] | float32 2x1 [1 2]"},
		{"Loop", 16, pairs("body", doubling(t, 2)), 2, values(m(math.MaxInt64), tensor.Must(tensor.FromSlice([]bool{true})), floats(1)), "float32 1 [4] | float32 2x1 [1 2]"},
		{"Loop", 16, pairs("body", doubling(t, 2)), 2, values(nil, no, floats(1, 5)), "float32 2 [1 5] | float32 0x2 []"},
		{"Loop", 16, pairs("body", doubling(t, 2)), 2, values(m(0), yes, floats(1, 5)), "float32 2 [1 5] | float32 0x2 []"},
		{"Loop", 16, pairs("body", doubling(t, 2)), 2, values(m(-7), yes, floats(1, 5)), "float32 2 [1 5] | float32 0x2 []"},
		{"Loop", 16, pairs("body", doubling(t, 2)), 1, values(m(1), yes, floats(1, 5)), "float32 2 [2 10]"},
		{"Loop", 16, pairs("body", joining(t)), 1, values(m(2), nil, floats(1, 2)), "float32 8 [1 2 1 2 1 2 1 2]"},
		{"Loop", 16, pairs("body", declared(t)), 1, values(m(0), nil), "int32 0x2x3 []"},
		{"Loop", 16, pairs("body", declared(t)), 1, values(m(1), nil), "int32 1x2x3 [0 0 0 0 0 0]"},
		{"Loop", 16, pairs("body", collecting(t)), 1, values(m(3), nil, &tensor.Sequence{Elem: tensor.TensorOf(tensor.Int64)}), "(int64 scalar [0]; int64 scalar [1]; int64 scalar [2])"},
	})
}

// A scan output must not change its shape.
func TestLoopScanOutputChanges(t *testing.T) {
	f := newFlow(t)
	_, cond, x := f.in(), f.in(), f.in()
	body := f.out(cond, f.node("Concat", 13, pairs("axis", 0), 1, x, x)[0], f.do("Identity", x))
	runNodeCases(t, []nodeCase{
		{"Loop", 16, pairs("body", body), 2, values(tensor.Scalar[int64](1), nil, floats(1)), "float32 2 [1 1] | float32 1x1 [1]"},
		{"Loop", 16, pairs("body", body), 2, values(tensor.Scalar[int64](2), nil, floats(1)), "!iteration 1: scan output 0"},
	})
}

func TestLoopWithoutEndIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := newFlow(t)
	_, cond := f.in(), f.in()
	body := f.out(f.do("Identity", cond), f.do("Identity", cond))
	go cancel()
	if _, err := runNode(t, ctx, "Loop", 16, pairs("body", body), 1, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

// accumulating adds each element to a sum and gives both away.
func accumulating(t *testing.T) *graph.Graph {
	f := newFlow(t)
	s, x := f.in(), f.in()
	sum := f.do("Add", s, x)
	return f.out(sum, f.do("Identity", sum))
}

func TestScan(t *testing.T) {
	x := tensor.Must(tensor.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 3, 2))
	zero := floats(0, 0)
	scan := func(more ...any) []graph.Attr {
		return pairs(append([]any{"body", accumulating(t), "num_scan_inputs", 1}, more...)...)
	}
	runNodeCases(t, []nodeCase{
		{"Scan", 11, scan(), 2, values(zero, x), "float32 2 [9 12] | float32 3x2 [1 2 4 6 9 12]"},
		{"Scan", 9, scan("scan_input_directions", []int{1}), 2, values(zero, x), "float32 2 [9 12] | float32 3x2 [5 6 8 10 9 12]"},
		{"Scan", 11, scan("scan_output_directions", []int{1}), 2, values(zero, x), "float32 2 [9 12] | float32 3x2 [9 12 4 6 1 2]"},
		{"Scan", 11, scan("scan_output_axes", []int{-1}), 2, values(zero, x), "float32 2 [9 12] | float32 2x3 [1 4 9 2 6 12]"},
		{"Scan", 11, scan("scan_input_axes", []int{1}), 2, values(floats(0, 0, 0), x), "float32 3 [3 7 11] | float32 2x3 [1 3 5 3 7 11]"},
		{"Scan", 11, scan("scan_input_axes", []int{-1}, "scan_output_axes", []int{1}, "scan_output_directions", []int{1}), 2, values(floats(0, 0, 0), x), "float32 3 [3 7 11] | float32 3x2 [3 1 7 3 11 5]"},
		{"Scan", 11, scan(), 2, values(zero, tensor.Must(tensor.New(tensor.Float32, 0, 2))), "float32 2 [0 0] | float32 0x2 []"},
		{"Scan", 11, scan(), 1, values(zero, x), "float32 2 [9 12]"},
	})
}

// Version 8 scans each element of a batch for itself.
func TestScan8(t *testing.T) {
	x := tensor.Must(tensor.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3, 1))
	zero := tensor.Must(tensor.New(tensor.Float32, 2, 1))
	scan := func(more ...any) []graph.Attr {
		return pairs(append([]any{"body", accumulating(t), "num_scan_inputs", 1}, more...)...)
	}
	runNodeCases(t, []nodeCase{
		{"Scan", 8, scan(), 2, values(nil, zero, x), "float32 2x1 [6 15] | float32 2x3x1 [1 3 6 4 9 15]"},
		{"Scan", 8, scan(), 2, values(ints(2, 0), zero, x), "float32 2x1 [3 0] | float32 2x3x1 [1 3 0 0 0 0]"},
		{"Scan", 8, scan("directions", []int{1}), 2, values(ints(3, 2), zero, x), "float32 2x1 [6 9] | float32 2x3x1 [3 5 6 5 9 0]"},
		{"Scan", 8, scan(), 2, values(ints(4, 0), zero, x), "!sequence_lens[0] is 4"},
		{"Scan", 8, scan(), 2, values(nil, tensor.Must(tensor.New(tensor.Float32, 0, 1)), tensor.Must(tensor.New(tensor.Float32, 0, 3, 1))), "float32 0x1 [] | float32 0x3x1 []"},
	})
}

func TestIf(t *testing.T) {
	give := func(c *tensor.Tensor) *graph.Graph {
		f := newFlow(t)
		return f.out(f.do("Identity", f.constant(c)))
	}
	then, other := give(floats(1)), give(floats(2, 3))
	for _, attrs := range [][]graph.Attr{pairs("then_branch", then, "else_branch", other), pairs("else_branch", other, "then_branch", then)} {
		runNodeCases(t, []nodeCase{
			{"If", 16, attrs, 1, values(tensor.Scalar(true)), "float32 1 [1]"},
			{"If", 16, attrs, 1, values(tensor.Scalar(false)), "float32 2 [2 3]"},
			{"If", 1, attrs, 1, values(tensor.Must(tensor.FromSlice([]bool{true}))), "float32 1 [1]"},
		})
	}
}
