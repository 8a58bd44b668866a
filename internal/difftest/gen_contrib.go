package difftest

const microsoft = "com.microsoft"

// contribActivationGenerators call the activation functions that ONNX Runtime adds.
var contribActivationGenerators = []Generator{
	{Domain: microsoft, Op: "Gelu", Make: func(g *G) { g.In(g.Tensor(g.DType("T"), g.Shape(0, 4)...)) }},
	{Domain: microsoft, Op: "QuickGelu", Make: func(g *G) {
		g.In(g.Tensor(g.DType("T"), g.Shape(0, 4)...))
		g.MaybeAttr("alpha", float32(g.fraction(0.5, 2)))
	}},
	{Domain: microsoft, Op: "FastGelu", Make: func(g *G) { biasedActivation(g, g.Maybe()) }},
	{Domain: microsoft, Op: "BiasGelu", Make: func(g *G) { biasedActivation(g, true) }},
	{Op: "ParametricSoftplus", Make: alphaBeta(true)},
	{Op: "ScaledTanh", Make: alphaBeta(true)},
	{Op: "Affine", Make: alphaBeta(false)},
}

func biasedActivation(g *G, bias bool) {
	d, shape := g.DType("T"), g.Sizes(1, 4)
	g.In(g.Tensor(d, shape...))
	if bias {
		g.Either(g.Tensor(d, shape[len(shape)-1]))
	}
}

func alphaBeta(required bool) func(g *G) {
	return func(g *G) {
		g.In(g.Tensor(g.DType("T"), g.Shape(0, 4)...))
		for _, name := range []string{"alpha", "beta"} {
			if required || g.Maybe() {
				g.Attr(name, float32(g.fraction(0.25, 2)))
			}
		}
	}
}
