package op

import (
	"slices"

	"gort/graph"
	"gort/tensor"
)

// Operators that only change how elements are indexed.
var reshapeDefs = []Def{
	{Name: "Reshape", Since: 1,
		Inputs:  "data: T",
		Outputs: "reshaped: T",
		Attrs:   "consumed_inputs: ints; shape: ints",
		Types:   "T = @float",
		Infer:   inferReshape},
	{Name: "Reshape", Since: 5,
		Inputs:  "data: T; shape: tensor(int64)",
		Outputs: "reshaped: T",
		Types:   "T = @all",
		Infer:   inferReshape},
	{Name: "Reshape", Since: 13,
		Inputs:  "data: T; shape: tensor(int64)",
		Outputs: "reshaped: T",
		Types:   "T = @allbf",
		Infer:   inferReshape},
	{Name: "Reshape", Since: 14,
		Inputs:  "data: T; shape: tensor(int64)",
		Outputs: "reshaped: T",
		Attrs:   "allowzero: int = 0",
		Types:   "T = @allbf",
		Infer:   inferReshape},
	{Name: "Reshape", Since: 19,
		Inputs:  "data: T; shape: tensor(int64)",
		Outputs: "reshaped: T",
		Attrs:   "allowzero: int = 0",
		Types:   "T = @all19",
		Infer:   inferReshape},
	{Name: "Reshape", Since: 21,
		Inputs:  "data: T; shape: tensor(int64)",
		Outputs: "reshaped: T",
		Attrs:   "allowzero: int = 0",
		Types:   "T = @all21",
		Infer:   inferReshape},
	{Name: "Reshape", Since: 23,
		Inputs:  "data: T; shape: tensor(int64)",
		Outputs: "reshaped: T",
		Attrs:   "allowzero: int = 0",
		Types:   "T = @all23",
		Infer:   inferReshape},
	{Name: "Reshape", Since: 24,
		Inputs:  "data: T; shape: tensor(int64)",
		Outputs: "reshaped: T",
		Attrs:   "allowzero: int = 0",
		Types:   "T = @all24",
		Infer:   inferReshape},
	{Name: "Reshape", Since: 25,
		Inputs:  "data: T; shape: tensor(int64)",
		Outputs: "reshaped: T",
		Attrs:   "allowzero: int = 0",
		Types:   "T = @all25",
		Infer:   inferReshape},
	{Name: "Flatten", Since: 1,
		Inputs:  "input: T",
		Outputs: "output: T",
		Attrs:   "axis: int = 1",
		Types:   "T = @float",
		Infer:   inferFlatten},
	{Name: "Flatten", Since: 9,
		Inputs:  "input: T",
		Outputs: "output: T",
		Attrs:   "axis: int = 1",
		Types:   "T = @all",
		Infer:   inferFlatten},
	{Name: "Flatten", Since: 11,
		Inputs:  "input: T",
		Outputs: "output: T",
		Attrs:   "axis: int = 1",
		Types:   "T = @all",
		Infer:   inferFlatten},
	{Name: "Flatten", Since: 13,
		Inputs:  "input: T",
		Outputs: "output: T",
		Attrs:   "axis: int = 1",
		Types:   "T = @allbf",
		Infer:   inferFlatten},
	{Name: "Flatten", Since: 21,
		Inputs:  "input: T",
		Outputs: "output: T",
		Attrs:   "axis: int = 1",
		Types:   "T = @all21",
		Infer:   inferFlatten},
	{Name: "Flatten", Since: 23,
		Inputs:  "input: T",
		Outputs: "output: T",
		Attrs:   "axis: int = 1",
		Types:   "T = @all23",
		Infer:   inferFlatten},
	{Name: "Flatten", Since: 24,
		Inputs:  "input: T",
		Outputs: "output: T",
		Attrs:   "axis: int = 1",
		Types:   "T = @all24",
		Infer:   inferFlatten},
	{Name: "Flatten", Since: 25,
		Inputs:  "input: T",
		Outputs: "output: T",
		Attrs:   "axis: int = 1",
		Types:   "T = @all25",
		Infer:   inferFlatten},
	{Name: "Squeeze", Since: 1,
		Inputs:  "data: T",
		Outputs: "squeezed: T",
		Attrs:   "axes: ints",
		Types:   "T = @all",
		Infer:   inferSqueeze},
	{Name: "Squeeze", Since: 11,
		Inputs:  "data: T",
		Outputs: "squeezed: T",
		Attrs:   "axes: ints",
		Types:   "T = @all",
		Infer:   inferSqueeze},
	{Name: "Squeeze", Since: 13,
		Inputs:  "data: T; axes?: tensor(int64)",
		Outputs: "squeezed: T",
		Types:   "T = @allbf",
		Infer:   inferSqueeze},
	{Name: "Squeeze", Since: 21,
		Inputs:  "data: T; axes?: tensor(int64)",
		Outputs: "squeezed: T",
		Types:   "T = @all21",
		Infer:   inferSqueeze},
	{Name: "Squeeze", Since: 23,
		Inputs:  "data: T; axes?: tensor(int64)",
		Outputs: "squeezed: T",
		Types:   "T = @all23",
		Infer:   inferSqueeze},
	{Name: "Squeeze", Since: 24,
		Inputs:  "data: T; axes?: tensor(int64)",
		Outputs: "squeezed: T",
		Types:   "T = @all24",
		Infer:   inferSqueeze},
	{Name: "Squeeze", Since: 25,
		Inputs:  "data: T; axes?: tensor(int64)",
		Outputs: "squeezed: T",
		Types:   "T = @all25",
		Infer:   inferSqueeze},
	{Name: "Unsqueeze", Since: 1,
		Inputs:  "data: T",
		Outputs: "expanded: T",
		Attrs:   "axes!: ints",
		Types:   "T = @all",
		Infer:   inferUnsqueeze},
	{Name: "Unsqueeze", Since: 11,
		Inputs:  "data: T",
		Outputs: "expanded: T",
		Attrs:   "axes!: ints",
		Types:   "T = @all",
		Infer:   inferUnsqueeze},
	{Name: "Unsqueeze", Since: 13,
		Inputs:  "data: T; axes: tensor(int64)",
		Outputs: "expanded: T",
		Types:   "T = @allbf",
		Infer:   inferUnsqueeze},
	{Name: "Unsqueeze", Since: 21,
		Inputs:  "data: T; axes: tensor(int64)",
		Outputs: "expanded: T",
		Types:   "T = @all21",
		Infer:   inferUnsqueeze},
	{Name: "Unsqueeze", Since: 23,
		Inputs:  "data: T; axes: tensor(int64)",
		Outputs: "expanded: T",
		Types:   "T = @all23",
		Infer:   inferUnsqueeze},
	{Name: "Unsqueeze", Since: 24,
		Inputs:  "data: T; axes: tensor(int64)",
		Outputs: "expanded: T",
		Types:   "T = @all24",
		Infer:   inferUnsqueeze},
	{Name: "Unsqueeze", Since: 25,
		Inputs:  "data: T; axes: tensor(int64)",
		Outputs: "expanded: T",
		Types:   "T = @all25",
		Infer:   inferUnsqueeze},
	{Name: "Identity", Since: 1,
		Inputs:  "input: T",
		Outputs: "output: T",
		Types:   "T = @all",
		Infer:   inferIdentity},
	{Name: "Identity", Since: 13,
		Inputs:  "input: T",
		Outputs: "output: T",
		Types:   "T = @allbf",
		Infer:   inferIdentity},
	{Name: "Identity", Since: 14,
		Inputs:  "input: V",
		Outputs: "output: V",
		Types:   "V = @allbf seq(@all)",
		Infer:   inferIdentity},
	{Name: "Identity", Since: 16,
		Inputs:  "input: V",
		Outputs: "output: V",
		Types:   "V = @allbf seq(@all) optional(seq(@all)) optional(@all)",
		Infer:   inferIdentity},
	{Name: "Identity", Since: 19,
		Inputs:  "input: V",
		Outputs: "output: V",
		Types:   "V = @all19 seq(@all) optional(seq(@all)) optional(@all)",
		Infer:   inferIdentity},
	{Name: "Identity", Since: 21,
		Inputs:  "input: V",
		Outputs: "output: V",
		Types:   "V = @all21 seq(@all) optional(seq(@all)) optional(@all)",
		Infer:   inferIdentity},
	{Name: "Identity", Since: 23,
		Inputs:  "input: V",
		Outputs: "output: V",
		Types:   "V = @all23 seq(@all) optional(seq(@all)) optional(@all)",
		Infer:   inferIdentity},
	{Name: "Identity", Since: 24,
		Inputs:  "input: V",
		Outputs: "output: V",
		Types:   "V = @all24 seq(@all) optional(seq(@all)) optional(@all)",
		Infer:   inferIdentity},
	{Name: "Identity", Since: 25,
		Inputs:  "input: V",
		Outputs: "output: V",
		Types:   "V = @all25 seq(@all) optional(seq(@all)) optional(@all)",
		Infer:   inferIdentity},
	{Name: "Expand", Since: 8,
		Inputs:  "input: T; shape: tensor(int64)",
		Outputs: "output: T",
		Types:   "T = @all",
		Infer:   inferExpand},
	{Name: "Expand", Since: 13,
		Inputs:  "input: T; shape: tensor(int64)",
		Outputs: "output: T",
		Types:   "T = @allbf",
		Infer:   inferExpand},
	{Name: "Transpose", Since: 1,
		Inputs:  "data: T",
		Outputs: "transposed: T",
		Attrs:   "perm: ints",
		Types:   "T = @all",
		Infer:   inferTranspose},
	{Name: "Transpose", Since: 13,
		Inputs:  "data: T",
		Outputs: "transposed: T",
		Attrs:   "perm: ints",
		Types:   "T = @allbf",
		Infer:   inferTranspose},
	{Name: "Transpose", Since: 21,
		Inputs:  "data: T",
		Outputs: "transposed: T",
		Attrs:   "perm: ints",
		Types:   "T = @all21",
		Infer:   inferTranspose},
	{Name: "Transpose", Since: 23,
		Inputs:  "data: T",
		Outputs: "transposed: T",
		Attrs:   "perm: ints",
		Types:   "T = @all23",
		Infer:   inferTranspose},
	{Name: "Transpose", Since: 24,
		Inputs:  "data: T",
		Outputs: "transposed: T",
		Attrs:   "perm: ints",
		Types:   "T = @all24",
		Infer:   inferTranspose},
	{Name: "Transpose", Since: 25,
		Inputs:  "data: T",
		Outputs: "transposed: T",
		Attrs:   "perm: ints",
		Types:   "T = @all25",
		Infer:   inferTranspose},
	{Name: "Shape", Since: 1,
		Inputs:  "data: T",
		Outputs: "shape: T1",
		Types:   "T = @all; T1 = int64",
		Infer:   inferShape},
	{Name: "Shape", Since: 13,
		Inputs:  "data: T",
		Outputs: "shape: T1",
		Types:   "T = @allbf; T1 = int64",
		Infer:   inferShape},
	{Name: "Shape", Since: 15,
		Inputs:  "data: T",
		Outputs: "shape: T1",
		Attrs:   "end: int; start: int = 0",
		Types:   "T = @allbf; T1 = int64",
		Infer:   inferShape},
	{Name: "Shape", Since: 19,
		Inputs:  "data: T",
		Outputs: "shape: T1",
		Attrs:   "end: int; start: int = 0",
		Types:   "T = @all19; T1 = int64",
		Infer:   inferShape},
	{Name: "Shape", Since: 21,
		Inputs:  "data: T",
		Outputs: "shape: T1",
		Attrs:   "end: int; start: int = 0",
		Types:   "T = @all21; T1 = int64",
		Infer:   inferShape},
	{Name: "Shape", Since: 23,
		Inputs:  "data: T",
		Outputs: "shape: T1",
		Attrs:   "end: int; start: int = 0",
		Types:   "T = @all23; T1 = int64",
		Infer:   inferShape},
	{Name: "Shape", Since: 24,
		Inputs:  "data: T",
		Outputs: "shape: T1",
		Attrs:   "end: int; start: int = 0",
		Types:   "T = @all24; T1 = int64",
		Infer:   inferShape},
	{Name: "Shape", Since: 25,
		Inputs:  "data: T",
		Outputs: "shape: T1",
		Attrs:   "end: int; start: int = 0",
		Types:   "T = @all25; T1 = int64",
		Infer:   inferShape},
	{Name: "Size", Since: 1,
		Inputs:  "data: T",
		Outputs: "size: T1",
		Types:   "T = @all; T1 = int64",
		Infer:   inferSize},
	{Name: "Size", Since: 13,
		Inputs:  "data: T",
		Outputs: "size: T1",
		Types:   "T = @allbf; T1 = int64",
		Infer:   inferSize},
	{Name: "Size", Since: 19,
		Inputs:  "data: T",
		Outputs: "size: T1",
		Types:   "T = @all19; T1 = int64",
		Infer:   inferSize},
	{Name: "Size", Since: 21,
		Inputs:  "data: T",
		Outputs: "size: T1",
		Types:   "T = @all21; T1 = int64",
		Infer:   inferSize},
	{Name: "Size", Since: 23,
		Inputs:  "data: T",
		Outputs: "size: T1",
		Types:   "T = @all23; T1 = int64",
		Infer:   inferSize},
	{Name: "Size", Since: 24,
		Inputs:  "data: T",
		Outputs: "size: T1",
		Types:   "T = @all24; T1 = int64",
		Infer:   inferSize},
	{Name: "Size", Since: 25,
		Inputs:  "data: T",
		Outputs: "size: T1",
		Types:   "T = @all25; T1 = int64",
		Infer:   inferSize},
}

