package engine_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gort/graph"
	"gort/internal/engine"
	"gort/op"
	"gort/optimize"
	"gort/tensor"
)

// derivative is one operator whose gradients are held against differences.
type derivative struct {
	op     string
	opset  int // 21 unless given
	attrs  []graph.Attr
	in     []operand
	outs   int // 1 unless given
	second bool
}

// operand is one input: random doubles of a shape, or a given value that is not
// differentiated by.
type operand struct {
	shape []int
	of    func(r float64) float64 // makes it of numbers in (-2, 2); nil keeps them
	fixed *tensor.Tensor
}

func vary(shape ...int) operand { return operand{shape: append([]int{}, shape...)} }

func (o operand) as(f func(float64) float64) operand { o.of = f; return o }

func fixed[T tensor.Element](list []T, shape ...int) operand {
	if shape == nil {
		shape = []int{len(list)}
	}
	return operand{fixed: tensor.Must(tensor.FromSlice(list, shape...))}
}

func ints(list ...int64) operand { return fixed(list) }

func positive(r float64) float64 { return math.Abs(r) + 0.3 }
func within(r float64) float64   { return r * 0.45 }
func beyond(r float64) float64   { return math.Abs(r) + 1.2 }

// apart keeps numbers off the corners at whole numbers and halves.
func apart(r float64) float64 { return math.Floor(r*2)/2 + 0.1 + 0.3*(r*2-math.Floor(r*2)) }

func at(name string, v any) graph.Attr { return graph.NewAttr(name, v) }

