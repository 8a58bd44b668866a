package op

import (
	"fmt"
	"gort/graph"
)

// inferConv is the shape function of Conv: (N, C, D…) with weights (M, C/group,
// K…) gives (N, M, windows…).
func inferConv(c *Context) error { return c.inferConvolution(0, 1, 2) }

// inferConvolution derives output 0 from the data, weights and bias at these
// inputs; -1 is no bias.
func (c *Context) inferConvolution(data, weights, bias int) error {
	x, w := c.Shape(data), c.Shape(weights)
	if r, ok := x.Rank(); ok && r < 3 {
		return c.InputErrorf(data, "shape %v has rank %d, the operator needs 3 or more", x, r)
	}
	kernel, err := KernelShape(c.Attrs, w)
	if err != nil {
		return err
	}
	if err := c.checkGroups(data, x, weights, w.Dim(1), w.Dim(0)); err != nil {
		return err
	}
	if err := c.checkBias(bias, w.Dim(0)); err != nil {
		return err
	}
	if !x.IsRanked() {
		if kernel != nil {
			dims := make([]graph.Dim, len(kernel)+2)
			dims[1] = w.Dim(0)
			c.SetDims(0, dims...)
		}
		return nil
	}
	rank, _ := x.Rank()
	if kernel == nil {
		kernel = make([]int, rank-2)
	}
	if len(kernel) != rank-2 {
		return c.InputErrorf(weights, "shape %v and window %v do not fit the input %v with %d spatial dimensions", w, kernel, x, rank-2)
	}
	win, err := ReadWindow(c.Attrs, kernel)
	if err != nil {
		return err
	}
	return c.setWindows(x.Dim(0), w.Dim(0), x, win.outDim)
}

// setWindows sets output 0 to (batch, channels, out(spatial dimensions of x)…).
func (c *Context) setWindows(batch, channels graph.Dim, x graph.Shape, out func(i int, in graph.Dim) (graph.Dim, error)) error {
	dims := []graph.Dim{batch, channels}
	for i, d := range x.Dims()[2:] {
		o, err := out(i, d)
		if err != nil {
			return err
		}
		dims = append(dims, o)
	}
	c.SetDims(0, dims...)
	return nil
}

// checkGroups checks the attribute group against the channels of the data and of
// the weights: perGroup of them for each group, filters in all.
func (c *Context) checkGroups(data int, x graph.Shape, weights int, perGroup, filters graph.Dim) error {
	group := c.Int("group")
	if group < 1 || group > maxExtent {
		return c.AttrErrorf("group", "is %d, must be in [1, %d]", group, maxExtent)
	}
	if n, ok := x.Dim(1).Size(); ok {
		if n%group != 0 {
			return c.AttrErrorf("group", "is %d, which does not divide the %d channels of the input", group, n)
		}
		if k, ok := perGroup.Size(); ok && k != n/group {
			return c.InputErrorf(weights, "shape %v is made for %d channels, each of the %d groups of the input %v has %d", c.Shape(weights), k, group, x, n/group)
		}
	}
	if m, ok := filters.Size(); ok && m%group != 0 {
		return c.AttrErrorf("group", "is %d, which does not divide the %d filters of the weights", group, m)
	}
	return nil
}

// checkBias checks that the bias at an input has one element a filter.
func (c *Context) checkBias(bias int, filters graph.Dim) error {
	if bias < 0 || !c.HasInput(bias) {
		return nil
	}
	if err := c.WantRank(bias, 1); err != nil {
		return err
	}
	n, known := c.Shape(bias).Dim(0).Size()
	if m, ok := filters.Size(); ok && known && n != m {
		return c.InputErrorf(bias, "has %d elements, must have one for each of the %d filters", n, m)
	}
	return nil
}

