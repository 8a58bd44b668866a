package difftest

import "gort/tensor"

// quantGenerators call the operators on linearly quantized tensors.
var quantGenerators = []Generator{
	{Op: "QLinearMatMul", Make: qlinearMatMul},
	{Op: "MatMulInteger", Make: matMulInteger},
}

// product draws the shapes of two factors as numpy.matmul takes them.
func (g *G) product() (a, b []int) {
	m, k, n := g.Size(), g.Size(), g.Size()
	batch := g.Sizes(0, 2)
	a = append(g.Broadcastable(batch), m, k)
	b = append(g.Broadcastable(batch), k, n)
	return a, b
}

// Weights of 8 bits stay within 7 bits: where both factors are large, ONNX Runtime
// adds up pairs of products in 16 bits on processors without VNNI, and saturates.
const sevenBits = 63

func qlinearMatMul(g *G) {
	da, db, dy := g.DType("T1"), g.DType("T2"), g.DType("T3")
	a, b := g.product()
	scale := tensor.Float32
	if g.Since() >= 21 {
		scale = g.DType("TS")
	}
	zero := func(d tensor.DType) *tensor.Tensor {
		switch d {
		case tensor.Int8:
			return g.Range(d, -8, 8)
		case tensor.Uint8:
			return g.Range(d, 0, 16)
		}
		return Scalar(d, 0)
	}
	g.In(g.Range(da, -100, 100, a...))
	g.Either(Scalar(scale, 1.0/64))
	g.Either(zero(da))
	g.Either(g.Range(db, -sevenBits, sevenBits, b...))
	if g.Maybe() {
		g.Either(g.Range(scale, 1.0/16, 1, b[len(b)-1]))
		g.Either(g.Range(db, 0, 0, b[len(b)-1]))
	} else {
		g.Either(Scalar(scale, 1.0/32))
		g.Either(zero(db))
	}
	g.Either(Scalar(scale, Pick(g, 0.25, 1)))
	g.Either(zero(dy))
}

func matMulInteger(g *G) {
	da, db := g.DType("T1"), g.DType("T2")
	a, b := g.product()
	g.In(g.Range(da, -100, 100, a...))
	g.Either(g.Range(db, -sevenBits, sevenBits, b...))
	if g.Maybe() {
		g.Either(g.Range(da, 0, 9))
		if g.Maybe() {
			g.Either(g.Range(db, 0, 9))
		}
	}
}
