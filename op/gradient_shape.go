package op

import (
	"fmt"
	"strings"
)

// reshaped is the rule for operators that keep the order of their elements.
var reshaped = rule(`dx0 = Reshape <allowzero = 1> (dy0, Shape (x0))`)

var shapeGradients = map[string]gradientRule{
	"Reshape":   reshaped,
	"Flatten":   reshaped,
	"Squeeze":   reshaped,
	"Unsqueeze": reshaped,
	"Transpose": transposeGradient,
	"Concat":    concatGradient,
	"Split":     splitGradient,
	"Tile":      tileGradient,
	"Pad":       padGradient,
	"CumSum":    cumSumGradient,
}

func transposeGradient(c *GradientContext) (Body, error) {
	perm := c.Attrs.Ints("perm")
	if perm == nil {
		return Body{gradientOpset, "dx0 = Transpose (dy0)"}, nil
	}
	back := make([]string, len(perm))
	for i, p := range perm {
		if p < 0 || int(p) >= len(perm) || back[p] != "" {
			return Body{}, c.AttrErrorf("perm", "is %v, no permutation", perm)
		}
		back[p] = fmt.Sprint(i)
	}
	return Body{gradientOpset, "dx0 = Transpose <perm = [" + strings.Join(back, ", ") + "]> (dy0)"}, nil
}

func concatGradient(c *GradientContext) (Body, error) {
	sizes, parts := make([]string, c.NumInputs()), make([]string, c.NumInputs())
	for i := range sizes {
		sizes[i] = fmt.Sprintf("Gather (Shape (x%d), [@axis])", i)
		if c.Wants(i) {
			parts[i] = fmt.Sprintf("dx%d", i)
		}
	}
	axis := "@axis"
	if c.Def.Since < 4 && !c.Has("axis") {
		axis = "1"
		for i := range sizes {
			sizes[i] = strings.Replace(sizes[i], "@axis", "1", 1)
		}
	}
	return Body{gradientOpset, fmt.Sprintf("%s = Split <axis = %s> (dy0, Concat <axis = 0> (%s))", strings.Join(parts, ", "), axis, strings.Join(sizes, ", "))}, nil
}

func splitGradient(c *GradientContext) (Body, error) {
	sizes := c.Attrs.Ints("split")
	if c.sig.Attr("split") == nil {
		sizes, _ = c.KnownInts(1)
	}
	if all := max(len(sizes), c.Int("num_outputs")); all > c.NumOutputs() {
		return Body{}, c.noGradient("it has %d of %d outputs", c.NumOutputs(), all)
	}
	parts := make([]string, c.NumOutputs())
	for i := range parts {
		if !c.HasOutput(i) {
			return Body{}, c.noGradient("output %d is not asked for", i)
		}
		parts[i] = fmt.Sprintf("dy%d", i)
	}
	return Body{gradientOpset, fmt.Sprintf("dx0 = Concat <axis = %d> (%s)", c.Int("axis"), strings.Join(parts, ", "))}, nil
}

// tileGradient sums the copies: of each axis, the repeats stand before the elements.
func tileGradient(c *GradientContext) (Body, error) {
	rank, ok := c.Shape(0).Rank()
	if !ok || c.Def.Since < 6 {
		return Body{}, c.noGradient("the rank of its input, %v, is not known, or its version, %d, is below 6", c.Shape(0), c.Def.Since)
	}
	axes := make([]string, rank)
	for i := range axes {
		axes[i] = fmt.Sprint(2 * i)
	}
	if rank == 0 {
		return Body{gradientOpset, "dx0 = Identity (dy0)"}, nil
	}
	return Body{gradientOpset, fmt.Sprintf(`
		pairs = Reshape (Concat <axis = 1> (Unsqueeze (x1, [1]), Unsqueeze (Shape (x0), [1])), [-1])
		dx0 = ReduceSum <keepdims = 0> (Reshape <allowzero = 1> (dy0, pairs), [%s])`, strings.Join(axes, ", "))}, nil
}

// padGradient cuts off again what was added.
func padGradient(c *GradientContext) (Body, error) {
	if c.String("mode") != "constant" {
		return Body{}, c.noGradient("mode is %q; only constant padding has a gradient", c.String("mode"))
	}
	pads := "x1"
	for _, name := range []string{"pads", "paddings"} {
		if c.sig.Attr(name) != nil {
			pads = "@" + name
		}
	}
	return Body{gradientOpset, "dx0 = Pad (dy0, Neg (" + pads + "), , x3)"}, nil
}

func cumSumGradient(c *GradientContext) (Body, error) {
	return Body{gradientOpset, fmt.Sprintf("dx0 = CumSum <exclusive = @exclusive, reverse = %d> (dy0, x1)", 1-flag(c.Bool("reverse")))}, nil
}