func inferIdentity(c *Context) error {
	c.SetOutput(0, c.Input(0))
	return nil
}

// inferReshape follows the specification's Reshape: 0 copies a dimension unless
// allowzero, one -1 is what remains.
func inferReshape(c *Context) error {
	in := c.Shape(0)
	var target *Ints
	if c.sig.Attr("shape") != nil {
		target = &Ints{}
		for _, v := range c.Attrs.Ints("shape") {
			target.Elems = append(target.Elems, KnownInt(v))
		}
	} else {
		target = c.Ints(1)
	}
	if target == nil {
		return nil
	}
	dims := make([]graph.Dim, len(target.Elems))
	infer, allowZero := -1, c.Bool("allowzero")
	if allowZero && slices.ContainsFunc(target.Elems, isInt(0)) && slices.ContainsFunc(target.Elems, isInt(-1)) {
		return c.InputErrorf(1, "holds both 0 and -1, which allowzero forbids: the dimension of -1 could be any")
	}
	for i, e := range target.Elems {
		v, known := e.Value()
		switch {
		case !known:
			dims[i] = e.Dim()
		case v == 0 && !allowZero:
			if r, ok := in.Rank(); ok && i >= r {
				return c.InputErrorf(1, "element %d is 0, which copies a dimension, but the input %v has only %d", i, in, r)
			}
			dims[i] = in.Dim(i)
		case v == -1:
			if infer >= 0 {
				return c.InputErrorf(1, "elements %d and %d are both -1, at most one may be", infer, i)
			}
			infer = i
		case v < -1:
			return c.InputErrorf(1, "element %d is %d, allowed are -1 and more", i, v)
		default:
			dims[i] = graph.Known(int(v))
		}
	}
	if infer >= 0 {
		d, err := c.remaining(in, dims, infer)
		if err != nil {
			return err
		}
		dims[infer] = d
	}
	out := graph.ShapeOf(dims...)
	if from, ok := in.Concrete(); ok {
		if to, ok := out.Concrete(); ok {
			n, err := from.NumElements()
			if err != nil {
				return c.Errorf("%v", err)
			}
			if m, err := to.NumElements(); err != nil || m != n {
				return c.InputErrorf(1, "cannot reshape %v (%d elements) to %v", in, n, out)
			}
		}
	}
	c.SetShape(0, out)
	if v := c.Ints(0); v != nil && len(dims) <= 1 {
		c.SetInts(0, &Ints{Scalar: len(dims) == 0, Elems: v.Elems})
	}
	return nil
}

