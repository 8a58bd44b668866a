package difftest

import "gort/tensor"

// contribQuantGenerators call the quantized operators that ONNX Runtime adds. Scales
// are powers of two, so that no result depends on the order of multiplications and
// every implementation rounds the same number.
var contribQuantGenerators = []Generator{
	{Domain: microsoft, Op: "QuantizeLinear", Make: func(g *G) {
		d, q, shape := g.DType("T1"), g.DType("T2"), g.Sizes(1, 4)
		g.In(g.Tensor(d, shape...))
		n, axis := g.quantAxis(shape)
		g.Either(g.powers(d, n))
		g.Either(g.zeros(q, n))
		g.quantAttr(axis)
	}},
	{Domain: microsoft, Op: "DequantizeLinear", Make: func(g *G) {
		d, q, shape := g.DType("T2"), g.DType("T1"), g.Sizes(1, 4)
		x := g.Range(q, -100, 100, shape...)
		if q.Packed() {
			g.Const(x) // the program that runs ONNX Runtime reads no packed inputs
		} else {
			g.In(x)
		}
		n, axis := g.quantAxis(shape)
		g.Either(g.powers(d, n))
		if q != tensor.Int32 && g.Maybe() {
			g.Either(g.zeros(q, n))
		}
		g.quantAttr(axis)
	}},
	{Domain: microsoft, Op: "QLinearAdd", Make: qlinearArithmetic},
	{Domain: microsoft, Op: "QLinearMul", Make: qlinearArithmetic},
	{Domain: microsoft, Op: "QLinearSigmoid", Make: func(g *G) { qlinearUnary(g, 1.0/256) }},
	{Domain: microsoft, Op: "QLinearLeakyRelu", Make: func(g *G) {
		qlinearUnary(g, 1.0/8)
		g.Attr("alpha", float32(0.25))
	}},
	{Domain: microsoft, Op: "QLinearSoftmax", Make: func(g *G) {
		d, shape := g.DType("T"), g.Sizes(2, 3)
		g.In(g.quantized(d, shape...))
		g.Const(Scalar(tensor.Float32, 1.0/16))
		g.Const(g.zeros(d, 0))
		// With a scale of 1/256 a probability of 1 does not fit, and ONNX Runtime wraps.
		g.Const(Scalar(tensor.Float32, 1.0/128))
		g.Const(Scalar(d, map[bool]float64{true: 0, false: -128}[d == tensor.Uint8]))
		g.Attr("opset", Pick(g, 11, 13))
		g.Attr("axis", g.Axis(len(shape)))
	}},
	{Domain: microsoft, Op: "QLinearAveragePool", Make: qlinearAveragePool},
	{Domain: microsoft, Op: "QLinearGlobalAveragePool", Make: func(g *G) {
		d := g.DType("T")
		g.In(g.quantized(d, g.Between(1, 2), g.Size(), 2, 4))
		g.operand(d, 1.0/16)
		g.operand(d, 1.0/32)
		g.MaybeAttr("channels_last", g.IntN(2))
	}},
	{Domain: microsoft, Op: "QLinearConcat", Make: qlinearConcat},
	{Domain: microsoft, Op: "QLinearWhere", Make: func(g *G) {
		d, shape := g.DType("T"), g.Sizes(1, 3)
		g.In(g.Tensor(tensor.Bool, g.Broadcastable(shape)...))
		g.In(g.quantized(d, shape...))
		g.operand(d, 1.0/16)
		g.In(g.quantized(d, g.Broadcastable(shape)...))
		g.operand(d, 1.0/32)
		g.operand(d, 1.0/8)
	}},
	{Domain: microsoft, Op: "NhwcMaxPool", Make: func(g *G) {
		g.In(g.quantized(g.DType("T"), g.Between(1, 2), g.Between(3, 6), g.Between(3, 6), g.Size()))
		g.Attr("kernel_shape", []int{g.Between(1, 3), g.Between(1, 3)})
		g.MaybeAttr("strides", []int{g.Between(1, 2), g.Between(1, 2)})
	}},
	{Domain: microsoft, Op: "QLinearConv", Make: contribQLinearConv},
	{Domain: microsoft, Op: "QGemm", Make: qgemm},
	{Domain: microsoft, Op: "DynamicQuantizeMatMul", Make: dynamicQuantizeMatMul},
	{Domain: microsoft, Op: "MatMulIntegerToFloat", Make: matMulIntegerToFloat},
	{Domain: microsoft, Op: "MatMulInteger16", Make: func(g *G) {
		a, b := g.product()
		// ONNX Runtime has the signed product only; the unsigned one follows g.forced.
		da, db := tensor.Int16, tensor.Int16
		if g.Forces("T1") || g.Forces("T2") || g.Forces("T3") {
			da, db = g.DType("T1"), g.DType("T2")
			if g.Forces("T3") && g.DType("T3") == tensor.Uint32 {
				da, db = tensor.Uint16, tensor.Uint16
			}
		}
		g.In(g.Range(da, -3000, 3000, a...))
		g.In(g.Range(db, -3000, 3000, b...))
	}},
	{Domain: microsoft, Op: "QEmbedLayerNormalization", Make: qembedLayerNorm},
	{Domain: microsoft, Op: "DynamicQuantizeLSTM", Make: dynamicQuantizeLSTM},
}

