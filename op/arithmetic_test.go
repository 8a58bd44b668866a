package op_test

import (
	"math"
	"strings"
	"testing"

	"gort/graph"
	"gort/op"
	"gort/tensor"
)

// inferElementwise infers one node of an operator and returns its outputs' facts.
func inferElementwise(t *testing.T, name string, opset, outputs int, attrs []graph.Attr, in ...op.Fact) ([]op.Fact, error) {
	t.Helper()
	g := graph.New("g")
	spec := graph.NodeSpec{Op: name, Opset: opset, Attrs: attrs}
	for _, f := range in {
		if !f.Type.IsKnown() && f.Const == nil && f.Type.DType == tensor.Undefined && f.Ints == nil {
			spec.Inputs = append(spec.Inputs, graph.NoValue)
			continue
		}
		spec.Inputs = append(spec.Inputs, g.NewValue(f.Type))
	}
	for range outputs {
		spec.Outputs = append(spec.Outputs, g.NewValue(graph.Type{}))
	}
	id, err := g.AddNode(spec)
	if err != nil {
		t.Fatal(err)
	}
	env := &op.Env{Registry: op.Standard()}
	out := make([]op.Fact, outputs)
	return out, env.Node(g.Node(id), in, nil, out)
}

// typed is a fact about a tensor of a type and shape; the shape is written as
// "?" for unknown rank, "" for a scalar, "N,3,?" otherwise.
func typed(d tensor.DType, shape string) op.Fact {
	return op.Fact{Type: graph.TensorType(d, shapeOf(shape))}
}

func shapeOf(s string) graph.Shape {
	if s == "?" {
		return graph.Shape{}
	}
	dims := []graph.Dim{}
	for _, f := range strings.Split(s, ",") {
		switch {
		case f == "":
		case f == "_":
			dims = append(dims, graph.Dim{})
		case f[0] >= '0' && f[0] <= '9':
			n := 0
			for _, c := range f {
				n = 10*n + int(c-'0')
			}
			dims = append(dims, graph.Known(n))
		default:
			dims = append(dims, graph.Symbol(f))
		}
	}
	return graph.ShapeOf(dims...)
}

// ints is a fact about a vector of which some elements are known: numbers and
// symbols, "_" for unknown.
func ints(elems ...any) op.Fact {
	v := &op.Ints{}
	for _, e := range elems {
		switch e := e.(type) {
		case int:
			v.Elems = append(v.Elems, op.KnownInt(int64(e)))
		case string:
			if e == "_" {
				e = ""
			}
			v.Elems = append(v.Elems, op.DimInt(graph.Symbol(e)))
		}
	}
	return op.Fact{Type: graph.TensorType(tensor.Int64, graph.Fixed(len(elems))), Ints: v}
}

func constant[T tensor.Element](v ...T) op.Fact {
	return op.FactOf(tensor.Must(tensor.FromSlice(v)))
}

func scalar[T tensor.Element](v T) op.Fact { return op.FactOf(tensor.Scalar(v)) }

// sameInts compares partial values.
func sameInts(a, b *op.Ints) bool {
	if a == nil || b == nil {
		return a == b
	}
	if len(a.Elems) != len(b.Elems) {
		return false
	}
	for i := range a.Elems {
		if a.Elems[i] != b.Elems[i] {
			return false
		}
	}
	return true
}

func TestBroadcastShapes(t *testing.T) {
	f := tensor.Float32
	for _, c := range []struct{ a, b, want string }{
		{"2,3", "2,3", "2,3"}, {"2,3", "3", "2,3"}, {"", "2,3", "2,3"}, {"2,1", "1,3", "2,3"},
		{"N,3", "N,3", "N,3"}, {"N,3", "1,3", "N,3"}, {"N,3", "3", "N,3"}, {"N", "5", "5"}, {"N", "M", "_"},
		{"?", "2,3", "?"}, {"_,4", "4", "_,4"}, {"0,3", "1,3", "0,3"},
	} {
		for _, name := range []string{"Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Mean", "Sum"} {
			out, err := inferElementwise(t, name, 13, 1, nil, typed(f, c.a), typed(f, c.b))
			if err != nil {
				t.Errorf("%s of %s and %s: %v", name, c.a, c.b, err)
				continue
			}
			if want := graph.TensorType(f, shapeOf(c.want)); !out[0].Type.Shape.Equal(want.Shape) || out[0].Type.DType != f {
				t.Errorf("%s of %s and %s is %v, want %v", name, c.a, c.b, out[0].Type, want)
			}
		}
	}
	out, err := inferElementwise(t, "Less", 13, 1, nil, typed(f, "N,1"), typed(f, "4"))
	if err != nil || out[0].Type.DType != tensor.Bool || !out[0].Type.Shape.Equal(shapeOf("N,4")) {
		t.Errorf("Less is %v, %v", out[0].Type, err)
	}
	out, err = inferElementwise(t, "Where", 16, 1, nil, typed(tensor.Bool, "N,1"), typed(tensor.String, "4"), typed(tensor.String, ""))
	if err != nil || out[0].Type.DType != tensor.String || !out[0].Type.Shape.Equal(shapeOf("N,4")) {
		t.Errorf("Where is %v, %v", out[0].Type, err)
	}
}

