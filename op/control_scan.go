package op

import (
	"slices"

	"gort/graph"
	"gort/tensor"
)

// ScanLayout says how the operands of a Scan divide: States values carried from
// step to step, Inputs scanned step by step, Outputs stacked step by step. Of
// version 8, First is 1 for the lengths before them, else it is 0.
type ScanLayout struct{ First, States, Inputs, Outputs int }

// ScanLayoutOf counts operands against the body's.
func ScanLayoutOf(a Attrs, numInputs int) (ScanLayout, bool) {
	body := a.Graph("body")
	l := ScanLayout{Inputs: a.Int("num_scan_inputs")}
	if a.Def.Since < 9 {
		l.First = 1
	}
	l.States = numInputs - l.First - l.Inputs
	if body == nil || l.Inputs < 1 || l.States < 0 || len(body.Inputs()) != l.States+l.Inputs {
		return l, false
	}
	l.Outputs = len(body.Outputs()) - l.States
	return l, l.Outputs >= 0
}

// inferScan follows Scan from version 9 on: states and slices go into the body,
// states and pieces of the scan outputs come out.
func inferScan(c *Context) error {
	l, ok := ScanLayoutOf(c.Attrs, c.NumInputs())
	if !ok {
		return c.Errorf("%d inputs, num_scan_inputs %d: does not fit the body", c.NumInputs(), l.Inputs)
	}
	if n := c.NumOutputs(); n > l.States+l.Outputs {
		return c.Errorf("%d outputs, the body gives %d", n, l.States+l.Outputs)
	}
	for name, want := range map[string]int{
		"scan_input_axes": l.Inputs, "scan_input_directions": l.Inputs, "directions": l.Inputs,
		"scan_output_axes": l.Outputs, "scan_output_directions": l.Outputs,
	} {
		list := c.Attrs.Ints(name)
		if c.Has(name) && len(list) != want {
			return c.AttrErrorf(name, "has %d elements, must have %d", len(list), want)
		}
		if name == "scan_input_axes" || name == "scan_output_axes" {
			continue
		}
		for i, v := range list {
			if v != 0 && v != 1 {
				return c.AttrErrorf(name, "element %d is %d, allowed are 0 (forward) and 1 (reverse)", i, v)
			}
		}
	}
	if l.First == 1 {
		return c.inferScan8(l)
	}
	in := make([]Fact, l.States+l.Inputs)
	for i := range l.States {
		in[i].Type = c.Type(i)
	}
	steps := graph.Dim{}
	axes := c.Attrs.Ints("scan_input_axes")
	for i := range l.Inputs {
		axis := int64(0)
		if axes != nil {
			axis = axes[i]
		}
		t, n, err := c.step(l.States+i, axis)
		if err != nil {
			return err
		}
		in[l.States+i].Type = t
		m, ok := graph.MergeDim(steps, n)
		if !ok {
			return c.InputErrorf(l.States+i, "%v has %v steps along axis %d, other scan inputs have %v", c.Shape(l.States+i), n, axis, steps)
		}
		steps = m
	}
	out, err := c.fixpoint(c.Graph("body"), in, in[:l.States], 0)
	if err != nil {
		return err
	}
	for i := range l.States {
		c.SetType(i, in[i].Type)
	}
	axes = c.Attrs.Ints("scan_output_axes")
	for i := range l.Outputs {
		t := out[l.States+i].Type
		axis := 0
		if r, ok := t.Shape.Rank(); ok && axes != nil {
			if axis, err = axisOf(axes[i], r+1); err != nil {
				return c.AttrErrorf("scan_output_axes", "element %d: %v", i, err)
			}
		}
		c.SetType(l.States+i, stacked(t, axis, steps))
	}
	return nil
}

// step is the type of what input i gives the body at each step, and the number of steps.
func (c *Context) step(i int, axis int64) (graph.Type, graph.Dim, error) {
	s := c.Shape(i)
	rank, ok := s.Rank()
	if !ok {
		return graph.TensorType(c.DType(i), graph.Shape{}), graph.Dim{}, nil
	}
	a, err := axisOf(axis, rank)
	if err != nil {
		return graph.Type{}, graph.Dim{}, c.InputErrorf(i, "%v", err)
	}
	return graph.TensorType(c.DType(i), graph.ShapeOf(slices.Delete(slices.Clone(s.Dims()), a, a+1)...)), s.Dim(a), nil
}

// inferScan8 follows version 8, in which states have a batch dimension, and scan
// inputs and outputs a batch and a step dimension.
func (c *Context) inferScan8(l ScanLayout) error {
	batch, steps := graph.Dim{}, graph.Dim{}
	in := make([]Fact, l.States+l.Inputs)
	for i := range in {
		s := c.Shape(1 + i)
		rank, ok := s.Rank()
		in[i].Type = graph.TensorType(c.DType(1+i), graph.Shape{})
		if !ok {
			continue
		}
		lead := 1
		if i >= l.States {
			lead = 2
		}
		if rank < lead {
			return c.InputErrorf(1+i, "shape %v has rank %d, must have %d or more", s, rank, lead)
		}
		in[i].Type.Shape = graph.ShapeOf(s.Dims()[lead:]...)
		var ok1, ok2 bool
		if batch, ok1 = graph.MergeDim(batch, s.Dim(0)); !ok1 {
			return c.InputErrorf(1+i, "shape %v has another batch size than earlier inputs, %v", s, batch)
		}
		if lead == 2 {
			if steps, ok2 = graph.MergeDim(steps, s.Dim(1)); !ok2 {
				return c.InputErrorf(1+i, "shape %v has another number of steps than earlier inputs, %v", s, steps)
			}
		}
	}
	if c.HasInput(0) {
		if err := c.WantRank(0, 1); err != nil {
			return err
		}
		if _, ok := graph.MergeDim(batch, c.Shape(0).Dim(0)); !ok {
			return c.InputErrorf(0, "has %v elements for a batch of %v", c.Shape(0).Dim(0), batch)
		}
	}
	out, err := c.fixpoint(c.Graph("body"), in, in[:l.States], 0)
	if err != nil {
		return err
	}
	for i, f := range out {
		t := f.Type
		if t.IsKnown() && t.Kind != tensor.KindTensor {
			return c.AttrErrorf("body", "output %d is %v, must be a tensor", i, t)
		}
		if i < l.States {
			t = in[i].Type
		} else {
			t = stacked(t, 0, steps)
		}
		c.SetType(i, stacked(t, 0, batch))
	}
	return nil
}
