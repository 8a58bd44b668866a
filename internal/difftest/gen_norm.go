package difftest

import "gort/tensor"

// normGenerators call normalisations.
var normGenerators = []Generator{
	{Op: "BatchNormalization", Make: batchNorm, Wide: asFloat32},
	{Op: "InstanceNormalization", Make: instanceNorm, Wide: asFloat32},
	{Op: "GroupNormalization", Make: groupNorm, Wide: asFloat32},
	{Op: "RMSNormalization", Make: rmsNorm, Wide: asFloat32},
	{Op: "LRN", Make: lrn, Wide: asFloat32},
	{Op: "LpNormalization", Wide: asFloat32, Make: func(g *G) {
		shape := g.Sizes(1, 3)
		g.In(g.Tensor(g.DType("T"), shape...))
		g.MaybeAttr("axis", g.Axis(len(shape)))
		g.MaybeAttr("p", g.Between(1, 2))
	}},
	{Op: "MeanVarianceNormalization", Wide: asFloat32, Make: func(g *G) {
		if g.Since() == 1 {
			g.In(g.Tensor(g.DType("T"), g.Between(1, 3), g.Between(1, 3), g.Between(2, 4), g.Between(2, 4)))
			g.MaybeAttr("across_channels", g.IntN(2))
			g.MaybeAttr("normalize_variance", g.IntN(2))
			return
		}
		rank := 4
		if axes := g.IntN(3); axes > 0 {
			rank = g.Between(2, 5)
			g.Attr("axes", g.Axes(rank, g.Between(1, rank)))
		}
		shape := make([]int, rank)
		for i := range shape {
			shape[i] = g.Between(2, 4)
		}
		g.In(g.Tensor(g.DType("T"), shape...))
	}},
}

func batchNorm(g *G) {
	names := map[bool][3]string{true: {"T", "T1", "T2"}, false: {"T", "T", "T"}}[g.Since() >= 15]
	if g.Since() == 14 {
		names = [3]string{"T", "T", "U"}
	}
	d := map[string]tensor.DType{}
	for _, n := range names {
		if _, ok := d[n]; !ok {
			d[n] = g.DType(n)
		}
	}
	shape := append([]int{g.Between(1, 3), g.Between(1, 4)}, g.Sizes(0, 2)...)
	g.In(g.Tensor(d[names[0]], shape...))
	channels := shape[1:2]
	if g.Since() == 7 && g.OneIn(3) {
		g.Attr("spatial", 0)
		channels = shape[1:]
	}
	g.Either(g.Range(d[names[1]], 0.5, 2, channels...))
	g.Either(g.Range(d[names[1]], -2, 2, channels...))
	g.Either(g.Range(d[names[2]], -2, 2, channels...))
	g.Either(g.Range(d[names[2]], 0.5, 2, channels...))
	switch since := g.Since(); {
	case since < 7: // ONNX Runtime begins at version 7, which has no attribute for testing
		t := g.Twin("BatchNormalization", 7)
		t.c.Inputs = g.c.Inputs
		if since == 1 {
			g.Attr("consumed_inputs", []int{0, 0, 0, 1, 1})
		}
		g.Attr("is_test", 1)
		if g.Maybe() {
			g.Attr("epsilon", float32(0.25))
			t.Attr("epsilon", float32(0.25))
		}
		return
	case since >= 14 && (g.OneIn(3) || g.Forces(names[2])):
		g.Attr("training_mode", 1)
		g.OutputCount(3)
	}
	g.MaybeAttr("epsilon", float32(0.25))
	g.MaybeAttr("momentum", float32(0.75))
}

func instanceNorm(g *G) {
	d := g.DType("T")
	shape := append([]int{g.Between(1, 3), g.Between(1, 4)}, g.Between(2, 5), g.Between(1, 4))
	g.In(g.Tensor(d, shape...))
	g.Either(g.Range(d, 0.5, 2, shape[1]))
	g.Either(g.Range(d, -2, 2, shape[1]))
	if g.Since() == 1 {
		g.Twin("InstanceNormalization", 6).c.Inputs = g.c.Inputs
		g.Attr("consumed_inputs", []int{0, 0, 0})
		return
	}
	g.MaybeAttr("epsilon", float32(0.25))
}

// rowsFrom draws a shape and an axis from which on it is normalised.
func (g *G) rowsFrom() (shape, row []int) {
	shape = append(g.Sizes(0, 2), g.Between(2, 9))
	axis := g.Axis(len(shape))
	if at := (axis + len(shape)) % len(shape); at != len(shape)-1 || g.Maybe() {
		g.Attr("axis", axis)
		return shape, shape[at:]
	}
	return shape, shape[len(shape)-1:]
}

func rmsNorm(g *G) {
	shape, row := g.rowsFrom()
	d := g.DType("T")
	scale := d // of two types the body rounds once more
	if g.Forces("V") {
		scale = g.DType("V")
	}
	g.In(g.Tensor(d, shape...))
	g.Either(g.Range(scale, 0.5, 2, row...))
	g.MaybeAttr("epsilon", float32(0.25))
}

func groupNorm(g *G) {
	d := g.DType("T")
	groups, per := g.Between(1, 3), g.Between(1, 3)
	shape := append([]int{g.Between(1, 2), groups * per, g.Between(2, 4)}, g.Sizes(0, 1)...)
	each := groups // before version 21 a scale and bias are of a group
	if g.Since() >= 21 {
		each *= per
	}
	g.In(g.Tensor(d, shape...))
	g.Either(g.Range(d, 0.5, 2, each))
	g.Either(g.Range(d, -2, 2, each))
	g.Attr("num_groups", groups)
	g.MaybeAttr("epsilon", float32(0.25))
}

func lrn(g *G) {
	g.In(g.Tensor(g.DType("T"), g.Between(1, 2), g.Between(1, 6), g.Between(1, 3), g.Between(1, 3)))
	g.Attr("size", Pick(g, 1, 3, 5))
	g.MaybeAttr("alpha", float32(0.5))
	g.MaybeAttr("beta", float32(0.5))
	g.MaybeAttr("bias", float32(2))
}
