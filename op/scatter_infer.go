package op

import (
	"slices"

	"gort/graph"
)

// reductions are what a scatter may do with an element that is already there,
// and the version of the operators each came with.
var reductions = map[string]int{"none": 16, "add": 16, "mul": 16, "min": 18, "max": 18}

func (c *Context) checkReduction() error {
	if c.sig.Attr("reduction") == nil {
		return nil
	}
	r := c.String("reduction")
	if since, ok := reductions[r]; !ok || since > c.Def.Since {
		return c.AttrErrorf("reduction", "is %q, version %d of the operator knows none, add, mul and from 18 on min, max", r, c.Def.Since)
	}
	return nil
}

// inferScatterElements keeps the data's shape; indices and updates agree.
func inferScatterElements(c *Context) error {
	if err := c.checkReduction(); err != nil {
		return err
	}
	data, at, updates := c.Shape(0), c.Shape(1), c.Shape(2)
	c.SetShape(0, data)
	if _, ok := graph.Merge(at, updates); !ok {
		return c.InputErrorf(2, "shape %v differs from that of the indices, %v", updates, at)
	}
	rank, ok := data.Rank()
	if !ok {
		return nil
	}
	if rank == 0 {
		return c.InputErrorf(0, "is a scalar, must have rank 1 or more")
	}
	axis, err := c.Axis("axis", rank)
	if err != nil {
		return err
	}
	for i := 1; i < 3; i++ {
		if err := c.sameRank(i); err != nil {
			return err
		}
	}
	for i := range rank {
		n, ok1 := at.Dim(i).Size()
		if size, ok := data.Dim(i).Size(); ok && ok1 && i != axis && n > size {
			return c.InputErrorf(1, "dimension %d of the indices %v is %d, the data %v has only %d", i, at, n, data, size)
		}
	}
	return nil
}

// inferScatterND keeps the data's shape; updates have the indices' shape without
// the last dimension, then the dimensions of the data that are not indexed.
func inferScatterND(c *Context) error {
	if err := c.checkReduction(); err != nil {
		return err
	}
	data, at, updates := c.Shape(0), c.Shape(1), c.Shape(2)
	c.SetShape(0, data)
	r, ok1 := data.Rank()
	q, ok2 := at.Rank()
	if ok2 && q == 0 {
		return c.InputErrorf(1, "is a scalar, must have rank 1 or more")
	}
	if !ok1 || !ok2 {
		return nil
	}
	depth, known := at.Dim(q - 1).Size()
	if !known {
		return nil
	}
	if depth > r {
		return c.InputErrorf(1, "last dimension of %v is %d, the data %v has rank %d", at, depth, data, r)
	}
	want := slices.Concat(at.Dims()[:q-1], data.Dims()[depth:])
	if err := c.WantRank(2, len(want)); err != nil {
		return err
	}
	for i, d := range want {
		n, ok1 := d.Size()
		m, ok2 := updates.Dim(i).Size()
		if ok1 && ok2 && n != m {
			return c.InputErrorf(2, "shape %v, must be %v for indices %v into %v", updates, want, at, data)
		}
	}
	return nil
}

// inferTensorScatter writes a piece into each batch's cache.
func inferTensorScatter(c *Context) error {
	if m := c.String("mode"); m != "linear" && m != "circular" {
		return c.AttrErrorf("mode", "is %q, allowed are linear and circular", m)
	}
	past, update := c.Shape(0), c.Shape(1)
	c.SetShape(0, past)
	rank, ok := past.Rank()
	if !ok {
		return nil
	}
	axis, err := c.Axis("axis", rank)
	if err != nil {
		return err
	}
	if axis == 0 {
		return c.AttrErrorf("axis", "is %d, the batch dimension, must be another one", c.Int("axis"))
	}
	if err := c.sameRank(1); err != nil {
		return err
	}
	for i := range rank {
		n, ok1 := past.Dim(i).Size()
		m, ok2 := update.Dim(i).Size()
		if ok1 && ok2 && (i != axis && n != m || m > n) {
			return c.InputErrorf(1, "shape %v does not fit into the cache %v along axis %d", update, past, axis)
		}
	}
	if !c.HasInput(2) {
		return nil
	}
	if err := c.WantRank(2, 1); err != nil {
		return err
	}
	n, ok1 := past.Dim(0).Size()
	m, ok2 := c.Shape(2).Dim(0).Size()
	if ok1 && ok2 && n != m {
		return c.InputErrorf(2, "has %d elements for a batch of %d", m, n)
	}
	return nil
}
