package op_test

import (
	"testing"

	"gort/graph"
	"gort/op"
	"gort/tensor"
)

func TestReduceShapes(t *testing.T) {
	f := tensor.Float32
	drop := graph.NewAttr("keepdims", int64(0))
	axes := func(a ...int64) graph.Attr { return graph.NewAttr("axes", a) }
	noop := graph.NewAttr("noop_with_empty_axes", int64(1))
	unknown := typed(tensor.Int64, "2")
	for _, c := range []struct {
		op    string
		opset int
		attrs []graph.Attr
		in    []op.Fact
		want  string
	}{
		{"ReduceMean", 13, nil, []op.Fact{typed(f, "N,3,H")}, "1,1,1"},
		{"ReduceMean", 13, []graph.Attr{drop}, []op.Fact{typed(f, "N,3,H")}, ""},
		{"ReduceMean", 11, []graph.Attr{axes(-1, 0)}, []op.Fact{typed(f, "N,3,H")}, "1,3,1"},
		{"ReduceMean", 11, []graph.Attr{axes(1), drop}, []op.Fact{typed(f, "N,3,H")}, "N,H"},
		{"ReduceMean", 18, []graph.Attr{drop}, []op.Fact{typed(f, "N,3,H"), constant[int64](-2)}, "N,H"},
		{"ReduceSum", 13, []graph.Attr{noop}, []op.Fact{typed(f, "N,3")}, "N,3"},
		{"ReduceSum", 13, []graph.Attr{noop}, []op.Fact{typed(f, "N,3"), constant[int64]()}, "N,3"},
		{"ReduceSum", 13, nil, []op.Fact{typed(f, "N,3"), constant[int64]()}, "1,1"},
		{"ReduceSum", 13, nil, []op.Fact{typed(f, "N,3,4"), unknown}, "_,_,_"},
		{"ReduceSum", 13, []graph.Attr{drop}, []op.Fact{typed(f, "N,3,4"), unknown}, "_"},
		{"ReduceSum", 13, []graph.Attr{drop}, []op.Fact{typed(f, "N,3,4"), typed(tensor.Int64, "K")}, "?"},
		{"ReduceL2", 13, nil, []op.Fact{typed(f, "?")}, "?"},
		{"ReduceMax", 20, []graph.Attr{drop}, []op.Fact{typed(f, "")}, ""},
	} {
		out, err := inferElementwise(t, c.op, c.opset, 1, c.attrs, c.in...)
		if err != nil || !out[0].Type.Shape.Equal(shapeOf(c.want)) || out[0].Type.DType != f {
			t.Errorf("%s-%d %v is %v, %v; want [%s]", c.op, c.opset, c.attrs, out[0].Type, err, c.want)
		}
	}
	for name, want := range map[string]op.Int{
		"ReduceProd": op.KnownInt(24), "ReduceSum": op.KnownInt(9), "ReduceMax": op.KnownInt(4), "ReduceMin": op.KnownInt(2),
	} {
		out, err := inferElementwise(t, name, 13, 1, []graph.Attr{drop}, constant[int64](2, 3, 4))
		if err != nil || out[0].Ints == nil || !out[0].Ints.Scalar || out[0].Ints.Elems[0] != want {
			t.Errorf("%s of 2, 3, 4 is %v, %v", name, out[0].Ints, err)
		}
	}
	out, err := inferElementwise(t, "ReduceProd", 13, 1, nil, ints("N", 1))
	if err != nil || !sameInts(out[0].Ints, ints("N").Ints) {
		t.Errorf("ReduceProd of N, 1 is %v, %v", out[0].Ints, err)
	}
}
