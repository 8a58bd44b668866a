package cpu_test

import (
	"testing"

	"gort/ep"
	"gort/ep/cpu"
	"gort/graph"
	"gort/op"
	"gort/tensor"
)

// What versions of the operators do differently: arguments that were attributes,
// axes as inputs, defaults.
func TestSliceFamilyVersions(t *testing.T) {
	x := tensor.Must(tensor.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3))
	i32 := func(v ...int32) tensor.Value { return tensor.Must(tensor.FromSlice(v)) }
	runNodeCases(t, []nodeCase{
		{"Concat", 1, nil, 1, values(x, x), "float32 2x6 [1 2 3 1 2 3 4 5 6 4 5 6]"},
		{"Concat", 4, pairs("axis", 0), 1, values(x, x), "float32 4x3 [1 2 3 4 5 6 1 2 3 4 5 6]"},
		{"Concat", 13, pairs("axis", -1), 1, values(x), "float32 2x3 [1 2 3 4 5 6]"},
		{"Split", 2, pairs("axis", 1, "split", []int{1, 2}), 2, values(x), "float32 2x1 [1 4] | float32 2x2 [2 3 5 6]"},
		{"Split", 11, nil, 2, values(x), "float32 1x3 [1 2 3] | float32 1x3 [4 5 6]"},
		{"Split", 13, pairs("axis", -1), 2, values(x, ints(3, 0)), "float32 2x3 [1 2 3 4 5 6] | float32 2x0 []"},
		{"Split", 18, pairs("axis", 1, "num_outputs", 2), 2, values(x), "float32 2x2 [1 2 4 5] | float32 2x1 [3 6]"},
		{"Slice", 1, pairs("starts", []int{0, -2}, "ends", []int{1, 9}), 1, values(x), "float32 1x2 [2 3]"},
		{"Slice", 10, nil, 1, values(x, i32(2), i32(-9), i32(1), i32(-2)), "float32 2x2 [3 1 6 4]"},
		{"Slice", 13, nil, 1, values(x, ints(1), ints(1)), "float32 0x3 []"},
		{"Pad", 1, pairs("paddings", []int{0, 1, 0, 0}, "value", float32(9)), 1, values(x), "float32 2x4 [9 1 2 3 9 4 5 6]"},
		{"Pad", 2, pairs("pads", []int{0, 0, 1, -1}, "mode", "edge"), 1, values(x), "float32 3x2 [1 2 4 5 4 5]"},
		{"Pad", 11, nil, 1, values(x, ints(0, 0, 0, 1), tensor.Scalar[float32](7)), "float32 2x4 [1 2 3 7 4 5 6 7]"},
		{"Pad", 18, nil, 1, values(x, ints(1, 0), nil, i32(-1)), "float32 2x4 [0 1 2 3 0 4 5 6]"},
		{"Pad", 19, pairs("mode", "wrap"), 1, values(x, ints(0, 2, 0, 0)), "float32 2x5 [2 3 1 2 3 5 6 4 5 6]"},
		{"Tile", 1, nil, 1, values(x, floats(2), floats(1)), "float32 2x6 [1 2 3 1 2 3 4 5 6 4 5 6]"},
		{"Tile", 6, nil, 1, values(x, ints(1, 2)), "float32 2x6 [1 2 3 1 2 3 4 5 6 4 5 6]"},
		{"CenterCropPad", 18, pairs("axes", []int{1}), 1, values(x, i32(5)), "float32 2x5 [0 1 2 3 0 0 4 5 6 0]"},
		{"ReverseSequence", 10, pairs("time_axis", 1, "batch_axis", 0), 1, values(x, ints(3, 2)), "float32 2x3 [3 2 1 5 4 6]"},
		{"ReverseSequence", 10, nil, 1, values(x, ints(3, 2, 1)), "!allowed are 0 to 2"},
		{"Trilu", 14, pairs("upper", 0), 1, values(x, tensor.Scalar[int64](1)), "float32 2x3 [1 2 0 4 5 6]"},
		{"Gather", 1, pairs("axis", 1), 1, values(x, i32(-1, 0)), "float32 2x2 [3 1 6 4]"},
		{"Gather", 13, nil, 1, values(x, ints(2)), "!element 0 is 2, allowed are -2 to 1"},
		{"Scatter", 9, pairs("axis", 1), 1, values(x, tensor.Must(tensor.FromSlice([]int64{2, 0}, 2, 1)), tensor.Must(tensor.FromSlice([]float32{7, 8}, 2, 1))), "float32 2x3 [1 2 7 8 5 6]"},
		{"GatherND", 11, nil, 1, values(x, tensor.Must(tensor.FromSlice([]int64{1, -1}, 1, 2))), "float32 1 [6]"},
		{"Compress", 9, nil, 1, values(x, tensor.Must(tensor.FromSlice([]bool{false, true, false, true}))), "float32 2 [2 4]"},
		{"Compress", 11, pairs("axis", -1), 1, values(x, tensor.Must(tensor.FromSlice([]bool{false, true}))), "float32 2x1 [2 5]"},
		{"OneHot", 9, nil, 1, values(floats(1, -1), floats(3), tensor.Must(tensor.FromSlice([]string{"", "x"}))), `string 2x3 ["" "x" "" "" "" "x"]`},
		{"TopK", 1, pairs("k", 1), 2, values(x), "float32 2x1 [3 6] | int64 2x1 [2 2]"},
		{"TopK", 10, pairs("axis", 0), 2, values(x, ints(1)), "float32 1x3 [4 5 6] | int64 1x3 [1 1 1]"},
		{"TopK", 11, pairs("largest", 0), 2, values(x, ints(2)), "float32 2x2 [1 2 4 5] | int64 2x2 [0 1 0 1]"},
		{"ArgMax", 1, pairs("keepdims", 0), 1, values(x), "int64 3 [1 1 1]"},
		{"ArgMin", 13, pairs("axis", -1), 1, values(x), "int64 2x1 [0 0]"},
		{"NonZero", 13, nil, 1, values(floats(0, 3, 0, 4)), "int64 1x2 [1 3]"},
		{"NonZero", 13, nil, 1, values(tensor.Scalar[float32](2)), "int64 0x1 []"},
		{"Unique", 11, pairs("axis", 1), 2, values(tensor.Must(tensor.FromSlice([]int8{2, 1, 2, 2, 1, 2}, 2, 3))), "int8 2x2 [1 2 1 2] | int64 2 [1 0]"},
		{"Expand", 8, nil, 1, values(floats(1, 2), ints(2, 1)), "float32 2x2 [1 2 1 2]"},
		{"Transpose", 1, nil, 1, values(x), "float32 3x2 [1 4 2 5 3 6]"},
		{"Squeeze", 1, pairs("axes", []int{0}), 1, values(tensor.Must(x.Reshape(1, 6))), "float32 6 [1 2 3 4 5 6]"},
		{"Squeeze", 13, nil, 1, values(tensor.Must(x.Reshape(1, 6, 1)), ints(-1)), "float32 1x6 [1 2 3 4 5 6]"},
		{"Unsqueeze", 11, pairs("axes", []int{1}), 1, values(floats(1, 2)), "float32 2x1 [1 2]"},
		{"Reshape", 1, pairs("shape", []int{3, -1}), 1, values(x), "float32 3x2 [1 2 3 4 5 6]"},
		{"StringNormalizer", 10, pairs("case_change_action", "UPPER", "stopwords", []string{"b"}), 1, values(tensor.Must(tensor.FromSlice([]string{"a", "B"}, 1, 2))), `string 1x1 ["A"]`},
		{"StringConcat", 20, nil, 1, values(tensor.Must(tensor.FromSlice([]string{"a", "b"}, 2, 1)), tensor.Must(tensor.FromSlice([]string{"x", "y"}))), `string 2x2 ["ax" "ay" "bx" "by"]`},
		{"StringSplit", 20, pairs("delimiter", ",", "maxsplit", 1), 2, values(tensor.Must(tensor.FromSlice([]string{"a,b,c", "d"}))), `string 2x2 ["a" "b,c" "d" ""] | int64 2 [2 1]`},
		{"StringSplit", 20, nil, 2, values(tensor.Must(tensor.FromSlice([]string{}, 0, 2))), `string 0x2x0 [] | int64 0x2 []`},
		{"RegexFullMatch", 20, pairs("pattern", "a|ab"), 1, values(tensor.Must(tensor.FromSlice([]string{"ab", "abc", "xa", "a\n"}))), "bool 4 [true false false false]"},
	})
}

