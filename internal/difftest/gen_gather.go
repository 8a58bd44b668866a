package difftest

import (
	"math"

	"gort/tensor"
)

// gatherGenerators call operators that read or write elements at given places.
var gatherGenerators = []Generator{
	{Op: "Gather", Make: func(g *G) {
		shape := g.Sizes(1, 4)
		axis := g.axisSince(len(shape), 11)
		g.Data(g.Tensor(g.DType("T"), shape...))
		g.Either(g.places(shape[(axis+len(shape))%len(shape)], g.Shape(0, 3)...))
		g.MaybeAxis(axis)
	}},
	{Op: "GatherElements", Make: func(g *G) {
		shape, places, axis := g.elements()
		g.In(g.Tensor(g.DType("T"), shape...))
		g.Either(places)
		g.MaybeAxis(axis)
	}},
	{Op: "GatherND", Make: func(g *G) {
		shape, batch := g.Sizes(1, 4), 0
		if g.Since() >= 12 && len(shape) > 1 && g.Maybe() {
			batch = g.Between(1, len(shape)-1)
			g.Attr("batch_dims", batch)
		}
		g.In(g.Tensor(g.DType("T"), shape...))
		g.Either(g.tuples(shape, batch, append(append([]int(nil), shape[:batch]...), g.Sizes(0, 2)...)))
	}},
	{Op: "Compress", Make: func(g *G) {
		shape := g.Sizes(1, 4)
		g.In(g.Tensor(g.DType("T"), shape...))
		n := 1
		for _, s := range shape {
			n *= s
		}
		if g.Maybe() {
			axis := g.axisSince(len(shape), 11)
			g.Attr("axis", axis)
			n = shape[(axis+len(shape))%len(shape)]
		}
		g.Either(g.Tensor(g.DType("T1"), g.Between(1, n))) // what it says nothing of is left out
	}},
	{Op: "OneHot", Make: oneHot},
	{Op: "Scatter", Make: func(g *G) {
		scatterElements(g)
		if g.Since() == 11 {
			g.AskVersion(9) // deprecated since
		}
	}},
	{Op: "ScatterElements", Make: scatterElements},
	{Op: "ScatterND", Make: func(g *G) {
		d, shape := g.DType("T"), g.Sizes(1, 4)
		g.In(g.Tensor(d, shape...))
		reduction := g.reduction(d)
		at := g.tuples(shape, 0, g.Sizes(0, 2))
		if reduction == "none" { // an element is written once
			at = g.distinct(shape)
		}
		s := at.Shape()
		g.Either(at)
		g.In(g.Tensor(d, append(append([]int(nil), s[:len(s)-1]...), shape[s[len(s)-1]:]...)...))
	}},
	{Op: "TensorScatter", Make: tensorScatter},
	{Op: "Where", Make: func(g *G) {
		d, shape := g.DType("T"), g.Shape(0, 4)
		values := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1)}
		// All three broadcast, so the result may be of a shape that none of them has.
		g.Either(g.Tensor(tensor.Bool, g.Broadcastable(shape)...))
		g.Either(g.Sprinkle(g.Tensor(d, g.Broadcastable(shape)...), values...))
		g.Either(g.Sprinkle(g.Tensor(d, g.Broadcastable(shape)...), values...))
	}},
}

// axisSince draws an axis, counted from the end only from a version on.
func (g *G) axisSince(rank, version int) int {
	axis := g.Axis(rank)
	if g.Since() < version {
		axis = (axis + rank) % rank
	}
	return axis
}

// MaybeAxis sets the attribute axis, or leaves a default of 0 out.
func (g *G) MaybeAxis(axis int) {
	if axis != 0 || g.Maybe() {
		g.Attr("axis", axis)
	}
}

// places draws indices into n elements; from version 11 on negative ones too.
func (g *G) places(n int, shape ...int) *tensor.Tensor {
	lo := 0
	if g.Since() >= 11 {
		lo = -n
	}
	return g.Range(g.DType("Tind"), float64(lo), float64(n-1), shape...)
}

// elements draws a shape, and for each of some of its elements an index along an axis.
func (g *G) elements() (shape []int, places *tensor.Tensor, axis int) {
	shape = g.Sizes(1, 3)
	axis = g.axisSince(len(shape), 11)
	at := (axis + len(shape)) % len(shape)
	some := make([]int, len(shape))
	for i, n := range shape {
		some[i] = g.Between(1, n)
	}
	some[at] = g.Between(1, 5)
	return shape, g.places(shape[at], some...), axis
}

