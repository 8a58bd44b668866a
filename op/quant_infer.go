package op

import (
	"slices"

	"gort/graph"
	"gort/tensor"
)

// inferQuantize is the shape function of QuantizeLinear. The type of the codes is
// that of the zero point, else output_dtype, else uint8.
func inferQuantize(c *Context) error {
	if err := c.checkScales(); err != nil {
		return err
	}
	want := tensor.DType(0)
	if c.sig.Attr("output_dtype") != nil && c.Int("output_dtype") != 0 {
		n := c.Int("output_dtype")
		allowed := c.sig.Types[c.sig.Outputs[0].Type].Tensor
		if n < 0 || n > 255 || !allowed.Has(tensor.DType(n)) {
			return c.AttrErrorf("output_dtype", "is %d, allowed are the numbers of %v", n, allowed)
		}
		want = tensor.DType(n)
	}
	if c.sig.Attr("precision") != nil {
		switch p := c.Int("precision"); tensor.DType(p) {
		case tensor.Undefined, tensor.Float32, tensor.Float16, tensor.BFloat16:
		default:
			return c.AttrErrorf("precision", "is %d, allowed are 1 (float), 10 (float16) and 16 (bfloat16)", p)
		}
	}
	switch d := c.DType(2); {
	case !c.HasInput(2) && want == tensor.Undefined:
		c.SetDType(0, tensor.Uint8)
	case !c.HasInput(2):
		c.SetDType(0, want)
	case want != tensor.Undefined && d != tensor.Undefined && d != want:
		return c.AttrErrorf("output_dtype", "is %d (%v), but the zero point is %v", c.Int("output_dtype"), want.ONNX(), d.ONNX())
	}
	return inferSame(c)
}

// inferDequantize is the shape function of DequantizeLinear. The type of the
// numbers is output_dtype, else that of the scale.
func inferDequantize(c *Context) error {
	if err := c.checkScales(); err != nil {
		return err
	}
	if c.sig.Attr("output_dtype") != nil {
		n := c.Int("output_dtype")
		allowed := c.sig.Types[c.sig.Outputs[0].Type].Tensor
		d := tensor.DType(n)
		if n == 0 {
			d = c.DType(1)
		}
		if n < 0 || n > 255 || d != tensor.Undefined && !allowed.Has(d) {
			return c.AttrErrorf("output_dtype", "is %d and the scale is %v, allowed are the numbers of %v", n, c.DType(1).ONNX(), allowed)
		}
		if d != tensor.Undefined {
			c.SetDType(0, d)
		}
	}
	return inferSame(c)
}

// checkScales checks scale and zero point (inputs 1 and 2) against the tensor:
// for the whole, for each position of axis, or for each block along axis.
func (c *Context) checkScales() error {
	x, s := c.Shape(0), c.Shape(1)
	if c.HasInput(2) {
		if _, ok := graph.Merge(s, c.Shape(2)); !ok && !(isSingleOrUnknown(s) && isSingleOrUnknown(c.Shape(2))) {
			return c.InputErrorf(2, "shape %v is not that of the scale, %v", c.Shape(2), s)
		}
	}
	block := 0
	if c.sig.Attr("block_size") != nil {
		if block = c.Int("block_size"); block < 0 {
			return c.AttrErrorf("block_size", "is %d, must be 0 or more", block)
		}
	}
	rank, ok := x.Rank()
	if !ok || !s.IsRanked() || block == 0 && isSingleOrUnknown(s) {
		return nil
	}
	if c.sig.Attr("axis") == nil {
		return c.InputErrorf(1, "shape %v must be a scalar in version %d of the operator", s, c.Def.Since)
	}
	if block == 0 && !s.HasRank(1) {
		return c.InputErrorf(1, "shape %v must be a scalar or have rank 1", s)
	}
	axis, err := tensor.Axis(c.Int("axis"), rank)
	if err != nil {
		return c.AttrErrorf("axis", "%v", err)
	}
	if block == 0 {
		if _, ok := graph.MergeDim(s.Dim(0), x.Dim(axis)); !ok {
			return c.InputErrorf(1, "shape %v does not have one element for each of the %v positions along axis %d of %v", s, x.Dim(axis), axis, x)
		}
		return nil
	}
	if !s.HasRank(rank) {
		return c.InputErrorf(1, "shape %v must have the rank of %v, which is quantised in blocks", s, x)
	}
	for d := range rank {
		n, ok := x.Dim(d).Size()
		if !ok {
			continue
		}
		if d == axis && n > 0 {
			n = (n-1)/block + 1
		}
		if _, ok := graph.MergeDim(s.Dim(d), graph.Known(n)); !ok {
			return c.InputErrorf(1, "shape %v does not fit %v in blocks of %d along axis %d: dimension %d must be %d", s, x, block, axis, d, n)
		}
	}
	return nil
}

func inferDynamicQuantize(c *Context) error {
	c.SetDims(1)
	c.SetDims(2)
	return inferSame(c)
}

