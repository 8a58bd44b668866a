package difftest

import "gort/tensor"

// lossGenerators call losses, and dropout where nothing is dropped.
var lossGenerators = []Generator{
	{Op: "NegativeLogLikelihoodLoss", Make: func(g *G) { loss(g) }},
	{Op: "SoftmaxCrossEntropyLoss", Make: func(g *G) {
		loss(g)
		if g.Maybe() {
			g.OutputCount(2)
		}
	}},
	{Op: "Dropout", Make: dropout},
}

func loss(g *G) {
	d, index := g.DType("T"), g.DType("Tind")
	batch, classes, rest := g.Between(1, 3), g.Between(1, 5), g.Sizes(0, 2)
	g.In(g.Range(d, -4, 4, append([]int{batch, classes}, rest...)...))
	target := g.Range(index, 0, float64(classes-1), append([]int{batch}, rest...)...)
	if g.Maybe() {
		// A class that is ignored, or a number that is none. With the mean of nothing
		// the specification's own formula divides by 0, so one target counts.
		ignored := Pick(g, -1, 0, classes)
		g.Attr("ignore_index", ignored)
		if ignored < 0 || ignored == classes {
			list := tensor.Elements[int64](tensor.Must(tensor.Convert(target, tensor.Int64, tensor.ConvertOptions{})))
			for i := range list[1:] {
				if g.OneIn(3) {
					list[i+1] = int64(ignored)
				}
			}
			target = tensor.Must(tensor.Convert(fromSlice(list, target.Shape()), index, tensor.ConvertOptions{}))
		} else if classes == 1 {
			g.Skip()
		} else {
			list := tensor.Elements[int64](tensor.Must(tensor.Convert(target, tensor.Int64, tensor.ConvertOptions{})))
			list[0] = int64(classes - 1)
			target = tensor.Must(tensor.Convert(fromSlice(list, target.Shape()), index, tensor.ConvertOptions{}))
		}
	}
	g.In(target)
	if g.Maybe() {
		g.Either(g.Range(d, 0.5, 2, classes))
	}
	g.MaybeAttr("reduction", Pick(g, "mean", "sum", "none"))
}

// dropout is called where it passes everything on. (That it drops as it should is
// for tests of distributions.)
func dropout(g *G) {
	g.In(g.Tensor(g.DType("T"), g.Shape(0, 3)...))
	switch since := g.Since(); {
	case since < 7:
		g.Attr("is_test", 1)
		g.MaybeAttr("ratio", float32(0.25))
		t := g.Twin("Dropout", 7)
		t.In(g.c.Inputs[0].Value)
		return
	case since < 12:
		g.MaybeAttr("ratio", float32(0.25))
		// What a mask holds when nothing is dropped, versions before 12 leave open; gort
		// says true as the later ones do, ONNX Runtime false.
		if g.Forces("T1") {
			g.OutputCount(2)
		}
		return
	default:
		g.MaybeAttr("seed", g.IntN(100))
		training := g.Forces("T2") || g.Maybe()
		ratio := 0.5
		if training {
			ratio = 0
		}
		if training || g.Forces("T1") || g.Maybe() {
			g.Either(Scalar(g.DType("T1"), ratio))
		}
		if training {
			g.Either(tensor.Scalar(g.Maybe()))
		}
	}
	if g.Maybe() {
		g.OutputCount(2)
	}
}
