package op

import (
	"slices"

	"gort/graph"
	"gort/tensor"
)

// scalarInt returns a scalar integer input; a tensor of one element is as good.
func (c *Context) scalarInt(i int) (v int64, known bool, err error) {
	if c.HasInput(i) && c.Shape(i).IsRanked() && !isSingleOrUnknown(c.Shape(i)) {
		return 0, false, c.InputErrorf(i, "shape %v must be a scalar", c.Shape(i))
	}
	list, ok := c.KnownInts(i)
	if !ok || len(list) != 1 {
		return 0, false, nil
	}
	return list[0], true, nil
}

// DFTAxis resolves the axis of a DFT against a rank; the last dimension holds
// the parts of the numbers.
func DFTAxis(axis int64, rank int) (int, bool) {
	if axis < 0 {
		axis += int64(rank)
	}
	return int(axis), axis >= 0 && axis < int64(rank)-1
}

// DFTLength is the default length of a transform of n numbers.
func DFTLength(n int, inverse, oneSided bool) int {
	if inverse && oneSided {
		return 2 * (n - 1)
	}
	return n
}

func inferDFT(c *Context) error {
	in := c.Shape(0)
	rank, ok := in.Rank()
	if !ok {
		return nil
	}
	if rank < 2 {
		return c.InputErrorf(0, "shape %v has rank %d, the operator needs 2 or more", in, rank)
	}
	inverse, oneSided := c.Bool("inverse"), c.Bool("onesided")
	parts, known := in.Dim(-1).Size()
	switch {
	case known && parts != 1 && parts != 2:
		return c.InputErrorf(0, "shape %v must end in 1 (real) or 2 (complex)", in)
	case known && oneSided && inverse != (parts == 2):
		return c.InputErrorf(0, "shape %v: one side of a spectrum needs real numbers, its inverse complex ones", in)
	}
	length, lengthKnown, err := c.scalarInt(1)
	if err != nil {
		return err
	}
	if lengthKnown && (length < 1 || length > maxExtent) {
		return c.InputErrorf(1, "is %d, must be in [1, %d]", length, maxExtent)
	}
	dims := slices.Clone(in.Dims())
	dims[rank-1] = graph.Known(2)
	if inverse && oneSided {
		dims[rank-1] = graph.Known(1)
	}
	axis := int64(-2)
	if c.sig.Attr("axis") != nil {
		axis = c.Int64("axis")
	} else if c.HasInput(2) {
		var ok bool
		if axis, ok, err = c.scalarInt(2); err != nil {
			return err
		}
		if !ok {
			for i := range rank - 1 {
				dims[i] = graph.Dim{}
			}
			c.SetDims(0, dims...)
			return nil
		}
	}
	d, ok := DFTAxis(axis, rank)
	if !ok {
		return c.Errorf("axis is %d, allowed are %d to -2 and 0 to %d for input %v", axis, -rank, rank-2, in)
	}
	n, ok := in.Dim(d).Size()
	switch {
	case lengthKnown:
		n = int(length)
	case c.HasInput(1) || !ok:
		if c.HasInput(1) || oneSided {
			dims[d] = graph.Dim{}
		}
		c.SetDims(0, dims...)
		return nil
	default:
		n = DFTLength(n, inverse, oneSided)
	}
	if n < 1 || n > maxExtent {
		return c.Errorf("the transform of input %v along axis %d has length %d, must be in [1, %d]", in, d, n, maxExtent)
	}
	if oneSided && !inverse {
		n = n/2 + 1
	}
	dims[d] = graph.Known(n)
	c.SetDims(0, dims...)
	return nil
}

// inferSTFT gives (batch, frames, bins, 2) for signals (batch, length, parts).
func inferSTFT(c *Context) error {
	in := c.Shape(0)
	if r, ok := in.Rank(); ok && r != 2 && r != 3 {
		return c.InputErrorf(0, "shape %v has rank %d, the operator needs 3", in, r)
	}
	if parts, ok := in.Dim(2).Size(); ok && in.HasRank(3) {
		if parts != 1 && parts != 2 {
			return c.InputErrorf(0, "shape %v must end in 1 (real) or 2 (complex)", in)
		}
		if parts == 2 && c.Bool("onesided") {
			return c.InputErrorf(0, "shape %v: one side of a spectrum needs real numbers", in)
		}
	}
	if err := c.WantRank(2, 1); err != nil {
		return err
	}
	step, stepKnown, err := c.scalarInt(1)
	if err != nil {
		return err
	}
	if stepKnown && (step < 1 || step > maxExtent) {
		return c.InputErrorf(1, "is %d, must be in [1, %d]", step, maxExtent)
	}
	length, lengthKnown, err := c.scalarInt(3)
	if err != nil {
		return err
	}
	window, windowKnown := c.Shape(2).Dim(0).Size()
	switch {
	case c.HasInput(2) && windowKnown && lengthKnown && int64(window) != length:
		return c.InputErrorf(3, "is %d, the window has %d elements", length, window)
	case c.HasInput(2) && windowKnown:
		length, lengthKnown = int64(window), true
	}
	size, sizeKnown := in.Dim(1).Size()
	if !c.HasInput(2) && !c.HasInput(3) && sizeKnown {
		length, lengthKnown = int64(size), true
	}
	dims := []graph.Dim{in.Dim(0), {}, {}, graph.Known(2)}
	if lengthKnown {
		if length < 1 || length > maxExtent {
			return c.Errorf("frames have %d elements, must be in [1, %d]", length, maxExtent)
		}
		if sizeKnown && int64(size) < length {
			return c.InputErrorf(0, "shape %v: signals are shorter than a frame of %d", in, length)
		}
		bins := int(length)
		if c.Bool("onesided") {
			bins = bins/2 + 1
		}
		dims[2] = graph.Known(bins)
		if sizeKnown && stepKnown {
			dims[1] = graph.Known((size-int(length))/int(step) + 1)
		}
	}
	c.SetDims(0, dims...)
	return nil
}

// setOutputDatatype sets the element type that the attribute of that name gives.
func (c *Context) setOutputDatatype() error {
	n := c.Int("output_datatype")
	allowed := c.sig.Types[c.sig.Outputs[0].Type].Tensor
	if n < 1 || n > 255 || !allowed.Has(tensor.DType(n)) {
		return c.AttrErrorf("output_datatype", "is %d, allowed are the numbers of %v", n, allowed)
	}
	c.SetDType(0, tensor.DType(n))
	return nil
}

func inferMelWeightMatrix(c *Context) error {
	if err := c.setOutputDatatype(); err != nil {
		return err
	}
	dims := [2]graph.Dim{}
	for i := range 2 {
		v, known, err := c.scalarInt(i)
		if err != nil {
			return err
		}
		if !known {
			continue
		}
		if v < 1 || v > maxExtent {
			return c.InputErrorf(i, "is %d, must be in [1, %d]", v, maxExtent)
		}
		if i == 0 {
			dims[1] = graph.Known(int(v))
		} else {
			dims[0] = graph.Known(int(v)/2 + 1)
		}
	}
	c.SetDims(0, dims[:]...)
	return nil
}

func inferWindow(c *Context) error {
	if err := c.setOutputDatatype(); err != nil {
		return err
	}
	n, known, err := c.scalarInt(0)
	if err != nil {
		return err
	}
	if !known {
		c.SetShape(0, graph.OfRank(1))
		return nil
	}
	if n < 0 || n > maxExtent {
		return c.InputErrorf(0, "is %d, must be in [0, %d]", n, maxExtent)
	}
	c.SetDims(0, graph.Known(int(n)))
	return nil
}
