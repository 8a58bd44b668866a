package difftest

import "gort/tensor"

// searchGenerators call operators that look for elements.
var searchGenerators = []Generator{
	{Op: "TopK", Make: topK},
	{Op: "NonZero", Make: func(g *G) {
		d := g.DType("T")
		// Of a scalar the specification has an output of [0, n], ONNX Runtime of [1, n].
		g.In(g.Range(d, 0, 1, g.Shape(1, 3)...))
	}},
	{Op: "Unique", Make: func(g *G) {
		shape := g.Sizes(1, 3)
		g.In(g.Range(g.DType("T"), 0, 1, shape...))
		g.MaybeAttr("sorted", g.IntN(2))
		if g.Maybe() {
			g.Attr("axis", g.Axis(len(shape)))
		}
		g.OutputCount(g.Between(1, 4))
	}},
	{Op: "NonMaxSuppression", Make: nonMaxSuppression},
}

func topK(g *G) {
	d, shape := g.DType("T"), g.Sizes(1, 3)
	axis := g.axisSince(len(shape), 11)
	k := g.Between(1, shape[(axis+len(shape))%len(shape)])
	g.In(g.Tensor(d, shape...))
	if g.Since() == 1 {
		g.Attr("k", k)
	} else {
		g.Either(Ints(tensor.Int64, k))
	}
	if axis != -1 || g.Maybe() {
		g.Attr("axis", axis)
	}
	if g.Since() >= 11 {
		g.MaybeAttr("largest", g.IntN(2))
		g.MaybeAttr("sorted", 1) // without it the order is open
	}
	g.OutputCount(2)
}

func nonMaxSuppression(g *G) {
	batch, boxes, classes := g.Between(1, 2), g.Between(1, 8), g.Between(1, 2)
	center := g.OneIn(3)
	var corners []float32
	for range batch * boxes {
		y, x := float32(g.IntN(6)), float32(g.IntN(6))
		h, w := float32(g.Between(1, 4)), float32(g.Between(1, 4))
		switch {
		case center:
			corners = append(corners, x, y, w, h)
		case g.OneIn(3): // any two opposite corners will do
			corners = append(corners, y+h, x+w, y, x)
		default:
			corners = append(corners, y, x, y+h, x+w)
		}
	}
	scores := make([]float32, batch*classes*boxes)
	for i, p := range g.Perm(len(scores)) { // no two are alike
		scores[i] = float32(p) / float32(len(scores))
	}
	g.In(fromSlice(corners, []int{batch, boxes, 4}))
	g.In(fromSlice(scores, []int{batch, classes, boxes}))
	most := g.Between(0, 4)
	if g.OneIn(6) {
		most = 100
	}
	g.Either(Ints(tensor.Int64, most))
	if g.IntN(3) > 0 {
		g.Either(fromSlice([]float32{Pick[float32](g, 0, 0.3, 0.55)}, []int{1}))
		if g.Maybe() {
			g.Either(fromSlice([]float32{0.35}, []int{1}))
		}
	}
	if center {
		g.Attr("center_point_box", 1)
	} else {
		g.MaybeAttr("center_point_box", 0)
	}
}
