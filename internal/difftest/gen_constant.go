package difftest

import "gort/tensor"

// constantGenerators call operators that make tensors from attributes and sizes.
var constantGenerators = []Generator{
	{Op: "Constant", Make: func(g *G) {
		if g.Since() >= 12 && !g.Forces("T") && g.Maybe() {
			switch g.IntN(6) {
			case 0:
				g.Attr("value_float", float32(1.5))
			case 1:
				g.Attr("value_floats", []float32{1.5, -2})
			case 2:
				g.Attr("value_int", -7)
			case 3:
				g.Attr("value_ints", []int{1, 2, 3})
			case 4:
				g.Attr("value_string", "one")
			case 5:
				g.Attr("value_strings", []string{"one", "two"})
			}
			return
		}
		g.Attr("value", g.Tensor(g.DType("T"), g.Shape(0, 3)...))
	}},
	{Op: "ConstantOfShape", Make: func(g *G) {
		g.Either(Ints(tensor.Int64, g.Shape(0, 3)...))
		d := g.DType("T2")
		if d != tensor.Float32 || g.Maybe() {
			g.Attr("value", g.Tensor(d, 1))
		}
	}},
	{Op: "EyeLike", Make: func(g *G) {
		from, to := g.DType("T1"), g.DType("T2")
		g.In(g.Tensor(from, g.Sizes(2, 2)...))
		if from != to {
			g.Attr("dtype", int(to))
		}
		g.MaybeAttr("k", g.Between(-3, 3))
	}},
	{Op: "Range", Make: func(g *G) {
		d := g.DType("T")
		delta := float64(Pick(g, 1, 2, 3, -1, -2))
		g.Either(Scalar(d, float64(g.Between(-5, 5))))
		g.Either(Scalar(d, float64(g.Between(-5, 5))))
		g.Either(Scalar(d, delta))
		if g.Since() == 27 { // which is newer than ONNX Runtime
			g.AskVersion(11)
		}
	}},
}
