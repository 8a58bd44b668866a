package difftest

import "gort/tensor"

// quantGenerators call the operators on linearly quantized tensors.
var quantGenerators = []Generator{
	{Op: "QLinearMatMul", Make: qlinearMatMul},
	{Op: "MatMulInteger", Make: matMulInteger},
	{Op: "ConvInteger", Make: convInteger},
	{Op: "QLinearConv", Make: qlinearConv},
	{Op: "QuantizeLinear", Make: quantizeLinear},
	{Op: "DequantizeLinear", Make: dequantizeLinear},
	{Op: "DynamicQuantizeLinear", Make: func(g *G) { g.In(g.Range(g.DType("T1"), -4, 4, g.Sizes(0, 3)...)) }},
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

// scales draws the shape of the scales of a tensor of that shape, and writes the
// attributes axis and block_size: one for all elements, or one for each index of an
// axis, or, from version 21 on, one for each block along the axis.
func (g *G) scales(shape []int) []int {
	kind := g.IntN(3)
	if kind == 0 || len(shape) == 0 || g.Since() < 13 || len(shape) < 2 && g.Maybe() {
		return nil
	}
	axis := g.Axis(len(shape))
	at := (axis + len(shape)) % len(shape)
	if at == 1 && g.Maybe() {
		axis = 1 // the default
	} else {
		g.Attr("axis", axis)
	}
	if kind == 1 || g.Since() < 21 || len(shape) < 2 {
		return []int{shape[at]}
	}
	block := g.Between(1, shape[at])
	g.Attr("block_size", block)
	out := append([]int(nil), shape...)
	out[at] = (shape[at] + block - 1) / block
	return out
}

// powersOfTwo returns scales that every type of a scale has.
func (g *G) powersOfTwo(d tensor.DType, shape ...int) *tensor.Tensor {
	t := g.Range(tensor.Int32, 1, 3, shape...)
	list := make([]float64, t.Size())
	for i, v := range tensor.Elements[int32](t) {
		list[i] = 1 / float64(int(1)<<v)
	}
	if d == tensor.Int32 {
		for i := range list {
			list[i] = 1 / list[i]
		}
	}
	return tensor.Must(tensor.Convert(fromSlice(list, shape), d, tensor.ConvertOptions{}))
}

// zeroPoint returns zero points; floating-point types have none but 0.
func (g *G) zeroPoint(d tensor.DType, shape ...int) *tensor.Tensor {
	if d.Class() == tensor.ClassFloat || d == tensor.Int32 {
		return g.Range(d, 0, 0, shape...)
	}
	return g.Range(d, -3, 7, shape...)
}

// narrow types are fed neither to ONNX Runtime nor read from it.
func narrow(d tensor.DType) bool { return d.Bits() < 8 }

func quantizeLinear(g *G) {
	outVar, x := "T2", g.DType("T1")
	scale := tensor.Float32
	switch since := g.Since(); {
	case since >= 23:
		outVar, scale = "T3", g.DType("T2")
	case since >= 19:
		scale = x
	}
	y := g.DType(outVar)
	shape := g.Sizes(0, 3)
	units := g.scales(shape)
	g.In(g.Range(x, -40, 40, shape...))
	g.Either(g.powersOfTwo(scale, units...))
	switch {
	case g.Maybe() || g.Since() < 21 && y != tensor.Uint8:
		z := g.zeroPoint(y, units...)
		if narrow(y) {
			g.Const(z)
		} else {
			g.Either(z)
		}
	case y != tensor.Uint8 || g.Maybe() && g.Since() >= 21:
		g.Attr("output_dtype", int(y))
	}
	if g.Since() >= 19 && y.Class() == tensor.ClassFloat {
		g.MaybeAttr("saturate", g.IntN(2))
	}
	if g.Since() >= 23 && g.OneIn(4) {
		g.Attr("precision", int(tensor.Float32))
	}
}

func dequantizeLinear(g *G) {
	inVar, scale := "T", tensor.Float32
	if g.Since() >= 19 {
		inVar, scale = "T1", g.DType("T2")
	}
	x, shape := g.DType(inVar), g.Sizes(0, 3)
	if g.Since() >= 23 {
		y := g.DType("T3")
		if y != scale || g.Maybe() {
			g.Attr("output_dtype", int(y))
		}
	}
	units := g.scales(shape)
	g.Data(g.Range(x, -120, 250, shape...))
	g.Either(g.powersOfTwo(scale, units...))
	if g.Maybe() {
		g.Data(g.zeroPoint(x, units...))
	}
}

func convInteger(g *G) {
	dx, dw := g.DType("T1"), g.DType("T2")
	x, w := g.convolution(2)
	g.In(g.Range(dx, -100, 100, x...))
	g.Either(g.Range(dw, -sevenBits, sevenBits, w...))
	if g.Maybe() {
		g.Either(g.Range(dx, 0, 9))
		if g.Maybe() {
			g.Either(Scalar(dw, float64(g.IntN(9))))
		}
	}
}

func qlinearConv(g *G) {
	dx, dw, dy := g.DType("T1"), g.DType("T2"), g.DType("T3")
	x, w := g.convolution(2)
	perFilter := []int{}
	if g.Maybe() {
		perFilter = w[:1]
	}
	g.In(g.Range(dx, -100, 100, x...))
	g.operand(dx, 1.0/16)
	g.Const(g.Range(dw, -sevenBits, sevenBits, w...))
	g.Const(g.powersOfTwo(tensor.Float32, perFilter...))
	g.Const(g.Range(dw, 0, 0, perFilter...))
	g.operand(dy, 4)
	if g.Maybe() {
		g.Const(g.Range(tensor.Int32, -500, 500, w[0]))
	}
}
