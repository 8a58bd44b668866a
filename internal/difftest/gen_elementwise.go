package difftest

import "gort/tensor"

// elementwiseGenerators call operators that work element by element.
var elementwiseGenerators = append(append(unaryGenerators(), activationGenerators()...), binaryGenerators()...)

// firstVersion is where ONNX Runtime's kernels begin for most operators that version 1
// of ai.onnx had and version 6 repeats without the attribute consumed_inputs.
const firstVersion = 6

// unaryGenerators call functions of one number; the range keeps arguments inside the
// domain of the function, and away from steps and poles.
func unaryGenerators() []Generator {
	var out []Generator
	for _, f := range []struct {
		op     string
		lo, hi float64
	}{
		{"Abs", -4, 4}, {"Acos", -0.9375, 0.9375}, {"Acosh", 1.125, 4}, {"Asin", -0.9375, 0.9375}, {"Asinh", -4, 4},
		{"Atan", -4, 4}, {"Atanh", -0.875, 0.875}, {"Ceil", -4, 4}, {"Cos", -4, 4}, {"Cosh", -3, 3}, {"Erf", -3, 3},
		{"Exp", -4, 3}, {"Floor", -4, 4}, {"Log", 0.125, 4}, {"Neg", -4, 4}, {"Reciprocal", 0.25, 4}, {"Relu", -4, 4},
		{"Round", -4, 4}, {"Sigmoid", -4, 4}, {"Sign", -4, 4}, {"Sin", -4, 4}, {"Sinh", -3, 3}, {"Softplus", -4, 4},
		{"Softsign", -4, 4}, {"Sqrt", 0, 4}, {"Tan", -1, 1}, {"Tanh", -4, 4}, {"HardSwish", -4, 4}, {"Mish", -4, 4},
	} {
		out = append(out, Generator{Op: f.op, Make: func(g *G) {
			g.In(g.Range(g.DType("T"), f.lo, f.hi, g.Shape(0, 4)...))
			if g.Since() == 1 {
				g.AskVersion(firstVersion)
			}
		}})
	}
	return append(out,
		Generator{Op: "Not", Make: func(g *G) { g.In(g.Tensor(tensor.Bool, g.Shape(0, 4)...)) }},
		Generator{Op: "IsNaN", Make: func(g *G) { g.In(g.Tensor(g.DType("T1"), g.Shape(0, 3)...)) }},
		Generator{Op: "IsInf", Make: func(g *G) { g.In(g.Tensor(g.DType("T1"), g.Shape(0, 3)...)) }},
	)
}

// activationGenerators call functions with parameters. The defaults of version 1 have
// fewer digits than later ones, so there the parameters are written out.
func activationGenerators() []Generator {
	var out []Generator
	for _, f := range []struct {
		op     string
		params []string
	}{
		{"Elu", []string{"alpha"}}, {"LeakyRelu", []string{"alpha"}}, {"Selu", []string{"alpha", "gamma"}},
		{"HardSigmoid", []string{"alpha", "beta"}}, {"Celu", []string{"alpha"}}, {"ThresholdedRelu", []string{"alpha"}},
	} {
		out = append(out, Generator{Op: f.op, Make: func(g *G) {
			d := tensor.Float32
			if g.Def.Signature().Input(0).Type == "T" {
				d = g.DType("T")
			}
			g.In(g.Tensor(d, g.Shape(0, 4)...))
			for _, p := range f.params {
				if g.Since() == 1 || g.Maybe() {
					g.Attr(p, float32(g.fraction(0.125, 1.5)))
				}
			}
			if g.Since() == 1 && f.op != "ThresholdedRelu" {
				g.AskVersion(firstVersion)
			}
		}})
	}
	return append(out, Generator{Op: "Clip", Make: clip}, Generator{Op: "PRelu", Make: prelu})
}

func clip(g *G) {
	d, shape := g.DType("T"), g.Shape(0, 4)
	g.In(g.Tensor(d, shape...))
	if g.Since() < 11 {
		g.Attr("min", float32(-1.5))
		g.Attr("max", float32(2))
		if g.Since() == 1 {
			g.AskVersion(firstVersion)
		}
		return
	}
	if g.Maybe() {
		g.Either(g.Range(d, 0, 1))
	} else {
		g.Omit()
	}
	if g.Maybe() {
		g.Either(g.Range(d, 2, 3))
	} else {
		g.c.Inputs = trimOmitted(g.c.Inputs)
	}
}

