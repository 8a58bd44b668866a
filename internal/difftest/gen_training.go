package difftest

// trainingGenerators call the optimisers. ONNX Runtime has no kernel for them; the
// formula tests compare them.
var trainingGenerators = []Generator{
	{Domain: training, Op: "Adagrad", Make: func(g *G) {
		g.optimizer(3, false)
		g.MaybeAttr("decay_factor", float32(0.25))
		g.MaybeAttr("norm_coefficient", float32(0.125))
		g.Attr("epsilon", float32(1.0/64)) // sums of squares may be 0
	}},
	{Domain: training, Op: "Adam", Make: func(g *G) {
		g.optimizer(4, true)
		g.MaybeAttr("alpha", float32(0.75))
		g.MaybeAttr("beta", float32(0.875))
		g.MaybeAttr("norm_coefficient", float32(0.125))
		g.MaybeAttr("norm_coefficient_post", float32(0.25))
		g.Attr("epsilon", float32(1.0/64))
	}},
	{Domain: training, Op: "Momentum", Make: func(g *G) {
		g.optimizer(3, false)
		g.Attr("alpha", float32(0.75))
		g.Attr("beta", float32(g.fraction(0, 1)))
		g.Attr("mode", Pick(g, "standard", "nesterov"))
		g.Attr("norm_coefficient", float32(g.fraction(0, 1)))
	}},
}

const training = "ai.onnx.preview.training"

// optimizer adds the learning rate, the number of updates so far and groups of tensors:
// values, gradients and states, of which squares are not negative.
func (g *G) optimizer(groups int, squares bool) {
	g.In(Scalar(g.DType("T1"), g.fraction(0.0625, 1)))
	g.In(Scalar(g.DType("T2"), float64(g.Between(0, 3))))
	d, n := g.DType("T3"), g.Between(1, 3)
	shapes := make([][]int, n)
	for i := range shapes {
		shapes[i] = g.Shape(0, 3)
	}
	for k := range groups {
		for _, s := range shapes {
			lo := -4.0
			if k == groups-1 && (squares || g.c.Op == "Adagrad") {
				lo = 0
			}
			g.In(g.Range(d, lo, 4, s...))
		}
	}
	g.OutputCount(n * (groups - 1))
}
