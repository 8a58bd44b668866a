package op

import (
	"gort/graph"
	"gort/tensor"
)

// rows returns the number of samples of input 0, which is [N, features] or one
// sample without N.
func (c *Context) rows() (graph.Dim, error) {
	s := c.Shape(0)
	switch r, ok := s.Rank(); {
	case !ok:
		return graph.Dim{}, nil
	case r == 1:
		return graph.Known(1), nil
	case r == 2:
		return s.Dim(0), nil
	default:
		return graph.Dim{}, c.InputErrorf(0, "shape %v has rank %d, must be 1 or 2", s, r)
	}
}

// classLabels reads the labels of a classifier, of which one list must be given,
// and sets the type of the first output.
func (c *Context) classLabels(ints, strings string) (int, error) {
	i, s := len(c.Attrs.Ints(ints)), len(c.Strings(strings))
	switch {
	case i > 0 && s > 0:
		return 0, c.AttrErrorf(strings, "is given together with %s, only one may be", ints)
	case s > 0:
		c.SetDType(0, tensor.String)
	default:
		c.SetDType(0, tensor.Int64)
	}
	return max(i, s), nil
}

func inferTreeClassifier(c *Context) error {
	n, err := c.rows()
	if err != nil {
		return err
	}
	classes, err := c.classLabels("classlabels_int64s", "classlabels_strings")
	if err != nil {
		return err
	}
	if classes == 0 {
		return c.AttrErrorf("classlabels_int64s", "is empty and so is classlabels_strings, one must name the classes")
	}
	c.SetDims(0, n)
	c.SetDims(1, n, graph.Known(classes))
	return nil
}

func inferTreeRegressor(c *Context) error {
	n, err := c.rows()
	if err != nil {
		return err
	}
	targets := c.IntOr("n_targets", 1)
	if targets < 1 {
		return c.AttrErrorf("n_targets", "is %d, must be positive", targets)
	}
	c.SetDims(0, n, graph.Known(targets))
	return nil
}
