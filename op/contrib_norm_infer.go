package op

import (
	"gort/graph"
	"gort/tensor"
)

// inferSkipNorm checks that the inputs at the given positions are one row, and that
// skip repeats over leading dimensions of the input, as ONNX Runtime has it.
func (c *Context) inferSkipNorm(rows ...int) error {
	x := c.Shape(0)
	if err := c.wantRankFrom(1); err != nil {
		return err
	}
	for _, i := range rows {
		if c.HasInput(i) {
			if err := c.wantVector(i, x.Dim(-1), "elements of a row"); err != nil {
				return err
			}
		}
	}
	out, err := c.Broadcast(x, c.Shape(1))
	if err != nil {
		return err
	}
	if x.IsRanked() && out.IsRanked() {
		if _, ok := graph.Merge(out, x); !ok {
			return c.InputErrorf(1, "shape %v does not broadcast to that of the input, %v", c.Shape(1), x)
		}
	}
	c.SetShape(0, x)
	c.SetShape(3, x)
	if rank, ok := x.Rank(); ok {
		stats := append(append([]graph.Dim{}, x.Dims()[:rank-1]...), graph.Known(1))
		c.SetDims(1, stats...)
		c.SetDims(2, stats...)
	}
	return nil
}

// inferEmbedLayerNorm: mask_index_type tells other shape functions whether there is a
// mask_index; here that output is a number for each batch whenever it is asked for.
func inferEmbedLayerNorm(c *Context) error {
	if err := c.checkEmbedding(); err != nil {
		return err
	}
	if c.HasInput(8) {
		if err := c.WantRank(8, 2); err != nil {
			return err
		}
	}
	ids := c.Shape(0)
	if p := c.Shape(8); c.HasInput(8) {
		_, rows := graph.MergeDim(ids.Dim(1), p.Dim(1))
		_, all := graph.MergeDim(ids.Dim(0), p.Dim(0))
		if n, ok := p.Dim(0).Size(); !rows || !all && !(ok && n == 1) {
			return c.InputErrorf(8, "shape %v must be that of input_ids, %v, or one row of it", p, ids)
		}
	}
	for _, i := range []int{0, 2} {
		c.SetDims(i, ids.Dim(0), ids.Dim(1), c.Shape(2).Dim(1))
	}
	c.SetDims(1, ids.Dim(0))
	return nil
}

func inferContribGroupNorm(c *Context) error {
	if err := c.WantRank(0, 4); err != nil {
		return err
	}
	if a := c.Int("activation"); a != 0 && a != 1 {
		return c.AttrErrorf("activation", "is %d, allowed are 0 (none) and 1 (SiLU)", a)
	}
	channels := c.Shape(0).Dim(1)
	if c.Bool("channels_last") {
		channels = c.Shape(0).Dim(3)
	}
	groups := c.Int("groups")
	if groups < 1 {
		return c.AttrErrorf("groups", "is %d, must be 1 or more", groups)
	}
	if n, ok := channels.Size(); ok && n%groups != 0 {
		return c.AttrErrorf("groups", "is %d, which does not divide the %d channels of %v", groups, n, c.Shape(0))
	}
	for i := 1; i < 3; i++ {
		if err := c.wantVector(i, channels, "channels"); err != nil {
			return err
		}
	}
	return inferSame(c)
}

// contribGroupNormBody computes in float32, the type of gamma and beta in most files.
func contribGroupNormBody(c *Context) (Body, error) {
	x, back := "Cast <to = 1> (X)", "Identity (normal)"
	if c.Bool("channels_last") {
		x, back = "Transpose <perm = [0, 3, 1, 2]> ("+x+")", "Transpose <perm = [0, 2, 3, 1]> (normal)"
	}
	y := "y"
	if c.Int("activation") == 1 {
		y = "Mul (y, Sigmoid (y))" // SiLU
	}
	return Body{bodyOpset, `
		normal = GroupNormalization <num_groups = @groups, epsilon = @epsilon> (` + x + `, Cast <to = 1> (gamma), Cast <to = 1> (beta))
		y = ` + back + `
		Y = CastLike (` + y + ", X)"}, nil
}

// inferSimplifiedLayerNorm is RMSNormalization with the inverse deviation kept: one
// number for each row.
func inferSimplifiedLayerNorm(c *Context) error {
	if n := c.Int("stash_type"); n != int(tensor.Float32) {
		return c.AttrErrorf("stash_type", "is %d, allowed is 1 (float)", n)
	}
	axis, known, err := c.normalizedFrom(1)
	if err != nil {
		return err
	}
	x := c.Shape(0)
	c.SetShape(0, x)
	if !known {
		return nil
	}
	stats := append([]graph.Dim{}, x.Dims()...)
	for i := axis; i < len(stats); i++ {
		stats[i] = graph.Known(1)
	}
	c.SetDims(1, stats...)
	return nil
}

// checkEmbedding checks the operands that EmbedLayerNormalization and its quantized
// form have at the same places: ids, tables, gamma and beta, mask.
func (c *Context) checkEmbedding() error {
	for _, i := range []int{0, 1, 2, 3, 4, 7} {
		if c.HasInput(i) {
			if err := c.WantRank(i, 2); err != nil {
				return err
			}
		}
	}
	if c.HasInput(1) != c.HasInput(4) {
		return c.Errorf("segment_ids and segment_embedding come together or not at all")
	}
	width := c.Shape(2).Dim(1)
	for _, i := range []int{3, 4} {
		if c.HasInput(i) {
			if _, ok := graph.MergeDim(width, c.Shape(i).Dim(1)); !ok {
				return c.InputErrorf(i, "has rows of %v, word_embedding of %v", c.Shape(i).Dim(1), width)
			}
		}
	}
	for _, i := range []int{5, 6} {
		if err := c.wantVector(i, width, "elements of a row"); err != nil {
			return err
		}
	}
	for _, i := range []int{1, 7} {
		if _, ok := graph.Merge(c.Shape(0), c.Shape(i)); c.HasInput(i) && !ok {
			return c.InputErrorf(i, "shape %v differs from that of input_ids, %v", c.Shape(i), c.Shape(0))
		}
	}
	return nil
}

func inferMeanVariance1(c *Context) error {
	if err := c.WantRank(0, 4); err != nil {
		return err
	}
	return inferSame(c)
}
