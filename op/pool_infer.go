package op

import (
	"gort/graph"
)

// inferPool is the shape function of the poolings with a window.
func inferPool(c *Context) error {
	x := c.Shape(0)
	kernel := c.IntsAsInt("kernel_shape")
	if kernel == nil { // LpPool-1 does not require it
		return c.AttrErrorf("kernel_shape", "is required")
	}
	for _, k := range kernel {
		if k < 1 || k > maxExtent {
			return c.AttrErrorf("kernel_shape", "is %v, elements must be in [1, %d]", kernel, maxExtent)
		}
	}
	win, err := ReadWindow(c.Attrs, kernel)
	if err != nil {
		return err
	}
	if o := c.Int("storage_order"); o != 0 && o != 1 {
		return c.AttrErrorf("storage_order", "is %d, allowed are 0 and 1", o)
	}
	if err := c.checkNorm(); err != nil {
		return err
	}
	rank, ok := x.Rank()
	if !ok {
		c.SetShape(0, graph.OfRank(len(kernel)+2))
		c.SetShape(1, graph.OfRank(len(kernel)+2))
		return nil
	}
	if rank != len(kernel)+2 {
		return c.InputErrorf(0, "shape %v has rank %d, kernel_shape %v needs %d", x, rank, kernel, len(kernel)+2)
	}
	if err := c.setWindows(x.Dim(0), x.Dim(1), x, win.outDim); err != nil {
		return err
	}
	c.SetShape(1, c.out[0].Type.Shape)
	return nil
}

// checkNorm checks the attribute p of a norm, where the definition has one.
func (c *Context) checkNorm() error {
	d := c.sig.Attr("p")
	switch {
	case d == nil:
	case d.Kind == graph.AttrInt && c.Int("p") < 1:
		return c.AttrErrorf("p", "is %d, must be 1 or more", c.Int("p"))
	case d.Kind == graph.AttrFloat && !(c.Float("p") > 0):
		return c.AttrErrorf("p", "is %g, must be positive", c.Float("p"))
	}
	return nil
}

// inferGlobalPool reduces all spatial dimensions to 1.
func inferGlobalPool(c *Context) error {
	if err := c.checkNorm(); err != nil {
		return err
	}
	x := c.Shape(0)
	rank, ok := x.Rank()
	if !ok {
		return nil
	}
	if rank < 2 {
		return c.InputErrorf(0, "shape %v has rank %d, the operator needs 2 or more", x, rank)
	}
	dims := []graph.Dim{x.Dim(0), x.Dim(1)}
	for range rank - 2 {
		dims = append(dims, graph.Known(1))
	}
	c.SetDims(0, dims...)
	return nil
}

// inferMaxUnpool undoes the shape of a MaxPool: stride*(in-1) + kernel - pads,
// or what output_shape says.
func inferMaxUnpool(c *Context) error {
	x := c.Shape(0)
	kernel := c.IntsAsInt("kernel_shape")
	for _, k := range kernel {
		if k < 1 || k > maxExtent {
			return c.AttrErrorf("kernel_shape", "is %v, elements must be in [1, %d]", kernel, maxExtent)
		}
	}
	win, err := ReadTransposedWindow(c.Attrs, kernel)
	if err != nil {
		return err
	}
	if rank, ok := x.Rank(); ok && rank != len(kernel)+2 {
		return c.InputErrorf(0, "shape %v has rank %d, kernel_shape %v needs %d", x, rank, kernel, len(kernel)+2)
	}
	if _, ok := graph.Merge(x, c.Shape(1)); !ok {
		return c.InputErrorf(1, "shape %v is not that of the input %v", c.Shape(1), x)
	}
	if c.HasInput(2) {
		return c.givenUnpoolShape(x)
	}
	if !x.IsRanked() {
		return nil
	}
	return c.setWindows(x.Dim(0), x.Dim(1), x, win.outDim)
}

// givenUnpoolShape reads output_shape, all dimensions of the output.
func (c *Context) givenUnpoolShape(x graph.Shape) error {
	shape := c.Ints(2)
	if shape == nil {
		return nil
	}
	if r, ok := x.Rank(); ok && r != len(shape.Elems) {
		return c.InputErrorf(2, "has %d elements, the input %v has %d dimensions", len(shape.Elems), x, r)
	}
	dims := make([]graph.Dim, len(shape.Elems))
	for i, e := range shape.Elems {
		if v, ok := e.Value(); ok && (v < 0 || v > maxExtent) {
			return c.InputErrorf(2, "element %d is %d, must be in [0, %d]", i, v, maxExtent)
		}
		dims[i] = e.Dim()
		if i < 2 {
			if _, ok := graph.MergeDim(dims[i], x.Dim(i)); !ok {
				return c.InputErrorf(2, "element %d is %v, the input has %v", i, dims[i], x.Dim(i))
			}
		}
	}
	c.SetDims(0, dims...)
	return nil
}

// checkRois checks the regions of interest at input 1: (count, width of a row).
func (c *Context) checkRois(width int) error {
	if err := c.WantRank(0, 4); err != nil {
		return err
	}
	if err := c.WantRank(1, 2); err != nil {
		return err
	}
	if n, ok := c.Shape(1).Dim(1).Size(); ok && n != width {
		return c.InputErrorf(1, "shape %v has rows of %d, must be %d", c.Shape(1), n, width)
	}
	return nil
}

// inferMaxRoiPool gives (rois, C, pooled_shape…).
func inferMaxRoiPool(c *Context) error {
	if err := c.checkRois(5); err != nil {
		return err
	}
	size := c.IntsAsInt("pooled_shape")
	if len(size) != 2 || size[0] < 1 || size[1] < 1 || size[0] > maxExtent || size[1] > maxExtent {
		return c.AttrErrorf("pooled_shape", "is %v, must be 2 sizes in [1, %d]", size, maxExtent)
	}
	c.SetDims(0, c.Shape(1).Dim(0), c.Shape(0).Dim(1), graph.Known(size[0]), graph.Known(size[1]))
	return nil
}

// inferRoiAlign gives (rois, C, output_height, output_width).
func inferRoiAlign(c *Context) error {
	if err := c.checkRois(4); err != nil {
		return err
	}
	if err := c.WantRank(2, 1); err != nil {
		return err
	}
	count, ok := graph.MergeDim(c.Shape(1).Dim(0), c.Shape(2).Dim(0))
	if !ok {
		return c.InputErrorf(2, "shape %v does not have one index for each of the rois %v", c.Shape(2), c.Shape(1))
	}
	h, w := c.Int("output_height"), c.Int("output_width")
	if h < 1 || h > maxExtent {
		return c.AttrErrorf("output_height", "is %d, must be in [1, %d]", h, maxExtent)
	}
	if w < 1 || w > maxExtent {
		return c.AttrErrorf("output_width", "is %d, must be in [1, %d]", w, maxExtent)
	}
	if m := c.String("mode"); m != "avg" && m != "max" {
		return c.AttrErrorf("mode", "is %q, allowed are avg and max", m)
	}
	if m := c.String("coordinate_transformation_mode"); m != "" && m != "half_pixel" && m != "output_half_pixel" {
		return c.AttrErrorf("coordinate_transformation_mode", "is %q, allowed are half_pixel and output_half_pixel", m)
	}
	if r := c.Int("sampling_ratio"); r < 0 || r > maxExtent {
		return c.AttrErrorf("sampling_ratio", "is %d, must be in [0, %d]", r, maxExtent)
	}
	c.SetDims(0, count, c.Shape(0).Dim(1), graph.Known(h), graph.Known(w))
	return nil
}
