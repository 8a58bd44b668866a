package op

import (
	"slices"

	"gort/graph"
)

// inferTopK replaces one dimension by K.
func inferTopK(c *Context) error {
	in := c.Shape(0)
	k := Int{}
	if c.sig.Attr("k") != nil {
		k = KnownInt(c.Int64("k"))
	} else {
		if err := c.wantOne(1); err != nil {
			return err
		}
		if v := c.Ints(1); v != nil && len(v.Elems) == 1 {
			k = v.Elems[0]
		}
	}
	n, known := k.Value()
	if known && n < 0 {
		return c.Errorf("K is %d, must not be negative", n)
	}
	rank, ok := in.Rank()
	if !ok {
		return nil
	}
	if rank == 0 {
		return c.InputErrorf(0, "is a scalar, must have rank 1 or more")
	}
	axis, err := c.Axis("axis", rank)
	if err != nil {
		return err
	}
	if size, ok := in.Dim(axis).Size(); ok && known && n > int64(size) {
		return c.Errorf("K is %d, dimension %d of %v has only %d elements", n, axis, in, size)
	}
	dims := slices.Clone(in.Dims())
	dims[axis] = k.Dim()
	c.SetDims(0, dims...)
	c.SetDims(1, dims...)
	return nil
}

// inferNonZero knows the number of coordinates, not of elements.
func inferNonZero(c *Context) error {
	d := graph.Dim{}
	if r, ok := c.Shape(0).Rank(); ok {
		d = graph.Known(r)
	}
	c.SetDims(0, d, graph.Dim{})
	return nil
}

func inferUnique(c *Context) error {
	for i := range 4 {
		c.SetShape(i, graph.OfRank(1))
	}
	if v := c.Int("sorted"); v != 0 && v != 1 {
		return c.AttrErrorf("sorted", "is %d, allowed are 0 and 1", v)
	}
	if !c.Has("axis") {
		return nil
	}
	in := c.Shape(0)
	rank, ok := in.Rank()
	if !ok {
		c.SetShape(0, graph.Shape{})
		return nil
	}
	axis, err := c.Axis("axis", rank)
	if err != nil {
		return err
	}
	dims := slices.Clone(in.Dims())
	dims[axis] = graph.Dim{}
	c.SetDims(0, dims...)
	return nil
}

// inferArg drops one dimension, or keeps it as 1.
func inferArg(c *Context) error {
	in := c.Shape(0)
	rank, ok := in.Rank()
	if !ok {
		return nil
	}
	axis, err := c.Axis("axis", rank)
	if err != nil {
		return err
	}
	lines, known := product(slices.Delete(slices.Clone(in.Dims()), axis, axis+1)).Size()
	if in.Dim(axis).Is(0) && known && lines > 0 {
		return c.InputErrorf(0, "dimension %d of %v is empty: there is no extreme", axis, in)
	}
	dims := slices.Clone(in.Dims())
	if c.Bool("keepdims") {
		dims[axis] = graph.Known(1)
	} else {
		dims = slices.Delete(dims, axis, axis+1)
	}
	c.SetDims(0, dims...)
	return nil
}

// inferNonMaxSuppression gives triples of batch, class and box.
func inferNonMaxSuppression(c *Context) error {
	if v := c.Int("center_point_box"); v != 0 && v != 1 {
		return c.AttrErrorf("center_point_box", "is %d, allowed are 0 and 1", v)
	}
	boxes, scores := c.Shape(0), c.Shape(1)
	for i := range 2 {
		if err := c.WantRank(i, 3); err != nil {
			return err
		}
	}
	for i := 2; i < 5; i++ {
		if err := c.wantOne(i); err != nil {
			return err
		}
	}
	if d := boxes.Dim(2); d.IsKnown() && !d.Is(4) {
		return c.InputErrorf(0, "shape %v, must be [batch, boxes, 4]", boxes)
	}
	for _, p := range [2][2]int{{0, 0}, {1, 2}} {
		if _, ok := graph.MergeDim(boxes.Dim(p[0]), scores.Dim(p[1])); !ok {
			return c.InputErrorf(1, "shape %v, must be [batch, classes, boxes] for boxes %v", scores, boxes)
		}
	}
	c.SetDims(0, graph.Dim{}, graph.Known(3))
	return nil
}