// Low precision compares in float32 and loses nothing.
func TestSearchOfLowPrecision(t *testing.T) {
	for _, d := range []tensor.DType{tensor.Float16, tensor.BFloat16} {
		x := tensor.Must(tensor.Convert(floats(1, -2, 5, 0.5), d, tensor.ConvertOptions{}))
		out, err := runNode(t, t.Context(), "TopK", 24, nil, 2, x, ints(2))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := showAll(out), d.String()+" 2 [5 1] | int64 2 [2 0]"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		idx := ints(0, 0)
		out, err = runNode(t, t.Context(), "ScatterElements", 18, pairs("reduction", "add"), 1, x, idx, tensor.Must(tensor.Convert(floats(2, 3), d, tensor.ConvertOptions{})))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := showAll(out), d.String()+" 4 [6 -2 5 0.5]"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A view describes the same elements that Run writes.
func TestViewsAgreeWithRun(t *testing.T) {
	x := tensor.Must(tensor.FromSlice([]int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 3, 2, 2))
	row := tensor.Must(x.Reshape(1, 12))
	for _, c := range []struct {
		nodeCase
		views bool
	}{
		{nodeCase{"Slice", 13, nil, 1, values(x, ints(1), ints(3)), ""}, true},
		{nodeCase{"Slice", 13, nil, 1, values(row, ints(0, 4), ints(1, 7)), ""}, true},
		{nodeCase{"Slice", 13, nil, 1, values(x, ints(0), ints(1), ints(1)), ""}, false},
		{nodeCase{"Slice", 13, nil, 1, values(x, ints(2), ints(-9), ints(0), ints(-1)), ""}, false},
		{nodeCase{"Split", 13, nil, 2, values(x, ints(1, 2)), ""}, true},
		{nodeCase{"Split", 13, pairs("axis", 1), 2, values(row, ints(5, 7)), ""}, true},
		{nodeCase{"Split", 13, pairs("axis", 1), 2, values(x), ""}, false},
		{nodeCase{"Gather", 13, nil, 1, values(x, tensor.Scalar[int64](-1)), ""}, true},
		{nodeCase{"Gather", 13, pairs("axis", 1), 1, values(row, ints(3)), ""}, true},
		{nodeCase{"Gather", 13, nil, 1, values(x, ints(0, 1)), ""}, false},
		{nodeCase{"Transpose", 13, pairs("perm", []int{1, 0}), 1, values(row), ""}, true},
		{nodeCase{"Transpose", 13, nil, 1, values(x), ""}, false},
		{nodeCase{"Expand", 13, nil, 1, values(row, ints(1, 1, 12)), ""}, true},
		{nodeCase{"Expand", 13, nil, 1, values(row, ints(2, 1)), ""}, false},
		{nodeCase{"Tile", 13, nil, 1, values(row, ints(1, 1)), ""}, true},
		{nodeCase{"Unsqueeze", 13, nil, 1, values(row, ints(0)), ""}, true},
	} {
		want, err := runNode(t, t.Context(), c.op, c.opset, c.attrs, c.outputs, c.in...)
		if err != nil {
			t.Fatal(err)
		}
		k, inv := kernelOf(t, c.nodeCase)
		for i, w := range want {
			out := w.(*tensor.Tensor)
			v, ok := k.(ep.Viewer).View(i, inv, out.Shape())
			if ok != c.views {
				t.Errorf("%s of %s: view %v, want %v", c.op, showAll(c.in), ok, c.views)
			}
			if !ok {
				continue
			}
			src := inv.In(v.Input)
			got, err := src.View(out.Shape(), v.Strides, src.Offset()+v.Offset)
			if err != nil {
				t.Fatal(err)
			}
			if show(got) != show(w) {
				t.Errorf("%s of %s: view is %s, Run gives %s", c.op, showAll(c.in), show(got), show(w))
			}
		}
	}
}

// kernelOf makes the kernel of a node and an invocation with its inputs.
func kernelOf(t *testing.T, c nodeCase) (ep.Kernel, *ep.Invocation) {
	t.Helper()
	f := newFlow(t)
	q := &ep.Query{Opset: c.opset}
	inv := &ep.Invocation{}
	var ids []graph.ValueID
	for _, v := range c.in {
		ids = append(ids, f.in())
		q.Inputs = append(q.Inputs, ep.Operand{Present: true, Type: graph.TypeOf(v)})
		x := v.(*tensor.Tensor)
		inv.Inputs = append(inv.Inputs, ep.Arg{DType: x.DType(), Shape: x.Shape(), Value: v})
	}
	f.node(c.op, c.opset, c.attrs, c.outputs, ids...)
	for n := range f.Nodes() {
		q.Node = n
	}
	for range c.outputs {
		q.Outputs = append(q.Outputs, ep.Operand{Present: true, Type: graph.TensorType(inv.In(0).DType(), graph.Shape{})})
	}
	var err error
	if q.Def, err = op.Standard().Lookup("", c.op, c.opset); err != nil {
		t.Fatal(err)
	}
	p := cpu.New()
	if err := p.Open(t.Context(), ep.Config{Threads: 1}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	k, err := p.Kernel(q)
	if err != nil {
		t.Fatal(err)
	}
	return k, inv
}
