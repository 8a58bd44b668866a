package difftest

// elementwiseGenerators call operators that work element by element.
var elementwiseGenerators = []Generator{
	{Op: "Abs", Make: func(g *G) {
		g.In(g.Tensor(g.DType("T"), g.Shape(0, 4)...))
		if g.Since() == 1 {
			g.AskVersion(6) // ONNX Runtime begins there
		}
	}},
}
