package op

import (
	"math"
	"slices"

	"gort/graph"
	"gort/tensor"
)

// inferConcat joins the inputs along an axis; all other dimensions agree.
func inferConcat(c *Context) error {
	rank, ranked := -1, true
	for i := range c.NumInputs() {
		r, ok := c.Shape(i).Rank()
		switch {
		case !ok:
			ranked = false
		case rank < 0:
			rank = r
		case r != rank:
			return c.InputErrorf(i, "shape %v has rank %d, input 0 to %d have %d", c.Shape(i), r, i-1, rank)
		}
	}
	if rank < 0 {
		return nil
	}
	axis, err := tensor.Axis(c.IntOr("axis", 1), rank)
	if err != nil {
		return c.AttrErrorf("axis", "%v", err)
	}
	dims := make([]graph.Dim, rank)
	var along []graph.Dim
	for i := range c.NumInputs() {
		s := c.Shape(i)
		if !s.IsRanked() {
			continue
		}
		for k, d := range s.Dims() {
			if k == axis {
				along = append(along, d)
				continue
			}
			m, ok := graph.MergeDim(dims[k], d)
			if !ok {
				return c.InputErrorf(i, "shape %v differs from the other inputs in dimension %d, which is %v there; only dimension %d may differ", s, k, dims[k], axis)
			}
			dims[k] = m
		}
	}
	if ranked {
		dims[axis] = sum(along...)
	}
	c.SetDims(0, dims...)
	if rank == 1 && ranked {
		v := &Ints{}
		for i := range c.NumInputs() {
			in := c.Ints(i)
			if in == nil {
				return nil
			}
			v.Elems = append(v.Elems, in.Elems...)
		}
		c.SetInts(0, v)
	}
	return nil
}

// inferSplit cuts the input along an axis into given sizes or equal parts.
func inferSplit(c *Context) error {
	in, n := c.Shape(0), c.NumOutputs()
	if c.Has("num_outputs") {
		if k := c.Int("num_outputs"); k < n || k < 1 {
			return c.AttrErrorf("num_outputs", "is %d, the node has %d outputs", k, n)
		} else if c.HasInput(1) {
			return c.AttrErrorf("num_outputs", "and the input split are both given, only one may be")
		}
	}
	rank, ok := in.Rank()
	if !ok {
		return nil
	}
	axis, err := c.Axis("axis", rank)
	if err != nil {
		return err
	}
	dim, known := in.Dim(axis).Size()
	sizes := make([]graph.Dim, n)
	switch list, given, err := c.splitSizes(n); {
	case err != nil:
		return err
	case given && list != nil:
		total := 0
		for i, v := range list {
			d := v.Dim()
			if size, ok := v.Value(); ok && size < 0 {
				return c.Errorf("element %d of split is %d, must not be negative", i, size)
			}
			sizes[i] = d
			if size, ok := d.Size(); !ok {
				known = false
			} else if total, ok = addSize(total, size); !ok {
				return c.Errorf("the sizes of split are too large")
			}
		}
		if known && total != dim {
			return c.Errorf("split %v adds up to %d, but dimension %d of %v is %d", sizes, total, axis, in, dim)
		}
	case !given && known:
		parts := c.IntOr("num_outputs", n)
		chunk := SplitChunk(dim, parts)
		if c.Def.Since < 18 && dim%parts != 0 {
			return c.Errorf("dimension %d of %v does not divide into %d equal parts", axis, in, parts)
		}
		for i := range sizes {
			sizes[i] = graph.Known(min(chunk, max(dim-i*chunk, 0)))
		}
	}
	for i := range n {
		dims := slices.Clone(in.Dims())
		dims[axis] = sizes[i]
		c.SetDims(i, dims...)
	}
	// The parts of a vector whose elements are known.
	if v := c.Ints(0); v != nil && rank == 1 {
		at := 0
		for i := range n {
			size, ok := sizes[i].Size()
			if !ok || at+size > len(v.Elems) {
				break
			}
			c.SetInts(i, &Ints{Elems: v.Elems[at : at+size]})
			at += size
		}
	}
	return nil
}

// SplitChunk is the size of all but the last of parts nearly equal parts.
func SplitChunk(dim, parts int) int { return dim/parts + min(dim%parts, 1) }

// splitSizes returns the sizes of an attribute or input named split: not given,
// given but unknown (nil), or as far as known.
func (c *Context) splitSizes(n int) (list []Int, given bool, err error) {
	if c.sig.Attr("split") != nil {
		if given = c.Has("split"); given {
			for _, v := range c.Attrs.Ints("split") {
				list = append(list, KnownInt(v))
			}
		}
	} else if given = c.HasInput(1); given {
		if v := c.Ints(1); v != nil {
			list = v.Elems
		} else {
			return nil, true, nil
		}
	}
	if given && len(list) != n {
		return nil, true, c.Errorf("split has %d sizes, the node has %d outputs", len(list), n)
	}
	return list, given, nil
}

