package op

import (
	"fmt"

	"gort/graph"
	"gort/tensor"
)

// inferRandom is for the operators whose shape is an attribute.
func inferRandom(c *Context) error {
	if err := c.attrDType("dtype", "T", tensor.Float32); err != nil {
		return err
	}
	dims := c.IntsAsInt("shape")
	for _, d := range dims {
		if d < 0 {
			return c.AttrErrorf("shape", "is %v, dimensions must not be negative", dims)
		}
	}
	c.SetShape(0, graph.Fixed(dims...))
	return nil
}

// inferRandomLike is for those that take shape and, unless an attribute says
// otherwise, type from the input.
func inferRandomLike(c *Context) error {
	c.SetShape(0, c.Shape(0))
	return c.attrDType("dtype", "T2", c.DType(0))
}

func inferMultinomial(c *Context) error {
	if err := c.WantRank(0, 2); err != nil {
		return err
	}
	n := c.Int("sample_size")
	if n < 0 {
		return c.AttrErrorf("sample_size", "is %d, must not be negative", n)
	}
	if c.Shape(0).Dim(1).Is(0) && n > 0 && !c.Shape(0).Dim(0).Is(0) {
		return c.InputErrorf(0, "shape %v has no class to draw", c.Shape(0))
	}
	c.SetDims(0, c.Shape(0).Dim(0), graph.Known(n))
	return c.attrDType("dtype", "T2", tensor.Int32)
}

func inferDropout(c *Context) error {
	c.SetShape(0, c.Shape(0))
	c.SetShape(1, c.Shape(0))
	for i := 1; i < c.NumInputs(); i++ {
		if c.HasInput(i) && manyElements(c.Shape(i)) {
			return c.InputErrorf(i, "shape %v is no scalar", c.Shape(i))
		}
	}
	if r := c.Float("ratio"); r < 0 || r > 1 {
		return c.AttrErrorf("ratio", "is %v, must be in [0, 1]", r)
	}
	return nil
}

// bernoulliBody is 1 where a uniform number lies below the probability. (The
// specification's own body has the comparison the other way round, which draws
// with one minus the probability and contradicts its text.) The number is a double: in
// narrower types it may round up to 1, which does not lie below a probability of 1.
func bernoulliBody(c *Context) (Body, error) {
	to := c.DType(0)
	if c.Has("dtype") {
		to = tensor.DType(c.Int("dtype"))
	}
	if to == tensor.Undefined {
		return Body{}, nil
	}
	return Body{22, fmt.Sprintf("output = Cast <to = %d> (Less (RandomUniformLike <dtype = 11, low = 0.0, high = 1.0, seed = @seed> (input), Cast <to = 11> (input)))", to)}, nil
}
