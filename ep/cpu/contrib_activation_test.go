package cpu

import (
	"math"
	"testing"

	"gort/tensor"
)

// The activation functions of com.microsoft and their bias, by their formulas.
func TestContribActivations(t *testing.T) {
	gelu := func(x float64) float64 { return 0.5 * x * (1 + math.Erf(x/math.Sqrt2)) }
	fast := func(x float64) float64 {
		return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
	}
	quick := func(x float64) float64 { return x / (1 + math.Exp(-float64(float32(1.702))*x)) }
	x := []float64{-6, -1.5, -0.25, 0, 0.5, 3}
	bias := []float64{0.5, -2, 1}
	for _, c := range []struct {
		op   string
		f    func(float64) float64
		bias bool
	}{{"Gelu", gelu, false}, {"FastGelu", fast, false}, {"FastGelu", fast, true}, {"BiasGelu", gelu, true}, {"QuickGelu", quick, false}} {
		for d, near := range map[tensor.DType]float64{tensor.Float64: 1e-12, tensor.Float32: 1e-6, tensor.Float16: 2e-3, tensor.BFloat16: 2e-2} {
			in := []*tensor.Tensor{numbersOf(d, x, 2, 3)}
			want := make([]float64, len(x))
			for i, v := range x {
				if c.bias {
					v += bias[i%3]
				}
				want[i] = c.f(v)
			}
			if c.bias {
				in = append(in, numbersOf(d, bias, 3))
			}
			got, err := tensor.Float64s(nodeTest{domain: microsoft, op: c.op, opset: 1, in: in}.one(t))
			if err != nil {
				t.Fatal(err)
			}
			for i := range want {
				if math.Abs(got[i]-want[i]) > near*math.Max(1, math.Abs(want[i])) {
					t.Errorf("%s %v, bias %v: element %d is %v, want %v", c.op, d, c.bias, i, got[i], want[i])
				}
			}
		}
	}
}
