package difftest

import (
	"math"

	"gort/tensor"
)

// sliceGenerators call operators that cut, join, pad and rearrange.
var sliceGenerators = []Generator{
	{Op: "Concat", Make: concat},
	{Op: "Split", Make: split},
	{Op: "Slice", Make: slice},
	{Op: "Pad", Make: pad},
	{Op: "Tile", Make: tile},
	{Op: "DepthToSpace", Make: func(g *G) {
		block := g.Between(1, 3)
		g.In(g.Tensor(g.DType("T"), g.Between(1, 2), g.Between(1, 2)*block*block, g.Between(1, 3), g.Between(1, 3)))
		g.Attr("blocksize", block)
		if g.Since() >= 11 {
			g.MaybeAttr("mode", Pick(g, "DCR", "CRD"))
		}
	}},
	{Op: "SpaceToDepth", Make: func(g *G) {
		block := g.Between(1, 3)
		g.In(g.Tensor(g.DType("T"), g.Between(1, 2), g.Between(1, 2), g.Between(1, 3)*block, g.Between(1, 3)*block))
		g.Attr("blocksize", block)
	}},
	{Op: "CenterCropPad", Make: func(g *G) {
		shape := g.Sizes(1, 3)
		g.In(g.Tensor(g.DType("T"), shape...))
		axes := g.Axes(len(shape), len(shape))
		if g.Maybe() {
			axes = axes[:g.Between(1, len(axes))]
			g.Attr("axes", axes)
		}
		to := make([]int, len(axes))
		for i := range to {
			to[i] = g.Between(1, 7)
		}
		g.Either(Ints(g.DType("Tind"), to...))
	}},
	{Op: "ReverseSequence", Make: func(g *G) {
		shape := g.Sizes(2, 4)
		batch := g.IntN(2)
		g.In(g.Tensor(g.DType("T"), shape...))
		g.In(g.Range(tensor.Int64, 1, float64(shape[1-batch]), shape[batch]))
		if batch == 0 || g.Maybe() {
			g.Attr("batch_axis", batch)
			g.Attr("time_axis", 1-batch)
		}
	}},
	{Op: "Trilu", Make: func(g *G) {
		g.In(g.Tensor(g.DType("T"), g.Shape(2, 4)...))
		if g.Maybe() {
			g.Either(Scalar(tensor.Int64, float64(g.Between(-4, 4))))
		}
		g.MaybeAttr("upper", g.IntN(2))
	}},
}

func concat(g *G) {
	d, shape := g.DType("T"), g.Sizes(1, 4)
	axis := g.Axis(len(shape))
	if g.Since() < 11 {
		axis = (axis + len(shape)) % len(shape)
	}
	for range g.Between(1, 3) {
		s := append([]int(nil), shape...)
		s[(axis+len(shape))%len(shape)] = g.Dim()
		g.Either(g.Tensor(d, s...))
	}
	if g.Since() > 1 {
		g.Attr("axis", axis)
		return
	}
	t := g.AskVersion(4) // with which ONNX Runtime begins
	t.Attr("axis", axis)
	if axis != 1 || g.Maybe() {
		g.Attr("axis", axis)
	}
}

func split(g *G) {
	shape := g.Sizes(1, 4)
	axis := g.Axis(len(shape))
	at := (axis + len(shape)) % len(shape)
	if g.Since() < 11 {
		axis = at
	}
	parts := g.Between(1, 3)
	sizes, total := make([]int, parts), 0
	equal := g.Maybe()
	n := g.Between(1, 3)
	for i := range sizes {
		sizes[i] = n
		if !equal {
			sizes[i] = g.Between(1, 4)
		}
		total += sizes[i]
	}
	shape[at] = total
	uneven := equal && g.Since() >= 18 && n > 1 && parts > 1 && g.Maybe()
	if uneven {
		shape[at]-- // the last part is smaller
	}
	g.In(g.Tensor(g.DType("T"), shape...))
	given := !equal || !uneven && g.Maybe()
	if given && g.Since() >= 13 {
		g.Either(Ints(tensor.Int64, sizes...))
	}
	if axis != 0 || g.Since() == 1 || g.Maybe() {
		g.Attr("axis", axis)
	}
	if given && g.Since() < 13 {
		g.Attr("split", sizes)
	}
	if !given && g.Since() >= 18 {
		g.Attr("num_outputs", parts)
	}
	g.OutputCount(parts)
	if g.Since() == 1 {
		g.AskVersion(2) // with which ONNX Runtime begins
	}
}

