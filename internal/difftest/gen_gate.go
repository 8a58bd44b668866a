package difftest

// gateGenerators call activations that scale a number by how far it is open to pass, and
// running products.
var gateGenerators = []Generator{
	{Op: "Gelu", Wide: asFloat32, Make: func(g *G) {
		g.In(g.Range(g.DType("T"), -4, 4, g.Shape(0, 4)...))
		g.MaybeAttr("approximate", Pick(g, "none", "tanh"))
	}},
	{Op: "Swish", Wide: asFloat32, Make: func(g *G) {
		x := g.Range(g.DType("T"), -4, 4, g.Shape(0, 4)...)
		g.In(x)
		alpha := float32(1)
		if g.Maybe() {
			alpha = float32(g.fraction(-2, 2))
			g.Attr("alpha", alpha)
		}
		// ONNX Runtime has it under another name.
		t := g.Twin("QuickGelu", 1)
		t.c.Domain = microsoft
		t.In(x)
		t.Attr("alpha", alpha)
	}},
	{Op: "SwiGLU", Make: func(g *G) { // which ONNX Runtime lacks; the function body has to agree
		d, shape := g.DType("T"), g.Shape(0, 4)
		g.In(g.Range(d, -4, 4, shape...))
		g.Either(g.Range(d, -4, 4, shape...))
		g.MaybeAttr("alpha", float32(g.fraction(-2, 2)))
	}},
	{Op: "Shrink", Make: func(g *G) {
		g.In(g.Tensor(g.DType("T"), g.Shape(0, 4)...))
		g.MaybeAttr("lambd", float32(g.fraction(0, 3)))
		g.MaybeAttr("bias", float32(g.fraction(0, 2)))
	}},
	{Op: "CumProd", Wide: asFloat32, Make: func(g *G) {
		shape := g.Sizes(1, 3)
		g.In(g.Range(g.DType("T"), 0, 2, shape...))
		g.Either(Scalar(g.DType("T2"), float64(g.Axis(len(shape)))))
		g.MaybeAttr("exclusive", g.IntN(2))
		g.MaybeAttr("reverse", g.IntN(2))
	}},
}