func isInt(v int64) func(Int) bool { return func(e Int) bool { return e.Is(v) } }

// remaining is the dimension that a -1 stands for: the input's elements divided
// by the other dimensions, after equal symbols and zeros on both sides cancel.
func (c *Context) remaining(in graph.Shape, dims []graph.Dim, infer int) (graph.Dim, error) {
	if !in.IsRanked() {
		return graph.Dim{}, nil
	}
	left := append([]graph.Dim(nil), in.Dims()...)
	num, den := 1, 1
	for i, d := range dims {
		if i == infer {
			continue
		}
		if n, ok := d.Size(); ok && n > 0 {
			if den, ok = mulSize(den, n); !ok {
				return graph.Dim{}, c.InputErrorf(1, "the dimensions %v are too large", graph.ShapeOf(dims...))
			}
			continue
		}
		k := slices.IndexFunc(left, d.Same)
		if k < 0 && d.Is(0) {
			return graph.Dim{}, c.InputErrorf(1, "cannot reshape %v: with a dimension of 0, that of -1 could be any", in)
		}
		if k < 0 {
			return graph.Dim{}, nil
		}
		left = slices.Delete(left, k, k+1)
	}
	var symbol graph.Dim
	for _, d := range left {
		n, ok := d.Size()
		switch {
		case ok:
			if num, ok = mulSize(num, n); !ok {
				return graph.Dim{}, c.Errorf("the input's shape %v is too large", in)
			}
		case symbol != graph.Dim{} || d == graph.Dim{}:
			return graph.Dim{}, nil
		default:
			symbol = d
		}
	}
	switch {
	case symbol != graph.Dim{}:
		if num == den {
			return symbol, nil
		}
		return graph.Dim{}, nil
	case num%den != 0:
		return graph.Dim{}, c.InputErrorf(1, "cannot reshape %v: the dimension of -1 would not be whole", in)
	}
	return graph.Known(num / den), nil
}

