package op

// inferQEmbedLayerNorm is the shape function of QEmbedLayerNormalization, whose tables
// and rows have one scale and one zero point each.
func inferQEmbedLayerNorm(c *Context) error {
	if err := c.checkEmbedding(); err != nil {
		return err
	}
	if rows, ok := c.Shape(3).Dim(0).Size(); ok {
		if n, ok := c.Shape(0).Dim(1).Size(); ok && n > rows {
			return c.InputErrorf(3, "shape %v has %d positions, input_ids %v needs %d", c.Shape(3), rows, c.Shape(0), n)
		}
	}
	for i := 8; i < 18; i++ {
		if s := c.Shape(i); c.HasInput(i) && !isSingleOrUnknown(s) {
			return c.InputErrorf(i, "shape %v must have one element", s)
		}
	}
	if c.HasInput(4) && !(c.HasInput(10) && c.HasInput(15)) {
		return c.Errorf("segment_embedding comes without segment_embedding_scale and segment_embedding_zero_point")
	}
	ids := c.Shape(0)
	c.SetDims(0, ids.Dim(0), ids.Dim(1), c.Shape(2).Dim(1))
	c.SetDims(1, ids.Dim(0))
	return nil
}