// SliceRange returns the first index and the number of indices that a Slice
// takes from a dimension: start and end count from the end when negative, and
// are clamped to the dimension. step must not be 0.
func SliceRange(dim int, start, end, step int64) (first, count int) {
	size := int64(dim)
	clamp := func(v, lo, hi int64) int64 {
		if v < 0 {
			v += size
		}
		return min(max(v, lo), hi)
	}
	if step > 0 {
		start, end = clamp(start, 0, size), clamp(end, 0, size)
		if end <= start {
			return 0, 0
		}
		return int(start), int((end-start-1)/step) + 1
	}
	start, end = clamp(start, 0, size-1), clamp(end, -1, size-1)
	if start <= end || size == 0 {
		return 0, 0
	}
	if step == math.MinInt64 {
		return int(start), 1
	}
	return int(start), int((start-end-1)/-step) + 1
}

// sliceArg is a list of Slice, an attribute or an input: nil when not known.
func (c *Context) sliceArg(attr string, input int) *Ints {
	if c.sig.Attr(attr) == nil {
		if !c.HasInput(input) {
			return nil
		}
		return c.Ints(input)
	}
	list := c.Attrs.Ints(attr)
	if list == nil && !c.Has(attr) {
		return nil
	}
	v := &Ints{}
	for _, n := range list {
		v.Elems = append(v.Elems, KnownInt(n))
	}
	return v
}

// inferSlice follows Slice of all versions.
func inferSlice(c *Context) error {
	in := c.Shape(0)
	starts, ends := c.sliceArg("starts", 1), c.sliceArg("ends", 2)
	axes, steps := c.sliceArg("axes", 3), c.sliceArg("steps", 4)
	count := -1
	for i, v := range []*Ints{starts, ends, axes, steps} {
		switch {
		case v == nil:
		case count < 0:
			count = len(v.Elems)
		case count != len(v.Elems):
			return c.Errorf("%d %s, but %d of the lists before it", len(v.Elems), [4]string{"starts", "ends", "axes", "steps"}[i], count)
		}
	}
	rank, ok := in.Rank()
	if !ok {
		return nil
	}
	if axes == nil {
		if c.Has("axes") || c.sig.Attr("axes") == nil && c.HasInput(3) {
			c.SetShape(0, graph.OfRank(rank))
			return nil
		}
		if count < 0 {
			count = rank
		} else if count > rank {
			return c.Errorf("%d starts for an input %v of rank %d", count, in, rank)
		}
	}
	at := func(v *Ints, i int) Int {
		if v == nil {
			return Int{}
		}
		return v.Elems[i]
	}
	dims := slices.Clone(in.Dims())
	seen := make([]bool, rank)
	var first, last, by Int
	for i := range count {
		axis := i
		if axes != nil {
			a, known := axes.Elems[i].Value()
			if !known {
				c.SetShape(0, graph.OfRank(rank))
				return nil
			}
			var err error
			if axis, err = axisOf(a, rank); err != nil {
				return c.Errorf("%v", err)
			}
		}
		if seen[axis] {
			return c.Errorf("axis %d is named twice", axis)
		}
		seen[axis] = true
		step := KnownInt(1)
		if c.sig.Attr("starts") == nil && c.HasInput(4) {
			step = at(steps, i)
		}
		if step.Is(0) {
			return c.InputErrorf(4, "element %d is 0, a step must not be", i)
		}
		first, last, by = at(starts, i), at(ends, i), step
		dims[axis] = slicedDim(dims[axis], first, last, by)
	}
	c.SetDims(0, dims...)
	v := c.Ints(0)
	if v == nil || rank != 1 || count != 1 {
		return nil
	}
	start, ok1 := first.Value()
	end, ok2 := last.Value()
	step, ok3 := by.Value()
	if ok1 && ok2 && ok3 {
		from, n := SliceRange(len(v.Elems), start, end, step)
		out := &Ints{}
		for i := range n {
			out.Elems = append(out.Elems, v.Elems[from+i*int(step)])
		}
		c.SetInts(0, out)
	}
	return nil
}

// slicedDim is what a slice leaves of a dimension.
func slicedDim(d graph.Dim, start, end, step Int) graph.Dim {
	s, ok1 := start.Value()
	e, ok2 := end.Value()
	by, ok3 := step.Value()
	size, known := d.Size()
	if ok1 && ok2 && ok3 && known {
		_, n := SliceRange(size, s, e, by)
		return graph.Known(n)
	}
	// Whole dimensions of unknown size: 0 to the end or beyond, or reversed.
	switch {
	case step.Is(1) && start.Is(0) && (ok2 && e >= math.MaxInt32 || end.Same(DimInt(d))):
		return d
	case step.Is(-1) && start.Is(-1) && ok2 && e <= math.MinInt32:
		return d
	case step.Is(1) && ok1 && ok2 && s == e:
		return graph.Known(0)
	case step.Is(1) && start.Is(0) && known && size == 0:
		return graph.Known(0)
	}
	return graph.Dim{}
}

// axisOf is tensor.Axis for the 64-bit axes of models.
func axisOf(a int64, rank int) (int, error) {
	if int64(int(a)) != a {
		return tensor.Axis(math.MaxInt, rank)
	}
	return tensor.Axis(int(a), rank)
}