// tuples draws index tuples into the dimensions of a shape behind the first batch.
func (g *G) tuples(shape []int, batch int, outer []int) *tensor.Tensor {
	depth := g.Between(1, len(shape)-batch)
	n := 1
	for _, s := range outer {
		n *= s
	}
	var list []int64
	for range n {
		for _, size := range shape[batch : batch+depth] {
			list = append(list, int64(g.Between(-size, size-1)))
		}
	}
	return fromSlice(list, append(append([]int(nil), outer...), depth))
}

// distinct draws tuples no two of which are alike.
func (g *G) distinct(shape []int) *tensor.Tensor {
	size := shape[0]
	n := g.Between(1, size)
	list := make([]int64, n)
	for i, p := range g.Perm(size)[:n] {
		list[i] = int64(p)
	}
	return fromSlice(list, []int{n, 1})
}

func oneHot(g *G) {
	d1, d2, d3 := tensor.Int64, tensor.Int64, Pick(g, tensor.Float32, tensor.Int64) // ONNX Runtime has few combinations
	if g.Forces("T1") || g.OneIn(4) {
		d1 = g.DType("T1")
	}
	if g.Forces("T2") || g.OneIn(4) {
		d2 = g.DType("T2")
	}
	if g.Forces("T3") || g.OneIn(4) {
		d3 = g.DType("T3")
	}
	depth := g.Between(1, 6)
	lo := 0
	if d1.Class() != tensor.ClassUint {
		lo = -depth - 1 // beyond the depth nothing is hot
	}
	shape := g.Shape(1, 3)
	at := g.Range(tensor.Int64, float64(lo), float64(depth), shape...)
	g.In(tensor.Must(tensor.Convert(at, d1, tensor.ConvertOptions{})))
	size := Scalar(d2, float64(depth))
	if g.Maybe() {
		size = tensor.Must(size.Reshape(1))
	}
	g.Either(size)
	g.Either(g.Tensor(d3, 2))
	if g.Maybe() {
		g.Attr("axis", g.Axis(len(shape)+1))
	}
}

// reduction draws the attribute of the scatter operators. Where elements are reduced,
// order does not matter: integers, or fractions that add without rounding.
func (g *G) reduction(d tensor.DType) string {
	names := []string{"none"}
	numeric := d.Class() == tensor.ClassFloat || d.Class() == tensor.ClassInt || d.Class() == tensor.ClassUint
	if g.Since() >= 16 && numeric {
		names = append(names, "add", "mul")
	}
	if g.Since() >= 18 && numeric {
		names = append(names, "max", "min")
	}
	name := Pick(g, names...)
	if name != "none" || g.Since() >= 16 && g.Maybe() {
		g.Attr("reduction", name)
	}
	return name
}

func scatterElements(g *G) {
	d := g.DType("T")
	shape, places, axis := g.elements()
	g.In(g.Tensor(d, shape...))
	if g.reduction(d) == "none" {
		// An element is written once: the indices of a line differ.
		at := (axis + len(shape)) % len(shape)
		places = Ints(places.DType(), g.Perm(shape[at])[:g.Between(1, shape[at])]...)
		one := make([]int, len(shape))
		for i := range one {
			one[i] = 1
		}
		one[at] = places.Size()
		places = tensor.Must(places.Reshape(one...))
	}
	g.Either(places)
	g.In(g.Tensor(d, places.Shape()...))
	g.MaybeAxis(axis)
}

func tensorScatter(g *G) {
	d := g.DType("T")
	cache := []int{g.Between(1, 3), g.Between(1, 2), g.Between(3, 6), g.Between(1, 3)}
	update := append([]int(nil), cache...)
	update[2] = g.Between(1, cache[2])
	g.Data(g.Tensor(d, cache...))
	g.Data(g.Tensor(d, update...))
	circular := g.Maybe()
	most := cache[2] - update[2]
	if circular {
		most = cache[2] - 1
		g.Attr("mode", "circular")
	}
	if g.Maybe() {
		g.In(g.Range(tensor.Int64, 0, float64(most), cache[0]))
	}
	if g.Maybe() {
		g.Attr("axis", Pick(g, -2, 2))
	}
}