func TestPartialArithmetic(t *testing.T) {
	huge := math.MaxInt64
	for _, c := range []struct {
		op   string
		a, b op.Fact
		want op.Fact
	}{
		{"Add", ints(2, "N", "_", 5), constant[int64](3, 0, 1, -7), ints(5, "N", "_", -2)},
		{"Add", scalar[int64](0), ints("N", 4), ints("N", 4)},
		{"Sub", ints("N", 7, "N"), ints("N", 9, 1), ints(0, -2, "_")},
		{"Sub", ints("N"), constant[int64](0), ints("N")},
		{"Mul", ints("N", 4, "_", "N"), constant[int64](1, 6, 0, 2), ints("N", 24, 0, "_")},
		{"Mul", ints(huge, -huge), constant[int64](2, -1), ints("_", huge)},
		{"Add", ints(huge, -huge), constant[int64](1, -2), ints("_", "_")},
		{"Div", ints("N", -7, 5, "M"), constant[int64](1, 2, 0, 2), ints("N", -3, "_", "_")},
		{"Mod", ints("N", -7, 5), constant[int64](1, 4, 0), ints(0, 1, "_")},
		{"Max", ints("N", 3, "N", "N"), constant[int64](0, 5, 2, -1), ints("N", 5, "_", "N")},
		{"Min", ints("N", 3, "N", "N"), ints(0, 5, "N", "M"), ints(0, 3, "N", "_")},
		{"Pow", ints(2, 3, "N"), constant[int64](5, 80, 1), ints(32, "_", "_")},
	} {
		out, err := inferElementwise(t, c.op, 13, 1, nil, c.a, c.b)
		if err != nil {
			t.Errorf("%s: %v", c.op, err)
			continue
		}
		if !sameInts(out[0].Ints, c.want.Ints) {
			t.Errorf("%s of %v and %v is %v, want %v", c.op, c.a.Ints, c.b, out[0].Ints, c.want.Ints)
		}
	}
	// What does not fit the type is not known.
	out, err := inferElementwise(t, "Add", 14, 1, nil, constant[int8](100), constant[int8](100))
	if err != nil || out[0].Ints == nil || out[0].Ints.Elems[0] != (op.Int{}) {
		t.Errorf("int8 100+100 is %v, %v", out[0].Ints, err)
	}
	// Floats and long vectors are not followed.
	if out, _ := inferElementwise(t, "Add", 14, 1, nil, constant[float32](1), constant[float32](1)); out[0].Ints != nil {
		t.Error("floats are followed")
	}
	for _, name := range []string{"Neg", "Abs"} {
		out, err := inferElementwise(t, name, 13, 1, nil, ints(-3, "N", "_"))
		want := map[string]*op.Ints{"Neg": ints(3, "_", "_").Ints, "Abs": ints(3, "N", "_").Ints}[name]
		if err != nil || !sameInts(out[0].Ints, want) {
			t.Errorf("%s is %v, %v; want %v", name, out[0].Ints, err, want)
		}
	}
}

func attr(name string, v any) []graph.Attr { return []graph.Attr{graph.NewAttr(name, v)} }

