package op_test

import (
	"testing"

	"gort/graph"
	"gort/tensor"
)

func TestRandomTypes(t *testing.T) {
	half := graph.NewAttr("dtype", int64(tensor.Float16))
	for _, c := range []struct {
		op    string
		attrs []graph.Attr
		in    string
		want  tensor.DType
		shape string
	}{
		{"RandomNormal", []graph.Attr{graph.NewAttr("shape", []int64{2, 3})}, "", tensor.Float32, "2,3"},
		{"RandomUniform", []graph.Attr{graph.NewAttr("shape", []int64{2}), half}, "", tensor.Float16, "2"},
		{"RandomNormalLike", nil, "N,2", tensor.Float64, "N,2"},
		{"RandomUniformLike", []graph.Attr{half}, "N,2", tensor.Float16, "N,2"},
		{"Bernoulli", []graph.Attr{graph.NewAttr("dtype", int64(tensor.Bool))}, "N", tensor.Bool, "N"},
		{"Multinomial", []graph.Attr{graph.NewAttr("sample_size", int64(4))}, "N,5", tensor.Int32, "N,4"},
	} {
		var in = typed(tensor.Float64, c.in)
		out, err := inferElementwise(t, c.op, 15, 1, c.attrs)
		if c.in != "" {
			out, err = inferElementwise(t, c.op, 15, 1, c.attrs, in)
		}
		if err != nil || out[0].Type.DType != c.want || !out[0].Type.Shape.Equal(shapeOf(c.shape)) {
			t.Errorf("%s is %v, %v; want %v [%s]", c.op, out[0].Type, err, c.want, c.shape)
		}
	}
	out, err := inferElementwise(t, "Dropout", 13, 2, nil, typed(tensor.Float32, "N,3"))
	if err != nil || out[0].Type.DType != tensor.Float32 || out[1].Type.DType != tensor.Bool || !out[1].Type.Shape.Equal(shapeOf("N,3")) {
		t.Errorf("Dropout is %v and %v, %v", out[0].Type, out[1].Type, err)
	}
	out, err = inferElementwise(t, "SoftmaxCrossEntropyLoss", 13, 2, attr("reduction", "none"), typed(tensor.Float32, "N,5,H"), typed(tensor.Int64, "?"))
	if err != nil || !out[0].Type.Shape.Equal(shapeOf("N,H")) || !out[1].Type.Shape.Equal(shapeOf("N,5,H")) {
		t.Errorf("SoftmaxCrossEntropyLoss is %v and %v, %v", out[0].Type, out[1].Type, err)
	}
}
