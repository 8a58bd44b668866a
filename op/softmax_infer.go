package op

// inferSoftmax checks the axis: one of the input's, or before opset 13, where the
// dimensions from it on are taken together, the rank is allowed too.
func inferSoftmax(c *Context) error {
	c.SetShape(0, c.Shape(0))
	rank, ok := c.Shape(0).Rank()
	if !ok {
		return nil
	}
	axis := c.Int("axis")
	if c.Def.Since < 13 && axis == rank {
		return nil
	}
	if rank == 0 && (axis == -1 || axis == 0) {
		return nil // leniently: a scalar is a vector of one
	}
	_, err := c.Axis("axis", rank)
	return err
}
