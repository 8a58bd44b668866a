package difftest

import "gort/tensor"

// contribNormGenerators call the normalizations that ONNX Runtime adds.
var contribNormGenerators = []Generator{
	{Domain: microsoft, Op: "SkipLayerNormalization", Make: func(g *G) { skipNorm(g, true) }},
	{Domain: microsoft, Op: "SkipSimplifiedLayerNormalization", Make: func(g *G) { skipNorm(g, false) }},
	{Domain: microsoft, Op: "EmbedLayerNormalization", Make: embedLayerNorm},
	{Domain: microsoft, Op: "GroupNorm", Make: contribGroupNorm},
	{Op: "SimplifiedLayerNormalization", Make: func(g *G) {
		d, shape := g.DType("T"), g.Sizes(1, 4)
		if v := g.DType("V"); v != d {
			g.Skip()
		}
		axis := g.Axis(len(shape))
		g.In(g.Tensor(d, shape...))
		g.Either(g.Tensor(d, shape[(axis+len(shape))%len(shape):]...))
		g.Attr("axis", axis)
		g.MaybeAttr("epsilon", float32(1e-3))
		if g.Maybe() {
			g.OutputCount(2)
		}
	}},
	{Op: "LayerNormalization", Make: layerNorm},
}

// skipNorm draws a residual sum; the epsilon keeps rows of equal elements apart from
// those where rounding decides.
func skipNorm(g *G, centred bool) {
	d, shape := g.DType("T"), g.Sizes(3, 3)
	n := shape[2]
	g.In(g.Tensor(d, shape...))
	// ONNX Runtime takes skip in the input's shape, with a batch of 1, or without one.
	switch g.IntN(3) {
	case 0:
		g.Either(g.Tensor(d, shape...))
	case 1:
		g.Either(g.Tensor(d, 1, shape[1], n))
	default:
		g.Either(g.Tensor(d, shape[1:]...))
	}
	g.Either(g.Tensor(d, n))
	if centred {
		if g.Maybe() {
			g.Either(g.Tensor(d, n))
		} else {
			g.Omit()
		}
	}
	if g.Maybe() {
		g.Either(g.Tensor(d, n))
	}
	g.Attr("epsilon", float32(1e-3))
	switch {
	case g.Forces("U"): // ONNX Runtime leaves the statistics unwritten
		g.OutputCount(3)
	case g.Maybe():
		g.Outputs(true, false, false, true)
	}
}

func embedLayerNorm(g *G) {
	d := g.DType("T")
	batch, length, n, vocabulary := g.Size(), g.Size(), g.Size(), g.Between(3, 9)
	ids := func(limit int) *tensor.Tensor { return g.Range(tensor.Int32, 0, float64(limit-1), batch, length) }
	segments := g.Maybe()
	g.In(ids(vocabulary))
	if segments {
		g.In(ids(2))
	} else {
		g.Omit()
	}
	g.Either(g.Tensor(d, vocabulary, n))
	g.Either(g.Tensor(d, length+2, n))
	if segments {
		g.Either(g.Tensor(d, 2, n))
	} else {
		g.Omit()
	}
	g.Either(g.Tensor(d, n))
	g.Either(g.Tensor(d, n))
	mask := g.Maybe()
	if mask {
		g.In(g.Range(tensor.Int32, 0, 1, batch, length))
	}
	if g.Maybe() {
		if !mask {
			g.Omit()
		}
		if g.Maybe() {
			g.In(g.Range(tensor.Int32, 0, float64(length+1), 1, length))
		} else {
			g.In(ids(length + 2))
		}
	}
	g.Attr("epsilon", float32(1e-3))
	g.Outputs(true, true, g.Maybe())
	g.Attr("mask_index_type", 1)
}

func contribGroupNorm(g *G) {
	groups, per := g.Between(1, 3), g.Between(1, 4)
	shape := []int{g.Size(), g.Between(1, 4), g.Between(1, 4), groups * per}
	last := g.Maybe()
	if !last {
		shape = []int{shape[0], shape[3], shape[1], shape[2]}
		g.Attr("channels_last", 0)
	}
	m := g.DType("M")
	g.In(g.Tensor(g.DType("T"), shape...))
	g.Either(g.Tensor(m, groups*per))
	g.Either(g.Tensor(m, groups*per))
	g.Attr("groups", groups)
	g.Attr("activation", g.IntN(2))
}

func layerNorm(g *G) {
	d, shape := g.DType("T"), g.Sizes(1, 4)
	axis := g.Axis(len(shape))
	row := shape[(axis+len(shape))%len(shape):]
	g.In(g.Tensor(d, shape...))
	g.Either(g.Tensor(d, row...))
	if g.Maybe() {
		g.Either(g.Tensor(d, row...))
	}
	g.Attr("axis", axis)
	g.Attr("epsilon", float32(1e-3))
	switch {
	case g.Forces("U"):
		g.Attr("stash_type", int(g.DType("U")))
		g.OutputCount(3)
	case g.Maybe() && d == tensor.Float32:
		g.OutputCount(3)
	}
	if g.Since() == 1 {
		g.AskVersion(17)
	}
}
