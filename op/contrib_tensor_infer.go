package op

import (
	"slices"

	"gort/graph"
)

// inferExpandDims inserts a dimension of 1. The axis is one of the output, so -1 is
// the end. (ONNX Runtime's shape function counts negative axes otherwise than its
// kernel; the kernel counts.)
func inferExpandDims(c *Context) error {
	if err := c.wantOne(1); err != nil {
		return err
	}
	in := c.Shape(0)
	rank, ok := in.Rank()
	if !ok {
		return nil
	}
	axis, known, err := c.scalarInt(1)
	if err != nil {
		return err
	}
	if !known {
		c.SetShape(0, graph.OfRank(rank+1))
		return nil
	}
	at, err := axisOf(axis, rank+1)
	if err != nil {
		return c.InputErrorf(1, "%v", err)
	}
	c.SetDims(0, slices.Insert(slices.Clone(in.Dims()), at, graph.Known(1))...)
	return nil
}

// inferContribUnique gives the distinct elements of a vector, the place among them
// of each of its elements, and how often each occurs.
func inferContribUnique(c *Context) error {
	if err := c.WantRank(0, 1); err != nil {
		return err
	}
	c.SetShape(0, graph.OfRank(1))
	c.SetDims(1, c.Shape(0).Dim(0))
	c.SetShape(2, graph.OfRank(1))
	return nil
}

// inferUnfoldTensor counts the windows along a dimension and appends their size.
func inferUnfoldTensor(c *Context) error {
	size, step := c.Int("size"), c.Int("step")
	if size < 1 || size > maxExtent {
		return c.AttrErrorf("size", "is %d, must be in [1, %d]", size, maxExtent)
	}
	if step < 1 || step > maxExtent {
		return c.AttrErrorf("step", "is %d, must be in [1, %d]", step, maxExtent)
	}
	in := c.Shape(0)
	rank, ok := in.Rank()
	if !ok {
		return nil
	}
	axis, err := c.Axis("dim", rank)
	if err != nil {
		return err
	}
	dims := append(slices.Clone(in.Dims()), graph.Known(size))
	n, known := in.Dim(axis).Size()
	switch {
	case known && n < size:
		return c.AttrErrorf("size", "is %d, dimension %d of %v has only %d elements", size, axis, in, n)
	case known:
		dims[axis] = graph.Known((n-size)/step + 1)
	case size > 1 || step > 1:
		dims[axis] = graph.Dim{}
	}
	c.SetDims(0, dims...)
	return nil
}

// inferCropAndResize gives (regions, channels, height, width) for images (N, C, H, W),
// regions (y1, x1, y2, x2) and the size of their crops.
func inferCropAndResize(c *Context) error {
	if err := c.oneOf("mode", []string{"bilinear", "nearest"}); err != nil {
		return err
	}
	for i, rank := range []int{4, 2, 1, 1} {
		if err := c.WantRank(i, rank); err != nil {
			return err
		}
	}
	x, rois, at := c.Shape(0), c.Shape(1), c.Shape(2)
	if d := rois.Dim(1); d.IsKnown() && !d.Is(4) {
		return c.InputErrorf(1, "shape %v, must be (regions, 4)", rois)
	}
	n, ok := graph.MergeDim(rois.Dim(0), at.Dim(0))
	if !ok {
		return c.InputErrorf(2, "shape %v, must have an element for each of the regions %v", at, rois)
	}
	dims := []graph.Dim{n, x.Dim(1), {}, {}}
	size := c.Ints(3)
	if size == nil {
		if d := c.Shape(3).Dim(0); d.IsKnown() && !d.Is(2) {
			return c.InputErrorf(3, "shape %v, must be (height, width)", c.Shape(3))
		}
		c.SetDims(0, dims...)
		return nil
	}
	if len(size.Elems) != 2 {
		return c.InputErrorf(3, "has %d elements, must be (height, width)", len(size.Elems))
	}
	for i, e := range size.Elems {
		if v, known := e.Value(); known && (v < 1 || v > maxExtent) {
			return c.InputErrorf(3, "element %d is %d, must be in [1, %d]", i, v, maxExtent)
		}
		dims[2+i] = e.Dim()
		if x.HasRank(4) && x.Dim(2+i).Is(0) {
			return c.InputErrorf(0, "shape %v has nothing to sample", x)
		}
	}
	c.SetDims(0, dims...)
	return nil
}