func TestLegacyBroadcast(t *testing.T) {
	f := tensor.Float32
	with := func(broadcast, axis int64) []graph.Attr {
		return []graph.Attr{graph.NewAttr("broadcast", broadcast), graph.NewAttr("axis", axis)}
	}
	for _, c := range []struct {
		a, b  string
		attrs []graph.Attr
		fails string
	}{
		{a: "2,3,4,5", b: "2,3,4,5"},
		{a: "2,3,4,5", b: "5", attrs: attr("broadcast", int64(1))},
		{a: "2,3,4,5", b: "4,5", attrs: attr("broadcast", int64(1))},
		{a: "2,3,4,5", b: "3,4", attrs: with(1, 1)},
		{a: "2,3,4,5", b: "2", attrs: with(1, 0)},
		{a: "2,3,4,5", b: "1,1", attrs: attr("broadcast", int64(1))},
		{a: "2,3,4,5", b: "", attrs: attr("broadcast", int64(1))},
		{a: "2,3,4,5", b: "5", fails: "broadcast is 0"},
		{a: "2,3,4,5", b: "3", attrs: attr("broadcast", int64(1)), fails: "does not stand within"},
		{a: "2,3,4,5", b: "3,4", attrs: with(1, 2), fails: "does not stand within"},
		{a: "5", b: "4,5", attrs: attr("broadcast", int64(1)), fails: "does not stand within"},
		{a: "2,3", b: "3", attrs: with(1, 9000), fails: "does not stand within"},
	} {
		out, err := inferElementwise(t, "Add", 6, 1, c.attrs, typed(f, c.a), typed(f, c.b))
		switch {
		case c.fails != "":
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s + %s %v: %v, want %q", c.a, c.b, c.attrs, err, c.fails)
			}
		case err != nil || !out[0].Type.Shape.Equal(shapeOf(c.a)):
			t.Errorf("%s + %s %v is %v, %v", c.a, c.b, c.attrs, out[0].Type, err)
		}
	}
	if _, err := inferElementwise(t, "Sum", 6, 1, nil, typed(f, "2,3"), typed(f, "3")); err == nil {
		t.Error("Sum-6 does not broadcast, no error")
	}
}

