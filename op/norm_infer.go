package op

import (
	"gort/graph"
	"gort/tensor"
)

// inferBatchNorm is the shape function of BatchNormalization: the output is as
// the input, statistics are as the mean and variance that are given.
func inferBatchNorm(c *Context) error {
	x := c.Shape(0)
	channels := x.Dim(1)
	if x.HasRank(1) {
		channels = graph.Known(1) // a single dimension is the batch
	} else if x.HasRank(0) {
		return c.InputErrorf(0, "shape %v has rank 0, the operator needs 1 or more", x)
	}
	perElement := c.sig.Attr("spatial") != nil && !c.Bool("spatial")
	for i := 1; i < 5; i++ {
		s := c.Shape(i)
		if !s.IsRanked() {
			continue
		}
		if perElement {
			if rank, ok := x.Rank(); ok && !s.HasRank(rank-1) && !s.HasRank(1) {
				return c.InputErrorf(i, "shape %v must be that of one element of the batch %v", s, x)
			}
			continue
		}
		if err := c.WantRank(i, 1); err != nil {
			return err
		}
		merged, ok := graph.MergeDim(channels, s.Dim(0))
		if !ok {
			return c.InputErrorf(i, "shape %v must have one element for each of the %v channels of %v", s, channels, x)
		}
		channels = merged
	}
	c.SetShape(0, x)
	for i := 1; i < c.NumOutputs(); i++ {
		c.SetShape(i, c.Shape(3+(i-1)%2))
	}
	return nil
}

// wantVector checks that input i has one element for each of n.
func (c *Context) wantVector(i int, n graph.Dim, what string) error {
	if err := c.WantRank(i, 1); err != nil {
		return err
	}
	if _, ok := graph.MergeDim(n, c.Shape(i).Dim(0)); !ok {
		return c.InputErrorf(i, "shape %v must have one element for each of the %v %s", c.Shape(i), n, what)
	}
	return nil
}

// wantRankFrom checks that input 0 has at least this rank, when it is known.
func (c *Context) wantRankFrom(least int) error {
	if r, ok := c.Shape(0).Rank(); ok && r < least {
		return c.InputErrorf(0, "shape %v has rank %d, the operator needs %d or more", c.Shape(0), r, least)
	}
	return nil
}

func inferInstanceNorm(c *Context) error {
	if err := c.wantRankFrom(2); err != nil {
		return err
	}
	for i := 1; i < 3; i++ {
		if err := c.wantVector(i, c.Shape(0).Dim(1), "channels"); err != nil {
			return err
		}
	}
	return inferSame(c)
}

func inferGroupNorm(c *Context) error {
	if c.sig.Attr("stash_type") != nil {
		if err := c.stashType(); err != nil {
			return err
		}
	}
	if err := c.wantRankFrom(2); err != nil {
		return err
	}
	groups := c.Int("num_groups")
	if groups < 1 {
		return c.AttrErrorf("num_groups", "is %d, must be 1 or more", groups)
	}
	channels := c.Shape(0).Dim(1)
	if n, ok := channels.Size(); ok && n%groups != 0 {
		return c.AttrErrorf("num_groups", "is %d, which does not divide the %d channels of %v", groups, n, c.Shape(0))
	}
	want, what := channels, "channels"
	if c.Def.Since < 21 { // scale and bias were for each group
		want, what = graph.Known(groups), "groups"
	}
	for i := 1; i < 3; i++ {
		if err := c.wantVector(i, want, what); err != nil {
			return err
		}
	}
	return inferSame(c)
}

// normalizedFrom reads the attribute axis of a normalisation over the dimensions
// from there on, and checks that scale and bias broadcast to the input.
func (c *Context) normalizedFrom(parameters ...int) (axis int, known bool, err error) {
	x := c.Shape(0)
	rank, ok := x.Rank()
	if !ok {
		return 0, false, nil
	}
	if axis, err = c.Axis("axis", rank); err != nil {
		return 0, false, err
	}
	for _, i := range parameters {
		s := c.Shape(i)
		r, ok := s.Rank()
		if !ok {
			continue
		}
		if r > rank {
			return 0, false, c.InputErrorf(i, "shape %v does not broadcast to %v", s, x)
		}
		for d, dim := range s.Dims() {
			n, known := dim.Size()
			if m, ok := x.Dim(rank - r + d).Size(); ok && known && n != 1 && n != m {
				return 0, false, c.InputErrorf(i, "shape %v does not broadcast to %v", s, x)
			}
		}
	}
	return axis, true, nil
}

// inferLayerNorm gives Y as X and the statistics of each row, whose element type
// stash_type decides.
func inferLayerNorm(c *Context) error {
	stash := tensor.DType(c.Int("stash_type"))
	if n := c.Int("stash_type"); n != int(tensor.Float32) && n != int(tensor.BFloat16) {
		return c.AttrErrorf("stash_type", "is %d, allowed are 1 (float) and 16 (bfloat16)", n)
	}
	c.SetDType(1, stash)
	c.SetDType(2, stash)
	c.SetShape(0, c.Shape(0))
	axis, known, err := c.normalizedFrom(1, 2)
	if err != nil || !known {
		return err
	}
	if c.HasInput(2) {
		if _, err := c.Broadcast(c.Shape(0), c.Shape(1), c.Shape(2)); err != nil {
			return err
		}
	}
	dims := append([]graph.Dim(nil), c.Shape(0).Dims()...)
	for d := axis; d < len(dims); d++ {
		dims[d] = graph.Known(1)
	}
	c.SetDims(1, dims...)
	c.SetDims(2, dims...)
	return nil
}

// stashType checks the type that a normalisation computes in.
func (c *Context) stashType() error {
	if n := c.Int("stash_type"); !FloatBFTypes.Has(tensor.DType(n)) {
		return c.AttrErrorf("stash_type", "is %d, allowed are 1 (float), 10 (float16), 11 (double) and 16 (bfloat16)", n)
	}
	return nil
}

func inferRMSNorm(c *Context) error {
	if err := c.stashType(); err != nil {
		return err
	}
	if _, _, err := c.normalizedFrom(1); err != nil {
		return err
	}
	return inferSame(c)
}

func inferLRN(c *Context) error {
	if err := c.wantRankFrom(2); err != nil {
		return err
	}
	if n := c.Int("size"); n < 1 || n > maxExtent {
		return c.AttrErrorf("size", "is %d, must be in [1, %d]", n, maxExtent)
	}
	return inferSame(c)
}

func inferLpNorm(c *Context) error {
	if p := c.Int("p"); p != 1 && p != 2 {
		return c.AttrErrorf("p", "is %d, allowed are 1 and 2", p)
	}
	if rank, ok := c.Shape(0).Rank(); ok {
		if _, err := c.Axis("axis", rank); err != nil {
			return err
		}
	}
	return inferSame(c)
}

func inferMeanVariance(c *Context) error {
	if rank, ok := c.Shape(0).Rank(); ok {
		if _, err := c.axisSet(c.Attrs.Ints("axes"), rank); err != nil {
			return err
		}
	}
	return inferSame(c)
}
