package difftest

import "gort/tensor"

var postTransforms = []string{"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"}

// postTransform draws one for so many scores. PROBIT needs scores inside (0, 1),
// which linear scores are not.
func postTransform(g *G) string { return Pick(g, postTransforms[:4]...) }

func linearRegressor(g *G) {
	rows, features, targets := g.Size(), g.Between(1, 5), g.Between(1, 3)
	g.In(g.Tensor(g.DType("T"), rows, features))
	g.Attr("coefficients", someFloats(g, targets*features))
	g.Attr("targets", targets)
	if g.Maybe() {
		g.Attr("intercepts", someFloats(g, targets))
	}
	// ONNX Runtime gives a wrong transform for a single target's SOFTMAX_ZERO; NONE
	// and SOFTMAX are what converters write.
	g.MaybeAttr("post_transform", Pick(g, "NONE", "SOFTMAX", "LOGISTIC"))
}

func linearClassifier(g *G) {
	rows, features, classes := g.Size(), g.Between(1, 5), g.Between(2, 4)
	g.In(g.Tensor(g.DType("T1"), rows, features))
	g.OutputCount(2)
	g.Attr("coefficients", someFloats(g, classes*features))
	g.Attr("intercepts", someFloats(g, classes))
	g.classLabels(classes, "classlabels_ints")
	g.MaybeAttr("post_transform", postTransform(g))
}

// classLabels gives the labels as strings or integers, as T2 asks.
func (g *G) classLabels(n int, intsName string) {
	if g.DType("T2") == tensor.String {
		g.Attr("classlabels_strings", pickWords(g.Perm(n)))
		return
	}
	g.Attr(intsName, g.Perm(n))
}

func svmKernel(g *G) {
	g.MaybeAttr("kernel_type", Pick(g, "LINEAR", "POLY", "RBF", "SIGMOID"))
	g.Attr("kernel_params", []float32{Pick[float32](g, 0.0625, 0.25), Pick[float32](g, 0, 0.5), float32(g.Between(1, 3))})
}

func svmRegressor(g *G) {
	rows, features, n := g.Size(), g.Between(1, 4), g.Between(1, 5)
	g.In(g.Range(g.DType("T"), -2, 2, rows, features))
	svmKernel(g)
	g.Attr("rho", someFloats(g, 1))
	g.Attr("support_vectors", someFloats(g, n*features))
	g.Attr("coefficients", someFloats(g, n))
	g.Attr("n_supports", n)
	if g.OneIn(3) {
		g.Attr("one_class", 1)
	}
}

func svmClassifier(g *G) {
	rows, features, classes := g.Size(), g.Between(1, 4), g.Between(2, 4)
	g.In(g.Range(g.DType("T1"), -2, 2, rows, features))
	g.OutputCount(2)
	svmKernel(g)
	per := make([]int, classes)
	n := 0
	for i := range per {
		per[i] = g.Between(1, 3)
		n += per[i]
	}
	pairs := classes * (classes - 1) / 2
	g.Attr("vectors_per_class", per)
	g.Attr("support_vectors", someFloats(g, n*features))
	g.Attr("coefficients", someFloats(g, n*(classes-1)))
	g.Attr("rho", someFloats(g, pairs))
	if g.Maybe() {
		g.Attr("prob_a", someFloats(g, pairs))
		g.Attr("prob_b", someFloats(g, pairs))
	}
	g.classLabels(classes, "classlabels_ints")
	g.MaybeAttr("post_transform", postTransform(g))
}
