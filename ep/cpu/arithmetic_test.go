package cpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gort/ep"
	"gort/graph"
	"gort/internal/kernel/elementwise"
	"gort/op"
	"gort/tensor"
)

// nodeTest is one node to run: an operator of an opset on inputs of which nil
// ones are omitted.
type nodeTest struct {
	domain  string // ai.onnx when empty
	op      string
	opset   int
	attrs   []graph.Attr
	in      []*tensor.Tensor
	outputs int // 1 when 0
}

// heap gives kernels their outputs.
type heap struct{ inv ep.Invocation }

func (h *heap) AllocateOutput(i int, d tensor.DType, shape tensor.Shape) (*ep.Arg, error) {
	t, err := tensor.New(d, shape...)
	if err != nil {
		return nil, err
	}
	if b, err := t.Bytes(); err == nil {
		for k := range b {
			b[k] = 0xcb // memory is not zeroed in general
		}
	}
	h.inv.Outputs[i] = ep.Arg{DType: d, Shape: shape, Value: t}
	return &h.inv.Outputs[i], nil
}

func (h *heap) SetOutput(i int, v tensor.Value) error {
	h.inv.Outputs[i] = ep.Arg{Value: v}
	return nil
}

// run computes the node with the CPU provider's kernel.
func (n nodeTest) run(t *testing.T) ([]*tensor.Tensor, error) {
	t.Helper()
	g := graph.New("g")
	n.outputs = max(n.outputs, 1)
	spec := graph.NodeSpec{Domain: n.domain, Op: n.op, Opset: n.opset, Attrs: n.attrs}
	in := make([]op.Fact, len(n.in))
	for i, v := range n.in {
		if v == nil {
			spec.Inputs = append(spec.Inputs, graph.NoValue)
			continue
		}
		in[i] = op.FactOf(v)
		spec.Inputs = append(spec.Inputs, g.NewValue(in[i].Type))
	}
	for range n.outputs {
		spec.Outputs = append(spec.Outputs, g.NewValue(graph.Type{}))
	}
	id, err := g.AddNode(spec)
	if err != nil {
		t.Fatal(err)
	}
	node, out := g.Node(id), make([]op.Fact, n.outputs)
	env := &op.Env{Registry: op.Standard()}
	def, err := env.Lookup(node)
	if err != nil {
		return nil, err
	}
	if err := env.NodeDef(def, node, in, nil, out); err != nil {
		return nil, err
	}
	q := &ep.Query{Node: node, Def: def, Opset: n.opset}
	h := &heap{}
	for i, f := range in {
		q.Inputs = append(q.Inputs, ep.Operand{Present: n.in[i] != nil, Type: f.Type})
		arg := ep.Arg{}
		if n.in[i] != nil {
			arg = ep.Arg{DType: n.in[i].DType(), Shape: n.in[i].Shape(), Value: n.in[i]}
		}
		h.inv.Inputs = append(h.inv.Inputs, arg)
	}
	h.inv.Alloc, h.inv.Outputs = h, make([]ep.Arg, n.outputs)
	for i, f := range out {
		q.Outputs = append(q.Outputs, ep.Operand{Present: true, Type: f.Type})
		h.inv.Wanted = append(h.inv.Wanted, true)
		if s, ok := f.Type.Shape.Concrete(); ok && !def.DataDependent {
			if _, err := h.AllocateOutput(i, f.Type.DType, s); err != nil {
				return nil, err
			}
		}
	}
	p := New()
	if m := p.Supports(q); !m.Supported {
		return nil, fmt.Errorf("not supported: %s", m.Reason)
	}
	k, err := p.Kernel(q)
	if err != nil {
		return nil, err
	}
	if s, ok := k.(ep.Scratcher); ok {
		shapes := make([]tensor.Shape, len(in))
		for i, v := range n.in {
			if v != nil {
				shapes[i] = v.Shape()
			}
		}
		h.inv.Scratch = ep.Arg{Value: tensor.Must(tensor.New(tensor.Uint8, s.Scratch(shapes)))}
	}
	if err := k.Run(context.Background(), &h.inv); err != nil {
		return nil, err
	}
	res := make([]*tensor.Tensor, n.outputs)
	for i := range res {
		res[i] = h.inv.Out(i)
	}
	return res, nil
}