func inferFlatten(c *Context) error {
	in := c.Shape(0)
	rank, ok := in.Rank()
	if !ok {
		c.SetShape(0, graph.OfRank(2))
		return nil
	}
	axis := c.Int("axis")
	if axis < 0 {
		axis += rank
	}
	if axis < 0 || axis > rank {
		return c.AttrErrorf("axis", "is %d, allowed are %d to %d for input %v", c.Int("axis"), -rank, rank, in)
	}
	c.SetDims(0, product(in.Dims()[:axis]), product(in.Dims()[axis:]))
	return nil
}

// axisSet returns the distinct axes of a list against a rank, in ascending order.
func (c *Context) axisSet(list []int64, rank int) ([]int, error) {
	out := make([]int, 0, len(list))
	for _, v := range list {
		a, err := tensor.Axis(int(v), rank)
		if err != nil {
			return nil, c.Errorf("%v", err)
		}
		if slices.Contains(out, a) {
			return nil, c.Errorf("axis %d is named twice in %v", a, list)
		}
		out = append(out, a)
	}
	slices.Sort(out)
	return out, nil
}

func inferSqueeze(c *Context) error {
	in := c.Shape(0)
	rank, ok := in.Rank()
	axes, known := c.AxesInput("axes", 1)
	if !ok || !known {
		return nil
	}
	drop, err := c.axisSet(axes, rank)
	if err != nil {
		return err
	}
	given := c.Has("axes") || c.HasInput(1)
	var dims []graph.Dim
	for i, d := range in.Dims() {
		n, known := d.Size()
		switch {
		case given && slices.Contains(drop, i):
			if known && n != 1 {
				return c.Errorf("cannot squeeze axis %d of %v: its size is %d, not 1", i, in, n)
			}
		case given:
			dims = append(dims, d)
		case !known:
			return nil // whether it is 1 is not known
		case n != 1:
			dims = append(dims, d)
		}
	}
	c.SetDims(0, dims...)
	if v := c.Ints(0); v != nil && len(dims) == 0 && len(v.Elems) == 1 {
		c.SetInts(0, &Ints{Scalar: true, Elems: v.Elems})
	}
	return nil
}

