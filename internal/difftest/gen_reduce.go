package difftest

import "gort/tensor"

// reduceGenerators call reductions, arg reductions, softmaxes and cumulative sums.
var reduceGenerators = append(reductions(), []Generator{
	{Op: "ArgMax", Make: argReduce},
	{Op: "ArgMin", Make: argReduce},
	{Op: "Softmax", Make: softmax},
	{Op: "LogSoftmax", Make: softmax},
	{Op: "Hardmax", Make: softmax},
	{Op: "CumSum", Make: func(g *G) {
		shape := g.Sizes(1, 4)
		g.In(g.Tensor(g.DType("T"), shape...))
		g.Either(Scalar(g.DType("T2"), float64(g.Axis(len(shape)))))
		g.MaybeAttr("exclusive", g.IntN(2))
		g.MaybeAttr("reverse", g.IntN(2))
	}},
}...)

func reductions() []Generator {
	var out []Generator
	for _, name := range []string{"ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean",
		"ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare"} {
		axesInput := 18 // the version in which axes became an input
		if name == "ReduceSum" {
			axesInput = 13
		}
		out = append(out, Generator{Op: name, Make: func(g *G) {
			shape := g.Sizes(1, 4)
			lo, hi := -2.0, 2.0
			if name == "ReduceLogSum" {
				lo = 0.25
			}
			if name == "ReduceProd" {
				lo, hi = 0.5, 1.5 // a long product stays in range
			}
			d := g.DType("T")
			if d.Class() == tensor.ClassInt || d.Class() == tensor.ClassUint {
				if name == "ReduceLogSumExp" && !g.Forces("T") {
					g.Skip() // ONNX Runtime cuts each exponential to an integer
				}
				lo, hi = 1, 2
			}
			g.In(g.Range(d, lo, hi, shape...))
			axes := g.Axes(len(shape), g.Between(1, len(shape)))
			if g.Since() < 11 { // negative axes came with version 11
				for i, a := range axes {
					axes[i] = (a + len(shape)) % len(shape)
				}
			}
			given := g.IntN(4) > 0
			switch {
			case g.Since() >= axesInput:
				if given {
					g.Either(Ints(tensor.Int64, axes...))
				} else if g.Maybe() {
					g.Attr("noop_with_empty_axes", g.IntN(2))
				}
			case given:
				g.Attr("axes", axes)
			}
			g.MaybeAttr("keepdims", g.IntN(2))
		}})
	}
	return out
}

func argReduce(g *G) {
	shape := g.Sizes(1, 4)
	g.In(g.Tensor(g.DType("T"), shape...))
	axis := g.Axis(len(shape))
	if g.Since() < 11 {
		axis = (axis + len(shape)) % len(shape)
	}
	g.MaybeAttr("axis", axis)
	g.MaybeAttr("keepdims", g.IntN(2))
	if g.Since() >= 12 {
		g.MaybeAttr("select_last_index", g.IntN(2))
	}
}

func softmax(g *G) {
	shape := g.Sizes(2, 4)
	axis := g.Axis(len(shape))
	if g.Since() < 11 {
		axis = (axis + len(shape)) % len(shape)
	}
	g.In(g.Tensor(g.DType("T"), shape...))
	g.MaybeAttr("axis", axis)
}
