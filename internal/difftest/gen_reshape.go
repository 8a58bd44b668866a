package difftest

import (
	"slices"

	"gort/tensor"
)

// reshapeGenerators call operators that move no element, or all of them at once.
var reshapeGenerators = []Generator{
	{Op: "Reshape", Make: reshape},
	{Op: "Flatten", Make: func(g *G) {
		shape := g.Shape(0, 4)
		g.Data(g.Tensor(g.DType("T"), shape...))
		axis := g.IntN(len(shape) + 1)
		if g.Since() >= 11 && axis > 0 && g.Maybe() {
			axis -= len(shape)
			if axis == 0 {
				axis = len(shape) // the last of them can not be counted from the end
			}
		}
		if axis != 1 && len(shape) > 0 || g.Maybe() && len(shape) > 0 {
			g.Attr("axis", axis)
		} else if len(shape) == 0 {
			g.Attr("axis", 0)
		}
	}},
	{Op: "Squeeze", Make: squeeze},
	{Op: "Unsqueeze", Make: unsqueeze},
	{Op: "Identity", Make: func(g *G) {
		variable := "T"
		if g.Since() >= 14 {
			variable = "V"
		}
		if t := g.Type(variable); t.Kind == tensor.KindTensor {
			g.Data(g.Tensor(t.DType, g.Shape(0, 3)...))
		} else {
			g.In(g.Value(t, g.Shape(0, 3)))
		}
	}},
	{Op: "Expand", Make: func(g *G) {
		shape := g.Shape(0, 3)
		from := g.Broadcastable(shape)
		g.Data(g.Tensor(g.DType("T"), from...))
		if g.Maybe() { // where the input is larger, 1 will do
			shape = append([]int(nil), shape...)
			for i := range from {
				if from[len(from)-1-i] != 1 && g.Maybe() {
					shape[len(shape)-1-i] = 1
				}
			}
		}
		g.Either(Ints(tensor.Int64, shape...))
	}},
	{Op: "Transpose", Make: func(g *G) {
		shape := g.Shape(0, 5)
		g.Data(g.Tensor(g.DType("T"), shape...))
		if g.IntN(4) > 0 {
			g.Attr("perm", g.Perm(len(shape)))
		}
	}},
	{Op: "Shape", Make: func(g *G) {
		g.Data(g.Tensor(g.DType("T"), g.Shape(0, 4)...))
		if g.Since() >= 15 {
			g.MaybeAttr("start", g.Between(-5, 5))
			g.MaybeAttr("end", g.Between(-5, 5))
		}
	}},
	{Op: "Size", Make: func(g *G) { g.Data(g.Tensor(g.DType("T"), g.Shape(0, 4)...)) }},
}

func reshape(g *G) {
	shape := g.Sizes(1, 4)
	g.Data(g.Tensor(g.DType("T"), shape...))
	// Another shape of as many elements: the dimensions in another order, some of them
	// joined, a 1 between.
	var to []int
	for _, i := range g.Perm(len(shape)) {
		if len(to) > 0 && g.OneIn(3) {
			to[len(to)-1] *= shape[i]
		} else {
			to = append(to, shape[i])
		}
	}
	if g.OneIn(4) {
		to = slices.Insert(to, g.IntN(len(to)+1), 1)
	}
	if i := g.IntN(len(to)); i < len(shape) && to[i] == shape[i] && g.Maybe() {
		to[i] = 0 // as in the input
	}
	if g.Maybe() {
		if i := g.IntN(len(to)); to[i] != 0 {
			to[i] = -1
		}
	}
	if g.Since() == 1 {
		g.Attr("shape", to)
		return
	}
	g.Either(Ints(tensor.Int64, to...))
	if g.Since() >= 14 && !slices.Contains(to, 0) {
		g.MaybeAttr("allowzero", g.IntN(2))
	}
}

// someOnes draws a shape with dimensions of size 1, and lists those.
func (g *G) someOnes() (shape, ones []int) {
	for i := range g.Between(1, 4) {
		if g.Maybe() {
			shape, ones = append(shape, 1), append(ones, i)
		} else {
			shape = append(shape, g.Dim())
		}
	}
	return shape, ones
}

func squeeze(g *G) {
	shape, ones := g.someOnes()
	g.Data(g.Tensor(g.DType("T"), shape...))
	if g.OneIn(4) {
		return // all of them
	}
	axes := []int{}
	for _, i := range ones {
		if g.Since() >= 11 && g.Maybe() {
			i -= len(shape)
		}
		if g.Maybe() || len(axes) == 0 {
			axes = append(axes, i)
		}
	}
	if len(axes) == 0 {
		return
	}
	if g.Since() >= 13 {
		g.Either(Ints(tensor.Int64, axes...))
	} else {
		g.Attr("axes", axes)
	}
}

func unsqueeze(g *G) {
	shape, more := g.Shape(0, 3), g.Between(1, 2)
	g.Data(g.Tensor(g.DType("T"), shape...))
	rank := len(shape) + more
	axes := g.Perm(rank)[:more]
	if g.Since() < 11 {
		slices.Sort(axes)
	} else if g.Maybe() {
		for i := range axes {
			axes[i] -= rank
		}
	}
	if g.Since() >= 13 {
		g.Either(Ints(tensor.Int64, axes...))
	} else {
		g.Attr("axes", axes)
	}
}
