package op

import (
	"fmt"
	"strings"

	"gort/graph"
)

var matmulGradients = map[string]gradientRule{
	"MatMul": matmulGradient,
	"Gemm":   gemmGradient,
}

// matmulGradient is dy bᵀ and aᵀ dy, summed over the batches that were broadcast. A
// vector is a matrix of one row on the left, of one column on the right.
func matmulGradient(c *GradientContext) (Body, error) {
	ra, okA := c.Shape(0).Rank()
	rb, okB := c.Shape(1).Rank()
	if !okA || !okB {
		return Body{}, c.noGradient("the ranks of its inputs, %v and %v, are not known", c.Shape(0), c.Shape(1))
	}
	text := "a = Identity (x0)\nb = Identity (x1)\ng0 = Identity (dy0)\n"
	g := "g0"
	if ra == 1 {
		text = strings.Replace(text, "a = Identity (x0)", "a = Unsqueeze (x0, [0])", 1)
		at := -2
		if rb == 1 {
			at = -1
		}
		text += fmt.Sprintf("g1 = Unsqueeze (g0, [%d])\n", at)
		g = "g1"
	}
	if rb == 1 {
		text = strings.Replace(text, "b = Identity (x1)", "b = Unsqueeze (x1, [1])", 1)
		text += "g2 = Unsqueeze (" + g + ", [-1])\n"
		g = "g2"
	}
	ra, rb = max(ra, 2), max(rb, 2)
	return Body{gradientOpset, text +
		c.batchSum(0, fmt.Sprintf("MatMul (%s, %s)", g, swapped("b", rb)), ra, max(ra, rb)) +
		c.batchSum(1, fmt.Sprintf("MatMul (%s, %s)", swapped("a", ra), g), rb, max(ra, rb))}, nil
}

// swapped is a value of a rank with its last two axes exchanged.
func swapped(x string, rank int) string {
	perm := make([]string, rank)
	for i := range perm {
		perm[i] = fmt.Sprint(i)
	}
	perm[rank-1], perm[rank-2] = perm[rank-2], perm[rank-1]
	return fmt.Sprintf("Transpose <perm = [%s]> (%s)", strings.Join(perm, ", "), x)
}

// batchSum makes a gradient of rank have into that of input i, which had rank axes:
// the batch axes are summed where they were broadcast.
func (c *GradientContext) batchSum(i int, gradient string, rank, have int) string {
	if !c.Wants(i) {
		return ""
	}
	batch := func(s graph.Shape, rank int) []graph.Dim {
		if n := len(s.Dims()) - 2; n > 0 {
			return s.Dims()[:n]
		}
		return nil
	}
	mine, other := batch(c.Shape(i), rank), batch(c.Shape(1-i), have)
	equal := len(mine) == len(other)
	for k := range mine {
		equal = equal && mine[k].Same(other[k])
	}
	if equal || len(other) == 0 {
		return fmt.Sprintf("dx%[1]d = Reshape <allowzero = 1> (%[2]s, Shape (x%[1]d))\n", i, gradient)
	}
	if len(mine) == 0 {
		axes := make([]string, have-2)
		for k := range axes {
			axes[k] = fmt.Sprint(k)
		}
		return fmt.Sprintf("dx%[1]d = Reshape <allowzero = 1> (ReduceSum <keepdims = 0> (%[2]s, [%[3]s]), Shape (x%[1]d))\n", i, gradient, strings.Join(axes, ", "))
	}
	return fmt.Sprintf(`
		wide%[1]d = Identity (%[2]s)
		to%[1]d = Shape (x%[1]d)
		from%[1]d = Shape (wide%[1]d)
		aligned%[1]d = Concat <axis = 0> (Expand (1, Sub (Shape (from%[1]d), Shape (to%[1]d))), to%[1]d)
		along%[1]d = Reshape (NonZero (Not (Equal (aligned%[1]d, from%[1]d))), [-1])
		dx%[1]d = Reshape <allowzero = 1> (ReduceSum <noop_with_empty_axes = 1> (wide%[1]d, along%[1]d), to%[1]d)
	`, i, gradient)
}

// gemmGradient follows alpha a b + beta c, where a and b may be transposed.
func gemmGradient(c *GradientContext) (Body, error) {
	if err := c.noOldBroadcast(2); err != nil {
		return Body{}, err
	}
	text := "g = Mul (dy0, @alpha:dy0)\n"
	if c.Wants(0) {
		if c.Bool("transA") {
			text += "dx0 = Gemm <transA = @transB, transB = 1> (x1, g)\n"
		} else {
			text += fmt.Sprintf("dx0 = Gemm <transB = %d> (g, x1)\n", 1-flag(c.Bool("transB")))
		}
	}
	if c.Wants(1) {
		if c.Bool("transB") {
			text += "dx1 = Gemm <transA = 1, transB = @transA> (g, x0)\n"
		} else {
			text += fmt.Sprintf("dx1 = Gemm <transA = %d> (x0, g)\n", 1-flag(c.Bool("transA")))
		}
	}
	return Body{gradientOpset, text + c.Sum(2, "Mul (dy0, @beta:dy0)")}, nil
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}