// one runs the node, which must succeed, and returns its first output.
func (n nodeTest) one(t *testing.T) *tensor.Tensor {
	t.Helper()
	out, err := n.run(t)
	if err != nil {
		t.Fatalf("%s-%d: %v", n.op, n.opset, err)
	}
	return out[0]
}

func vec[T tensor.Element](v ...T) *tensor.Tensor { return tensor.Must(tensor.FromSlice(v)) }

func mat[T tensor.Element](v []T, shape ...int) *tensor.Tensor {
	return tensor.Must(tensor.FromSlice(v, shape...))
}

// numbersOf makes a tensor of a type from numbers that fit it.
func numbersOf(d tensor.DType, v []float64, shape ...int) *tensor.Tensor {
	return tensor.Must(tensor.Convert(mat(v, shape...), d, tensor.ConvertOptions{}))
}

// spacing is the distance of neighbouring numbers of a type near 1.
var spacing = map[tensor.DType]float64{tensor.Float64: 0x1p-52, tensor.Float32: 0x1p-23, tensor.Float16: 0x1p-10, tensor.BFloat16: 0x1p-7}

// elementwiseOps are the operators on numbers by how many operands they take,
// with what their element is, in float64.
var elementwiseOps = []struct {
	op    string
	opset int
	attrs []graph.Attr
	f     func(a, b float64) float64 // b is a when there is one operand
	n     int
}{
	{"Add", 14, nil, func(a, b float64) float64 { return a + b }, 2},
	{"Sub", 14, nil, func(a, b float64) float64 { return a - b }, 2},
	{"Mul", 14, nil, func(a, b float64) float64 { return a * b }, 2},
	{"Div", 14, nil, func(a, b float64) float64 { return a / b }, 2},
	{"Mod", 13, []graph.Attr{graph.NewAttr("fmod", int64(1))}, math.Mod, 2},
	{"Pow", 15, nil, math.Pow, 2},
	{"Max", 13, nil, math.Max, 2},
	{"Min", 13, nil, math.Min, 2},
	{"Sum", 13, nil, func(a, b float64) float64 { return a + b }, 2},
	{"Mean", 13, nil, func(a, b float64) float64 { return (a + b) / 2 }, 2},
	{"Abs", 13, nil, func(a, _ float64) float64 { return math.Abs(a) }, 1},
	{"Neg", 13, nil, func(a, _ float64) float64 { return -a }, 1},
	{"Sign", 13, nil, func(a, _ float64) float64 { return 1 }, 1},
	{"Erf", 9, nil, func(a, _ float64) float64 { return math.Erf(a) }, 1},
	{"Exp", 13, nil, func(a, _ float64) float64 { return math.Exp(a) }, 1},
	{"Log", 13, nil, func(a, _ float64) float64 { return math.Log(a) }, 1},
	{"Sqrt", 13, nil, func(a, _ float64) float64 { return math.Sqrt(a) }, 1},
	{"Reciprocal", 13, nil, func(a, _ float64) float64 { return 1 / a }, 1},
	{"Floor", 13, nil, func(a, _ float64) float64 { return math.Floor(a) }, 1},
	{"Ceil", 13, nil, func(a, _ float64) float64 { return math.Ceil(a) }, 1},
	{"Round", 22, nil, func(a, _ float64) float64 { return math.RoundToEven(a) }, 1},
	{"Cos", 22, nil, func(a, _ float64) float64 { return math.Cos(a) }, 1},
	{"Atan", 22, nil, func(a, _ float64) float64 { return math.Atan(a) }, 1},
	{"Tanh", 13, nil, func(a, _ float64) float64 { return math.Tanh(a) }, 1},
	{"Sigmoid", 13, nil, func(a, _ float64) float64 { return 1 / (1 + math.Exp(-a)) }, 1},
	{"Relu", 14, nil, func(a, _ float64) float64 { return math.Max(a, 0) }, 1},
	{"LeakyRelu", 16, nil, func(a, _ float64) float64 { return a }, 1},
	{"HardSigmoid", 22, nil, func(a, _ float64) float64 { return math.Min(1, float64(float32(0.2))*a+0.5) }, 1},
	{"HardSwish", 22, nil, func(a, _ float64) float64 { return a * math.Min(1, a/6+0.5) }, 1},
	{"Gelu", 20, nil, func(a, _ float64) float64 { return a / 2 * (1 + math.Erf(a/math.Sqrt2)) }, 1},
	{"Shrink", 9, []graph.Attr{graph.NewAttr("bias", float32(1))}, func(a, _ float64) float64 { return a - 1 }, 1},
	{"PRelu", 16, nil, func(a, _ float64) float64 { return a }, 2},
}

