package difftest

import "gort/tensor"

// mlGenerators call the operators of ai.onnx.ml but the tree ensembles.
var mlGenerators = []Generator{
	{Domain: ml, Op: "ArrayFeatureExtractor", Make: arrayFeatureExtractor},
	{Domain: ml, Op: "Binarizer", Make: func(g *G) {
		g.In(g.Tensor(g.DType("T"), g.Sizes(1, 3)...))
		g.MaybeAttr("threshold", Pick[float32](g, -1.03, 0, 0.53, 2))
	}},
	{Domain: ml, Op: "FeatureVectorizer", Make: featureVectorizer},
	{Domain: ml, Op: "Imputer", Make: imputer},
	{Domain: ml, Op: "Normalizer", Make: func(g *G) {
		// ONNX Runtime divides by a maximum that may be 0 or negative as the
		// specification's formula says; an all-zero row is 0 under every norm in both.
		g.In(g.Range(g.DType("T"), 1, 9, g.Sizes(1, 2)...))
		g.MaybeAttr("norm", Pick(g, "MAX", "L1", "L2"))
	}},
	{Domain: ml, Op: "Scaler", Make: scaler},
	{Domain: ml, Op: "OneHotEncoder", Make: oneHotEncoder},
	{Domain: ml, Op: "CategoryMapper", Make: categoryMapper},
	{Domain: ml, Op: "LabelEncoder", Make: labelEncoder},
	{Domain: ml, Op: "ZipMap", Make: zipMap},
	{Domain: ml, Op: "LinearRegressor", Make: linearRegressor},
	{Domain: ml, Op: "LinearClassifier", Make: linearClassifier},
	{Domain: ml, Op: "SVMRegressor", Make: svmRegressor},
	{Domain: ml, Op: "SVMClassifier", Make: svmClassifier},
}

const ml = "ai.onnx.ml"

func arrayFeatureExtractor(g *G) {
	shape := g.Sizes(1, 3)
	g.In(g.Tensor(g.DType("T"), shape...))
	// Y may have any shape in the specification's words; ONNX Runtime reads it flat.
	g.Either(g.Range(tensor.Int64, 0, float64(shape[len(shape)-1]-1), g.Between(1, 5)))
}

func featureVectorizer(g *G) {
	d, rows := g.DType("T1"), g.Size()
	var dims []int
	for range g.Between(1, 4) {
		n := g.Size()
		dims = append(dims, n)
		g.In(g.Tensor(d, rows, n))
	}
	g.Attr("inputdimensions", dims)
}

func imputer(g *G) {
	d := g.DType("T")
	shape := g.Sizes(2, 2)
	g.In(g.Range(d, -2, 2, shape...))
	n := Pick(g, 1, shape[1])
	if d == tensor.Int64 || d == tensor.Int32 {
		g.Attr("imputed_value_int64s", someInts(g, n))
		g.MaybeAttr("replaced_value_int64", g.Between(-2, 2))
		return
	}
	g.Attr("imputed_value_floats", someFloats(g, n))
	g.MaybeAttr("replaced_value_float", float32(g.Between(-2, 2)))
}

func scaler(g *G) {
	shape := g.Sizes(1, 2)
	g.In(g.Tensor(g.DType("T"), shape...))
	last := shape[len(shape)-1]
	n := Pick(g, 1, last)
	g.Attr("scale", someFloats(g, n))
	g.Attr("offset", someFloats(g, n))
}

func oneHotEncoder(g *G) {
	d := g.DType("T")
	if d == tensor.String {
		g.In(g.Tensor(d, g.Sizes(1, 2)...))
		g.Attr("cats_strings", []string{"a", "gort", "日本", "ab"})
	} else {
		g.In(g.Range(d, 0, 4, g.Sizes(1, 2)...))
		g.Attr("cats_int64s", []int{2, 0, 4, 1, 3})
	}
	if d != tensor.String {
		g.MaybeAttr("zeros", g.IntN(2))
	}
}

