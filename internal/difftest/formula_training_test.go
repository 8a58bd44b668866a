package difftest

import (
	"math"
	"testing"

	"gort/tensor"
)

// float is an attribute of a call, or what is given instead.
func (c *Case) float(name string, def float64) float64 {
	for _, a := range c.Attrs {
		if a.Name == name {
			return float64(a.Value.(float32))
		}
	}
	return def
}

// ONNX Runtime has no kernels for the optimisers. The formulas are the pseudo code of
// their specifications: x is the value, g its gradient, s and u are the states.
func TestOptimizerFormulas(t *testing.T) {
	type step func(c *Case, r, n, x, g, s, u float64) [3]float64
	for name, f := range map[string]step{
		"Adagrad": func(c *Case, r, n, x, g, s, _ float64) [3]float64 {
			g += c.float("norm_coefficient", 0) * x
			s += g * g
			return [3]float64{x - r/(1+n*c.float("decay_factor", 0))*g/(math.Sqrt(s)+c.float("epsilon", 0)), s}
		},
		"Adam": func(c *Case, r, n, x, g, s, u float64) [3]float64 {
			alpha, beta := c.float("alpha", float64(float32(0.9))), c.float("beta", float64(float32(0.999)))
			g += c.float("norm_coefficient", 0) * x
			s = alpha*s + (1-alpha)*g
			u = beta*u + (1-beta)*g*g
			if n > 0 {
				r = r * math.Sqrt(1-math.Pow(beta, n)) / (1 - math.Pow(alpha, n))
			}
			x -= r * s / (math.Sqrt(u) + c.float("epsilon", 0))
			return [3]float64{(1 - c.float("norm_coefficient_post", 0)) * x, s, u}
		},
		"Momentum": func(c *Case, r, n, x, g, s, _ float64) [3]float64 {
			alpha, beta := c.float("alpha", 0), c.float("beta", 0)
			g += c.float("norm_coefficient", 0) * x
			if n == 0 {
				beta = 1
			}
			s = alpha*s + beta*g
			if c.text("mode") == "nesterov" {
				return [3]float64{x - r*(g+alpha*s), s}
			}
			return [3]float64{x - r*s, s}
		},
	} {
		gen := Find(training, name)
		d := gen.Definitions()[0]
		groups := map[string]int{"Adam": 4}[name]
		if groups == 0 {
			groups = 3
		}
		for seed := range uint64(60) {
			c := gen.New(d, seed, nil)
			model, err := c.Model(nil)
			if err != nil {
				t.Fatal(err)
			}
			a := ways(d)[0].run(t.Context(), model, c.Fed())
			if a.Err != nil {
				t.Fatalf("%s: %v", c.Name, a.Err)
			}
			var in, out [][]float64
			for _, v := range c.Fed() {
				list, _ := tensor.Float64s(v.(*tensor.Tensor))
				in = append(in, list)
			}
			for _, v := range a.Outputs {
				list, _ := tensor.Float64s(v.(*tensor.Tensor))
				out = append(out, list)
			}
			count := (len(in) - 2) / groups
			if len(out) != count*(groups-1) {
				t.Fatalf("%s: %d outputs, want %d", c.Name, len(out), count*(groups-1))
			}
			for i := range count {
				for j, x := range in[2+i] {
					u := 0.0
					if groups > 3 {
						u = in[2+3*count+i][j]
					}
					want := f(c, in[0][0], in[1][0], x, in[2+count+i][j], in[2+2*count+i][j], u)
					for k := range groups - 1 {
						if got := out[k*count+i][j]; !(math.Abs(got-want[k]) <= 1e-5*max(1, math.Abs(want[k]))) {
							t.Errorf("%s: output %d, element %d is %v, want %v", c.Name, k*count+i, j, got, want[k])
						}
					}
				}
			}
		}
	}
}

// text is a string attribute of a call.
func (c *Case) text(name string) string {
	for _, a := range c.Attrs {
		if a.Name == name {
			return a.Value.(string)
		}
	}
	return ""
}