// inferConvInteger is Conv's shape function plus zero points.
func inferConvInteger(c *Context) error {
	if c.HasInput(2) && c.Shape(2).IsRanked() && !isSingleOrUnknown(c.Shape(2)) {
		return c.InputErrorf(2, "shape %v must be a scalar", c.Shape(2))
	}
	if err := c.perFilter(3, c.Shape(1).Dim(0)); err != nil {
		return err
	}
	return c.inferConvolution(0, 1, -1)
}

// isSingleOrUnknown reports whether a shape may hold one element, as far as is known.
func isSingleOrUnknown(s graph.Shape) bool {
	return !slices.ContainsFunc(s.Dims(), func(d graph.Dim) bool { return d.IsKnown() && !d.Is(1) })
}

// perFilter checks that input i is a scalar or has one element for each filter.
func (c *Context) perFilter(i int, filters graph.Dim) error {
	s := c.Shape(i)
	if !c.HasInput(i) || !s.IsRanked() || isSingleOrUnknown(s) {
		return nil
	}
	if _, ok := graph.MergeDim(s.Dim(0), filters); !ok || !s.HasRank(1) {
		return c.InputErrorf(i, "shape %v must be a scalar or have one element for each of the %v filters", s, filters)
	}
	return nil
}

func inferQLinearConv(c *Context) error {
	for _, i := range []int{1, 2, 6, 7} {
		if s := c.Shape(i); s.IsRanked() && !isSingleOrUnknown(s) {
			return c.InputErrorf(i, "shape %v must be a scalar", s)
		}
	}
	for _, i := range []int{4, 5} {
		if err := c.perFilter(i, c.Shape(3).Dim(0)); err != nil {
			return err
		}
	}
	return c.inferConvolution(0, 3, 8)
}

func inferMatMulInteger(c *Context) error { return c.inferProduct(0, 1) }

func inferQLinearMatMul(c *Context) error {
	for _, q := range []struct{ of, axis int }{{0, -2}, {3, -1}} {
		for _, i := range []int{q.of + 1, q.of + 2} {
			if err := c.checkUnits(i, q.of, q.axis); err != nil {
				return err
			}
		}
	}
	if err := c.checkOutputUnits(); err != nil {
		return err
	}
	return c.inferProduct(0, 3)
}

// checkOutputUnits checks y_scale and y_zero_point: one number, or one for each row,
// and as many of the one as of the other.
func (c *Context) checkOutputUnits() error {
	const scale, zero = 6, 7
	for _, i := range []int{scale, zero} {
		if n, ok := c.Shape(i).Rank(); ok && n > 1 {
			return c.InputErrorf(i, "has the shape %v, must have at most one dimension", c.Shape(i))
		}
	}
	a, b := count(c.Shape(scale)), count(c.Shape(zero))
	if _, ok := graph.MergeDim(a, b); !ok {
		return c.InputErrorf(zero, "has %v elements, y_scale has %v", b, a)
	}
	rows := graph.Known(1)
	if n, ok := c.Shape(0).Rank(); !ok {
		return nil
	} else if n > 1 {
		rows = c.Shape(0).Dims()[n-2]
	}
	for i, d := range []graph.Dim{a, b} {
		if n, ok := d.Size(); ok && n != 1 {
			if _, ok := graph.MergeDim(d, rows); !ok {
				return c.InputErrorf(scale+i, "has %d elements, must have one or %v", n, rows)
			}
		}
	}
	return nil
}

// count is the number of elements of a scalar or vector.
func count(s graph.Shape) graph.Dim {
	switch n, ok := s.Rank(); {
	case !ok:
		return graph.Dim{}
	case n == 0:
		return graph.Known(1)
	}
	return s.Dims()[0]
}

// checkUnits checks the shape of a scale or zero point of a factor: one number for
// all, one for each index of the axis, or numbers of the factor's rank with a size of
// 1 along the other of the last two axes.
func (c *Context) checkUnits(i, of, axis int) error {
	units, factor := c.Shape(i), c.Shape(of)
	rank, ok := factor.Rank()
	n, ok2 := units.Rank()
	if !ok || !ok2 || n == 0 {
		return nil
	}
	if rank < 2 { // a vector is one row or column
		if d, ok := units.Dims()[n-1].Size(); n > 1 || ok && d != 1 {
			return c.InputErrorf(i, "has the shape %v, the vector that it is for takes one number", units)
		}
		return nil
	}
	if n == 1 {
		if d, ok := units.Dims()[0].Size(); ok && d == 1 {
			return nil
		}
		if _, ok := graph.MergeDim(units.Dims()[0], factor.Dims()[rank+axis]); !ok {
			return c.InputErrorf(i, "has the shape %v, must be one number or %v of them", units, factor.Dims()[rank+axis])
		}
		return nil
	}
	if n != rank {
		return c.InputErrorf(i, "has the shape %v, must have 0, 1 or %d dimensions", units, rank)
	}
	for d, size := range units.Dims() {
		v, known := size.Size()
		other := d == 2*rank-3-(rank+axis)
		if known && v == 1 || !known && other {
			continue
		}
		if other {
			return c.InputErrorf(i, "has the shape %v, must have a size of 1 in dimension %d", units, d)
		}
		if _, ok := graph.MergeDim(size, factor.Dims()[d]); !ok {
			return c.InputErrorf(i, "has the shape %v, which does not fit %v", units, factor)
		}
	}
	return nil
}
