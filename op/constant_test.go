package op_test

import (
	"math"
	"testing"

	"gort/graph"
	"gort/op"
	"gort/tensor"
)

func TestConstantForms(t *testing.T) {
	for _, c := range []struct {
		attr graph.Attr
		want string
	}{
		{graph.NewAttr("value", tensor.Must(tensor.FromSlice([]int8{1, 2}))), "int8 [2]"},
		{graph.NewAttr("value_float", float32(2)), "float32 []"},
		{graph.NewAttr("value_floats", []float32{1, 2, 3}), "float32 [3]"},
		{graph.NewAttr("value_int", int64(2)), "int64 []"},
		{graph.NewAttr("value_ints", []int64{}), "int64 [0]"},
		{graph.NewAttr("value_string", "a"), "string []"},
		{graph.NewAttr("value_strings", []string{"a", "b"}), "string [2]"},
	} {
		out, err := inferElementwise(t, "Constant", 13, 1, []graph.Attr{c.attr})
		if err != nil {
			t.Errorf("%s: %v", c.attr.Name, err)
			continue
		}
		if got := out[0].Type.DType.String() + " " + out[0].Type.Shape.String(); got != c.want || out[0].Const == nil {
			t.Errorf("%s is %s (constant: %v), want %s", c.attr.Name, got, out[0].Const, c.want)
		}
	}
	s := &graph.Sparse{Values: tensor.Must(tensor.FromSlice([]float32{5})), Indices: tensor.Must(tensor.FromSlice([]int64{3})), Dims: tensor.Shape{2, 4}}
	out, err := inferElementwise(t, "Constant", 13, 1, attr("sparse_value", s))
	if err != nil || out[0].Type.DType != tensor.Float32 || !out[0].Type.Shape.Equal(shapeOf("2,4")) {
		t.Errorf("sparse_value is %v, %v", out[0].Type, err)
	}
}

func TestConstantOfShape(t *testing.T) {
	one := tensor.Must(tensor.FromSlice([]int64{7}))
	out, err := inferElementwise(t, "ConstantOfShape", 9, 1, attr("value", one), ints("N", 3))
	if err != nil || out[0].Type.DType != tensor.Int64 || !out[0].Type.Shape.Equal(shapeOf("N,3")) {
		t.Errorf("is %v, %v", out[0].Type, err)
	}
	out, err = inferElementwise(t, "ConstantOfShape", 9, 1, attr("value", one), constant[int64](2))
	if err != nil || !sameInts(out[0].Ints, ints(7, 7).Ints) {
		t.Errorf("of shape [2] is %v, %v", out[0].Ints, err)
	}
	square := tensor.Must(tensor.FromSlice([]int32{5}, 1, 1))
	out, err = inferElementwise(t, "ConstantOfShape", 9, 1, attr("value", square), constant[int64](1))
	if err != nil || !sameInts(out[0].Ints, ints(5).Ints) {
		t.Errorf("of a value of rank 2 it is %v, %v", out[0].Ints, err)
	}
	out, err = inferElementwise(t, "ConstantOfShape", 9, 1, nil, constant[int64](1<<40, 1<<40))
	if err != nil || out[0].Type.DType != tensor.Float32 {
		t.Errorf("of a huge shape is %v, %v", out[0].Type, err)
	}
}

func TestRange(t *testing.T) {
	for _, c := range []struct {
		start, limit, delta op.Fact
		want                string
		elems               *op.Ints
	}{
		{scalar[int64](3), scalar[int64](9), scalar[int64](3), "2", ints(3, 6).Ints},
		{scalar[int64](10), scalar[int64](4), scalar[int64](-2), "3", ints(10, 8, 6).Ints},
		{scalar[int64](0), scalar[int64](-4), scalar[int64](1), "0", ints().Ints},
		{scalar[int64](0), scalar[int64](4000), scalar[int64](1), "4000", nil},
		{scalar[int64](0), ints("N"), scalar[int64](1), "N", nil},
		{scalar[int64](2), ints("N"), scalar[int64](1), "_", nil},
		{scalar[float32](1), scalar[float32](5), scalar[float32](2), "2", nil},
		{scalar[float64](0), scalar[float64](1), scalar[float64](0.25), "4", nil},
		{typed(tensor.Float32, ""), scalar[float32](5), scalar[float32](2), "_", nil},
	} {
		out, err := inferElementwise(t, "Range", 11, 1, nil, c.start, c.limit, c.delta)
		if err != nil || !out[0].Type.Shape.Equal(shapeOf(c.want)) || !sameInts(out[0].Ints, c.elems) {
			t.Errorf("Range(%v, %v, %v) is %v %v, %v; want [%s] %v", c.start, c.limit, c.delta, out[0].Type, out[0].Ints, err, c.want, c.elems)
		}
	}
	for _, c := range []struct {
		start, limit, delta int64
		n                   int
		ok                  bool
	}{
		{0, 10, 3, 4, true}, {0, 9, 3, 3, true}, {5, 5, 1, 0, true}, {math.MinInt64, math.MaxInt64, math.MaxInt64, 3, true},
		{math.MaxInt64, math.MinInt64, math.MinInt64, 2, true}, {math.MinInt64, math.MaxInt64, 1, 0, false},
	} {
		if n, ok := op.RangeLen(c.start, c.limit, c.delta); ok != c.ok || ok && n != c.n {
			t.Errorf("RangeLen(%d, %d, %d) is %d, %v; want %d, %v", c.start, c.limit, c.delta, n, ok, c.n, c.ok)
		}
	}
}
