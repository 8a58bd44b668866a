package op

import (
	"fmt"
	"strings"
)

// contribRangeBody is Range, whose ends may be vectors of one element here, and whose
// step is 1 when none is given.
func contribRangeBody(c *Context) (Body, error) {
	step := "1:start"
	if c.HasInput(2) {
		step = "Reshape (delta, [])"
	}
	return Body{bodyOpset, "Y = Range (Reshape (start, []), Reshape (limit, []), " + step + ")"}, nil
}

// isAllFiniteBody counts the elements that are what is looked for.
func isAllFiniteBody(c *Context) (Body, error) {
	bad := "Or (IsNaN (input_%[1]d), IsInf (input_%[1]d))"
	switch {
	case c.Bool("isnan_only"):
		bad = "IsNaN (input_%[1]d)"
	case c.Bool("isinf_only"):
		bad = "IsInf (input_%[1]d)"
	}
	counts := make([]string, c.NumInputs())
	for i := range counts {
		counts[i] = fmt.Sprintf("ReduceSum <keepdims = 0> (Cast <to = 1> ("+bad+"))", i)
	}
	return Body{bodyOpset, "output = Equal (Sum (" + strings.Join(counts, ", ") + "), 0.0)"}, nil
}

// cropBody cuts the borders off, or takes the given size from the left and top ones on.
func cropBody(c *Context) (Body, error) {
	b, size, err := c.borders()
	if err != nil {
		return Body{}, err
	}
	ends := fmt.Sprintf("Sub (Shape <start = 2, end = 4> (input), [%d, %d])", b[3], b[2])
	if len(size) > 0 {
		ends = fmt.Sprintf("[%d, %d]", b[1]+size[0], b[0]+size[1])
	}
	return Body{bodyOpset, fmt.Sprintf("output = Slice (input, [%d, %d], %s, [2, 3])", b[1], b[0], ends)}, nil
}

// imageScalerBody is scale*x + bias, one bias for each channel.
func imageScalerBody(c *Context) (Body, error) {
	scaled := "Mul (input, @scale:input)"
	if len(c.Floats("bias")) == 0 {
		return Body{bodyOpset, "output = " + scaled}, nil
	}
	return Body{bodyOpset, "output = Add (" + scaled + ", Reshape (@bias:input, [-1, 1, 1]))"}, nil
}