// quantized returns elements over most of an 8-bit type.
func (g *G) quantized(d tensor.DType, shape ...int) *tensor.Tensor {
	return g.Range(d, -120, 250, shape...)
}

// zeros returns zero points: a scalar for n = 0, else a vector.
func (g *G) zeros(d tensor.DType, n int) *tensor.Tensor {
	if n == 0 {
		return g.Range(d, 0, 7)
	}
	return g.Range(d, 0, 7, n)
}

// powers returns powers of two as scales: one for n = 0, else a vector.
func (g *G) powers(d tensor.DType, n int) *tensor.Tensor {
	if n == 0 {
		return g.powersOfTwo(d)
	}
	return g.powersOfTwo(d, n)
}

// anyScales returns scales in [lo, hi] that are no powers of two.
func (g *G) anyScales(lo, hi float64, shape ...int) *tensor.Tensor {
	n := 1
	for _, s := range shape {
		n *= s
	}
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(lo + g.Float64()*(hi-lo))
	}
	return fromSlice(list, shape)
}

const noAxis = -100

// quantAxis draws one scale for all, or one along an axis.
func (g *G) quantAxis(shape []int) (n, axis int) {
	if g.Maybe() {
		return 0, noAxis
	}
	axis = g.Axis(len(shape))
	return shape[(axis+len(shape))%len(shape)], axis
}

func (g *G) quantAttr(axis int) {
	if axis != noAxis {
		g.Attr("axis", axis)
	}
}

// operand adds a scale and a zero point.
func (g *G) operand(d tensor.DType, scale float64) {
	g.Const(Scalar(tensor.Float32, scale))
	g.Const(g.zeros(d, 0))
}

func qlinearArithmetic(g *G) {
	d, shape := g.DType("T"), g.Sizes(1, 3)
	a, b := shape, g.Broadcastable(shape)
	if g.Maybe() {
		a, b = b, a
	}
	g.In(g.quantized(d, a...))
	g.operand(d, 1.0/16)
	g.Either(g.quantized(d, b...))
	g.operand(d, 1.0/32)
	g.operand(d, Pick(g, 1.0/8, 1.0/4))
}

func qlinearUnary(g *G, scale float64) {
	d := g.DType("T")
	g.In(g.quantized(d, g.Sizes(1, 3)...))
	g.operand(d, 1.0/16)
	g.operand(d, scale)
}

func qlinearAveragePool(g *G) {
	d := g.DType("T")
	x := []int{g.Between(1, 2), g.Size(), g.Between(3, 6), g.Between(3, 6)}
	g.In(g.quantized(d, x...))
	g.operand(d, 1.0/16)
	g.operand(d, 1.0/8)
	if g.Maybe() {
		g.c.Inputs[0].Value = g.quantized(d, x[0], x[2], x[3], x[1])
		g.Attr("channels_last", 1)
	}
	// Windows of 1, 2 or 4 elements keep the mean exact.
	k := Pick(g, []int{1, 2}, []int{2, 2}, []int{2, 1})
	g.Attr("kernel_shape", k)
	g.MaybeAttr("strides", []int{g.Between(1, 2), g.Between(1, 2)})
	if g.Maybe() {
		g.Attr("pads", []int{k[0] - 1, k[1] - 1, 0, 0})
		g.MaybeAttr("count_include_pad", g.IntN(2))
	}
}

