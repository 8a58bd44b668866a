package cpu

import (
	"testing"

	"gort/graph"
	"gort/op"
	"gort/tensor"
)

// TestCastEveryPair converts between all pairs of types that Cast knows: 0 and 1
// are numbers in each of them, but for float8e8m0, which has no 0.
func TestCastEveryPair(t *testing.T) {
	for _, from := range castTypes.List() {
		for _, to := range castTypes.List() {
			low := 0.0
			if from == tensor.Float8E8M0 || to == tensor.Float8E8M0 {
				low = 1
			}
			x, want := numbersOf(from, []float64{low, 1, 1}, 3), numbersOf(to, []float64{low, 1, 1}, 3)
			got := nodeTest{op: "Cast", opset: 25, attrs: []graph.Attr{graph.NewAttr("to", int64(to))}, in: []*tensor.Tensor{x}}.one(t)
			wantTensor(t, from.String()+" to "+to.String(), got, want)
			got = nodeTest{op: "CastLike", opset: 25, in: []*tensor.Tensor{x, want}}.one(t)
			wantTensor(t, from.String()+" like "+to.String(), got, want)
		}
	}
}

func TestCastOptions(t *testing.T) {
	x := vec[float32](1e6)
	to := graph.NewAttr("to", int64(tensor.Float8E4M3FN))
	got := nodeTest{op: "Cast", opset: 19, attrs: []graph.Attr{to}, in: []*tensor.Tensor{x}}.one(t)
	if v := tensor.Elements[tensor.F8E4M3FN](got)[0]; v != 0x7e {
		t.Errorf("saturated it is %#x, want the largest number, 0x7e", v)
	}
	got = nodeTest{op: "Cast", opset: 19, attrs: []graph.Attr{to, graph.NewAttr("saturate", int64(0))}, in: []*tensor.Tensor{x}}.one(t)
	if v := tensor.Elements[tensor.F8E4M3FN](got)[0]; v != 0x7f {
		t.Errorf("not saturated it is %#x, want NaN, 0x7f", v)
	}
	for mode, want := range map[string]tensor.F8E8M0{"up": 128, "down": 127, "nearest": 127} {
		got := nodeTest{op: "Cast", opset: 24, attrs: []graph.Attr{graph.NewAttr("to", int64(tensor.Float8E8M0)), graph.NewAttr("round_mode", mode)}, in: []*tensor.Tensor{vec[float32](1.2)}}.one(t)
		if v := tensor.Elements[tensor.F8E8M0](got)[0]; v != want {
			t.Errorf("1.2 rounded %s is %d, want %d", mode, v, want)
		}
	}
	if _, err := (nodeTest{op: "Cast", opset: 13, attrs: []graph.Attr{graph.NewAttr("to", int64(tensor.Int32))}, in: []*tensor.Tensor{vec("seven")}}).run(t); err == nil {
		t.Error("a word converts to int32, no error")
	}
}

func TestCastLarge(t *testing.T) {
	n := 100_003
	x, want := make([]int16, n), make([]float64, n)
	for i := range x {
		x[i], want[i] = int16(i%1999-999), float64(i%1999-999)
	}
	got := nodeTest{op: "Cast", opset: 13, attrs: []graph.Attr{graph.NewAttr("to", int64(tensor.Float64))}, in: []*tensor.Tensor{vec(x...)}}.one(t)
	wantTensor(t, "a long Cast", got, vec(want...))
}

func TestBitCast(t *testing.T) {
	to := func(d tensor.DType) []graph.Attr { return []graph.Attr{graph.NewAttr("to", int64(d))} }
	got := nodeTest{op: "BitCast", opset: 26, attrs: to(tensor.Uint32), in: []*tensor.Tensor{vec[float32](1, -2)}}.one(t)
	wantTensor(t, "float32 as uint32", got, vec[uint32](0x3f800000, 0xc0000000))
	nibbles := tensor.Must(tensor.Pack(tensor.Int4, []int8{-1, 2, -8}, 3))
	got = nodeTest{op: "BitCast", opset: 26, attrs: to(tensor.Uint4), in: []*tensor.Tensor{nibbles}}.one(t)
	wantTensor(t, "int4 as uint4", got, tensor.Must(tensor.Pack(tensor.Uint4, []int8{15, 2, 8}, 3)))
}

// TestConstants makes values of every type.
func TestConstants(t *testing.T) {
	for _, d := range castTypes.List() {
		v := numbersOf(d, []float64{1, 1}, 2)
		got := nodeTest{op: "Constant", opset: 25, attrs: []graph.Attr{graph.NewAttr("value", v)}}.one(t)
		wantTensor(t, "Constant "+d.String(), got, v)
		if d == tensor.String {
			continue
		}
		one := numbersOf(d, []float64{1}, 1)
		got = nodeTest{op: "ConstantOfShape", opset: 25, attrs: []graph.Attr{graph.NewAttr("value", one)}, in: []*tensor.Tensor{vec[int64](5)}}.one(t)
		wantTensor(t, "ConstantOfShape "+d.String(), got, numbersOf(d, []float64{1, 1, 1, 1, 1}, 5))
	}
	got := nodeTest{op: "ConstantOfShape", opset: 9, in: []*tensor.Tensor{vec[int64](2, 0)}}.one(t)
	wantTensor(t, "ConstantOfShape", got, tensor.Must(tensor.New(tensor.Float32, 2, 0)))
	got = nodeTest{op: "ConstantOfShape", opset: 9, in: []*tensor.Tensor{tensor.Must(tensor.New(tensor.Int64, 0))}}.one(t)
	wantTensor(t, "ConstantOfShape of []", got, tensor.Scalar[float32](0))
}

func TestEyeLike(t *testing.T) {
	x := mat(make([]int32, 6), 2, 3)
	for k, want := range map[int64][]float32{
		0: {1, 0, 0, 0, 1, 0}, 1: {0, 1, 0, 0, 0, 1}, 2: {0, 0, 1, 0, 0, 0}, -1: {0, 0, 0, 1, 0, 0}, 3: make([]float32, 6), -2: make([]float32, 6),
	} {
		attrs := []graph.Attr{graph.NewAttr("k", k), graph.NewAttr("dtype", int64(tensor.Float32))}
		wantTensor(t, "EyeLike", nodeTest{op: "EyeLike", opset: 9, attrs: attrs, in: []*tensor.Tensor{x}}.one(t), mat(want, 2, 3))
	}
	for _, d := range (op.NumericBFTypes | 1<<tensor.Bool).List() {
		x := numbersOf(d, make([]float64, 4), 2, 2)
		wantTensor(t, "EyeLike "+d.String(), nodeTest{op: "EyeLike", opset: 22, in: []*tensor.Tensor{x}}.one(t), numbersOf(d, []float64{1, 0, 0, 1}, 2, 2))
	}
}

func TestRangeTypes(t *testing.T) {
	for _, d := range []tensor.DType{tensor.Float32, tensor.Float64, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Float16, tensor.BFloat16} {
		in := []*tensor.Tensor{numbersOf(d, []float64{10}), numbersOf(d, []float64{3}), numbersOf(d, []float64{-3})}
		wantTensor(t, "Range "+d.String(), nodeTest{op: "Range", opset: 27, in: in}.one(t), numbersOf(d, []float64{10, 7, 4}, 3))
	}
}
