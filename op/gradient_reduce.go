package op

import (
	"fmt"
	"strings"
)

var reduceGradients = map[string]gradientRule{
	"ReduceSum": func(c *GradientContext) (Body, error) {
		return Body{gradientOpset, c.kept("g", "dy0") + "dx0 = Expand (g, Shape (x0))"}, nil
	},
	"ReduceMean": func(c *GradientContext) (Body, error) {
		return Body{gradientOpset, c.kept("g", "dy0") + `
			many = Div (Size (x0), Max (Size (y0), 1))
			dx0 = Expand (Div (g, many:g), Shape (x0))`}, nil
	},
	"ReduceMax":         extremeReduceGradient,
	"ReduceMin":         extremeReduceGradient,
	"ReduceSumSquare":   reduceRule(`dx0 = Mul (Mul (x0, 2:x0), g)`),
	"ReduceL1":          reduceRule(`dx0 = Mul (Sign (x0), g)`),
	"ReduceL2":          reduceRule(`dx0 = Mul (Div (x0, Where (Equal (y, 0:y), 1:y, y)), g)`), // 0 where all elements are
	"ReduceLogSum":      reduceRule(`dx0 = Expand (Div (g, Exp (y)), Shape (x0))`),
	"ReduceLogSumExp":   reduceRule(`dx0 = Mul (Exp (Sub (x0, y)), g)`),
	"GlobalAveragePool": globalAverageGradient,
}

// reduceRule is a rule for g and y, the gradient and the output with all axes.
func reduceRule(text string) gradientRule {
	return func(c *GradientContext) (Body, error) {
		return Body{gradientOpset, c.kept("g", "dy0") + c.kept("y", "y0") + text}, nil
	}
}

// extremeReduceGradient shares a gradient among the elements that are the extreme.
func extremeReduceGradient(c *GradientContext) (Body, error) {
	return reduceRule(`
		is = CastLike (Equal (x0, y), x0)
		dx0 = Mul (is, Div (g, Expand (Reshape <allowzero = 1> (ReduceSum <keepdims = 1, noop_with_empty_axes = @noop_with_empty_axes> (is, ` + c.reduceAxes() + `), Shape (y)), Shape (y))))`)(c)
}

// reduceAxes is the argument that says which axes a reduction reduces.
func (c *GradientContext) reduceAxes() string {
	if c.sig.Attr("axes") != nil {
		return "@axes"
	}
	return "x1"
}

// kept is the line that names a value of the reduced shape after giving it back the
// reduced axes, with one element each.
func (c *GradientContext) kept(name, value string) string {
	if c.Bool("keepdims") {
		return fmt.Sprintf("%s = Identity (%s)\n", name, value)
	}
	axes, known := c.AxesInput("axes", 1)
	switch {
	case known && len(axes) > 0:
		return fmt.Sprintf("%s = Unsqueeze (%s, [%s])\n", name, value, strings.Trim(strings.ReplaceAll(fmt.Sprint(axes), " ", ", "), "[]"))
	case known:
		// All axes: one element, which is broadcast as it is. Or none.
		return fmt.Sprintf("%s = Identity (%s)\n", name, value)
	}
	return fmt.Sprintf("%s = Reshape <allowzero = 1> (%s, Shape (ReduceSum <keepdims = 1, noop_with_empty_axes = @noop_with_empty_axes> (x0, x1)))\n", name, value)
}

func globalAverageGradient(*GradientContext) (Body, error) {
	return Body{gradientOpset, `
		many = Div (Size (x0), Max (Size (y0), 1))
		dx0 = Expand (Div (dy0, many:dy0), Shape (x0))`}, nil
}