var derivatives = []derivative{
	{op: "Identity", in: []operand{vary(2, 3)}},
	{op: "Neg", in: []operand{vary(2, 3)}},
	{op: "Abs", in: []operand{vary(2, 3).as(apart)}},
	{op: "Exp", in: []operand{vary(3)}, second: true},
	{op: "Log", in: []operand{vary(2, 3).as(positive)}, second: true},
	{op: "Sqrt", in: []operand{vary(2, 3).as(positive)}, second: true},
	{op: "Reciprocal", in: []operand{vary(2, 3).as(positive)}, second: true},
	{op: "Erf", in: []operand{vary(2, 3)}, second: true},
	{op: "Sin", in: []operand{vary(2, 3)}, second: true},
	{op: "Cos", in: []operand{vary(2, 3)}, second: true},
	{op: "Tan", in: []operand{vary(2, 3).as(within)}, second: true},
	{op: "Asin", in: []operand{vary(2, 3).as(within)}, second: true},
	{op: "Acos", in: []operand{vary(2, 3).as(within)}, second: true},
	{op: "Atan", in: []operand{vary(2, 3)}, second: true},
	{op: "Sinh", in: []operand{vary(2, 3)}, second: true},
	{op: "Cosh", in: []operand{vary(2, 3)}, second: true},
	{op: "Tanh", in: []operand{vary(2, 3)}, second: true},
	{op: "Asinh", in: []operand{vary(2, 3)}, second: true},
	{op: "Acosh", in: []operand{vary(2, 3).as(beyond)}, second: true},
	{op: "Atanh", in: []operand{vary(2, 3).as(within)}, second: true},
	{op: "Floor", in: []operand{vary(2, 3).as(apart)}},
	{op: "Cast", attrs: []graph.Attr{at("to", 11)}, in: []operand{vary(2, 3)}},
	{op: "CastLike", in: []operand{vary(2, 3), fixed([]float64{0})}},

	{op: "Relu", in: []operand{vary(2, 5).as(apart)}},
	{op: "LeakyRelu", attrs: []graph.Attr{at("alpha", 0.3)}, in: []operand{vary(2, 5).as(apart)}},
	{op: "ThresholdedRelu", opset: 22, attrs: []graph.Attr{at("alpha", 0.5)}, in: []operand{vary(2, 5).as(apart)}},
	{op: "Sigmoid", in: []operand{vary(2, 5)}, second: true},
	{op: "Softplus", in: []operand{vary(2, 5)}, second: true},
	{op: "Softsign", in: []operand{vary(2, 5).as(apart)}, second: true},
	{op: "Elu", attrs: []graph.Attr{at("alpha", 0.7)}, in: []operand{vary(2, 5).as(apart)}, second: true},
	{op: "Selu", in: []operand{vary(2, 5).as(apart)}, second: true},
	{op: "Celu", opset: 28, attrs: []graph.Attr{at("alpha", 0.7)}, in: []operand{vary(2, 5).as(apart)}, second: true},
	{op: "Gelu", in: []operand{vary(2, 5)}, second: true},
	{op: "Gelu", attrs: []graph.Attr{at("approximate", "tanh")}, in: []operand{vary(2, 5)}, second: true},
	{op: "Mish", in: []operand{vary(2, 5)}, second: true},
	{op: "Swish", opset: 24, attrs: []graph.Attr{at("alpha", 1.5)}, in: []operand{vary(2, 5)}, second: true},
	{op: "SwiGLU", opset: 28, in: []operand{vary(2, 5), vary(2, 5)}, second: true},
	{op: "HardSigmoid", in: []operand{vary(2, 5).as(apart)}},
	{op: "HardSwish", in: []operand{vary(2, 5).as(apart)}},
	{op: "Shrink", in: []operand{vary(2, 5).as(apart)}},
	{op: "Clip", in: []operand{vary(2, 5).as(apart), fixed([]float64{-0.5}, []int{}...), fixed([]float64{1}, []int{}...)}},
	{op: "Clip", opset: 6, attrs: []graph.Attr{at("min", -0.5), at("max", 1.0)}, in: []operand{vary(2, 5).as(apart)}},
	{op: "Softmax", in: []operand{vary(2, 3, 4)}, second: true},
	{op: "Softmax", attrs: []graph.Attr{at("axis", 1)}, in: []operand{vary(2, 3, 4)}},
	{op: "Softmax", opset: 11, in: []operand{vary(2, 3, 2)}},
	{op: "LogSoftmax", attrs: []graph.Attr{at("axis", 0)}, in: []operand{vary(2, 3, 4)}, second: true},
	{op: "Dropout", in: []operand{vary(2, 3)}},

	{op: "Add", in: []operand{vary(2, 3), vary(3)}, second: true},
	{op: "Add", in: []operand{vary(1, 3), vary(2, 1)}},
	{op: "Sub", in: []operand{vary(3), vary(2, 3)}, second: true},
	{op: "Mul", in: []operand{vary(2, 1, 3), vary(4, 1)}, second: true},
	{op: "Mul", in: []operand{vary(), vary(2, 3)}, second: true},
	{op: "Div", in: []operand{vary(2, 3), vary(2, 1).as(positive)}, second: true},
	{op: "Pow", in: []operand{vary(2, 3).as(positive), vary(3)}, second: true},
	{op: "Pow", in: []operand{vary(2, 3), fixed([]float64{2}, []int{}...)}, second: true},
	{op: "PRelu", in: []operand{vary(2, 3, 2).as(apart), vary(3, 1)}},
	{op: "Where", in: []operand{fixed([]bool{true, false, true}), vary(2, 3), vary(2, 1)}},
	{op: "Sum", in: []operand{vary(2, 3), vary(3), vary(1)}},
	{op: "Mean", in: []operand{vary(2, 3), vary(3), vary(1)}},
	{op: "Max", in: []operand{vary(2, 3), vary(3), vary(2, 1)}},
	{op: "Min", in: []operand{vary(2, 3), vary(3)}},
	{op: "Expand", in: []operand{vary(3, 1), ints(2, 3, 4)}, second: true},

	{op: "MatMul", in: []operand{vary(2, 3), vary(3, 4)}, second: true},
	{op: "MatMul", in: []operand{vary(5, 1, 2, 3), vary(4, 3, 2)}, second: true},
	{op: "MatMul", in: []operand{vary(3), vary(3, 4)}},
	{op: "MatMul", in: []operand{vary(2, 3), vary(3)}},
	{op: "MatMul", in: []operand{vary(3), vary(3)}},
	{op: "MatMul", in: []operand{vary(3), vary(2, 3, 4)}},
	{op: "MatMul", in: []operand{vary(2, 4, 3), vary(3)}},
	{op: "Gemm", attrs: []graph.Attr{at("alpha", 0.5), at("beta", 2.0)}, in: []operand{vary(2, 3), vary(3, 4), vary(4)}, second: true},
	{op: "Gemm", attrs: []graph.Attr{at("transA", 1)}, in: []operand{vary(3, 2), vary(3, 4), vary(2, 1)}},
	{op: "Gemm", attrs: []graph.Attr{at("transB", 1)}, in: []operand{vary(2, 3), vary(4, 3)}},
	{op: "Gemm", attrs: []graph.Attr{at("transA", 1), at("transB", 1)}, in: []operand{vary(3, 2), vary(4, 3), vary()}},

	{op: "Reshape", in: []operand{vary(2, 3), ints(3, 2)}, second: true},
	{op: "Flatten", in: []operand{vary(2, 3, 2)}},
	{op: "Squeeze", in: []operand{vary(2, 1, 3), ints(1)}},
	{op: "Unsqueeze", in: []operand{vary(2, 3), ints(0, -1)}},
	{op: "Transpose", attrs: []graph.Attr{at("perm", []int64{2, 0, 1})}, in: []operand{vary(2, 3, 4)}, second: true},
	{op: "Transpose", in: []operand{vary(2, 3, 4)}},
	{op: "Concat", attrs: []graph.Attr{at("axis", -1)}, in: []operand{vary(2, 3), fixed([]float64{1, 2}, 2, 1), vary(2, 2)}},
	{op: "Split", attrs: []graph.Attr{at("axis", 1)}, in: []operand{vary(2, 5), ints(2, 3)}, outs: 2},
	{op: "Tile", in: []operand{vary(2, 3), ints(2, 3)}, second: true},
	{op: "Pad", in: []operand{vary(2, 3), ints(1, 0, -1, 2)}},
	{op: "CumSum", attrs: []graph.Attr{at("exclusive", 1)}, in: []operand{vary(2, 3), fixed([]int64{1}, []int{}...)}},

	{op: "Slice", in: []operand{vary(4, 5), ints(3, 0), ints(-9, 5), ints(0, 1), ints(-1, 2)}, second: true},
	{op: "Slice", opset: 9, attrs: []graph.Attr{at("starts", []int64{1}), at("ends", []int64{3}), at("axes", []int64{1})}, in: []operand{vary(2, 4)}},
	{op: "Gather", attrs: []graph.Attr{at("axis", 1)}, in: []operand{vary(2, 3), fixed([]int64{0, 2, 0, -1}, 2, 2)}, second: true},
	{op: "GatherElements", in: []operand{vary(3, 2), fixed([]int64{1, 1, 0, 2}, 2, 2)}},
	{op: "GatherND", in: []operand{vary(3, 2), fixed([]int64{1, 1, 1, 1}, 2, 2)}},
	{op: "DepthToSpace", attrs: []graph.Attr{at("blocksize", 2)}, in: []operand{vary(1, 4, 2, 1)}},
	{op: "SpaceToDepth", attrs: []graph.Attr{at("blocksize", 2)}, in: []operand{vary(1, 1, 2, 4)}},
	{op: "Trilu", in: []operand{vary(3, 3)}},
	{op: "MaxPool", attrs: []graph.Attr{at("kernel_shape", []int64{2, 2})}, in: []operand{vary(2, 2, 3, 4)}},
	{op: "ScatterElements", in: []operand{vary(3, 2), fixed([]int64{1, 2}, 1, 2), vary(1, 2)}},

	{op: "ReduceSum", in: []operand{vary(2, 3, 2), ints(1)}, second: true},
	{op: "ReduceSum", attrs: []graph.Attr{at("keepdims", 0)}, in: []operand{vary(2, 3, 2), ints(0, -1)}},
	{op: "ReduceSum", attrs: []graph.Attr{at("keepdims", 0)}, in: []operand{vary(2, 3)}},
	{op: "ReduceMean", attrs: []graph.Attr{at("keepdims", 0)}, in: []operand{vary(2, 3, 2), ints(1)}, second: true},
	{op: "ReduceMean", opset: 11, attrs: []graph.Attr{at("keepdims", 0), at("axes", []int64{0, 2})}, in: []operand{vary(2, 3, 2)}},
	{op: "ReduceMax", attrs: []graph.Attr{at("keepdims", 0)}, in: []operand{vary(2, 3, 2), ints(1)}},
	{op: "ReduceMin", in: []operand{vary(2, 3)}},
	{op: "ReduceSumSquare", attrs: []graph.Attr{at("keepdims", 0)}, in: []operand{vary(2, 3), ints(0)}, second: true},
	{op: "ReduceL1", in: []operand{vary(2, 3).as(apart), ints(0)}},
	{op: "ReduceL2", attrs: []graph.Attr{at("keepdims", 0)}, in: []operand{vary(2, 3), ints(1)}, second: true},
	{op: "ReduceLogSum", in: []operand{vary(2, 3).as(positive), ints(1)}, second: true},
	{op: "ReduceLogSumExp", attrs: []graph.Attr{at("keepdims", 0)}, in: []operand{vary(2, 3), ints(1)}, second: true},

	{op: "LayerNormalization", attrs: []graph.Attr{at("axis", 1)}, in: []operand{vary(2, 3, 2), vary(3, 2), vary(2)}},
	{op: "RMSNormalization", opset: 23, attrs: []graph.Attr{at("stash_type", 11)}, in: []operand{vary(2, 3), vary(3)}, second: true},
	{op: "GroupNormalization", attrs: []graph.Attr{at("num_groups", 2), at("stash_type", 11)}, in: []operand{vary(2, 4, 3), vary(4), vary(4)}, second: true},
	{op: "MeanVarianceNormalization", in: []operand{vary(2, 2, 2, 2)}},
	{op: "GlobalAveragePool", in: []operand{vary(2, 2, 3, 2)}},
	{op: "AveragePool", attrs: []graph.Attr{at("kernel_shape", []int64{2, 2}), at("pads", []int64{1, 0, 0, 1}), at("strides", []int64{2, 1})}, in: []operand{vary(1, 2, 4, 3)}},
	{op: "AveragePool", attrs: []graph.Attr{at("kernel_shape", []int64{3}), at("pads", []int64{1, 1}), at("count_include_pad", 1)}, in: []operand{vary(1, 2, 4)}},
	{op: "Conv", in: []operand{vary(2, 2, 5), vary(3, 2, 3), vary(3)}},
	{op: "Conv", attrs: []graph.Attr{at("pads", []int64{1, 0, 0, 2}), at("strides", []int64{2, 3}), at("dilations", []int64{1, 2})},
		in: []operand{vary(2, 1, 6, 7), vary(2, 1, 2, 3)}},
	{op: "Conv", attrs: []graph.Attr{at("group", 2), at("auto_pad", "SAME_UPPER"), at("strides", []int64{2})}, in: []operand{vary(2, 4, 5), vary(6, 2, 3), vary(6)}},
	{op: "SoftmaxCrossEntropyLoss", in: []operand{vary(3, 4), fixed([]int64{1, 3, 0})}},
	{op: "Attention", opset: 23, attrs: []graph.Attr{at("is_causal", 1)}, in: []operand{vary(1, 2, 3, 4), vary(1, 2, 3, 4), vary(1, 2, 3, 2)}},
}

