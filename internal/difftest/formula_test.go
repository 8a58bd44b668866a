package difftest

import (
	"math"
	"testing"

	"gort/tensor"
)

// attr is an attribute of a call, or what is given instead.
func (c *Case) attr(name string, def int64) int64 {
	for _, a := range c.Attrs {
		if a.Name == name {
			return a.Value.(int64)
		}
	}
	return def
}

// GroupNorm has no CPU kernel in ONNX Runtime; it is compared with its formula: each
// group of channels of an image has mean 0 and variance 1, then comes a factor and an
// offset for each channel, and x * sigmoid(x) where activation is 1.
func TestGroupNormFormula(t *testing.T) {
	gen := Find(microsoft, "GroupNorm")
	d := gen.Definitions()[0]
	for seed := range uint64(60) {
		c := gen.New(d, seed, Types{"T": tensor.Float32, "M": tensor.Float32})
		shape := c.Inputs[0].Value.(*tensor.Tensor).Shape()
		var in [3][]float32
		for i := range in {
			in[i] = tensor.Elements[float32](c.Inputs[i].Value.(*tensor.Tensor))
		}
		channels, pixels, step, stride := shape[3], shape[1]*shape[2], shape[3], 1
		if c.attr("channels_last", 1) == 0 {
			channels, pixels, step, stride = shape[1], shape[2]*shape[3], 1, shape[2]*shape[3]
		}
		groups := int(c.attr("groups", 0))
		want := make([]float32, len(in[0]))
		per := channels / groups
		for n := range shape[0] {
			for g := range groups {
				at := func(k, p int) int { return n*channels*pixels + (g*per+k)*stride + p*step }
				var sum, squares float64
				for k := range per {
					for p := range pixels {
						v := float64(in[0][at(k, p)])
						sum, squares = sum+v, squares+v*v
					}
				}
				count := float64(per * pixels)
				mean := sum / count
				inv := 1 / math.Sqrt(squares/count-mean*mean+1e-5)
				for k := range per {
					for p := range pixels {
						v := (float64(in[0][at(k, p)])-mean)*inv*float64(in[1][g*per+k]) + float64(in[2][g*per+k])
						if c.attr("activation", 0) == 1 {
							v /= 1 + math.Exp(-v)
						}
						want[at(k, p)] = float32(v)
					}
				}
			}
		}
		model, err := c.Model(nil)
		if err != nil {
			t.Fatal(err)
		}
		a := ways(d)[0].run(t.Context(), model, c.Fed())
		if a.Err != nil {
			t.Fatal(a.Err)
		}
		if err := gen.compare(a.Outputs, []tensor.Value{tensor.Must(tensor.FromSlice(want, shape...))}); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}

// runCall runs a call in float32 and returns its fed inputs and its output.
func runCall(t *testing.T, gen *Generator, seed uint64, types Types) (c *Case, in []*tensor.Tensor, out *tensor.Tensor) {
	t.Helper()
	d := gen.Definitions()[0]
	c = gen.New(d, seed, types)
	for _, v := range c.Inputs {
		x, _ := v.Value.(*tensor.Tensor)
		in = append(in, x)
	}
	model, err := c.Model(nil)
	if err != nil {
		t.Fatal(err)
	}
	a := ways(d)[0].run(t.Context(), model, c.Fed())
	if a.Err != nil {
		t.Fatalf("%s: %v", c.Name, a.Err)
	}
	return c, in, a.Outputs[0].(*tensor.Tensor)
}

// IsAllFinite is true when no element of any input is infinite or NaN, or none is what
// the attributes narrow that to.
func TestIsAllFiniteFormula(t *testing.T) {
	inf, nan := float32(math.Inf(-1)), float32(math.NaN())
	for _, c := range []struct {
		attr string
		x    []float32
		want bool
	}{
		{"", []float32{1, 2}, true}, {"", []float32{1, nan}, false}, {"", []float32{inf, 1}, false},
		{"isinf_only", []float32{nan}, true}, {"isinf_only", []float32{inf}, false},
		{"isnan_only", []float32{inf}, true}, {"isnan_only", []float32{nan}, false},
	} {
		g := &Generator{Domain: microsoft, Op: "IsAllFinite", Make: func(g *G) {
			g.In(tensor.Must(tensor.FromSlice([]float32{0, 3})))
			g.In(tensor.Must(tensor.FromSlice(c.x)))
			if c.attr != "" {
				g.Attr(c.attr, 1)
			}
		}}
		_, _, out := runCall(t, g, 0, nil)
		if got := tensor.Elements[bool](out)[0]; got != c.want {
			t.Errorf("%s %v: %v, want %v", c.attr, c.x, got, c.want)
		}
	}
}
