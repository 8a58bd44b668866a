package difftest

import "gort/tensor"

// contribTensorGenerators call the rearranging and sampling operators that ONNX
// Runtime adds.
var contribTensorGenerators = []Generator{
	{Domain: microsoft, Op: "ExpandDims", Make: func(g *G) {
		shape := g.Shape(0, 3)
		g.In(g.Tensor(g.DType("T"), shape...))
		g.Either(Scalar(tensor.Int32, float64(g.Between(-len(shape)-1, len(shape)))))
	}},
	{Domain: microsoft, Op: "GatherND", Make: contribGatherND},
	{Domain: microsoft, Op: "Pad", Make: contribPad},
	{Domain: microsoft, Op: "Range", Make: contribRange},
	{Domain: microsoft, Op: "Trilu", Make: func(g *G) {
		g.In(g.Tensor(g.DType("T"), g.Sizes(2, 4)...))
		if g.Maybe() {
			g.Either(Scalar(tensor.Int64, float64(g.Between(-4, 4))))
		}
		g.MaybeAttr("upper", g.IntN(2))
	}},
	{Domain: microsoft, Op: "GridSample", Make: contribGridSample},
	{Op: "DynamicSlice", Make: dynamicSlice},
	{Op: "ImageScaler", Make: func(g *G) {
		shape := g.Sizes(4, 4)
		g.In(g.Tensor(g.DType("T"), shape...))
		g.Attr("bias", someFloats(g, shape[1]))
		g.MaybeAttr("scale", float32(g.fraction(0.25, 2)))
	}},
	{Op: "Crop", Make: func(g *G) {
		shape := []int{g.Size(), g.Size(), g.Between(4, 8), g.Between(4, 8)}
		g.In(g.Tensor(g.DType("T"), shape...))
		g.Attr("border", []int{g.IntN(2), g.IntN(2), g.IntN(2), g.IntN(2)})
		if g.Maybe() {
			g.Attr("scale", []int{g.Between(1, 2), g.Between(1, 2)})
		}
	}},
	// In float16 the difference of two products keeps their rounding, where nodes round.
	{Domain: microsoft, Op: "ComplexMul", Make: complexMul, ATol: 1e-2},
	{Domain: microsoft, Op: "ComplexMulConj", Make: complexMul, ATol: 1e-2},
	{Domain: microsoft, Op: "IsAllFinite", Make: func(g *G) {
		d := g.DType("V")
		for range g.Between(1, 3) {
			g.In(g.Tensor(d, g.Sizes(1, 3)...))
		}
	}},
}

func contribGatherND(g *G) {
	shape := g.Sizes(1, 3)
	k := g.Between(1, len(shape))
	index := append(g.Sizes(0, 2), k)
	n := 1
	for _, s := range index {
		n *= s
	}
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(g.Between(-shape[i%k], shape[i%k]-1))
	}
	g.In(g.Tensor(g.DType("T"), shape...))
	t := tensor.Must(tensor.FromSlice(list, index...))
	g.Either(tensor.Must(tensor.Convert(t, g.DType("Tind"), tensor.ConvertOptions{})))
}

func contribPad(g *G) {
	d, shape := g.DType("T"), g.Sizes(1, 3)
	mode := Pick(g, "constant", "reflect", "edge")
	pads := make([]int, 2*len(shape))
	for i := range pads {
		pads[i] = g.IntN(3)
		if mode == "reflect" {
			pads[i] = min(pads[i], shape[i%len(shape)]-1)
		}
	}
	g.In(g.Tensor(d, shape...))
	p := Ints(tensor.Int64, pads...)
	if g.Maybe() {
		p = tensor.Must(p.Reshape(1, len(pads)))
	}
	g.Either(p)
	if mode == "constant" && g.Maybe() {
		g.Either(g.Range(d, 1, 2, 1))
	}
	g.MaybeAttr("mode", mode)
	if mode != "constant" {
		g.c.Attrs = nil
		g.Attr("mode", mode)
	}
}

func contribRange(g *G) {
	d := g.DType("T")
	start, step := g.Between(-4, 4), g.Between(1, 3)
	limit := start + g.IntN(9)
	scalar := func(v int) *tensor.Tensor {
		if g.Maybe() {
			return Ints(d, v)
		}
		return Scalar(d, float64(v))
	}
	g.Either(scalar(start))
	g.Either(scalar(limit))
	if g.Maybe() {
		g.Either(scalar(step))
	}
}

func contribGridSample(g *G) {
	d := g.DType("T1")
	if g.DType("T2") != d {
		g.Skip()
	}
	n := g.Size()
	g.In(g.Tensor(d, n, g.Size(), g.Between(2, 5), g.Between(2, 5)))
	g.In(g.Range(d, -1.25, 1.25, n, g.Between(1, 4), g.Between(1, 4), 2))
	// With bicubic and border, ONNX Runtime treats coordinates between the outermost
	// pixels' centres and edges otherwise than the specification's reference.
	if g.Maybe() {
		g.Attr("mode", "bicubic")
		g.MaybeAttr("padding_mode", Pick(g, "zeros", "reflection"))
	} else {
		g.MaybeAttr("mode", "bilinear")
		g.MaybeAttr("padding_mode", Pick(g, "zeros", "border", "reflection"))
	}
	g.MaybeAttr("align_corners", g.IntN(2))
}

func dynamicSlice(g *G) {
	shape, index := g.Sizes(1, 3), g.DType("Tind")
	n := g.Between(1, len(shape))
	axes := g.Perm(len(shape))[:n]
	whole := n == len(shape) && g.Maybe()
	if whole {
		for i := range axes {
			axes[i] = i
		}
	}
	var starts, ends []int
	for _, a := range axes {
		lo := g.IntN(shape[a])
		hi := g.Between(lo+1, shape[a])
		if g.Maybe() {
			lo -= shape[a]
		}
		starts, ends = append(starts, lo), append(ends, hi)
	}
	g.In(g.Tensor(g.DType("T"), shape...))
	g.Either(Ints(index, starts...))
	g.Either(Ints(index, ends...))
	if !whole {
		g.Either(Ints(index, axes...))
	}
}

func complexMul(g *G) {
	d, shape := g.DType("T"), append(g.Sizes(1, 3), 2)
	g.In(g.Tensor(d, shape...))
	g.In(g.Tensor(d, shape...))
}
