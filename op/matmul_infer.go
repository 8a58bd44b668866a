package op

import "gort/graph"

// inferMatMul follows numpy.matmul: the last two dimensions multiply, the others
// broadcast, and a vector's added dimension is dropped.
func inferMatMul(c *Context) error { return c.inferProduct(0, 1) }

// inferProduct makes output 0 the product of inputs a and b as numpy.matmul has it: the last two
// dimensions multiply, those before them broadcast, and a vector is a row on the left
// and a column on the right.
func (c *Context) inferProduct(a, b int) error {
	for _, i := range []int{a, b} {
		if c.Shape(i).HasRank(0) {
			return c.InputErrorf(i, "is a scalar, must have at least one dimension")
		}
	}
	sa, sb := c.Shape(a), c.Shape(b)
	ra, okA := sa.Rank()
	rb, okB := sb.Rank()
	if !okA || !okB {
		return nil
	}
	var stackA, stackB, tail []graph.Dim
	inner := sb.Dim(0)
	if ra > 1 {
		stackA, tail = sa.Dims()[:ra-2], append(tail, sa.Dim(-2))
	}
	if rb > 1 {
		stackB, tail = sb.Dims()[:rb-2], append(tail, sb.Dim(-1))
		inner = sb.Dim(-2)
	}
	if _, ok := graph.MergeDim(sa.Dim(-1), inner); !ok {
		return c.Errorf("cannot multiply %v by %v: %v columns meet %v rows", sa, sb, sa.Dim(-1), inner)
	}
	stack, err := c.Broadcast(graph.ShapeOf(stackA...), graph.ShapeOf(stackB...))
	if err != nil {
		return c.Errorf("cannot multiply %v by %v: their leading dimensions do not broadcast", sa, sb)
	}
	c.SetDims(0, append(append([]graph.Dim{}, stack.Dims()...), tail...)...)
	return nil
}

// inferGemm checks that C broadcasts to the product one way.
func inferGemm(c *Context) error {
	for i := range 2 {
		if err := c.WantRank(i, 2); err != nil {
			return err
		}
	}
	a, b := c.Shape(0), c.Shape(1)
	m, ka := a.Dim(0), a.Dim(1)
	if c.Bool("transA") {
		m, ka = ka, m
	}
	kb, n := b.Dim(0), b.Dim(1)
	if c.Bool("transB") {
		kb, n = n, kb
	}
	if _, ok := graph.MergeDim(ka, kb); !ok {
		return c.Errorf("cannot multiply A %v by B %v (transA %v, transB %v): %v columns meet %v rows", a, b, c.Bool("transA"), c.Bool("transB"), ka, kb)
	}
	c.SetDims(0, m, n)
	if !c.HasInput(2) {
		return nil
	}
	bias := c.Shape(2)
	r, ok := bias.Rank()
	if !ok {
		return nil
	}
	if r > 2 {
		return c.InputErrorf(2, "shape %v has rank %d, at most 2 is allowed", bias, r)
	}
	if c.sig.Attr("broadcast") != nil && !c.Bool("broadcast") && r != 2 {
		return c.InputErrorf(2, "shape %v has rank %d, must be that of the product unless broadcast is 1", bias, r)
	}
	for i, want := range []graph.Dim{m, n}[2-r:] {
		d := bias.Dim(i)
		if _, ok := graph.MergeDim(d, want); !ok && !d.Is(1) {
			return c.InputErrorf(2, "shape %v does not broadcast to the product %v", bias, graph.ShapeOf(m, n))
		}
	}
	return nil
}

// inferDet drops the matrix dimensions.
func inferDet(c *Context) error {
	x := c.Shape(0)
	r, ok := x.Rank()
	if !ok {
		return nil
	}
	if r < 2 {
		return c.InputErrorf(0, "shape %v has rank %d, at least 2 is needed", x, r)
	}
	if _, ok := graph.MergeDim(x.Dim(-1), x.Dim(-2)); !ok {
		return c.InputErrorf(0, "shape %v ends in %vx%v, the matrices must be square", x, x.Dim(-2), x.Dim(-1))
	}
	c.SetDims(0, x.Dims()[:r-2]...)
	return nil
}