func categoryMapper(g *G) {
	d := g.DType("T1")
	if out := g.DType("T2"); out == d {
		g.Skip()
	}
	names := []string{"a", "b", "gort", "日本"}
	numbers := []int{-3, 0, 2, 7}
	if d == tensor.String {
		g.In(g.Tensor(d, g.Sizes(1, 3)...))
	} else {
		g.In(g.Range(d, -3, 8, g.Sizes(1, 3)...))
	}
	g.Attr("cats_strings", names)
	g.Attr("cats_int64s", numbers)
	g.MaybeAttr("default_string", "other")
	g.MaybeAttr("default_int64", -7)
}

func labelEncoder(g *G) {
	if g.Since() == 1 {
		if g.Maybe() {
			g.In(g.Tensor(tensor.String, g.Sizes(1, 3)...))
		} else {
			g.In(g.Range(tensor.Int64, -1, 4, g.Sizes(1, 3)...))
		}
		g.Attr("classes_strings", []string{"a", "b", "gort", "日本"})
		g.MaybeAttr("default_string", "other")
		g.MaybeAttr("default_int64", -7)
		return
	}
	from, to := g.DType("T1"), g.DType("T2")
	keys := []int{5, -1, 3, 0}
	if from == tensor.String {
		g.In(g.Tensor(from, g.Sizes(0, 3)...))
	} else {
		g.In(tensor.Must(tensor.Convert(g.Range(tensor.Int64, -2, 6, g.Sizes(0, 3)...), from, tensor.ConvertOptions{})))
	}
	if g.Since() == 4 && (g.Maybe() || from == tensor.Int16 || from == tensor.Int32 || from == tensor.Float64 || to == tensor.Int16 || to == tensor.Int32 || to == tensor.Float64) {
		g.Attr("keys_tensor", labels(from, keys))
		g.Attr("values_tensor", labels(to, []int{7, 8, 0, -9}))
		g.Attr("default_tensor", labels(to, []int{11}))
		return
	}
	g.labelAttr("keys", from, keys)
	g.labelAttr("values", to, []int{7, 8, 0, -9})
	switch to {
	case tensor.String:
		g.MaybeAttr("default_string", "other")
	case tensor.Int64:
		g.MaybeAttr("default_int64", -7)
	case tensor.Float32:
		g.MaybeAttr("default_float", float32(0.5))
	}
}

// labels are these numbers, or words that they pick.
func labels(d tensor.DType, numbers []int) *tensor.Tensor {
	if d != tensor.String {
		return Ints(d, numbers...)
	}
	return tensor.Must(tensor.FromSlice(pickWords(numbers), len(numbers)))
}

func pickWords(numbers []int) []string {
	list := make([]string, len(numbers))
	for i, n := range numbers {
		list[i] = words[(n+len(words))%len(words)]
	}
	return list
}

func (g *G) labelAttr(prefix string, d tensor.DType, numbers []int) {
	switch d {
	case tensor.String:
		g.Attr(prefix+"_strings", pickWords(numbers))
	case tensor.Int64:
		g.Attr(prefix+"_int64s", numbers)
	default:
		list := make([]float32, len(numbers))
		for i, n := range numbers {
			list[i] = float32(n)
		}
		g.Attr(prefix+"_floats", list)
	}
}

func zipMap(g *G) {
	n := g.Between(2, 5) // of one class a stored map does not show whether its value is a scalar
	g.In(g.Tensor(tensor.Float32, g.Size(), n))
	if g.Maybe() {
		g.Attr("classlabels_int64s", g.Perm(n))
		return
	}
	g.Attr("classlabels_strings", pickWords(g.Perm(n)))
}

func someFloats(g *G, n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(g.fraction(-2, 2))
	}
	return list
}

func someInts(g *G, n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = g.Between(-3, 3)
	}
	return list
}
