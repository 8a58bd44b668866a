package op

import (
	"fmt"
	"strings"

	"gort/graph"
)

// Operators whose inputs are broadcast: the gradients of those are summed back.
var broadcastGradients = map[string]gradientRule{
	"Add": broadcastRule("dy0", "dy0"),
	"Sub": broadcastRule("dy0", "Neg (dy0)"),
	"Mul": broadcastRule("Mul (dy0, x1)", "Mul (dy0, x0)"),
	"Div": broadcastRule("Div (dy0, x1)", "Neg (Div (Mul (dy0, y0), x1))"),
	// Zero to a variable power does not move, and negative bases have no logarithm.
	"Pow": broadcastRule("Mul (dy0, Mul (x1:x0, Pow (x0, Sub (x1, 1:x1))))",
		"CastLike (Mul (dy0, Mul (y0, Log (Where (Greater (x0, 0:x0), x0, 1:x0)))), x1)"),
	"PRelu": preluGradient,
	"Where": broadcastRule("", "Where (x0, dy0, 0:dy0)", "Where (x0, 0:dy0, dy0)"),
	"Sum":   variadicRule("", "dy0"),
	"Mean":  variadicRule("each = Div (dy0, %d:dy0)\n", "each"),
	"Max":   extremeGradient,
	"Min":   extremeGradient,
	"Expand": func(c *GradientContext) (Body, error) {
		return Body{gradientOpset, c.Sum(0, "dy0")}, nil
	},
}

// noOldBroadcast refuses the broadcasting of before version 7, which had an axis:
// inputs of those have to have the output's shape.
func (c *GradientContext) noOldBroadcast(inputs ...int) error {
	if c.sig.Attr("broadcast") == nil {
		return nil
	}
	for _, i := range inputs {
		if s := c.Shape(i); c.HasInput(i) && (!isConcrete(s) || !s.Equal(c.Output(0).Type.Shape)) {
			return c.noGradient("version %d may broadcast input %d, %v, along an axis; convert the model to opset 7 or later", c.Def.Since, i, s)
		}
	}
	return nil
}

// preluGradient is for the versions whose slope is broadcast from its end.
func preluGradient(c *GradientContext) (Body, error) {
	if c.Def.Since < 7 {
		return Body{}, c.noGradient("version %d has a slope a channel; convert the model to opset 7 or later", c.Def.Since)
	}
	return broadcastRule("Where (Less (x0, 0:x0), Mul (dy0, x1), dy0)", "Where (Less (x0, 0:x0), Mul (dy0, x0), 0:dy0)")(c)
}

func broadcastRule(gradients ...string) gradientRule {
	return func(c *GradientContext) (Body, error) {
		if err := c.noOldBroadcast(0, 1); err != nil {
			return Body{}, err
		}
		var text strings.Builder
		for i, g := range gradients {
			if g != "" {
				text.WriteString(c.Sum(i, g))
			}
		}
		return Body{gradientOpset, text.String()}, nil
	}
}

// variadicRule gives every input the same; first may say of how many inputs.
func variadicRule(first, gradient string) gradientRule {
	return func(c *GradientContext) (Body, error) {
		text := first
		if strings.Contains(first, "%d") {
			text = fmt.Sprintf(first, c.NumInputs())
		}
		for i := range c.NumInputs() {
			text += c.Sum(i, gradient)
		}
		return Body{gradientOpset, text}, nil
	}
}

// extremeGradient shares a gradient among the inputs that are the largest, or the
// smallest.
func extremeGradient(c *GradientContext) (Body, error) {
	text := "many = Identity (0:y0)\n"
	for i := range c.NumInputs() {
		text += fmt.Sprintf("is%[1]d = CastLike (Equal (x%[1]d, y0), y0)\n", i)
	}
	for i := range c.NumInputs() {
		if i == 0 {
			text = strings.Replace(text, "many = Identity (0:y0)\n", "", 1) + "many0 = Identity (is0)\n"
			continue
		}
		text += fmt.Sprintf("many%d = Add (many%d, is%d)\n", i, i-1, i)
	}
	text += fmt.Sprintf("each = Div (dy0, many%d)\n", c.NumInputs()-1)
	for i := range c.NumInputs() {
		text += c.Sum(i, fmt.Sprintf("Mul (each, is%d)", i))
	}
	return Body{gradientOpset, text}, nil
}

func isConcrete(s graph.Shape) bool {
	_, ok := s.Concrete()
	return ok
}
