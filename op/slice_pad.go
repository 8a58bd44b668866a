package op

import (
	"slices"

	"gort/graph"
	"gort/tensor"
)

// PadModes are Pad's modes and the version of the operator each came with.
var PadModes = map[string]int{"constant": 1, "reflect": 1, "edge": 1, "wrap": 19}

// inferPad adds elements before and after each dimension, or takes them away.
func inferPad(c *Context) error {
	mode := c.String("mode")
	if since, ok := PadModes[mode]; !ok || since > c.Def.Since {
		return c.AttrErrorf("mode", "is %q, version %d of the operator knows constant, reflect, edge and from 19 on wrap", mode, c.Def.Since)
	}
	in := c.Shape(0)
	rank, ok := in.Rank()
	if !ok {
		return nil
	}
	given, err := c.padsInput()
	if err != nil {
		return err
	}
	var pads []Int
	switch attr := c.padAttr(); {
	case attr != "":
		for _, v := range c.Attrs.Ints(attr) {
			pads = append(pads, KnownInt(v))
		}
	case given == nil:
		c.SetShape(0, graph.OfRank(rank))
		return nil
	default:
		pads = given.Elems
	}
	axes := make([]int, rank)
	for i := range axes {
		axes[i] = i
	}
	if c.HasInput(3) {
		list, known := c.KnownInts(3)
		if !known {
			c.SetShape(0, graph.OfRank(rank))
			return nil
		}
		axes = axes[:0]
		for _, a := range list {
			k, err := axisOf(a, rank)
			if err != nil {
				return c.InputErrorf(3, "%v", err)
			}
			if slices.Contains(axes, k) {
				return c.InputErrorf(3, "axis %d is named twice in %v", k, list)
			}
			axes = append(axes, k)
		}
	}
	if len(pads) != 2*len(axes) {
		return c.Errorf("%d pads for %d axes of input %v, must be two an axis", len(pads), len(axes), in)
	}
	dims := slices.Clone(in.Dims())
	for i, a := range axes {
		d, err := c.paddedDim(a, pads[i], pads[len(axes)+i])
		if err != nil {
			return err
		}
		dims[a] = d
	}
	c.SetDims(0, dims...)
	return nil
}

func (c *Context) padAttr() string {
	for _, name := range []string{"pads", "paddings"} {
		if c.sig.Attr(name) != nil {
			return name
		}
	}
	return ""
}

// maxPad bounds pads such that sums of a few of them do not overflow.
const maxPad = 1 << 60

func (c *Context) paddedDim(axis int, before, after Int) (graph.Dim, error) {
	d := c.Shape(0).Dim(axis)
	b, ok1 := before.Value()
	a, ok2 := after.Value()
	if !ok1 || !ok2 {
		return graph.Dim{}, nil
	}
	if b < -maxPad || b > maxPad || a < -maxPad || a > maxPad {
		return graph.Dim{}, c.Errorf("pads %d and %d of axis %d are out of range", b, a, axis)
	}
	n, known := d.Size()
	switch {
	case b == 0 && a == 0:
		return d, nil
	case !known:
		return graph.Dim{}, nil
	}
	out := min(int64(n), maxPad) + b + a
	if out < 0 {
		return graph.Dim{}, c.Errorf("pads %d and %d leave less than nothing of dimension %d of %v", b, a, axis, c.Shape(0))
	}
	if n == 0 && out > 0 && c.String("mode") != "constant" {
		return graph.Dim{}, c.Errorf("mode %s has nothing to repeat: dimension %d of %v is empty", c.String("mode"), axis, c.Shape(0))
	}
	return graph.Known(int(out)), nil
}

// inferTile repeats the input along its dimensions. Version 1 has one axis and a
// count, both as floats.
func inferTile(c *Context) error {
	in := c.Shape(0)
	rank, ok := in.Rank()
	if c.Def.Since < 6 {
		if ok {
			c.SetShape(0, graph.OfRank(rank))
		}
		if tiles, axis := c.Const(1), c.Const(2); ok && tiles != nil && axis != nil {
			n, a, err := TileAxis(tiles, axis, rank)
			if err != nil {
				return c.Errorf("%v", err)
			}
			dims := slices.Clone(in.Dims())
			dims[a] = product([]graph.Dim{dims[a], graph.Known(n)})
			c.SetDims(0, dims...)
		}
		return nil
	}
	if err := c.WantRank(1, 1); err != nil {
		return err
	}
	repeats := c.Ints(1)
	if !ok || repeats == nil {
		if repeats != nil {
			c.SetShape(0, graph.OfRank(len(repeats.Elems)))
		} else if ok {
			c.SetShape(0, graph.OfRank(rank))
		}
		return nil
	}
	if len(repeats.Elems) != rank {
		return c.InputErrorf(1, "has %d elements, must have one for each of the %d dimensions of %v", len(repeats.Elems), rank, in)
	}
	dims := make([]graph.Dim, rank)
	for i, e := range repeats.Elems {
		if v, ok := e.Value(); ok && v < 0 {
			return c.InputErrorf(1, "element %d is %d, must not be negative", i, v)
		}
		dims[i] = product([]graph.Dim{in.Dim(i), e.Dim()})
	}
	c.SetDims(0, dims...)
	if v := c.Ints(0); v != nil && rank == 1 {
		if n, ok := dims[0].Size(); ok && n <= maxInts && len(v.Elems) > 0 {
			out := &Ints{}
			for i := range n {
				out.Elems = append(out.Elems, v.Elems[i%len(v.Elems)])
			}
			c.SetInts(0, out)
		}
	}
	return nil
}

// TileAxis reads the float inputs of version 1 of Tile.
func TileAxis(tiles, axis *tensor.Tensor, rank int) (n, a int, err error) {
	var v [2]int
	for i, t := range []*tensor.Tensor{tiles, axis} {
		f, err := tensor.Float64s(t)
		if err != nil {
			return 0, 0, err
		}
		if len(f) != 1 || !(f[0] > -1<<31 && f[0] < 1<<31) {
			return 0, 0, tileError(i, f)
		}
		v[i] = int(f[0])
	}
	if v[0] < 0 {
		return 0, 0, tileError(0, []float64{float64(v[0])})
	}
	a, err = tensor.Axis(v[1], rank)
	return v[0], a, err
}

// centerCropPadBody pads where the input is smaller, then cuts where it is larger.
func centerCropPadBody(c *Context) (Body, error) {
	have := "have = Shape (input_data)"
	if c.Has("axes") {
		have = "have = Gather (Shape (input_data), @axes)"
	}
	return Body{21, have + `
		want = Cast <to = 7> (shape)
		size = Max (have, want)
		missing = Sub (size, have)
		before = Div (missing, 2)
		padded = Pad (input_data, Concat <axis = 0> (before, Sub (missing, before)), , @axes)
		from = Div (Sub (size, want), 2)
		output_data = Slice (padded, from, Add (from, want), @axes)`}, nil
}