func inferUnsqueeze(c *Context) error {
	in := c.Shape(0)
	rank, ok := in.Rank()
	axes, known := c.AxesInput("axes", 1)
	if !ok || !known {
		return nil
	}
	at, err := c.axisSet(axes, rank+len(axes))
	if err != nil {
		return err
	}
	dims := make([]graph.Dim, 0, rank+len(at))
	rest := in.Dims()
	for i := 0; i < rank+len(at); i++ {
		if slices.Contains(at, i) {
			dims = append(dims, graph.Known(1))
		} else {
			dims = append(dims, rest[0])
			rest = rest[1:]
		}
	}
	c.SetDims(0, dims...)
	if v := c.Ints(0); v != nil && len(dims) == 1 {
		c.SetInts(0, &Ints{Elems: v.Elems})
	}
	return nil
}

func inferExpand(c *Context) error {
	target := c.Ints(1)
	if target == nil {
		return nil
	}
	dims := make([]graph.Dim, len(target.Elems))
	for i, e := range target.Elems {
		if v, ok := e.Value(); ok && v < 0 {
			return c.InputErrorf(1, "element %d is %d, must not be negative", i, v)
		}
		dims[i] = e.Dim()
	}
	s, err := c.Broadcast(c.Shape(0), graph.ShapeOf(dims...))
	if err != nil {
		return err
	}
	c.SetShape(0, s)
	if v := c.Ints(0); v != nil && len(v.Elems) == 1 && s.HasRank(1) {
		if n, ok := s.Dim(0).Size(); ok && n <= maxInts {
			out := &Ints{Elems: make([]Int, n)}
			for i := range out.Elems {
				out.Elems[i] = v.Elems[0]
			}
			c.SetInts(0, out)
		}
	}
	return nil
}