// inferConvTranspose is the shape function of ConvTranspose, whose weights are
// (C, M/group, K…).
func inferConvTranspose(c *Context) error {
	x, w := c.Shape(0), c.Shape(1)
	if r, ok := x.Rank(); ok && r < 3 {
		return c.InputErrorf(0, "shape %v has rank %d, the operator needs 3 or more", x, r)
	}
	kernel, err := KernelShape(c.Attrs, w)
	if err != nil {
		return err
	}
	group := c.Int("group")
	if group < 1 || group > maxExtent {
		return c.AttrErrorf("group", "is %d, must be in [1, %d]", group, maxExtent)
	}
	if n, ok := x.Dim(1).Size(); ok {
		if n%group != 0 {
			return c.AttrErrorf("group", "is %d, which does not divide the %d channels of the input", group, n)
		}
		if m, ok := w.Dim(0).Size(); ok && m != n {
			return c.InputErrorf(1, "shape %v is made for %d channels, the input %v has %d", w, m, x, n)
		}
	}
	filters := graph.Dim{}
	if m, ok := w.Dim(1).Size(); ok && m <= maxExtent {
		filters = graph.Known(m * group)
	} else if group == 1 {
		filters = w.Dim(1)
	}
	if err := c.checkBias(2, filters); err != nil {
		return err
	}
	if !x.IsRanked() {
		return nil
	}
	rank, _ := x.Rank()
	if kernel == nil {
		kernel = make([]int, rank-2)
	}
	if len(kernel) != rank-2 {
		return c.InputErrorf(1, "shape %v and window %v do not fit the input %v with %d spatial dimensions", w, kernel, x, rank-2)
	}
	win, err := ReadTransposedWindow(c.Attrs, kernel)
	if err != nil {
		return err
	}
	return c.setWindows(x.Dim(0), filters, x, win.outDim)
}

// inferDeformConv is Conv's shape function plus the checks on offsets and mask:
// (N, offset_group*taps*dimensions, windows…) and (N, offset_group*taps, windows…).
func inferDeformConv(c *Context) error {
	og := c.Int("offset_group")
	if og < 1 || og > maxExtent {
		return c.AttrErrorf("offset_group", "is %d, must be in [1, %d]", og, maxExtent)
	}
	if n, ok := c.Shape(0).Dim(1).Size(); ok && n%og != 0 {
		return c.AttrErrorf("offset_group", "is %d, which does not divide the %d channels of the input", og, n)
	}
	if err := c.inferConvolution(0, 1, 3); err != nil {
		return err
	}
	kernel, err := KernelShape(c.Attrs, c.Shape(1))
	if err != nil || kernel == nil {
		return err
	}
	taps := og
	for _, k := range kernel {
		if k == 0 || taps > maxExtent/k {
			return nil
		}
		taps *= k
	}
	check := func(i, channels int) error {
		s := c.Shape(i)
		if !c.HasInput(i) || !s.IsRanked() {
			return nil
		}
		if !s.HasRank(len(kernel) + 2) {
			return c.InputErrorf(i, "shape %v does not have %d dimensions", s, len(kernel)+2)
		}
		if n, ok := s.Dim(1).Size(); ok && n != channels {
			return c.InputErrorf(i, "shape %v has %d channels, must have %d", s, n, channels)
		}
		for k := range s.Dims() {
			if k == 1 {
				continue
			}
			if _, ok := graph.MergeDim(s.Dim(k), c.out[0].Type.Shape.Dim(k)); !ok {
				return c.InputErrorf(i, "shape %v does not agree with the output %v in dimension %d", s, c.out[0].Type.Shape, k)
			}
		}
		return nil
	}
	if err := check(2, taps*len(kernel)); err != nil {
		return err
	}
	return check(4, taps)
}

// inferCol2Im gives (N, C, image…) from blocks (N, C*taps, L).
func inferCol2Im(c *Context) error {
	if err := c.WantRank(0, 3); err != nil {
		return err
	}
	image, block := c.Ints(1), c.Ints(2)
	if image == nil {
		return nil
	}
	if block != nil && len(block.Elems) != len(image.Elems) {
		return c.InputErrorf(2, "has %d elements, image_shape has %d", len(block.Elems), len(image.Elems))
	}
	in := c.Shape(0)
	dims := []graph.Dim{in.Dim(0), {}}
	for i, e := range image.Elems {
		if v, ok := e.Value(); ok && (v < 1 || v > maxExtent) {
			return c.InputErrorf(1, "element %d is %d, must be in [1, %d]", i, v, maxExtent)
		}
		dims = append(dims, e.Dim())
	}
	if list, ok := block.Known(); ok {
		sizes := make([]int, len(list))
		taps := 1
		for i, v := range list {
			if v < 1 || v > maxExtent || taps > maxExtent/int(v) {
				return c.InputErrorf(2, "is %v, elements and their product must be in [1, %d]", list, maxExtent)
			}
			sizes[i] = int(v)
			taps *= int(v)
		}
		if n, ok := in.Dim(1).Size(); ok {
			if n%taps != 0 {
				return c.InputErrorf(0, "shape %v: dimension 1 is no multiple of the %d elements of a block", in, taps)
			}
			dims[1] = graph.Known(n / taps)
		}
		if err := c.checkBlocks(in.Dim(2), dims[2:], sizes); err != nil {
			return err
		}
	}
	c.SetDims(0, dims...)
	return nil
}

