package op

import (
	"gort/graph"
	"gort/tensor"
)

// PReluSlope returns the shape as which PRelu reads its slope before opset 7: one
// number, or one for each channel (dimension 1) of an input of shape x.
func PReluSlope(x, slope tensor.Shape) tensor.Shape {
	switch {
	case !manyElements(graph.Fixed(slope...)):
		return tensor.Shape{}
	case len(slope) == 1 && len(x) > 1:
		out := make(tensor.Shape, len(x)-1)
		for i := range out {
			out[i] = 1
		}
		out[0] = slope[0]
		return out
	}
	return slope
}

func inferPRelu(c *Context) error {
	x, slope := c.Shape(0), c.Shape(1)
	c.SetShape(0, x)
	if c.Def.Since < 7 {
		xs, ok := x.Concrete()
		s, ok2 := slope.Concrete()
		if !ok || !ok2 {
			return nil
		}
		slope = graph.Fixed(PReluSlope(xs, s)...)
	}
	out, err := c.Broadcast(x, slope)
	if err != nil {
		return err
	}
	if x.IsRanked() && out.IsRanked() {
		if _, ok := graph.Merge(out, x); !ok {
			return c.InputErrorf(1, "shape %v does not broadcast to that of the input, %v", c.Shape(1), x)
		}
	}
	return nil
}

func inferGelu(c *Context) error {
	if a := c.String("approximate"); a != "none" && a != "tanh" {
		return c.AttrErrorf("approximate", "is %q, allowed are none and tanh", a)
	}
	return inferSame(c)
}

func inferSwiGLU(c *Context) error {
	s, ok := graph.Merge(c.Shape(0), c.Shape(1))
	if !ok {
		return c.InputErrorf(1, "shape %v differs from that of the gate, %v", c.Shape(1), c.Shape(0))
	}
	c.SetShape(0, s)
	return nil
}

// inferClip wants bounds that hold one number: scalars, and, leniently, tensors
// of one element.
func inferClip(c *Context) error {
	for i := 1; i < c.NumInputs(); i++ {
		if c.HasInput(i) && manyElements(c.Shape(i)) {
			return c.InputErrorf(i, "shape %v is no scalar", c.Shape(i))
		}
	}
	c.SetShape(0, c.Shape(0))
	if c.sig.Attr("min") == nil {
		c.clipInts()
	}
	return nil
}

// clipInts follows integers through a Clip with known bounds.
func (c *Context) clipInts() {
	v := c.Ints(0)
	if v == nil || !wholeNumbers(c.DType(0)) {
		return
	}
	out := &Ints{Scalar: v.Scalar, Elems: append([]Int(nil), v.Elems...)}
	for i, f := range [2]func(*Context, []Int) Int{intMax, intMin} {
		if !c.HasInput(i + 1) {
			continue
		}
		bound := c.Ints(i + 1)
		if bound == nil || len(bound.Elems) != 1 {
			return
		}
		for k := range out.Elems {
			out.Elems[k] = f(c, []Int{out.Elems[k], bound.Elems[0]})
		}
	}
	c.SetInts(0, out)
}