// TestEveryType runs each operator on small positive numbers in every type that
// its definition allows: all must be supported and agree with the formula.
func TestEveryType(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	a, b := make([]float64, 6), make([]float64, 3)
	for _, c := range elementwiseOps {
		def, err := op.Standard().Lookup("", c.op, c.opset)
		if err != nil {
			t.Fatal(err)
		}
		sig := def.Signature()
		set := sig.Types[sig.Inputs[0].Type].Tensor
		for _, d := range set.List() {
			for i := range a {
				a[i] = float64(r.IntN(5) + 2)
			}
			for i := range b {
				b[i] = float64(r.IntN(2) + 1)
			}
			in := []*tensor.Tensor{numbersOf(d, a, 2, 3)}
			if c.n == 2 {
				in = append(in, numbersOf(d, b, 3))
			}
			got, err := tensor.Float64s(nodeTest{op: c.op, opset: c.opset, attrs: c.attrs, in: in}.one(t))
			if err != nil {
				t.Fatal(err)
			}
			for i := range got {
				want := c.f(a[i], b[i%3])
				eps, isFloat := spacing[d]
				if !isFloat {
					want = math.Trunc(want)
				}
				if math.Abs(got[i]-want) > 4*eps*(1+math.Abs(want)) {
					t.Errorf("%s %v of %v and %v is %v, want %v", c.op, d, a[i], b[i%3], got[i], want)
				}
			}
		}
	}
}

