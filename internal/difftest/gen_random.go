package difftest

import "gort/tensor"

// randomGenerators call operators that draw numbers where there is only one to draw,
// which shows shapes, element types and offsets. (That they draw as they should is for
// tests of distributions.)
var randomGenerators = []Generator{
	{Op: "RandomNormal", Make: func(g *G) { g.drawn("T"); g.spread("mean", "scale") }},
	{Op: "RandomUniform", Make: func(g *G) { g.drawn("T"); g.spread("low", "high") }},
	{Op: "RandomNormalLike", Make: func(g *G) { g.like("T1", "T2"); g.spread("mean", "scale") }},
	{Op: "RandomUniformLike", Make: func(g *G) { g.like("T1", "T2"); g.spread("low", "high") }},
	{Op: "Bernoulli", Make: bernoulli},
	{Op: "Multinomial", Make: multinomial},
}

// drawn writes the attributes of an operator that has its shape as an attribute.
func (g *G) drawn(variable string) {
	if d := g.DType(variable); d != tensor.Float32 || g.Maybe() {
		g.Attr("dtype", int(d))
	}
	g.Attr("shape", g.Shape(1, 4)) // an empty list is no shape to ONNX Runtime
}

// like adds an operand whose shape the output has, and its type unless dtype says more.
func (g *G) like(in, out string) {
	d := g.DType(in)
	g.In(g.Tensor(d, g.Shape(0, 3)...))
	if allowed := g.Def.Signature().Types[out].Tensor; g.Forces(out) || !allowed.Has(d) || g.Maybe() {
		g.Attr("dtype", int(g.DType(out)))
	}
}

// spread writes the attributes of a distribution that has one value: no deviation from
// the mean to speak of (ONNX Runtime aborts where it is 0), or as much at the upper end
// as at the lower. ONNX Runtime is asked for an older version of the same.
func (g *G) spread(at, width string) {
	v := float32(g.fraction(-4, 4))
	g.Attr(at, v)
	if width == "scale" {
		v = 1e-30
	}
	g.Attr(width, v)
	g.MaybeAttr("seed", float32(g.IntN(100)))
	if g.Since() > 1 {
		g.AskVersion(1)
	}
}

// bernoulli draws what is certain. ONNX Runtime runs the function body of ONNX, which
// compares the wrong way round and draws 1 with one minus the probability that the text
// says; it is asked for the opposite.
func bernoulli(g *G) {
	d, shape := g.DType("T1"), g.Shape(0, 3)
	n := tensor.Shape(shape).Size()
	list, opposite := make([]float64, n), make([]float64, n)
	for i := range list {
		list[i] = float64(g.IntN(2))
		opposite[i] = 1 - list[i]
	}
	g.In(tensor.Must(tensor.Convert(fromSlice(list, shape), d, tensor.ConvertOptions{})))
	t := g.Twin("Bernoulli", 15)
	t.In(tensor.Must(tensor.Convert(fromSlice(opposite, shape), d, tensor.ConvertOptions{})))
	if g.Forces("T2") || g.Maybe() {
		to := int(g.DType("T2"))
		g.Attr("dtype", to)
		t.Attr("dtype", to)
	}
	g.MaybeAttr("seed", float32(g.IntN(100)))
}

// multinomial has one class in each row that is e^500 times as likely as the others.
func multinomial(g *G) {
	d, rows, classes := g.DType("T1"), g.Between(1, 4), g.Between(1, 6)
	list := make([]float64, rows*classes)
	for r := range rows {
		list[r*classes+g.IntN(classes)] = 500
	}
	g.In(tensor.Must(tensor.Convert(fromSlice(list, []int{rows, classes}), d, tensor.ConvertOptions{})))
	if to := g.DType("T2"); to != tensor.Int32 || g.Maybe() {
		g.Attr("dtype", int(to))
	}
	g.MaybeAttr("sample_size", g.Between(1, 5))
	g.MaybeAttr("seed", float32(g.IntN(100)))
	if g.Since() > 7 {
		g.AskVersion(7)
	}
}
