package cpu

import (
	"math"
	"testing"

	"gort/graph"
	"gort/op"
	"gort/tensor"
)

// Every type of numbers quantises to every type of codes, and comes back.
func TestQuantizeEveryType(t *testing.T) {
	def, err := op.Standard().Lookup("", "QuantizeLinear", 25)
	if err != nil {
		t.Fatal(err)
	}
	x := []float64{-1000, -3, -1, 0, 1, 1000}
	for _, from := range def.Signature().Types["T1"].Tensor.List() {
		scaleType := from
		if from == tensor.Int32 {
			scaleType = tensor.Float32
		}
		for _, to := range def.Signature().Types["T3"].Tensor.List() {
			scale := numbersOf(scaleType, []float64{2})
			y := nodeTest{op: "QuantizeLinear", opset: 25, attrs: []graph.Attr{graph.NewAttr("output_dtype", int64(to))}, in: []*tensor.Tensor{numbersOf(from, x, 6), scale}}.one(t)
			if y.DType() != to {
				t.Fatalf("%v becomes %v, want %v", from, y.DType(), to)
			}
			back := nodeTest{op: "DequantizeLinear", opset: 25, in: []*tensor.Tensor{y, scale}}.one(t)
			got, err := tensor.Float64s(back)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range x {
				want := v / 2
				if limits, integer := codes[to]; integer {
					want = min(max(math.RoundToEven(want), float64(limits[0])), float64(limits[1]))
				} else {
					wide := tensor.Must(tensor.Convert(vec(want), to, tensor.ConvertOptions{}))
					list, _ := tensor.Float64s(tensor.Must(tensor.Convert(wide, tensor.Float64, tensor.ConvertOptions{})))
					want = list[0]
				}
				if got[i] != 2*want {
					t.Errorf("%v %g comes back from %v as %g, want %g", from, v, to, got[i], 2*want)
				}
			}
		}
	}
}

// The quotient has the precision of the scale, or the one that is asked for:
// 1/3 is 0.33325 in half precision.
func TestQuantizePrecision(t *testing.T) {
	x, scale := numbersOf(tensor.Float16, []float64{1}, 1), numbersOf(tensor.Float16, []float64{0x1.8p-13}, 1)
	for _, c := range []struct {
		attrs []graph.Attr
		want  uint16
	}{{nil, 5460}, {[]graph.Attr{graph.NewAttr("precision", int64(1))}, 5461}} {
		got := nodeTest{op: "QuantizeLinear", opset: 23, attrs: c.attrs, in: []*tensor.Tensor{x, scale, vec[uint16](0)}}.one(t)
		wantTensor(t, "QuantizeLinear", got, vec(c.want))
	}
}

func TestQuantizeSaturate(t *testing.T) {
	x, scale, zero := vec[float32](1e6), vec[float32](1), numbersOf(tensor.Float8E4M3FN, []float64{0}, 1)
	for saturate, want := range map[int64]float64{1: 448, 0: math.NaN()} {
		got := nodeTest{op: "QuantizeLinear", opset: 19, attrs: []graph.Attr{graph.NewAttr("saturate", saturate)}, in: []*tensor.Tensor{x, scale, zero}}.one(t)
		v, err := tensor.Float64s(got)
		if err != nil || v[0] != want && !(math.IsNaN(v[0]) && math.IsNaN(want)) {
			t.Errorf("saturate %d: %v, %v, want %g", saturate, v, err, want)
		}
	}
}

// A scale that is a power of two in a byte.
func TestDequantizeE8M0(t *testing.T) {
	got := nodeTest{op: "DequantizeLinear", opset: 24, attrs: []graph.Attr{graph.NewAttr("output_dtype", int64(1))},
		in: []*tensor.Tensor{vec[int8](3, -4), numbersOf(tensor.Float8E8M0, []float64{0.25}, 1)}}.one(t)
	wantTensor(t, "DequantizeLinear", got, vec[float32](0.75, -1))
}

// The whole range of int32 less its zero point does not wrap.
func TestDequantizeInt32(t *testing.T) {
	got := nodeTest{op: "DequantizeLinear", opset: 13, in: []*tensor.Tensor{vec[int32](math.MaxInt32, math.MinInt32), vec[float32](1), vec[int32](-1)}}.one(t)
	wantTensor(t, "DequantizeLinear", got, vec[float32](0x1p31, -0x1p31))
}

func TestQLinearMatMulRowsAndColumns(t *testing.T) {
	got := nodeTest{op: "QLinearMatMul", opset: 21, in: []*tensor.Tensor{
		mat([]int8{1, 2, 3, 4}, 2, 2), vec[float32](1, 2), vec[int8](0, 1), mat([]int8{1, 0, 0, 1}, 2, 2), vec[float32](1, 3), vec[int8](0, 0), vec[float32](1), vec[int8](0)}}.one(t)
	wantTensor(t, "QLinearMatMul", got, mat([]int8{1, 6, 4, 18}, 2, 2))
}
