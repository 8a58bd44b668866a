package op

import (
	"slices"

	"gort/graph"
)

// maxSignal is how many dimensions a signal may have.
const maxSignal = 3

// signal checks the attributes of Rfft and Irfft, and that the input has as many
// dimensions as the signal and more more. It returns how many the signal has.
func (c *Context) signal(more int) (int, error) {
	if v := c.Int64("normalized"); v != 0 {
		return 0, c.AttrErrorf("normalized", "is %d, must be 0", v)
	}
	if v := c.Int64("onesided"); v != 1 {
		return 0, c.AttrErrorf("onesided", "is %d, must be 1", v)
	}
	n := c.Int64("signal_ndim")
	if n < 1 || n > maxSignal {
		return 0, c.AttrErrorf("signal_ndim", "is %d, must be in [1, %d]", n, maxSignal)
	}
	if r, ok := c.Shape(0).Rank(); ok && r < int(n)+more {
		return 0, c.InputErrorf(0, "shape %v has rank %d, a signal of %d dimensions needs %d", c.Shape(0), r, n, int(n)+more)
	}
	for i := range int(n) {
		if !c.Shape(0).IsRanked() {
			break
		}
		if v, ok := c.Shape(0).Dim(-1 - more - i).Size(); ok && (v < 1 || v > maxExtent) {
			return 0, c.InputErrorf(0, "shape %v has a signal of length %d, must be in [1, %d]", c.Shape(0), v, maxExtent)
		}
	}
	return int(n), nil
}

// inferRfft halves the last dimension and appends one for the parts of the numbers.
func inferRfft(c *Context) error {
	if _, err := c.signal(0); err != nil {
		return err
	}
	in := c.Shape(0)
	if !in.IsRanked() {
		return nil
	}
	dims := append(slices.Clone(in.Dims()), graph.Known(2))
	last := &dims[len(dims)-2]
	if n, ok := last.Size(); ok {
		*last = graph.Known(n/2 + 1)
	} else {
		*last = graph.Dim{}
	}
	c.SetDims(0, dims...)
	return nil
}

// inferIrfft undoes inferRfft, for signals of even length.
func inferIrfft(c *Context) error {
	if _, err := c.signal(1); err != nil {
		return err
	}
	in := c.Shape(0)
	if !in.IsRanked() {
		return nil
	}
	if d := in.Dim(-1); d.IsKnown() && !d.Is(2) {
		return c.InputErrorf(0, "shape %v must end in 2, for complex numbers", in)
	}
	dims := slices.Clone(in.Dims()[:len(in.Dims())-1])
	last := &dims[len(dims)-1]
	n, ok := last.Size()
	switch {
	case !ok:
		*last = graph.Dim{}
	case n < 2 || n > maxExtent:
		return c.InputErrorf(0, "shape %v has a spectrum of %d numbers, must be in [2, %d]", in, n, maxExtent)
	default:
		*last = graph.Known(DFTLength(n, true, true))
	}
	c.SetDims(0, dims...)
	return nil
}

// inferComplexMul broadcasts; the last dimension holds the parts of the numbers.
func inferComplexMul(c *Context) error {
	for i := range 2 {
		s := c.Shape(i)
		if !s.IsRanked() {
			continue
		}
		if s.HasRank(0) || s.Dim(-1).IsKnown() && !s.Dim(-1).Is(2) {
			return c.InputErrorf(i, "shape %v must end in 2, for complex numbers", s)
		}
	}
	s, err := c.Broadcast(c.Shape(0), c.Shape(1))
	if err != nil {
		return err
	}
	c.SetShape(0, s)
	return nil
}
