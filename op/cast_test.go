package op_test

import (
	"testing"

	"gort/tensor"
)

func TestCast(t *testing.T) {
	out, err := inferElementwise(t, "Cast", 13, 1, attr("to", int64(tensor.Int32)), ints("N", 5, "_"))
	if err != nil || out[0].Type.DType != tensor.Int32 || !sameInts(out[0].Ints, ints("N", 5, "_").Ints) {
		t.Errorf("to int32 it is %v %v, %v", out[0].Type, out[0].Ints, err)
	}
	out, err = inferElementwise(t, "Cast", 13, 1, attr("to", int64(tensor.Bool)), ints("N", 5, 0))
	if err != nil || !sameInts(out[0].Ints, ints("_", 1, 0).Ints) {
		t.Errorf("to bool it is %v, %v", out[0].Ints, err)
	}
	out, err = inferElementwise(t, "Cast", 13, 1, attr("to", int64(tensor.Uint8)), ints(256, -1, 7))
	if err != nil || !sameInts(out[0].Ints, ints("_", "_", 7).Ints) {
		t.Errorf("to uint8 it is %v, %v", out[0].Ints, err)
	}
	out, err = inferElementwise(t, "Cast", 13, 1, attr("to", int64(tensor.Float32)), ints(1, 2))
	if err != nil || out[0].Ints != nil || out[0].Type.DType != tensor.Float32 {
		t.Errorf("to float it is %v %v, %v", out[0].Type, out[0].Ints, err)
	}
	out, err = inferElementwise(t, "Cast", 1, 1, attr("to", "INT64"), typed(tensor.Float32, "N"))
	if err != nil || out[0].Type.DType != tensor.Int64 {
		t.Errorf("by name it is %v, %v", out[0].Type, err)
	}
	out, err = inferElementwise(t, "CastLike", 19, 1, nil, ints("N"), typed(tensor.Int32, "?"))
	if err != nil || out[0].Type.DType != tensor.Int32 || !sameInts(out[0].Ints, ints("N").Ints) {
		t.Errorf("CastLike is %v %v, %v", out[0].Type, out[0].Ints, err)
	}
	out, err = inferElementwise(t, "BitCast", 26, 1, attr("to", int64(tensor.Uint32)), typed(tensor.Float32, "N,2"))
	if err != nil || out[0].Type.DType != tensor.Uint32 || !out[0].Type.Shape.Equal(shapeOf("N,2")) {
		t.Errorf("BitCast is %v, %v", out[0].Type, err)
	}
}