func qlinearConcat(g *G) {
	d, shape := g.DType("T8"), g.Sizes(2, 3)
	axis := g.Axis(len(shape))
	g.operand(d, 1.0/8)
	for range g.Between(1, 3) {
		s := append([]int(nil), shape...)
		s[(axis+len(s))%len(s)] = g.Size()
		g.In(g.quantized(d, s...))
		g.operand(d, Pick(g, 1.0/16, 1.0/8))
	}
	g.Attr("axis", axis)
}

func contribQLinearConv(g *G) {
	dx, dw, dy := g.DType("T1"), g.DType("T2"), g.DType("T3")
	group, per, out := g.Between(1, 2), g.Between(1, 3), g.Between(1, 3)
	kernel := []int{g.Between(1, 3), g.Between(1, 3)}
	x := []int{g.Between(1, 2), group * per, g.Between(3, 6), g.Between(3, 6)}
	if g.Maybe() {
		x = []int{x[0], x[2], x[3], x[1]}
		g.Attr("channels_last", 1)
	}
	g.In(g.Range(dx, -100, 100, x...))
	g.operand(dx, 1.0/16)
	g.Const(g.Range(dw, -sevenBits, sevenBits, group*out, per, kernel[0], kernel[1]))
	g.Const(Scalar(tensor.Float32, 1.0/32))
	g.Const(Scalar(dw, 0))
	g.operand(dy, 1.0/4)
	if g.Maybe() {
		g.Const(g.Range(tensor.Int32, -500, 500, group*out))
	}
	g.Attr("group", group)
	g.MaybeAttr("kernel_shape", kernel)
	g.MaybeAttr("pads", []int{g.IntN(2), g.IntN(2), g.IntN(2), g.IntN(2)})
}

func qgemm(g *G) {
	da, db := g.DType("TA"), g.DType("TB")
	a, b, m, n := g.gemm()
	g.In(g.Range(da, -100, 100, a...))
	g.operand(da, 1.0/16)
	g.Const(g.Range(db, -sevenBits, sevenBits, b...))
	g.operand(db, 1.0/32)
	g.MaybeAttr("alpha", float32(0.5))
	quantized := g.Maybe()
	if g.Forces("TY") {
		quantized = g.DType("TY") != tensor.Float32
	}
	if g.Maybe() {
		g.Const(g.Range(tensor.Int32, -500, 500, Pick(g, []int{m, n}, []int{n}, []int{1})...))
	} else if quantized {
		g.Omit()
	}
	if quantized {
		d := da // ONNX Runtime wants A's type
		if g.Forces("TYZ") || g.Forces("TY") {
			d = g.DType(map[bool]string{true: "TYZ", false: "TY"}[g.Forces("TYZ")])
		}
		g.operand(d, 1.0/4)
	}
}

func dynamicQuantizeMatMul(g *G) {
	d := g.DType("T2")
	a, b := g.product()
	n := b[len(b)-1]
	// A spans a range of 255 sixteenths, so that its scale is a power of two.
	t := g.Range(tensor.Float32, -7, 8, a...)
	list := tensor.Elements[float32](t)
	list[0] = 8.9375
	if len(list) > 1 {
		list[1] = -7
	} else {
		g.Skip()
	}
	g.In(t)
	g.Const(g.Range(d, -sevenBits, sevenBits, b...))
	columns := g.Maybe() && len(b) == 2
	if columns {
		g.Const(g.powers(tensor.Float32, n))
	} else {
		g.Const(Scalar(tensor.Float32, 1.0/32))
	}
	zero := g.Maybe()
	if zero {
		if columns {
			g.Const(g.zeros(d, n))
		} else {
			g.Const(g.zeros(d, 0))
		}
	}
	if g.Maybe() {
		if !zero {
			g.Omit()
		}
		g.Const(g.Tensor(tensor.Float32, n))
	}
}