// TestElementwiseErrors holds what breaks a definition, and that the message
// names the place.
func TestElementwiseErrors(t *testing.T) {
	f, i, b := tensor.Float32, tensor.Int64, tensor.Bool
	for _, c := range []struct {
		op    string
		opset int
		attrs []graph.Attr
		in    []op.Fact
		want  string
	}{
		{"Add", 14, nil, []op.Fact{typed(f, "2"), typed(f, "3")}, "do not broadcast"},
		{"Mod", 13, nil, []op.Fact{typed(f, "2"), typed(f, "2")}, "attribute fmod"},
		{"Mod", 13, attr("fmod", int64(2)), []op.Fact{typed(i, "2"), typed(i, "2")}, "attribute fmod"},
		{"BitShift", 11, attr("direction", "UP"), []op.Fact{typed(tensor.Uint8, "2"), typed(tensor.Uint8, "2")}, "LEFT"},
		{"PRelu", 9, nil, []op.Fact{typed(f, "3"), typed(f, "2,3")}, "slope"},
		{"PRelu", 6, nil, []op.Fact{typed(f, "2,3,4"), typed(f, "4")}, "broadcast"},
		{"Gelu", 20, attr("approximate", "exact"), []op.Fact{typed(f, "3")}, "approximate"},
		{"SwiGLU", 28, nil, []op.Fact{typed(f, "3"), typed(f, "1")}, "gate"},
		{"Clip", 13, nil, []op.Fact{typed(f, "3"), typed(f, "3")}, "no scalar"},
		{"Cast", 13, attr("to", int64(99)), []op.Fact{typed(f, "3")}, "is 99"},
		{"Cast", 13, attr("to", int64(257)), []op.Fact{typed(f, "3")}, "is 257"},
		{"Cast", 13, attr("to", int64(17)), []op.Fact{typed(f, "3")}, "is 17"},
		{"Cast", 1, attr("to", "QUATERNION"), []op.Fact{typed(f, "3")}, "QUATERNION"},
		{"BitCast", 26, attr("to", int64(tensor.Int64)), []op.Fact{typed(f, "3")}, "64 bits"},
		{"Softmax", 13, attr("axis", int64(2)), []op.Fact{typed(f, "3,4")}, "axis"},
		{"Softmax", 11, attr("axis", int64(3)), []op.Fact{typed(f, "3,4")}, "axis"},
		{"CumSum", 14, nil, []op.Fact{typed(f, "3,4"), scalar[int64](2)}, "out of range"},
		{"CumSum", 14, attr("reverse", int64(2)), []op.Fact{typed(f, "3,4"), scalar[int64](0)}, "reverse"},
		{"ReduceSum", 13, nil, []op.Fact{typed(f, "3,4"), constant[int64](2)}, "out of range"},
		{"ReduceSum", 13, nil, []op.Fact{typed(f, "3,4"), constant[int64](1, -1)}, "twice"},
		{"ReduceMax", 11, attr("axes", []int64{-3}), []op.Fact{typed(f, "3,4")}, "out of range"},
		{"Constant", 13, nil, nil, "no value"},
		{"Constant", 13, append(attr("value_int", int64(1)), attr("value_float", float32(1))...), nil, "beside"},
		{"Constant", 1, attr("value", tensor.Scalar(int64(1))), nil, "int64"},
		{"ConstantOfShape", 9, nil, []op.Fact{constant[int64](2, -1)}, "element 1 is -1"},
		{"ConstantOfShape", 9, attr("value", tensor.Must(tensor.FromSlice([]int64{1, 2}))), []op.Fact{constant[int64](2)}, "2 elements"},
		{"Range", 11, nil, []op.Fact{scalar[int64](0), scalar[int64](5), scalar[int64](0)}, "is 0"},
		{"Range", 11, nil, []op.Fact{scalar[float32](0), scalar(float32(math.Inf(1))), scalar[float32](1)}, "no end"},
		{"Range", 11, nil, []op.Fact{scalar[int64](math.MinInt64), scalar[int64](math.MaxInt64), scalar[int64](1)}, "too long"},
		{"EyeLike", 9, nil, []op.Fact{typed(f, "3")}, "rank"},
		{"EyeLike", 9, attr("dtype", int64(8)), []op.Fact{typed(f, "3,3")}, "dtype"},
		{"RandomNormal", 1, append(attr("shape", []int64{2, -1}), attr("dtype", int64(1))...), nil, "negative"},
		{"RandomUniformLike", 1, nil, []op.Fact{typed(i, "3")}, "give the attribute dtype"},
		{"Multinomial", 7, nil, []op.Fact{typed(f, "3")}, "rank"},
		{"Dropout", 7, attr("ratio", float32(1.5)), []op.Fact{typed(f, "3")}, "ratio"},
		{"NegativeLogLikelihoodLoss", 13, nil, []op.Fact{typed(f, "3,5"), typed(i, "4")}, "input 1"},
		{"NegativeLogLikelihoodLoss", 13, nil, []op.Fact{typed(f, "3,5"), typed(i, "3"), typed(f, "4")}, "weight"},
		{"SoftmaxCrossEntropyLoss", 13, attr("reduction", "max"), []op.Fact{typed(f, "3,5"), typed(i, "3")}, "reduction"},
		{"Where", 9, nil, []op.Fact{typed(b, "2"), typed(f, "3"), typed(f, "3")}, "do not broadcast"},
	} {
		outputs := 1
		_, err := inferElementwise(t, c.op, c.opset, outputs, c.attrs, c.in...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s-%d %v: error %v, want it to say %q", c.op, c.opset, c.attrs, err, c.want)
		}
	}
}

// TestNothingKnown runs every shape function of the elementwise families on
// inputs of which nothing is known: none may fail or panic.
func TestNothingKnown(t *testing.T) {
	for name, n := range map[string]int{
		"Add": 2, "Pow": 2, "Max": 3, "Sum": 1, "Mod": 2, "Equal": 2, "And": 2, "Not": 1, "Where": 3, "Neg": 1, "Relu": 1, "PRelu": 2,
		"Clip": 3, "SwiGLU": 2, "CastLike": 2, "Softmax": 1, "ReduceSum": 2, "ReduceMax": 1, "CumSum": 2, "ConstantOfShape": 1,
		"EyeLike": 1, "Range": 3, "RandomNormalLike": 1, "Bernoulli": 1, "Multinomial": 1, "Dropout": 3, "NegativeLogLikelihoodLoss": 3, "SoftmaxCrossEntropyLoss": 3,
	} {
		in := make([]op.Fact, n)
		for i := range in {
			in[i] = op.Fact{Type: graph.Type{Kind: tensor.KindTensor}}
		}
		if _, err := inferElementwise(t, name, 28, 1, nil, in...); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
