package op

import (
	"fmt"
	"slices"
	"strings"

	"gort/graph"
)

// Einsum is a parsed equation of the Einsum operator: for each operand, and for
// the result, the letters of its dimensions. The ellipsis is [Ellipsis].
type Einsum struct {
	Inputs [][]int
	Output []int
}

// Ellipsis stands in an equation for the dimensions that no letter names.
const Ellipsis = -1

// ParseEinsum reads an equation such as "bij,bjk->bik" or "...ii". Without an
// arrow the result has the ellipsis and then, in alphabetical order, the letters
// that occur once.
func ParseEinsum(equation string) (*Einsum, error) {
	text := strings.Join(strings.Fields(equation), "")
	left, right, explicit := strings.Cut(text, "->")
	e := &Einsum{}
	count := map[int]int{}
	for i, term := range strings.Split(left, ",") {
		labels, err := parseEinsumTerm(term)
		if err != nil {
			return nil, fmt.Errorf("term %d of %q: %w", i, equation, err)
		}
		for _, l := range labels {
			count[l]++
		}
		e.Inputs = append(e.Inputs, labels)
	}
	if !explicit {
		for l, n := range count {
			if n == 1 || l == Ellipsis {
				e.Output = append(e.Output, l)
			}
		}
		slices.Sort(e.Output)
		return e, nil
	}
	labels, err := parseEinsumTerm(right)
	if err != nil {
		return nil, fmt.Errorf("result of %q: %w", equation, err)
	}
	for i, l := range labels {
		if count[l] == 0 && l != Ellipsis {
			return nil, fmt.Errorf("result of %q: %q is in no operand", equation, rune(l))
		}
		if slices.Contains(labels[:i], l) {
			return nil, fmt.Errorf("result of %q: %q occurs twice", equation, rune(l))
		}
	}
	e.Output = labels
	return e, nil
}

func parseEinsumTerm(s string) ([]int, error) {
	labels := []int{}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			labels = append(labels, int(c))
		case strings.HasPrefix(s[i:], "..."):
			if slices.Contains(labels, Ellipsis) {
				return nil, fmt.Errorf("more than one ellipsis")
			}
			labels = append(labels, Ellipsis)
			i += 2
		default:
			return nil, fmt.Errorf("%q is no letter, comma or ellipsis", c)
		}
	}
	return labels, nil
}

// Expand replaces ellipses by labels of their own for operands of these ranks:
// the last dimension of every ellipsis is -1, the one before it -2, and so on, as
// they broadcast.
func (e *Einsum) Expand(ranks []int) (*Einsum, error) {
	if len(ranks) != len(e.Inputs) {
		return nil, fmt.Errorf("equation has %d operands, the node %d", len(e.Inputs), len(ranks))
	}
	out := &Einsum{}
	dots := 0
	for i, labels := range e.Inputs {
		n := 0
		if slices.Contains(labels, Ellipsis) {
			if n = ranks[i] - (len(labels) - 1); n < 0 {
				return nil, fmt.Errorf("operand %d has rank %d, its term names %d dimensions", i, ranks[i], len(labels)-1)
			}
		} else if len(labels) != ranks[i] {
			return nil, fmt.Errorf("operand %d has rank %d, its term names %d dimensions", i, ranks[i], len(labels))
		}
		dots = max(dots, n)
		out.Inputs = append(out.Inputs, expandDots(labels, n))
	}
	out.Output = expandDots(e.Output, dots)
	return out, nil
}

func expandDots(labels []int, n int) []int {
	out := []int{}
	for _, l := range labels {
		if l != Ellipsis {
			out = append(out, l)
			continue
		}
		for d := n; d > 0; d-- {
			out = append(out, -d)
		}
	}
	return out
}

func inferEinsum(c *Context) error {
	e, err := ParseEinsum(c.String("equation"))
	if err != nil {
		return c.AttrErrorf("equation", "%v", err)
	}
	if len(e.Inputs) != c.NumInputs() {
		return c.AttrErrorf("equation", "%q has %d operands, the node %d", c.String("equation"), len(e.Inputs), c.NumInputs())
	}
	ranks := make([]int, c.NumInputs())
	for i := range ranks {
		r, ok := c.Shape(i).Rank()
		if !ok {
			if !slices.Contains(e.Output, Ellipsis) {
				c.SetShape(0, graph.OfRank(len(e.Output)))
			}
			return nil
		}
		ranks[i] = r
	}
	x, err := e.Expand(ranks)
	if err != nil {
		return c.AttrErrorf("equation", "%q: %v", c.String("equation"), err)
	}
	dims := map[int]graph.Dim{}
	for i, labels := range x.Inputs {
		for j, l := range labels {
			have, seen := dims[l]
			d := c.Shape(i).Dim(j)
			switch {
			case !seen, have.Is(1):
				dims[l] = d
			case d.Is(1), have.Same(d):
			case have.IsKnown() && d.IsKnown():
				return c.InputErrorf(i, "dimension %d is %v, but an earlier one of the same label is %v", j, d, have)
			case d.IsKnown():
				dims[l] = d
			case !have.IsKnown():
				dims[l] = graph.Dim{}
			}
		}
	}
	out := make([]graph.Dim, len(x.Output))
	for i, l := range x.Output {
		out[i] = dims[l]
	}
	c.SetDims(0, out...)
	return nil
}