func matMulIntegerToFloat(g *G) {
	da, db, d := g.DType("T1"), g.DType("T2"), g.DType("T3")
	a, b := g.product()
	n := b[len(b)-1]
	g.In(g.Range(da, -100, 100, a...))
	g.Const(g.Range(db, -sevenBits, sevenBits, b...))
	g.Const(Scalar(d, 1.0/64))
	columns := g.Maybe() && len(b) == 2
	if columns {
		g.Const(g.powers(d, n))
	} else {
		g.Const(Scalar(d, 1.0/32))
	}
	za, zb := g.Maybe(), g.Maybe()
	if za {
		g.Const(g.zeros(da, 0))
	} else {
		g.Omit()
	}
	switch {
	case !zb:
		g.Omit()
	case columns:
		g.Const(g.zeros(db, n))
	default:
		g.Const(g.zeros(db, 0))
	}
	if g.Maybe() {
		g.Const(g.Tensor(d, n))
	} else {
		for len(g.c.Inputs) > 4 && g.c.Inputs[len(g.c.Inputs)-1].Value == nil {
			g.c.Inputs = g.c.Inputs[:len(g.c.Inputs)-1]
		}
	}
}

func qembedLayerNorm(g *G) {
	d := g.DType("T2")
	batch, length, n, vocabulary := g.Size(), g.Size(), g.Between(2, 9), g.Between(3, 9)
	ids := func(limit int) *tensor.Tensor { return g.Range(tensor.Int32, 0, float64(limit-1), batch, length) }
	segments := g.Maybe()
	maybe := func(v *tensor.Tensor) {
		if segments {
			g.Const(v)
		} else {
			g.Omit()
		}
	}
	g.In(ids(vocabulary))
	if segments {
		g.In(ids(2))
	} else {
		g.Omit()
	}
	g.Const(g.quantized(d, vocabulary, n))
	g.Const(g.quantized(d, length+g.IntN(3), n))
	maybe(g.quantized(d, 2, n))
	g.Const(g.quantized(d, n))
	g.Const(g.quantized(d, n))
	if g.Maybe() {
		g.In(g.Range(tensor.Int32, 0, 1, batch, length))
	} else {
		g.Omit()
	}
	scale := func() *tensor.Tensor {
		t := Scalar(tensor.Float32, Pick(g, 0.01, 0.03, 0.0625))
		if g.Maybe() {
			t = tensor.Must(t.Reshape(1))
		}
		return t
	}
	g.Const(scale())
	g.Const(scale())
	maybe(scale())
	g.Const(scale())
	g.Const(scale())
	g.Const(g.zeros(d, 0))
	g.Const(g.zeros(d, 0))
	maybe(g.zeros(d, 0))
	g.Const(g.zeros(d, 0))
	g.Const(g.zeros(d, 0))
	g.Attr("epsilon", float32(1e-3))
}

func dynamicQuantizeLSTM(g *G) {
	d := g.DType("T2")
	steps, batch, input, hidden := g.Between(1, 4), g.Between(1, 3), g.Between(1, 6), g.Between(1, 5)
	direction := Pick(g, "forward", "reverse", "bidirectional")
	dirs := 1
	if direction == "bidirectional" {
		dirs = 2
	}
	g.In(g.Tensor(tensor.Float32, steps, batch, input))
	g.Either(g.Range(d, -sevenBits, sevenBits, dirs, input, 4*hidden))
	g.Either(g.Range(d, -sevenBits, sevenBits, dirs, hidden, 4*hidden))
	optional := func(v *tensor.Tensor) {
		if g.Maybe() {
			g.In(v)
		} else {
			g.Omit()
		}
	}
	optional(g.Range(tensor.Float32, -1, 1, dirs, 8*hidden))
	if g.OneIn(3) {
		lens := make([]int, batch)
		for i := range lens {
			lens[i] = g.Between(1, steps)
		}
		g.In(Ints(tensor.Int32, lens...))
	} else {
		g.Omit()
	}
	optional(g.Range(tensor.Float32, -1, 1, dirs, batch, hidden))
	optional(g.Range(tensor.Float32, -1, 1, dirs, batch, hidden))
	optional(g.Range(tensor.Float32, -1, 1, dirs, 3*hidden))
	for range 2 {
		shape := []int{dirs}
		if g.Maybe() {
			shape = append(shape, 4*hidden)
		}
		g.Const(g.anyScales(0.01, 0.1, shape...))
		// ONNX Runtime takes zero points that are all the same, and of int8 that are 0.
		zero := float64(g.IntN(8))
		if d == tensor.Int8 {
			zero = 0
		}
		g.Const(g.Range(d, zero, zero, shape...))
	}
	g.Attr("hidden_size", hidden)
	g.Attr("direction", direction)
	if g.OneIn(3) {
		g.Attr("clip", float32(2))
	}
	if g.OneIn(4) {
		g.Attr("input_forget", 1)
	}
	g.OutputCount(3)
}
