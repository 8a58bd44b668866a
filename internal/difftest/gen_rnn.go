package difftest

import "gort/tensor"

// rnnGenerators call recurrent layers.
var rnnGenerators = []Generator{
	{Op: "RNN", Make: func(g *G) { recurrent(g, 1, 1, 1) }, Wide: asFloat32},
	{Op: "GRU", Make: func(g *G) { recurrent(g, 3, 2, 1) }, Wide: asFloat32},
	{Op: "LSTM", Make: func(g *G) { recurrent(g, 4, 3, 2) }, Wide: asFloat32},
}

// recurrentFunctions are the activation functions, with how many of alpha and beta
// each takes.
var recurrentFunctions = []struct {
	name        string
	alpha, beta bool
}{
	{"Tanh", false, false}, {"Sigmoid", false, false}, {"Relu", false, false}, {"Softsign", false, false}, {"Softplus", false, false},
	{"Affine", true, true}, {"LeakyRelu", true, false}, {"ScaledTanh", true, true}, {"HardSigmoid", true, true}, {"Elu", true, false},
}

// recurrent calls a layer of so many gates, activation functions and states.
func recurrent(g *G, gates, functions, states int) {
	d := g.DType("T")
	steps, batch, input, hidden := g.Between(1, 4), g.Between(1, 3), g.Between(1, 5), g.Between(1, 4)
	direction, dirs := Pick(g, "forward", "reverse", "bidirectional"), 1
	if direction == "bidirectional" {
		dirs = 2
	}
	x, state := []int{steps, batch, input}, []int{dirs, batch, hidden}
	if g.Since() >= 14 && g.OneIn(3) {
		g.Attr("layout", 1)
		x, state = []int{batch, steps, input}, []int{batch, dirs, hidden}
	}
	numbers := func(shape ...int) *tensor.Tensor { return g.Range(d, -1, 1, shape...) }
	optional := func(v *tensor.Tensor) {
		if g.Maybe() {
			g.Either(v)
		} else {
			g.Omit()
		}
	}
	g.In(numbers(x...))
	g.Either(numbers(dirs, gates*hidden, input))
	g.Either(numbers(dirs, gates*hidden, hidden))
	optional(numbers(dirs, 2*gates*hidden))
	if g.OneIn(3) || g.Forces("T1") {
		g.In(g.Range(tensor.Int32, 1, float64(steps), batch))
	} else {
		g.Omit()
	}
	for range states {
		optional(numbers(state...))
	}
	if states == 2 {
		optional(numbers(dirs, 3*hidden))
	}
	g.Attr("hidden_size", hidden)
	if direction != "forward" || g.Maybe() {
		g.Attr("direction", direction)
	}
	if g.OneIn(3) {
		var names []string
		var alpha, beta []float32
		for range dirs * functions {
			f := Pick(g, recurrentFunctions...)
			names = append(names, f.name)
			if f.alpha {
				alpha = append(alpha, Pick[float32](g, 0.25, 0.5))
			}
			if f.beta {
				beta = append(beta, Pick[float32](g, 0.25, 0.5))
			}
		}
		g.Attr("activations", names)
		if alpha != nil {
			g.Attr("activation_alpha", alpha)
		}
		if beta != nil {
			g.Attr("activation_beta", beta)
		}
	}
	if g.OneIn(3) {
		g.Attr("clip", float32(1.5))
	}
	if states == 2 && g.OneIn(4) {
		g.Attr("input_forget", 1)
	}
	if gates == 3 && g.Since() >= 3 {
		g.MaybeAttr("linear_before_reset", g.IntN(2))
	}
	g.OutputCount(1 + states)
	if g.Since() < 7 { // ONNX Runtime begins at version 7
		g.AskVersion(7)
		g.Attr("output_sequence", 1)
	}
}