func wantTensor(t *testing.T, name string, got, want *tensor.Tensor) {
	t.Helper()
	if err := tensor.Compare(got, want, 0, 0); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

func TestDivisionByZero(t *testing.T) {
	for _, c := range []struct {
		op    string
		attrs []graph.Attr
	}{{"Div", nil}, {"Mod", nil}, {"Mod", []graph.Attr{graph.NewAttr("fmod", int64(1))}}} {
		_, err := nodeTest{op: c.op, opset: 14, attrs: c.attrs, in: []*tensor.Tensor{vec[int32](1, 2), vec[int32](1, 0)}}.run(t)
		if !errors.Is(err, elementwise.ErrDivideByZero) {
			t.Errorf("integer %s by 0: %v", c.op, err)
		}
	}
	got := nodeTest{op: "Div", opset: 14, in: []*tensor.Tensor{vec[int64](math.MinInt64, -7, 7), vec[int64](-1, 2, -2)}}.one(t)
	wantTensor(t, "Div", got, vec[int64](math.MinInt64, -3, -3))
	empty := tensor.Must(tensor.New(tensor.Int32, 0))
	if _, err := (nodeTest{op: "Div", opset: 14, in: []*tensor.Tensor{empty, vec[int32](0)}}).run(t); err != nil {
		t.Errorf("nothing divided by 0: %v", err)
	}
}

func TestLegacyBroadcastRuns(t *testing.T) {
	x := mat([]float32{1, 2, 3, 4, 5, 6, 7, 8}, 2, 2, 2)
	attrs := func(axis int64) []graph.Attr {
		return []graph.Attr{graph.NewAttr("broadcast", int64(1)), graph.NewAttr("axis", axis)}
	}
	for axis, want := range [][]float32{{11, 12, 13, 14, 25, 26, 27, 28}, {11, 12, 23, 24, 15, 16, 27, 28}, {11, 22, 13, 24, 15, 26, 17, 28}} {
		got := nodeTest{op: "Add", opset: 6, attrs: attrs(int64(axis)), in: []*tensor.Tensor{x, vec[float32](10, 20)}}.one(t)
		wantTensor(t, fmt.Sprintf("axis %d", axis), got, mat(want, 2, 2, 2))
	}
	got := nodeTest{op: "PRelu", opset: 6, in: []*tensor.Tensor{mat([]float32{-1, -2, -3, -4}, 1, 2, 2), vec[float32](2, 3)}}.one(t)
	wantTensor(t, "PRelu-6", got, mat([]float32{-2, -4, -9, -12}, 1, 2, 2))
}

func TestManyOperands(t *testing.T) {
	in := []*tensor.Tensor{vec[float32](1, 2), mat([]float32{10, 20}, 2, 1), vec[float32](100)}
	wantTensor(t, "Sum", nodeTest{op: "Sum", opset: 13, in: in}.one(t), mat([]float32{111, 112, 121, 122}, 2, 2))
	wantTensor(t, "Mean", nodeTest{op: "Mean", opset: 13, in: in}.one(t), mat([]float32{37, 112.0 / 3, 121.0 / 3, 122.0 / 3}, 2, 2))
	wantTensor(t, "Max", nodeTest{op: "Max", opset: 13, in: in[:2]}.one(t), mat([]float32{10, 10, 20, 20}, 2, 2))
	wantTensor(t, "Min of one", nodeTest{op: "Min", opset: 13, in: in[:1]}.one(t), in[0])
}

func TestPowOfMixedTypes(t *testing.T) {
	for _, c := range []struct{ x, y, want *tensor.Tensor }{
		{vec[int32](2, 3), vec[float32](0.5, 2), vec[int32](1, 9)},
		{vec[float32](4, 9), vec[int64](2, -1), vec[float32](16, 1.0/9)},
		{vec[int64](-2), vec[uint8](3), vec[int64](-8)},
	} {
		wantTensor(t, "Pow", nodeTest{op: "Pow", opset: 15, in: []*tensor.Tensor{c.x, c.y}}.one(t), c.want)
	}
	half := numbersOf(tensor.Float16, []float64{4, 9}, 2)
	got := nodeTest{op: "Pow", opset: 15, in: []*tensor.Tensor{half, numbersOf(tensor.BFloat16, []float64{0.5}, 1)}}.one(t)
	wantTensor(t, "Pow of float16", got, numbersOf(tensor.Float16, []float64{2, 3}, 2))
}

func TestClipBounds(t *testing.T) {
	x := vec[int8](-100, 0, 100)
	clip := func(lo, hi *tensor.Tensor) *tensor.Tensor {
		return nodeTest{op: "Clip", opset: 13, in: []*tensor.Tensor{x, lo, hi}}.one(t)
	}
	wantTensor(t, "both", clip(tensor.Scalar[int8](-5), tensor.Scalar[int8](5)), vec[int8](-5, 0, 5))
	wantTensor(t, "upper", clip(nil, tensor.Scalar[int8](5)), vec[int8](-100, 0, 5))
	wantTensor(t, "none", clip(nil, nil), x)
	f := vec(float32(math.Inf(-1)), 0, float32(math.Inf(1)))
	got := nodeTest{op: "Clip", opset: 6, attrs: []graph.Attr{graph.NewAttr("max", float32(6)), graph.NewAttr("min", float32(0))}, in: []*tensor.Tensor{f}}.one(t)
	wantTensor(t, "Clip-6", got, vec[float32](0, 0, 6))
}

func TestDeclinesSayWhat(t *testing.T) {
	_, err := nodeTest{op: "Add", opset: 14, in: []*tensor.Tensor{vec("a"), vec("b")}}.run(t)
	if err == nil || !strings.Contains(err.Error(), "string") {
		t.Errorf("Add of strings: %v", err)
	}
}
