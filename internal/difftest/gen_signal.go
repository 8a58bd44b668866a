package difftest

import "gort/tensor"

// signalGenerators call transforms and the windows that go with them.
var signalGenerators = []Generator{
	// ONNX Runtime computes lengths that are no powers of 2 by a convolution in float32,
	// and errs by 3e-6 of the largest numbers: 80, and 32. The formula tests are narrower.
	{Op: "DFT", Make: dft, ATol: 2e-4, Wide: asFloat32},
	{Op: "STFT", Make: stft, ATol: 1e-4, Wide: asFloat32},
	{Op: "MelWeightMatrix", Make: melWeightMatrix},
	{Op: "BlackmanWindow", Make: cosineWindow},
	{Op: "HammingWindow", Make: cosineWindow},
	{Op: "HannWindow", Make: cosineWindow},
}

// real draws one of the floating-point types of a variable unless the call is to show
// another one: where numbers are cut to integers, rounding errors show.
func (g *G) real(variable string) tensor.DType {
	if g.Forces(variable) {
		return g.DType(variable)
	}
	var list []tensor.DType
	for _, d := range g.Def.Signature().Types[variable].Tensor.List() {
		if d.Class() == tensor.ClassFloat {
			list = append(list, d)
		}
	}
	return Pick(g, list...)
}

func dft(g *G) {
	d := g.DType("T1")
	rank := g.Between(2, 4)
	shape := make([]int, rank-1)
	for i := range shape {
		shape[i] = g.Between(1, 5)
	}
	at := g.IntN(rank - 1)
	if g.OneIn(5) {
		at = min(1, rank-2)
	}
	shape[at] = g.Between(2, 19)
	inverse, oneSided := g.Maybe(), g.OneIn(3)
	parts := g.Between(1, 2)
	if oneSided {
		parts = 1
		if inverse {
			parts = 2
		}
	}
	g.In(g.Tensor(d, append(shape, parts)...))
	length := shape[at]
	if oneSided && inverse {
		length = 2*shape[at] - 1 - g.IntN(2)
	} else if g.Maybe() {
		length = max(1, length+g.Between(-4, 4))
	}
	if g.Forces("T2") || oneSided && inverse || length != shape[at] || g.OneIn(3) {
		g.Either(Scalar(g.DType("T2"), float64(length)))
	} else if g.Since() >= 20 {
		g.Omit()
	}
	axis := at
	if g.Maybe() {
		axis -= rank
	}
	if g.Since() < 20 {
		if axis != 1 || g.Maybe() {
			g.Attr("axis", axis)
		}
	} else if at != rank-2 || g.Maybe() {
		g.Either(Scalar(tensor.Int64, float64(axis)))
	}
	if inverse {
		g.Attr("inverse", 1)
	} else if g.Maybe() {
		g.Attr("inverse", 0)
	}
	if oneSided {
		g.Attr("onesided", 1)
	} else if g.Maybe() {
		g.Attr("onesided", 0)
	}
}

func stft(g *G) {
	d, index := g.DType("T1"), g.DType("T2")
	length, frame := g.Between(8, 40), g.Between(2, 8)
	parts := g.Between(1, 2)
	g.In(g.Tensor(d, g.Between(1, 3), length, parts))
	g.Either(Scalar(index, float64(g.Between(1, 6))))
	// ONNX Runtime's answers for a complex signal and a window are not the sum that the
	// specification has; the formula test, which says what type it wants, compares these.
	window := (parts == 1 || g.Forces("T1")) && g.Maybe()
	if window {
		g.Either(g.Range(d, 0, 1, frame))
	} else {
		g.Omit()
	}
	if !window || g.Maybe() {
		g.Either(Scalar(index, float64(frame)))
	}
	if parts == 2 {
		g.Attr("onesided", 0)
	} else {
		g.MaybeAttr("onesided", g.IntN(2))
	}
}

func melWeightMatrix(g *G) {
	index, edge, to := g.DType("T1"), g.DType("T2"), g.real("T3")
	rate := Pick(g, 8000, 16000)
	for _, v := range []int{g.Between(1, 8), g.Between(8, 40), rate} {
		g.Either(Scalar(index, float64(v)))
	}
	g.Either(Scalar(edge, Pick(g, 0., 64, 256)))
	g.Either(Scalar(edge, Pick(g, 2048, 3072, float64(rate/2))))
	if to != tensor.Float32 || g.Maybe() {
		g.Attr("output_datatype", int(to))
	}
}

func cosineWindow(g *G) {
	index, to := g.DType("T1"), g.real("T2")
	g.Either(Scalar(index, float64(g.Between(2, 40))))
	if to != tensor.Float32 || g.Maybe() {
		g.Attr("output_datatype", int(to))
	}
	g.MaybeAttr("periodic", g.IntN(2))
}
