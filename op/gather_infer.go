package op

import (
	"slices"

	"gort/graph"
)

// inferGather replaces one dimension by those of the indices.
func inferGather(c *Context) error {
	data, at := c.Shape(0), c.Shape(1)
	rank, ok := data.Rank()
	if !ok {
		return nil
	}
	axis, err := c.Axis("axis", rank)
	if err != nil {
		return err
	}
	list := c.Ints(1)
	if n, known := data.Dim(axis).Size(); known && list != nil {
		for i, e := range list.Elems {
			if v, ok := e.Value(); ok && (v < -int64(n) || v >= int64(n)) {
				return c.InputErrorf(1, "element %d is %d, allowed are %d to %d: axis %d of %v has size %d", i, v, -n, n-1, axis, data, n)
			}
		}
	}
	if !at.IsRanked() {
		return nil
	}
	c.SetDims(0, slices.Concat(data.Dims()[:axis], at.Dims(), data.Dims()[axis+1:])...)
	if v := c.Ints(0); v != nil && rank == 1 && list != nil {
		out := &Ints{Scalar: list.Scalar}
		for _, e := range list.Elems {
			i, known := e.Value()
			if i < 0 {
				i += int64(len(v.Elems))
			}
			if !known || i < 0 || i >= int64(len(v.Elems)) {
				out.Elems = append(out.Elems, Int{})
			} else {
				out.Elems = append(out.Elems, v.Elems[i])
			}
		}
		c.SetInts(0, out)
	}
	return nil
}

// sameRank checks that input i has data's rank.
func (c *Context) sameRank(i int) error {
	if r, ok := c.Shape(0).Rank(); ok {
		return c.WantRank(i, r)
	}
	return nil
}

// inferGatherElements gives the shape of the indices.
func inferGatherElements(c *Context) error {
	data, at := c.Shape(0), c.Shape(1)
	if rank, ok := data.Rank(); ok {
		axis, err := c.Axis("axis", rank)
		if err != nil {
			return err
		}
		if rank == 0 {
			return c.InputErrorf(0, "is a scalar, must have rank 1 or more")
		}
		if err := c.sameRank(1); err != nil {
			return err
		}
		if at.IsRanked() {
			for i, d := range at.Dims() {
				n, ok1 := d.Size()
				m, ok2 := data.Dim(i).Size()
				if i != axis && ok1 && ok2 && n > m {
					return c.InputErrorf(1, "dimension %d of the indices %v is %d, the data %v has only %d", i, at, n, data, m)
				}
			}
		}
	}
	c.SetShape(0, at)
	return nil
}

// inferGatherND replaces the dimensions that the last one of the indices names.
func inferGatherND(c *Context) error {
	data, at := c.Shape(0), c.Shape(1)
	r, ok1 := data.Rank()
	q, ok2 := at.Rank()
	batch := c.Int("batch_dims")
	if batch < 0 {
		return c.AttrErrorf("batch_dims", "is %d, must not be negative", batch)
	}
	if ok1 && r == 0 || ok1 && batch >= r {
		return c.AttrErrorf("batch_dims", "is %d, must be less than the rank of the data %v", batch, data)
	}
	if ok2 && batch >= q {
		return c.AttrErrorf("batch_dims", "is %d, must be less than the rank of the indices %v", batch, at)
	}
	if !ok1 || !ok2 {
		return nil
	}
	depth, known := at.Dim(q - 1).Size()
	if !known {
		return nil
	}
	if depth < 1 || depth > r-batch {
		return c.InputErrorf(1, "last dimension of %v is %d, allowed are 1 to %d for the data %v with batch_dims %d", at, depth, r-batch, data, batch)
	}
	dims := make([]graph.Dim, 0, q+r)
	for i := range batch {
		d, ok := graph.MergeDim(at.Dim(i), data.Dim(i))
		if !ok {
			return c.InputErrorf(1, "batch dimension %d of %v differs from that of the data %v", i, at, data)
		}
		dims = append(dims, d)
	}
	dims = append(dims, at.Dims()[batch:q-1]...)
	c.SetDims(0, append(dims, data.Dims()[batch+depth:]...)...)
	return nil
}

// inferCompress knows all but how many conditions are true.
func inferCompress(c *Context) error {
	if err := c.WantRank(1, 1); err != nil {
		return err
	}
	in := c.Shape(0)
	rank, ok := in.Rank()
	if !c.Has("axis") {
		c.SetShape(0, graph.OfRank(1))
		return nil
	}
	if !ok {
		return nil
	}
	axis, err := c.Axis("axis", rank)
	if err != nil {
		return err
	}
	dims := slices.Clone(in.Dims())
	dims[axis] = graph.Dim{}
	c.SetDims(0, dims...)
	return nil
}

// inferOneHot inserts a dimension of size depth.
func inferOneHot(c *Context) error {
	if r, ok := c.Shape(1).Rank(); ok && r > 1 || ok && r == 1 && c.Shape(1).Dim(0).IsKnown() && !c.Shape(1).Dim(0).Is(1) {
		return c.InputErrorf(1, "shape %v, must be one number", c.Shape(1))
	}
	if err := c.WantRank(2, 1); err != nil {
		return err
	}
	if d := c.Shape(2).Dim(0); d.IsKnown() && !d.Is(2) {
		return c.InputErrorf(2, "shape %v, must be two elements: off and on", c.Shape(2))
	}
	in := c.Shape(0)
	rank, ok := in.Rank()
	if !ok {
		return nil
	}
	axis, err := c.Axis("axis", rank+1)
	if err != nil {
		return err
	}
	depth := graph.Dim{}
	if v := c.Ints(1); v != nil && len(v.Elems) == 1 {
		if n, known := v.Elems[0].Value(); known && n < 0 {
			return c.InputErrorf(1, "is %d, must not be negative", n)
		}
		depth = v.Elems[0].Dim()
	} else if t := c.Const(1); t != nil {
		n, err := OneHotDepth(t)
		if err != nil {
			return c.InputErrorf(1, "%v", err)
		}
		depth = graph.Known(n)
	}
	c.SetDims(0, slices.Insert(slices.Clone(in.Dims()), axis, depth)...)
	return nil
}
