package difftest

import (
	"slices"

	"gort/tensor"
)

// contribMatmulGenerators call the products and convolutions that ONNX Runtime adds.
var contribMatmulGenerators = []Generator{
	{Domain: microsoft, Op: "SparseToDenseMatMul", Make: sparseMatMul},
	{Domain: microsoft, Op: "FusedMatMul", Make: func(g *G) { fusedMatMul(g, true) }},
	{Domain: microsoft, Op: "TransposeMatMul", Make: func(g *G) { fusedMatMul(g, false) }},
	{Domain: microsoft, Op: "FusedGemm", Make: fusedGemm},
	{Domain: microsoft, Op: "CDist", Make: func(g *G) {
		d, n := g.DType("T"), g.Size()
		g.In(g.Tensor(d, g.Size(), n))
		g.Either(g.Tensor(d, g.Size(), n))
		g.MaybeAttr("metric", Pick(g, "sqeuclidean", "euclidean"))
		// ONNX Runtime takes |a|^2 - 2ab + |b|^2, which is off near 0.
	}, ATol: 2e-3},
	{Domain: microsoft, Op: "FusedConv", Make: fusedConv},
}

// fusedMatMul draws two factors with the same batch, each perhaps transposed.
func fusedMatMul(g *G, moveBatch bool) {
	d := g.DType("T")
	m, k, n := g.Size(), g.Size(), g.Size()
	batch := g.Sizes(0, 2)
	factor := func(name string, rows, cols int) []int {
		if g.Maybe() {
			rows, cols = cols, rows
			g.Attr("trans"+name, 1)
		}
		s := append(slices.Clone(batch), rows, cols)
		if moveBatch && len(batch) > 0 && g.Maybe() {
			g.Attr("transBatch"+name, 1)
			// The first dimension moves before the last: written the other way round.
			s = slices.Insert(append(slices.Clone(batch), cols), 0, rows)
		}
		return s
	}
	a, b := factor("A", m, k), factor("B", k, n)
	g.In(g.Tensor(d, a...))
	g.Either(g.Tensor(d, b...))
	g.MaybeAttr("alpha", float32(g.fraction(0.25, 2)))
}

// gemm draws the shapes of two matrices whose product is m x n, and the attributes
// that say which of them is transposed.
func (g *G) gemm() (a, b []int, m, n int) {
	m, k, n := g.Size(), g.Size(), g.Size()
	a, b = []int{m, k}, []int{k, n}
	if g.Maybe() {
		a = []int{k, m}
		g.Attr("transA", 1)
	}
	if g.Maybe() {
		b = []int{n, k}
		g.Attr("transB", 1)
	}
	return a, b, m, n
}

func fusedGemm(g *G) {
	d := g.DType("T")
	a, b, m, n := g.gemm()
	g.In(g.Tensor(d, a...))
	g.Either(g.Tensor(d, b...))
	if g.Maybe() {
		g.Either(g.Tensor(d, Pick(g, []int{m, n}, []int{n}, []int{1}, []int{m, 1})...))
	}
	g.MaybeAttr("alpha", float32(g.fraction(0.25, 2)))
	g.MaybeAttr("beta", float32(g.fraction(0.25, 2)))
	switch name := Pick(g, "Relu", "LeakyRelu", "Sigmoid", "Tanh", "Elu", "HardSigmoid", "Selu", "Softplus"); name {
	case "LeakyRelu", "Elu":
		g.Attr("activation", name)
		g.Attr("activation_alpha", float32(g.fraction(0.125, 1)))
	case "HardSigmoid":
		g.Attr("activation", name)
		g.Attr("activation_alpha", float32(g.fraction(0.125, 1)))
		g.Attr("activation_beta", float32(g.fraction(0.125, 1)))
	case "Selu":
		g.Attr("activation", name)
		g.Attr("activation_alpha", float32(g.fraction(0.125, 2)))
		g.Attr("activation_gamma", float32(g.fraction(0.125, 2)))
	default:
		g.Attr("activation", name)
	}
}

func fusedConv(g *G) {
	d := g.DType("T")
	group, per, out := g.Between(1, 2), g.Between(1, 3), g.Between(1, 3)
	kernel := []int{g.Between(1, 3), g.Between(1, 3)}
	x := []int{g.Between(1, 2), group * per, g.Between(4, 7), g.Between(4, 7)}
	g.In(g.Tensor(d, x...))
	g.Either(g.Tensor(d, group*out, per, kernel[0], kernel[1]))
	pads := []int{g.IntN(2), g.IntN(2), g.IntN(2), g.IntN(2)}
	z := []int{x[0], group * out, x[2] + pads[0] + pads[2] - kernel[0] + 1, x[3] + pads[1] + pads[3] - kernel[1] + 1}
	bias, sum := g.Maybe(), g.OneIn(3)
	if bias {
		g.Either(g.Tensor(d, group*out))
	} else if sum {
		g.Omit()
	}
	if sum {
		g.In(g.Tensor(d, z...))
	}
	g.Attr("group", group)
	g.Attr("pads", pads)
	g.MaybeAttr("kernel_shape", kernel)
	switch name := Pick(g, "Relu", "LeakyRelu", "Sigmoid", "Tanh", "HardSigmoid", "Clip"); name {
	case "LeakyRelu":
		g.Attr("activation", name)
		g.Attr("activation_params", []float32{0.25})
	case "HardSigmoid":
		g.Attr("activation", name)
		g.Attr("activation_params", []float32{0.25, 0.5})
	case "Clip":
		g.Attr("activation", name)
		g.Attr("activation_params", []float32{-1, 2.5})
	default:
		g.Attr("activation", name)
	}
}

// sparseMatMul has mostly zeros on the left. The models of this package have no sparse
// tensors, so ONNX Runtime is asked its operator for dense ones.
func sparseMatMul(g *G) {
	d := g.DType("T1")
	a, b, _, _ := g.gemm()
	sparse := tensor.Must(tensor.Convert(g.Tensor(d, a...), tensor.Float64, tensor.ConvertOptions{}))
	list := tensor.Elements[float64](sparse)
	for i := range list {
		if g.IntN(3) > 0 {
			list[i] = 0
		}
	}
	g.Const(tensor.Must(tensor.Convert(sparse, d, tensor.ConvertOptions{})))
	g.In(g.Tensor(d, b...))
	if d.Class() == tensor.ClassFloat {
		g.MaybeAttr("alpha", float32(0.5))
	} else {
		g.MaybeAttr("alpha", float32(3))
	}
	g.AskVersion(1).c.Op = "FusedMatMul"
}
