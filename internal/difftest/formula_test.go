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