// lossGraph is a node whose outputs are multiplied by fixed random numbers, and the
// Gradient of that by the node's varying inputs: first the products, then the
// gradients; order 2 adds the gradients of the first gradients' products.
type lossGraph struct {
	g      *graph.Graph
	inputs []tensor.Value
	varied []int // which of the inputs are differentiated by
}

func (c derivative) graphs(t *testing.T, order int, symbolic bool) (*lossGraph, error) {
	rng := rand.New(rand.NewPCG(uint64(len(c.op)), 7))
	random := func(shape []int, of func(float64) float64) *tensor.Tensor {
		data := make([]float64, tensor.Shape(shape).Size())
		for i := range data {
			data[i] = rng.Float64()*4 - 2
			if of != nil {
				data[i] = of(data[i])
			}
		}
		return tensor.Must(tensor.FromSlice(data, shape...))
	}
	l := &lossGraph{g: graph.New("loss")}
	must := func(id graph.ValueID, err error) graph.ValueID {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	var ids []graph.ValueID
	var xs []string
	var xIDs []graph.ValueID
	for i, o := range c.in {
		name := fmt.Sprintf("in%d", i)
		if o.fixed != nil {
			ids = append(ids, must(l.g.AddConst(name, o.fixed)))
			continue
		}
		shape := graph.Fixed(o.shape...)
		if symbolic {
			dims := make([]graph.Dim, len(o.shape))
			for k := range dims {
				dims[k] = graph.Symbol(fmt.Sprintf("%s_%d", name, k))
			}
			shape = graph.ShapeOf(dims...)
		}
		id := must(l.g.AddValue(name, graph.TensorType(tensor.Float64, shape)))
		if err := l.g.AddInput(id); err != nil {
			t.Fatal(err)
		}
		ids, xs, xIDs = append(ids, id), append(xs, name), append(xIDs, id)
		l.varied = append(l.varied, len(l.inputs))
		l.inputs = append(l.inputs, random(o.shape, o.of))
	}
	add := func(spec graph.NodeSpec, outs ...string) []graph.ValueID {
		for _, name := range outs {
			spec.Outputs = append(spec.Outputs, must(l.g.AddValue(name, graph.Type{})))
		}
		if _, err := l.g.AddNode(spec); err != nil {
			t.Fatal(err)
		}
		return spec.Outputs
	}
	// total weighs values by random numbers of their size and adds everything up.
	total := func(name string, values []graph.ValueID) graph.ValueID {
		var sums []graph.ValueID
		for i, v := range values {
			shape := add(graph.NodeSpec{Op: "Shape", Opset: 21, Inputs: []graph.ValueID{v}}, fmt.Sprintf("%s_shape%d", name, i))
			long := must(l.g.AddConst("", random([]int{512}, nil)))
			size := add(graph.NodeSpec{Op: "Size", Opset: 21, Inputs: []graph.ValueID{v}}, fmt.Sprintf("%s_size%d", name, i))
			one := must(l.g.AddConst("", tensor.Must(tensor.FromSlice([]int64{1}))))
			zero := must(l.g.AddConst("", tensor.Must(tensor.FromSlice([]int64{0}))))
			end := add(graph.NodeSpec{Op: "Reshape", Opset: 21, Inputs: []graph.ValueID{size[0], one}}, fmt.Sprintf("%s_end%d", name, i))
			cut := add(graph.NodeSpec{Op: "Slice", Opset: 21, Inputs: []graph.ValueID{long, zero, end[0]}}, fmt.Sprintf("%s_cut%d", name, i))
			weights := add(graph.NodeSpec{Op: "Reshape", Opset: 21, Inputs: []graph.ValueID{cut[0], shape[0]}}, fmt.Sprintf("%s_weights%d", name, i))
			weighed := add(graph.NodeSpec{Op: "Mul", Opset: 21, Inputs: []graph.ValueID{v, weights[0]}}, fmt.Sprintf("%s_weighed%d", name, i))
			sums = append(sums, add(graph.NodeSpec{Op: "ReduceSum", Opset: 21, Inputs: weighed, Attrs: []graph.Attr{at("keepdims", 0)}}, fmt.Sprintf("%s_sum%d", name, i))...)
		}
		return add(graph.NodeSpec{Op: "Sum", Opset: 21, Inputs: sums}, name)[0]
	}
	opset := c.opset
	if opset == 0 {
		opset = 21
	}
	outs := []string{"y0"}
	for i := 1; i < c.outs; i++ {
		outs = append(outs, fmt.Sprintf("y%d", i))
	}
	made := add(graph.NodeSpec{Name: c.op, Op: c.op, Opset: opset, Inputs: ids, Attrs: c.attrs}, outs...)
	y := "loss0"
	of := total(y, made)
	for k := range order {
		var names []string
		for i := range xs {
			names = append(names, fmt.Sprintf("d%d_%d", k, i))
		}
		grads := add(graph.NodeSpec{Name: fmt.Sprintf("gradient%d", k), Domain: "ai.onnx.preview.training", Op: "Gradient", Opset: 1,
			Inputs: xIDs, Attrs: []graph.Attr{at("xs", xs), at("y", y)}}, names...)
		if k == order-1 {
			if err := l.g.AddOutput(of); err != nil {
				return nil, err
			}
			for _, id := range grads {
				if err := l.g.AddOutput(id); err != nil {
					return nil, err
				}
			}
			break
		}
		y = fmt.Sprintf("loss%d", k+1)
		of = total(y, grads)
	}
	return l, nil
}

// TestGradients holds the gradient of every rule, and of some their gradients again,
// against central differences in double.
func TestGradients(t *testing.T) {
	for _, c := range derivatives {
		for order := 1; order <= 2; order++ {
			for _, symbolic := range []bool{false, true} {
				if order == 2 && !c.second || symbolic && needsShapes[c.op] {
					continue
				}
				name := fmt.Sprintf("%s/%v/order %d/symbolic %v", c.op, c.attrs, order, symbolic)
				l, err := c.graphs(t, order, symbolic)
				if err != nil {
					t.Fatal(err)
				}
				for _, level := range []optimize.Level{optimize.LevelAll, optimize.LevelOff} {
					checkGradient(t, name, l, level)
				}
			}
		}
	}
}

// needsShapes are the operators whose rules want known shapes.
var needsShapes = map[string]bool{"Conv": true, "AveragePool": true}

func checkGradient(t *testing.T, name string, l *lossGraph, level optimize.Level) {
	t.Helper()
	s := open(t, l.g.Clone(), engine.Options{Level: level})
	run := func() []tensor.Value {
		out, err := s.Run(t.Context(), l.inputs, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return out
	}
	loss := func() float64 { return tensor.Elements[float64](run()[0].(*tensor.Tensor))[0] }
	out := run()
	tolerance := 1e-6
	if strings.HasPrefix(name, "LayerNormalization") {
		tolerance = 2e-2 // it computes in float
	}
	for i, at := range l.varied {
		x := l.inputs[at].(*tensor.Tensor)
		got := out[1+i].(*tensor.Tensor)
		if !got.Shape().Equal(x.Shape()) || got.DType() != tensor.Float64 {
			t.Errorf("%s: gradient %d is %v%v, want that of %v", name, i, got.DType(), got.Shape(), x.Shape())
			continue
		}
		list := tensor.Elements[float64](x)
		for k, v := range tensor.Elements[float64](got) {
			h := 1e-5
			if tolerance > 1e-3 {
				h = 1e-2
			}
			old := list[k]
			list[k] = old + h
			up := loss()
			list[k] = old - h
			down := loss()
			list[k] = old
			want := (up - down) / (2 * h)
			if math.Abs(v-want) > tolerance*(1+math.Abs(want)) || v != v {
				t.Errorf("%s: gradient by element %d of input %d (%v) is %v, by differences %v", name, k, i, old, v, want)
				break
			}
		}
	}
}

func TestGradientErrors(t *testing.T) {
	for _, c := range []struct {
		d    derivative
		edit func(g *graph.Graph, n *graph.Node)
		says string
	}{
		{derivative{op: "Det", in: []operand{vary(2, 2)}}, nil, `node "Det" (Det, opset 21) can not be differentiated`},
		{derivative{op: "Neg", in: []operand{vary(2)}}, func(_ *graph.Graph, n *graph.Node) { n.SetAttr(at("xs", []string{"nobody"})) }, `attribute xs: names "nobody"`},
		{derivative{op: "Neg", in: []operand{vary(2)}}, func(_ *graph.Graph, n *graph.Node) { n.SetAttr(at("y", "nobody")) }, `attribute y: names "nobody"`},
		{derivative{op: "Neg", in: []operand{vary(2)}}, func(_ *graph.Graph, n *graph.Node) { n.SetAttr(at("y", "d0_0")) }, "depends on the derivative"},
		{derivative{op: "Neg", in: []operand{vary(2)}}, func(_ *graph.Graph, n *graph.Node) { n.SetAttr(at("zs", []string{"loss0"})) }, "1 inputs for the 2 values"},
	} {
		l, err := c.d.graphs(t, 1, false)
		if err != nil {
			t.Fatal(err)
		}
		if c.edit != nil {
			for n := range l.g.Nodes() {
				if n.Op == "Gradient" {
					c.edit(l.g, n)
				}
			}
		}
		err = optimize.LowerGradients(l.g, op.NewEnv(newModel(l.g)))
		var broken *op.Error
		var none *op.NoGradientError
		if err == nil || !strings.Contains(err.Error(), c.says) || !errors.As(err, &broken) && !errors.As(err, &none) {
			t.Errorf("%s: %v, want an error that says %q", c.d.op, err, c.says)
		}
	}
}

// sketch builds graphs of named values, all of type double[2].
type sketch struct {
	*testing.T
	*graph.Graph
}

func (s sketch) value(name string) graph.ValueID {
	s.Helper()
	if id, ok := s.Lookup(name); ok {
		return id
	}
	id, err := s.AddValue(name, graph.TensorType(tensor.Float64, graph.Fixed(2)))
	if err != nil {
		s.Fatal(err)
	}
	return id
}

func (s sketch) node(spec graph.NodeSpec, outs, ins string) {
	s.Helper()
	for _, name := range strings.Fields(ins) {
		spec.Inputs = append(spec.Inputs, s.value(name))
	}
	for _, name := range strings.Fields(outs) {
		id := graph.NoValue
		if name != "_" {
			id = s.value(name)
		}
		spec.Outputs = append(spec.Outputs, id)
	}
	if spec.Opset = 21; spec.Op == "Gradient" {
		spec.Opset, spec.Domain = 1, "ai.onnx.preview.training"
	}
	if _, err := s.AddNode(spec); err != nil {
		s.Fatal(err)
	}
}

func (s sketch) io(ins, outs string) {
	s.Helper()
	for _, name := range strings.Fields(ins) {
		if err := s.AddInput(s.value(name)); err != nil {
			s.Fatal(err)
		}
	}
	for _, name := range strings.Fields(outs) {
		if err := s.AddOutput(s.value(name)); err != nil {
			s.Fatal(err)
		}
	}
}

// TestGradientAtOtherValues: the named values say what is differentiated, and the
// inputs where; gradients that nobody asks for are not made, and what y does not
// depend on has a gradient of zero.
func TestGradientAtOtherValues(t *testing.T) {
	s := sketch{t, graph.New("other values")}
	s.io("x z h1 free", "")
	s.node(graph.NodeSpec{Op: "Sin"}, "h", "x")
	s.node(graph.NodeSpec{Op: "Exp"}, "scale", "free")
	s.node(graph.NodeSpec{Op: "Mul"}, "p", "h z")
	s.node(graph.NodeSpec{Op: "Mul"}, "y", "p scale")
	s.node(graph.NodeSpec{Op: "Gradient", Attrs: []graph.Attr{at("xs", []string{"h", "z"}), at("y", "y")}}, "dh dz", "h1 x")
	s.node(graph.NodeSpec{Op: "Gradient", Attrs: []graph.Attr{at("xs", []string{"x", "z", "h1"}), at("zs", []string{"free"}), at("y", "y")}}, "_ dz2 none", "x z h1 free")
	s.io("", "y dh dz dz2 none")
	x, z, h1, free := []float64{0.3, -1}, []float64{2, 5}, []float64{7, 11}, []float64{0.1, 0.2}
	var inputs []tensor.Value
	for _, v := range [][]float64{x, z, h1, free} {
		inputs = append(inputs, tensor.Must(tensor.FromSlice(v)))
	}
	want := [5][]float64{{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}}
	for i := range x {
		e := math.Exp(free[i])
		want[0][i] = math.Sin(x[i]) * z[i] * e
		want[1][i] = x[i] * e  // dy/dh is z, which is given as x
		want[2][i] = h1[i] * e // dy/dz is h, which is given as h1
		want[3][i] = math.Sin(x[i]) * e
	}
	for _, level := range []optimize.Level{optimize.LevelAll, optimize.LevelOff} {
		out, err := open(t, s.Clone(), engine.Options{Level: level}).Run(t.Context(), inputs, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range out {
			if err := tensor.Compare(v, tensor.Must(tensor.FromSlice(want[i])), 1e-12, 1e-12); err != nil {
				t.Errorf("level %v: output %d: %v", level, i, err)
			}
		}
	}
}

// TestGradientInSubgraph: a branch may have a Gradient of what it computes from
// values it captures.
func TestGradientInSubgraph(t *testing.T) {
	branch := func(operator string) *graph.Graph {
		s := sketch{t, graph.New(operator)}
		s.Captures = []graph.Capture{{Implicit: 0, Inner: s.value("x")}}
		s.node(graph.NodeSpec{Op: operator}, "y", "x")
		s.node(graph.NodeSpec{Op: "Gradient", Attrs: []graph.Attr{at("xs", []string{"x"}), at("y", "y")}}, "dx", "x")
		s.io("", "dx")
		return s.Graph
	}
	s := sketch{t, graph.New("outer")}
	if _, err := s.AddValue("flag", graph.TensorType(tensor.Bool, graph.ShapeOf())); err != nil {
		t.Fatal(err)
	}
	s.io("x flag", "")
	s.node(graph.NodeSpec{Op: "If", Implicit: []graph.ValueID{s.value("x")}, Attrs: []graph.Attr{at("then_branch", branch("Sin")), at("else_branch", branch("Exp"))}}, "out", "flag")
	s.io("", "out")
	x := []float64{0.3, -1}
	session := open(t, s.Graph, engine.Options{})
	for _, c := range []struct {
		flag bool
		of   func(float64) float64
	}{{true, math.Cos}, {false, math.Exp}} {
		out, err := session.Run(t.Context(), []tensor.Value{tensor.Must(tensor.FromSlice(x)), tensor.Scalar(c.flag)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := tensor.Compare(out[0], tensor.Must(tensor.FromSlice([]float64{c.of(x[0]), c.of(x[1])})), 1e-12, 1e-12); err != nil {
			t.Errorf("flag %v: %v", c.flag, err)
		}
	}
}
