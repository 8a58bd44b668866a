package op

import "gort/tensor"

// inferCumulative checks the axis where it is known: a scalar, or leniently a
// tensor of one element.
func inferCumulative(c *Context) error {
	in := c.Shape(0)
	c.SetShape(0, in)
	if manyElements(c.Shape(1)) {
		return c.InputErrorf(1, "shape %v is no scalar", c.Shape(1))
	}
	for _, name := range []string{"exclusive", "reverse"} {
		if v := c.Int(name); v != 0 && v != 1 {
			return c.AttrErrorf(name, "is %d, allowed are 0 and 1", v)
		}
	}
	axis, known := c.KnownInts(1)
	rank, ranked := in.Rank()
	if !known || !ranked || len(axis) != 1 {
		return nil
	}
	if _, err := tensor.Axis(int(axis[0]), rank); err != nil {
		return c.InputErrorf(1, "%v", err)
	}
	return nil
}
