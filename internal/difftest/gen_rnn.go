package difftest

import (
	"slices"

	"gort/tensor"
)

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
	{"ThresholdedRelu", true, false},
}

// defaultsDiffer reports whether ONNX Runtime takes alpha and beta that are not given
// for 0 where the specification takes the operator's: 1 and 0 of Affine, 1 of
// ThresholdedRelu. ScaledTanh's operator has none; gort takes 1 and 1.
func defaultsDiffer(function string) bool {
	return function == "Affine" || function == "ThresholdedRelu" || function == "ScaledTanh"
}

// recurrent calls a layer of so many gates, activation functions and states.
func recurrent(g *G, gates, functions, states int) {
	d := g.DType("T")
	steps, batch, input, hidden := g.Between(1, 4), g.Between(1, 3), g.Between(1, 5), g.Between(1, 4)
	if g.OneIn(8) { // wider than a vector of the processor
		input, hidden = g.Between(5, 10), g.Between(9, 11)
	}
	direction, dirs := Pick(g, "forward", "reverse", "bidirectional"), 1
	if direction == "bidirectional" {
		dirs = 2
	}
	x, state := []int{steps, batch, input}, []int{dirs, batch, hidden}
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
	clip := false
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
		clip = slices.Contains(names, "Softplus") // ONNX Runtime's is infinite where exp is
		// Without them each function has its own, which ONNX Runtime takes for 0 in some.
		given := g.IntN(4) > 0 || slices.ContainsFunc(names, defaultsDiffer)
		if alpha != nil && given {
			g.Attr("activation_alpha", alpha)
		}
		if beta != nil && given {
			g.Attr("activation_beta", beta)
		}
	}
	if clip || g.OneIn(3) {
		g.Attr("clip", float32(1.5))
	}
	if states == 2 && g.OneIn(4) {
		g.Attr("input_forget", 1)
	}
	if gates == 3 && g.Since() >= 3 {
		g.MaybeAttr("linear_before_reset", g.IntN(2))
	}
	ask := make([]bool, 1+states)
	for i := range ask {
		ask[i] = g.IntN(4) > 0
	}
	if ask[1] = ask[1] || !slices.Contains(ask, true); gates == 3 && g.Since() < 3 {
		ask[1] = true
	}
	g.Outputs(ask...)
	switch since := g.Since(); {
	case since < 7: // ONNX Runtime begins at version 7
		g.AskVersion(7)
		if ask[0] || g.Maybe() {
			g.Attr("output_sequence", 1)
		}
	case since >= 14 && g.OneIn(3):
		g.batchFirst()
	}
}

// batchFirst turns a call into one whose batch is the first dimension. ONNX Runtime,
// which lacks those, is asked the call as it was.
func (g *G) batchFirst() {
	t := g.AskVersion(g.Since())
	t.c.Outputs = slices.Clone(g.c.Outputs)
	t.c.Back = func(values []tensor.Value) ([]tensor.Value, error) {
		out := make([]tensor.Value, len(values))
		for i, v := range values {
			out[i] = toFront(v)
		}
		return out, nil
	}
	g.c.Inputs = slices.Clone(g.c.Inputs)
	for _, i := range []int{0, 5, 6} {
		if i < len(g.c.Inputs) && g.c.Inputs[i].Value != nil {
			g.c.Inputs[i].Value = toFront(g.c.Inputs[i].Value)
		}
	}
	g.Attr("layout", 1)
}

// toFront moves the last dimension but one of a tensor to the front.
func toFront(v tensor.Value) tensor.Value {
	t := v.(*tensor.Tensor)
	rank := len(t.Shape())
	perm := []int{rank - 2}
	for i := range rank {
		if i != rank-2 {
			perm = append(perm, i)
		}
	}
	return tensor.Must(t.Transpose(perm...)).Contiguous()
}
