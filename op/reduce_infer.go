package op

import (
	"fmt"
	"slices"

	"gort/graph"
	"gort/tensor"
)

// ReducedAxes marks the axes of a rank that a reduction folds. No axes mean all
// of them unless the attribute noop_with_empty_axes says none.
func ReducedAxes(a Attrs, axes []int64, rank int) ([]bool, error) {
	marked := make([]bool, rank)
	if len(axes) == 0 {
		if !a.Bool("noop_with_empty_axes") {
			for i := range marked {
				marked[i] = true
			}
		}
		return marked, nil
	}
	for _, v := range axes {
		i, err := tensor.Axis(int(v), rank)
		if err != nil {
			return nil, err
		}
		if marked[i] {
			return nil, fmt.Errorf("axes %v name axis %d twice", axes, i)
		}
		marked[i] = true
	}
	return marked, nil
}

// inferReduce is the shape function of reductions; fold, when not nil, combines
// the elements of small integer vectors.
func inferReduce(fold func(c *Context, args []Int) Int) func(c *Context) error {
	return func(c *Context) error {
		in := c.Shape(0)
		rank, ok := in.Rank()
		if !ok {
			return nil
		}
		keep := c.Bool("keepdims")
		axes, known := c.AxesInput("axes", 1)
		if !known {
			if n, ok := c.Shape(1).Dim(0).Size(); keep {
				c.SetShape(0, graph.OfRank(rank))
			} else if ok && n > 0 && n <= rank {
				c.SetShape(0, graph.OfRank(rank-n))
			}
			return nil
		}
		marked, err := ReducedAxes(c.Attrs, axes, rank)
		if err != nil {
			return c.Errorf("%v", err)
		}
		var dims []graph.Dim
		for i, d := range in.Dims() {
			switch {
			case !marked[i]:
				dims = append(dims, d)
			case keep:
				dims = append(dims, graph.Known(1))
			}
		}
		c.SetDims(0, dims...)
		if v := c.Ints(0); fold != nil && v != nil && len(v.Elems) > 0 && !slices.Contains(marked, false) && wholeNumbers(c.DType(0)) {
			acc := v.Elems[0]
			for _, e := range v.Elems[1:] {
				acc = fold(c, []Int{acc, e})
			}
			c.SetInts(0, &Ints{Scalar: len(dims) == 0, Elems: []Int{fitInt(c.DType(0), acc)}})
		}
		return nil
	}
}