func inferIsAllFinite(c *Context) error {
	if c.Bool("isinf_only") && c.Bool("isnan_only") {
		return c.AttrErrorf("isnan_only", "and isinf_only are both set; leave both at 0 to look for both")
	}
	c.SetDims(0)
	return nil
}

// borders returns the attributes of Crop: what to cut off on the left, top, right and
// bottom, and the height and width to keep, nil when not given.
func (c *Context) borders() (border, size []int64, err error) {
	border, size = c.Attrs.Ints("border"), c.Attrs.Ints("scale")
	if len(border) != 4 {
		return nil, nil, c.AttrErrorf("border", "is %v, must be (left, top, right, bottom)", border)
	}
	if len(size) != 0 && len(size) != 2 {
		return nil, nil, c.AttrErrorf("scale", "is %v, must be (height, width)", size)
	}
	for name, list := range map[string][]int64{"border": border, "scale": size} {
		for _, v := range list {
			if v < 0 || v > maxExtent {
				return nil, nil, c.AttrErrorf(name, "is %v, each must be in [0, %d]", list, maxExtent)
			}
		}
	}
	return border, size, nil
}

// inferCrop cuts the last two dimensions of (N, C, H, W).
func inferCrop(c *Context) error {
	border, size, err := c.borders()
	if err != nil {
		return err
	}
	if err := c.WantRank(0, 4); err != nil {
		return err
	}
	in := c.Shape(0)
	dims := []graph.Dim{in.Dim(0), in.Dim(1), {}, {}}
	for i := range 2 {
		before, after := border[1-i], border[3-i]
		n, known := in.Dim(2 + i).Size()
		if known && int64(n) < before+after {
			return c.AttrErrorf("border", "is %v, which is more than dimension %d of %v has", border, 2+i, in)
		}
		switch {
		case len(size) == 2:
			if known && int64(n) < before+size[i] {
				return c.AttrErrorf("scale", "is %v, which from %d on is more than dimension %d of %v has", size, before, 2+i, in)
			}
			dims[2+i] = graph.Known(int(size[i]))
		case known:
			dims[2+i] = graph.Known(n - int(before+after))
		case before == 0 && after == 0:
			dims[2+i] = in.Dim(2 + i)
		}
	}
	c.SetDims(0, dims...)
	return nil
}

// inferImageScaler checks that there is a bias for each channel.
func inferImageScaler(c *Context) error {
	if err := c.WantRank(0, 4); err != nil {
		return err
	}
	bias := c.Floats("bias")
	if n, ok := c.Shape(0).Dim(1).Size(); ok && len(bias) > 0 && len(bias) != n {
		return c.AttrErrorf("bias", "has %d elements for the %d channels of %v", len(bias), n, c.Shape(0))
	}
	return inferSame(c)
}

// padsInput is what is known of Pad's input pads. ONNX Runtime's own Pad takes a row
// (1, n) as well as a vector.
func (c *Context) padsInput() (*Ints, error) {
	s := c.Shape(1)
	r, ok := s.Rank()
	if c.Def.Domain == "" || !ok {
		return c.Ints(1), nil
	}
	if r != 1 && (r != 2 || s.Dim(0).IsKnown() && !s.Dim(0).Is(1)) {
		return nil, c.InputErrorf(1, "shape %v, must be a vector or a row of two elements an axis", s)
	}
	if n, known := s.Dim(-1).Size(); known {
		if rank, ok := c.Shape(0).Rank(); ok && n != 2*rank {
			return nil, c.InputErrorf(1, "shape %v, must have two elements for each axis of %v", s, c.Shape(0))
		}
	}
	if t := c.Const(1); t != nil && r == 2 {
		flat, err := t.Contiguous().Reshape(t.Size())
		return IntsOf(flat), err
	}
	return c.Ints(1), nil
}