func inferTranspose(c *Context) error {
	in := c.Shape(0)
	rank, ok := in.Rank()
	perm := c.IntsAsInt("perm")
	if !ok {
		if perm != nil {
			c.SetShape(0, graph.OfRank(len(perm)))
		}
		return nil
	}
	dims := make([]graph.Dim, rank)
	if perm == nil {
		for i := range dims {
			dims[i] = in.Dim(rank - 1 - i)
		}
		c.SetDims(0, dims...)
		return nil
	}
	if len(perm) != rank {
		return c.AttrErrorf("perm", "is %v, must name each of the %d dimensions of %v", perm, rank, in)
	}
	seen := make([]bool, rank)
	for i, p := range perm {
		if p < 0 || p >= rank || seen[p] {
			return c.AttrErrorf("perm", "is %v, no permutation of the %d dimensions of %v", perm, rank, in)
		}
		seen[p] = true
		dims[i] = in.Dim(p)
	}
	c.SetDims(0, dims...)
	return nil
}

// ShapeRange returns the half-open range of dimensions that a Shape node reads
// from an input of a rank: start and end are clamped, negative ones count from the end.
func ShapeRange(a Attrs, rank int) (start, end int) {
	clamp := func(v int) int {
		if v < 0 {
			v += rank
		}
		return min(max(v, 0), rank)
	}
	start, end = clamp(a.Int("start")), clamp(a.IntOr("end", rank))
	return start, max(start, end)
}

func inferShape(c *Context) error {
	in := c.Shape(0)
	rank, ok := in.Rank()
	if !ok {
		c.SetShape(0, graph.OfRank(1))
		return nil
	}
	start, end := ShapeRange(c.Attrs, rank)
	v := &Ints{}
	for _, d := range in.Dims()[start:end] {
		v.Elems = append(v.Elems, DimInt(d))
	}
	c.SetDims(0, graph.Known(end-start))
	c.SetInts(0, v)
	return nil
}

func inferSize(c *Context) error {
	c.SetDims(0)
	if in := c.Shape(0); in.IsRanked() {
		c.SetInts(0, &Ints{Scalar: true, Elems: []Int{DimInt(product(in.Dims()))}})
	}
	return nil
}