func slice(g *G) {
	shape := g.Shape(1, 4)
	g.Data(g.Tensor(g.DType("T"), shape...))
	axes := g.Axes(len(shape), g.Between(1, len(shape)))
	var starts, ends, steps []int
	for i, a := range axes {
		if g.Since() < 11 {
			axes[i] = (a + len(shape)) % len(shape)
		}
		size := shape[(a+len(shape))%len(shape)]
		start, end, step := g.Between(-size-2, size+2), g.Between(-size-2, size+2), 1
		if g.Since() >= 10 {
			step = Pick(g, 1, 1, 2, 3, -1, -2)
		}
		switch g.IntN(6) {
		case 0:
			if step > 0 { // else nothing is left; ONNX Runtime takes it for the beginning
				end = math.MaxInt32
			}
		case 1:
			if step < 0 {
				end = math.MinInt32
			}
		}
		starts, ends, steps = append(starts, start), append(ends, end), append(steps, step)
	}
	if g.Since() == 1 {
		g.Attr("starts", starts)
		g.Attr("ends", ends)
		g.Attr("axes", axes)
		return
	}
	ind := g.DType("Tind")
	g.Either(Ints(ind, starts...))
	g.Either(Ints(ind, ends...))
	g.Either(Ints(ind, axes...))
	if g.IntN(4) > 0 {
		g.Either(Ints(ind, steps...))
	}
}

func pad(g *G) {
	d, shape := g.DType("T"), g.Sizes(1, 4)
	modes := []string{"constant", "constant", "reflect", "edge"}
	if g.Since() >= 19 {
		modes = append(modes, "wrap")
	}
	mode := Pick(g, modes...)
	axes := make([]int, len(shape))
	for i := range axes {
		axes[i] = i
	}
	listed := g.Since() >= 18 && (g.OneIn(3) || g.Forces("Tind"))
	if listed {
		axes = g.Axes(len(shape), g.Between(1, len(shape)))
	}
	pads := make([]int, 2*len(axes))
	for i, a := range axes {
		size := shape[(a+len(shape))%len(shape)]
		most := 2
		if mode == "reflect" || mode == "wrap" {
			most = min(2, size-1)
		}
		pads[i], pads[len(axes)+i] = g.Between(0, most), g.Between(0, most)
		if mode == "constant" && size > 1 && g.OneIn(6) {
			pads[i] = -1 // cuts off
		}
	}
	g.Data(g.Tensor(d, shape...))
	fill := func(g *G, name string) {
		if mode != "constant" {
			g.Attr("mode", mode)
		}
		g.Attr(name, pads)
	}
	switch {
	case g.Since() == 1:
		fill(g, "paddings")
		t := g.Twin("Pad", 2)
		t.c.Inputs = g.c.Inputs
		fill(t, "pads")
		return
	case g.Since() == 2:
		fill(g, "pads")
		g.MaybeAttr("value", float32(1.5))
		return
	}
	if mode != "constant" || g.Maybe() {
		g.Attr("mode", mode)
	}
	g.Either(Ints(tensor.Int64, pads...))
	value := g.Maybe()
	if value {
		v := g.Tensor(d)
		if v.DType().Bits() < 8 {
			g.Const(v)
		} else {
			g.Either(v)
		}
	}
	if listed {
		if !value {
			g.Omit()
		}
		g.Either(Ints(g.DType("Tind"), axes...))
	}
}

func tile(g *G) {
	d, shape := g.DType("T"), g.Sizes(1, 3)
	x := g.Tensor(d, shape...)
	g.In(x)
	repeats := make([]int, len(shape))
	if g.Since() > 1 {
		for i := range repeats {
			repeats[i] = g.Between(0, 3)
		}
		g.Either(Ints(tensor.Int64, repeats...))
		return
	}
	axis, n := g.IntN(len(shape)), g.Between(1, 3)
	for i := range repeats {
		repeats[i] = 1
	}
	repeats[axis] = n
	g.Either(Ints(d, n))
	g.Either(Ints(d, axis))
	t := g.Twin("Tile", 6) // with which ONNX Runtime begins
	t.In(x)
	t.Either(Ints(tensor.Int64, repeats...))
}
