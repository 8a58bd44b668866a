package op

import (
	"slices"

	"gort/graph"
	"gort/tensor"
)

// elem is the element type of a sequence or optional input; unknown when that is.
func (c *Context) elem(i int) graph.Type {
	if e := c.Type(i).Elem; e != nil {
		return *e
	}
	return graph.Type{}
}

// setKnown sets an output's type unless nothing is known of it.
func (c *Context) setKnown(i int, t graph.Type) {
	if t.IsKnown() {
		c.SetType(i, t)
	}
}

func inferSequenceAt(c *Context) error {
	if err := c.wantOne(1); err != nil {
		return err
	}
	c.setKnown(0, c.elem(0))
	return nil
}

func inferSequenceConstruct(c *Context) error {
	t := c.Type(0)
	for i := 1; i < c.NumInputs(); i++ {
		var ok bool
		if t, ok = graph.UnionType(t, c.Type(i)); !ok {
			return c.InputErrorf(i, "is %v, input 0 is %v; the elements of a sequence have one type", c.Type(i), c.Type(0))
		}
	}
	if t.IsKnown() {
		c.SetType(0, graph.SequenceType(t))
	}
	return nil
}

func inferSequenceEmpty(c *Context) error {
	d := tensor.Float32
	if c.Has("dtype") {
		v := c.Int64("dtype")
		d = tensor.DType(v)
		if v < 0 || v > 255 || !d.Valid() {
			return c.AttrErrorf("dtype", "is %d, which is no element type", v)
		}
	}
	c.SetType(0, graph.SequenceType(graph.TensorType(d, graph.Shape{})))
	return nil
}

func inferSequenceErase(c *Context) error {
	if err := c.wantOne(1); err != nil {
		return err
	}
	c.setKnown(0, c.Type(0))
	return nil
}

func inferSequenceInsert(c *Context) error {
	if err := c.wantOne(2); err != nil {
		return err
	}
	if !c.Type(0).IsKnown() {
		return nil
	}
	t, ok := graph.UnionType(c.elem(0), c.Type(1))
	if !ok {
		return c.InputErrorf(1, "is %v, the elements of the sequence are %v", c.Type(1), c.elem(0))
	}
	c.SetType(0, graph.SequenceType(t))
	return nil
}

func inferScalar(c *Context) error {
	c.SetDims(0)
	return nil
}

// inferSequenceMap infers the body once, for what all elements have in common.
func inferSequenceMap(c *Context) error {
	body, err := c.body("body")
	if err != nil {
		return err
	}
	if n := c.NumInputs(); len(body.Inputs()) != n {
		return c.AttrErrorf("body", "has %d inputs, the node has %d", len(body.Inputs()), n)
	}
	if n := c.NumOutputs(); len(body.Outputs()) != n {
		return c.AttrErrorf("body", "has %d outputs, the node has %d", len(body.Outputs()), n)
	}
	in := make([]Fact, c.NumInputs())
	for i := range in {
		if t := c.Type(i); t.Kind == tensor.KindSequence {
			in[i].Type = c.elem(i)
		} else {
			in[i] = c.Input(i)
		}
	}
	out, err := c.Subgraph(body, in)
	if err != nil {
		return err
	}
	for i, f := range out {
		if f.Type.IsKnown() {
			c.SetType(i, graph.SequenceType(f.Type))
		}
	}
	return nil
}

// inferSplitToSequence knows the parts when they all are alike.
func inferSplitToSequence(c *Context) error {
	in := c.Shape(0)
	elem := graph.TensorType(c.DType(0), graph.Shape{})
	if elem.DType == tensor.Undefined {
		return nil
	}
	if rank, ok := in.Rank(); ok {
		axis, err := c.Axis("axis", rank)
		if err != nil {
			return err
		}
		dims := slices.Clone(in.Dims())
		dims[axis] = graph.Dim{}
		switch list := c.Ints(1); {
		case !c.HasInput(1) && !c.Bool("keepdims"):
			dims = slices.Delete(dims, axis, axis+1)
		case !c.HasInput(1):
			dims[axis] = graph.Known(1)
		case list != nil && list.Scalar:
			size, known := list.Elems[0].Value()
			if known && size < 1 {
				return c.InputErrorf(1, "is %d, must be positive", size)
			}
			if n, ok := in.Dim(axis).Size(); ok && known && int64(n)%size == 0 {
				dims[axis] = graph.Known(int(size))
			}
		case list != nil:
			if err := c.checkParts(list, in.Dim(axis)); err != nil {
				return err
			}
		}
		elem.Shape = graph.ShapeOf(dims...)
	}
	c.SetType(0, graph.SequenceType(elem))
	return nil
}

// checkParts holds the sizes of parts against the dimension they divide.
func (c *Context) checkParts(list *Ints, d graph.Dim) error {
	total := make([]graph.Dim, len(list.Elems))
	for i, e := range list.Elems {
		if v, ok := e.Value(); ok && v < 0 {
			return c.InputErrorf(1, "element %d is %d, must not be negative", i, v)
		}
		total[i] = e.Dim()
	}
	if n, ok := d.Size(); ok {
		if s, ok := sum(total...).Size(); ok && s != n {
			return c.InputErrorf(1, "adds up to %d, the dimension has %d", s, n)
		}
	}
	return nil
}

func inferConcatFromSequence(c *Context) error {
	if v := c.Int("new_axis"); v != 0 && v != 1 {
		return c.AttrErrorf("new_axis", "is %d, allowed are 0 and 1", v)
	}
	elem := c.elem(0)
	if !elem.IsKnown() {
		return nil
	}
	c.SetDType(0, elem.DType)
	rank, ok := elem.Shape.Rank()
	if !ok {
		return nil
	}
	dims := slices.Clone(elem.Shape.Dims())
	if c.Bool("new_axis") {
		axis, err := c.Axis("axis", rank+1)
		if err != nil {
			return err
		}
		dims = slices.Insert(dims, axis, graph.Dim{})
	} else {
		axis, err := c.Axis("axis", rank)
		if err != nil {
			return err
		}
		dims[axis] = graph.Dim{}
	}
	c.SetDims(0, dims...)
	return nil
}

func inferOptional(c *Context) error {
	t := c.Attrs.Type("type")
	if c.HasInput(0) {
		t = c.Type(0)
	} else if !t.IsKnown() {
		return c.AttrErrorf("type", "is required where the input is omitted")
	}
	if t.IsKnown() {
		c.SetType(0, graph.OptionalType(t))
	}
	return nil
}

func inferOptionalGetElement(c *Context) error {
	t := c.Type(0)
	if t.Kind == tensor.KindOptional {
		t = c.elem(0)
	}
	c.setKnown(0, t)
	return nil
}