func trimOmitted(in []Input) []Input {
	for len(in) > 1 && in[len(in)-1].Value == nil {
		in = in[:len(in)-1]
	}
	return in
}

func prelu(g *G) {
	d, shape := g.DType("T"), g.Sizes(2, 4)
	x := g.Tensor(d, shape...)
	if g.Since() >= 7 {
		g.In(x)
		g.Either(g.Range(d, 0, 2, g.Broadcastable(shape)...))
		return
	}
	// One slope, or one for each channel; later versions broadcast from the right.
	slope := g.Range(d, 0, 2, Pick(g, 1, shape[1]))
	g.In(x)
	g.In(slope)
	t := g.Twin("PRelu", 9)
	t.In(x)
	if slope.Size() > 1 {
		wide := []int{shape[1]}
		for range shape[2:] {
			wide = append(wide, 1)
		}
		slope = tensor.Must(slope.Reshape(wide...))
	}
	t.In(slope)
}

// binaryGenerators call operators on two tensors. Before version 7 the second one
// broadcasts by attributes: broadcast, and axis where its first dimension stands.
func binaryGenerators() []Generator {
	var out []Generator
	for _, f := range []struct {
		op     string
		ask    int // a version with today's broadcasting
		lo, hi float64
	}{
		{"Add", 7, -4, 4}, {"Sub", 7, -4, 4}, {"Mul", 7, -4, 4}, {"Div", 7, 1, 4}, {"Pow", 7, 0.5, 3},
		{"And", 7, 0, 1}, {"Or", 7, 0, 1}, {"Xor", 7, 0, 1}, {"Equal", 7, 0, 2}, {"Greater", 9, 0, 2}, {"Less", 9, 0, 2},
		{"GreaterOrEqual", 0, 0, 2}, {"LessOrEqual", 0, 0, 2}, {"Mod", 0, 1, 9},
	} {
		out = append(out, Generator{Op: f.op, Make: func(g *G) {
			sig := g.Def.Signature()
			d := g.DType(sig.Input(0).Type)
			d2 := d
			if sig.Input(1).Type != sig.Input(0).Type {
				d2 = g.DType(sig.Input(1).Type)
			}
			shape := g.Sizes(0, 4)
			if g.Since() < 7 {
				legacyBinary(g, f.op, f.ask, d, f.lo, f.hi, shape)
				return
			}
			a, b := shape, g.Broadcastable(shape)
			if g.Maybe() {
				a, b = b, a
			}
			lo := f.lo
			if d.Class() == tensor.ClassUint {
				lo = max(lo, 0)
			}
			g.In(g.Range(d, lo, f.hi, a...))
			g.Either(g.Range(d2, lo, f.hi, b...))
			if f.op == "Mod" && d.Class() != tensor.ClassInt && d.Class() != tensor.ClassUint {
				g.Attr("fmod", 1)
			}
		}})
	}
	for _, op := range []string{"Max", "Min", "Sum", "Mean"} {
		out = append(out, Generator{Op: op, Make: func(g *G) {
			d, shape := g.DType("T"), g.Sizes(0, 3)
			for i := range g.Between(1, 3) {
				s := shape
				if i > 0 && g.Since() >= 8 {
					s = g.Broadcastable(shape)
				}
				g.In(g.Tensor(d, s...))
			}
			if g.Since() == 1 {
				g.AskVersion(firstVersion)
			}
		}})
	}
	return out
}

func legacyBinary(g *G, name string, ask int, d tensor.DType, lo, hi float64, shape []int) {
	x := g.Range(d, lo, hi, shape...)
	start := g.IntN(len(shape) + 1)
	end := g.Between(start, len(shape))
	part := append([]int(nil), shape[start:end]...)
	same := len(shape) == 0 || g.OneIn(4)
	if same {
		part, start, end = shape, 0, len(shape)
	}
	y := g.Range(d, lo, hi, part...)
	g.In(x)
	g.In(y)
	if !same {
		g.Attr("broadcast", 1)
		if len(part) > 0 && (end != len(shape) || g.Maybe()) {
			g.Attr("axis", start)
		}
	}
	t := g.Twin(name, ask)
	t.In(x)
	wide := append([]int(nil), part...)
	for range len(shape) - end {
		if len(part) > 0 {
			wide = append(wide, 1)
		}
	}
	t.In(tensor.Must(y.Reshape(wide...)))
}
