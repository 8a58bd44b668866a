package op

import (
	"fmt"
	"slices"

	"gort/graph"
)

func tileError(i int, f []float64) error {
	return fmt.Errorf("%s is %v, must be one number that counts", [2]string{"tiles", "axis"}[i], f)
}

// inferDepthToSpace moves blocks of channels into the plane; NCHW only.
func inferDepthToSpace(c *Context) error {
	if m := c.String("mode"); c.sig.Attr("mode") != nil && m != "DCR" && m != "CRD" {
		return c.AttrErrorf("mode", "is %q, allowed are DCR and CRD", m)
	}
	b, square, err := c.blocksize()
	if err != nil {
		return err
	}
	in := c.Shape(0)
	if !in.IsRanked() {
		c.SetShape(0, graph.OfRank(4))
		return nil
	}
	dims := slices.Clone(in.Dims())
	if n, ok := dims[1].Size(); ok {
		if n%square != 0 {
			return c.InputErrorf(0, "%d channels do not divide by blocksize² = %d", n, square)
		}
		dims[1] = graph.Known(n / square)
	} else {
		dims[1] = quotient(dims[1], square)
	}
	for i := 2; i < 4; i++ {
		dims[i] = product([]graph.Dim{dims[i], graph.Known(b)})
	}
	c.SetDims(0, dims...)
	return nil
}

// inferSpaceToDepth moves blocks of the plane into channels; NCHW only.
func inferSpaceToDepth(c *Context) error {
	b, square, err := c.blocksize()
	if err != nil {
		return err
	}
	in := c.Shape(0)
	if !in.IsRanked() {
		c.SetShape(0, graph.OfRank(4))
		return nil
	}
	dims := slices.Clone(in.Dims())
	dims[1] = product([]graph.Dim{dims[1], graph.Known(square)})
	for i := 2; i < 4; i++ {
		if n, ok := dims[i].Size(); ok && n%b != 0 {
			return c.InputErrorf(0, "dimension %d of %v does not divide by blocksize %d", i, in, b)
		}
		dims[i] = quotient(dims[i], b)
	}
	c.SetDims(0, dims...)
	return nil
}

// blocksize checks the attribute and that the input has rank 4.
func (c *Context) blocksize() (b, square int, err error) {
	if b = c.Int("blocksize"); b < 1 || b > 1<<30 {
		return 0, 0, c.AttrErrorf("blocksize", "is %d, must be positive", b)
	}
	return b, b * b, c.WantRank(0, 4)
}

// quotient divides a dimension that is known to divide.
func quotient(d graph.Dim, by int) graph.Dim {
	if n, ok := d.Size(); ok {
		return graph.Known(n / by)
	}
	if by == 1 {
		return d
	}
	return graph.Dim{}
}

// inferCenterCropPad cuts or pads to given sizes, around the centre.
func inferCenterCropPad(c *Context) error {
	if err := c.WantRank(1, 1); err != nil {
		return err
	}
	in := c.Shape(0)
	rank, ok := in.Rank()
	axes := c.Attrs.Ints("axes")
	if n, known := c.Shape(1).Dim(0).Size(); known && axes != nil && n != len(axes) {
		return c.InputErrorf(1, "has %d elements for %d axes", n, len(axes))
	}
	if !ok {
		return nil
	}
	if axes == nil {
		for i := range rank {
			axes = append(axes, int64(i))
		}
	}
	list := make([]int, 0, len(axes))
	for _, a := range axes {
		k, err := axisOf(a, rank)
		if err != nil {
			return c.AttrErrorf("axes", "%v", err)
		}
		if slices.Contains(list, k) {
			return c.AttrErrorf("axes", "is %v, names axis %d twice", axes, k)
		}
		list = append(list, k)
	}
	dims := slices.Clone(in.Dims())
	target := c.Ints(1)
	if target == nil {
		for _, a := range list {
			dims[a] = graph.Dim{}
		}
		c.SetDims(0, dims...)
		return nil
	}
	if len(target.Elems) != len(list) {
		return c.InputErrorf(1, "has %d elements for %d axes", len(target.Elems), len(list))
	}
	for i, a := range list {
		if v, ok := target.Elems[i].Value(); ok && v < 0 {
			return c.InputErrorf(1, "element %d is %d, must not be negative", i, v)
		}
		dims[a] = target.Elems[i].Dim()
	}
	c.SetDims(0, dims...)
	return nil
}

// inferReverseSequence checks the axes and the number of lengths.
func inferReverseSequence(c *Context) error {
	batch, time := c.Int("batch_axis"), c.Int("time_axis")
	for name, v := range map[string]int{"batch_axis": batch, "time_axis": time} {
		if v != 0 && v != 1 {
			return c.AttrErrorf(name, "is %d, allowed are 0 and 1", v)
		}
	}
	if batch == time {
		return c.AttrErrorf("time_axis", "is %d, as batch_axis; the two must differ", time)
	}
	if err := c.WantRank(1, 1); err != nil {
		return err
	}
	in := c.Shape(0)
	if r, ok := in.Rank(); ok && r < 2 {
		return c.InputErrorf(0, "shape %v has rank %d, must have 2 or more", in, r)
	}
	if _, ok := graph.MergeDim(in.Dim(batch), c.Shape(1).Dim(0)); !ok {
		return c.InputErrorf(1, "has %v elements, the batch has %v", c.Shape(1).Dim(0), in.Dim(batch))
	}
	c.SetShape(0, in)
	return nil
}

// inferTrilu keeps the shape of a stack of matrices.
func inferTrilu(c *Context) error {
	if r, ok := c.Shape(0).Rank(); ok && r < 2 {
		return c.InputErrorf(0, "shape %v has rank %d, must have 2 or more", c.Shape(0), r)
	}
	c.SetShape(0, c.Shape(0))
	return nil
}
