package cpu

import (
	"math"
	"testing"

	"gort/graph"
	"gort/op"
	"gort/tensor"
)

// TestReduceEveryType reduces 1, 2, 2 and 4, 1, 1 in every type that the
// definitions allow.
func TestReduceEveryType(t *testing.T) {
	for name, want := range map[string][2]float64{
		"ReduceSum": {5, 6}, "ReduceMean": {5.0 / 3, 2}, "ReduceProd": {4, 4}, "ReduceMax": {2, 4}, "ReduceMin": {1, 1}, "ReduceL1": {5, 6},
		"ReduceL2": {3, math.Sqrt(18)}, "ReduceSumSquare": {9, 18}, "ReduceLogSum": {math.Log(5), math.Log(6)},
		"ReduceLogSumExp": {math.Log(math.E + 2*math.Exp(2)), math.Log(math.Exp(4) + 2*math.E)},
	} {
		def, err := op.Standard().Lookup("", name, 20)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range def.Signature().Types["T"].Tensor.List() {
			x := numbersOf(d, []float64{1, 2, 2, 4, 1, 1}, 2, 3)
			out := nodeTest{op: name, opset: 20, attrs: []graph.Attr{graph.NewAttr("keepdims", int64(0))}, in: []*tensor.Tensor{x, vec[int64](-1)}}.one(t)
			if d == tensor.Bool {
				wantTensor(t, name+" bool", out, vec(true, true))
				continue
			}
			got, err := tensor.Float64s(out)
			if err != nil {
				t.Fatal(err)
			}
			for i, w := range want {
				eps, isFloat := spacing[d]
				if !isFloat {
					w = math.Trunc(w)
				}
				if math.Abs(got[i]-w) > 4*eps*(1+w) {
					t.Errorf("%s %v is %v, want %v", name, d, got[i], w)
				}
			}
		}
	}
}

func TestReduceAxes(t *testing.T) {
	x := mat([]float32{1, 2, 3, 4}, 2, 2)
	drop := graph.NewAttr("keepdims", int64(0))
	noop := graph.NewAttr("noop_with_empty_axes", int64(1))
	none := tensor.Must(tensor.New(tensor.Int64, 0))
	for _, c := range []struct {
		opset int
		attrs []graph.Attr
		axes  *tensor.Tensor
		want  *tensor.Tensor
	}{
		{13, nil, nil, mat([]float32{10}, 1, 1)},
		{13, []graph.Attr{drop}, none, tensor.Scalar[float32](10)},
		{13, []graph.Attr{noop}, none, x},
		{13, []graph.Attr{noop}, nil, x},
		{13, nil, vec[int64](0), mat([]float32{4, 6}, 1, 2)},
		{11, []graph.Attr{drop, graph.NewAttr("axes", []int64{-1})}, nil, vec[float32](3, 7)},
	} {
		in := []*tensor.Tensor{x}
		if c.axes != nil {
			in = append(in, c.axes)
		}
		wantTensor(t, "ReduceSum", nodeTest{op: "ReduceSum", opset: c.opset, attrs: c.attrs, in: in}.one(t), c.want)
	}
	// The steps that do not reduce happen over an empty set of axes too.
	got := nodeTest{op: "ReduceSumSquare", opset: 18, attrs: []graph.Attr{noop}, in: []*tensor.Tensor{x}}.one(t)
	wantTensor(t, "ReduceSumSquare over no axes", got, mat([]float32{1, 4, 9, 16}, 2, 2))
	empty := tensor.Must(tensor.New(tensor.Bool, 2, 0))
	for name, want := range map[string]bool{"ReduceMax": false, "ReduceMin": true} {
		got := nodeTest{op: name, opset: 20, attrs: []graph.Attr{drop}, in: []*tensor.Tensor{empty, vec[int64](1)}}.one(t)
		wantTensor(t, name+" of nothing", got, vec(want, want))
	}
}

func TestSoftmaxVersions(t *testing.T) {
	x := mat(make([]float32, 8), 2, 2, 2)
	for _, c := range []struct {
		opset int
		want  float32
	}{{11, 0.25}, {13, 0.5}} { // before opset 13 the dimensions from the axis on are one
		got := nodeTest{op: "Softmax", opset: c.opset, attrs: []graph.Attr{graph.NewAttr("axis", int64(1))}, in: []*tensor.Tensor{x}}.one(t)
		if v := tensor.Elements[float32](got)[0]; v != c.want {
			t.Errorf("Softmax-%d of equal numbers is %v, want %v", c.opset, v, c.want)
		}
	}
	for name, want := range map[string]float64{"Softmax": 0.5, "LogSoftmax": -math.Ln2, "Hardmax": 1} {
		for _, d := range op.FloatBFTypes.List() {
			got, err := tensor.Float64s(nodeTest{op: name, opset: 13, in: []*tensor.Tensor{numbersOf(d, []float64{3, 3}, 1, 2)}}.one(t))
			if err != nil || math.Abs(got[0]-want) > 2*spacing[d] {
				t.Errorf("%s %v is %v, %v; want %v", name, d, got, err, want)
			}
		}
	}
	wantTensor(t, "Softmax of a scalar", nodeTest{op: "Softmax", opset: 13, in: []*tensor.Tensor{tensor.Scalar[float32](5)}}.one(t), tensor.Scalar[float32](1))
}

func TestCumulativeAxis(t *testing.T) {
	x := mat([]int32{1, 2, 3, 4}, 2, 2)
	run := func(axis *tensor.Tensor) *tensor.Tensor {
		return nodeTest{op: "CumSum", opset: 14, in: []*tensor.Tensor{x, axis}}.one(t)
	}
	wantTensor(t, "axis 0", run(tensor.Scalar[int32](0)), mat([]int32{1, 2, 4, 6}, 2, 2))
	wantTensor(t, "axis -1", run(tensor.Scalar[int64](-1)), mat([]int32{1, 3, 3, 7}, 2, 2))
}