// checkBlocks checks the number of blocks that a Col2Im is given.
func (c *Context) checkBlocks(given graph.Dim, image []graph.Dim, block []int) error {
	win, err := ReadWindow(c.Attrs, block)
	if err != nil {
		return err
	}
	blocks := 1
	for i, d := range image {
		n, ok := d.Size()
		if !ok {
			return nil
		}
		out, _, err := win.Out(i, n)
		if err != nil {
			return err
		}
		if out > 0 && blocks > maxExtent/out {
			return c.InputErrorf(1, "is %v, which has more than %d blocks", image, maxExtent)
		}
		blocks *= out
	}
	if l, ok := given.Size(); ok && l != blocks {
		return c.InputErrorf(0, "has %d blocks, an image of %v has %d", l, image, blocks)
	}
	return nil
}

// inferCausalConv is the shape function of CausalConvWithState: the output is as
// the input (B, C, L), the state holds the last k-1 columns.
func inferCausalConv(c *Context) error {
	switch a := c.String("activation"); a {
	case "none", "silu", "swish":
	default:
		return c.AttrErrorf("activation", "is %q, allowed are none, silu and swish", a)
	}
	for _, i := range []int{0, 1} {
		if err := c.WantRank(i, 3); err != nil {
			return err
		}
	}
	x, w := c.Shape(0), c.Shape(1)
	channels, ok := graph.MergeDim(x.Dim(1), w.Dim(0))
	if !ok {
		return c.InputErrorf(1, "shape %v is for %v channels, the input %v has %v", w, w.Dim(0), x, x.Dim(1))
	}
	if n, ok := w.Dim(1).Size(); ok && n != 1 {
		return c.InputErrorf(1, "shape %v must have 1 as its second dimension", w)
	}
	if err := c.checkBias(2, channels); err != nil {
		return err
	}
	state := []graph.Dim{x.Dim(0), channels, {}}
	if k, ok := w.Dim(2).Size(); ok {
		if k < 1 {
			return c.InputErrorf(1, "shape %v: the kernel must have at least 1 element", w)
		}
		state[2] = graph.Known(k - 1)
	}
	if c.HasInput(3) {
		if err := c.WantRank(3, 3); err != nil {
			return err
		}
		for i := range state {
			if state[i], ok = graph.MergeDim(state[i], c.Shape(3).Dim(i)); !ok {
				return c.InputErrorf(3, "shape %v does not fit input %v and weights %v in dimension %d", c.Shape(3), x, w, i)
			}
		}
	}
	c.SetShape(0, x)
	c.SetDims(1, state...)
	return nil
}

// causalConvBody is a depthwise Conv over the state followed by the input. The
// number of channels has to be known: it is Conv's group. Conv takes bfloat16 from
// version 22 on.
func causalConvBody(c *Context) (Body, error) {
	channels, ok := c.Shape(0).Dim(1).Size()
	if !ok {
		if channels, ok = c.Shape(1).Dim(0).Size(); !ok {
			return Body{}, nil
		}
	}
	if channels == 0 {
		return Body{}, nil
	}
	text := "keep = Sub (Shape <start = 2, end = 3> (weight), [1])\n"
	if c.HasInput(3) {
		text += "before = Identity (past_state)\n"
	} else {
		text += "before = Expand (0:input, Concat <axis = 0> (Shape <start = 0, end = 2> (input), keep))\n"
	}
	text += fmt.Sprintf(`
		all = Concat <axis = 2> (before, input)
		sum = Conv <group = %d> (all, weight, bias)
		length = Shape <start = 2, end = 3> (all)
		present_state = Slice (all, Sub (length, keep), length, [2])
	`, channels)
	if c.String("activation") == "none" {
		return Body{22, text + "output = Identity (sum)"}, nil
	}
	return Body{22, text + `
		wide = Cast <to = 1> (sum)
		output = CastLike (Mul (wide, Sigmoid (wide)), sum)`}, nil
}
