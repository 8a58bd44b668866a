package rnn

import (
	"math"
	"strings"

	"gort/internal/simd"
)

// Float lists the element types.
type Float interface{ float32 | float64 }

// Activation applies a function to each element in place.
type Activation[T Float] func(x []T)

// activations are the functions of the specification's RNN, GRU and LSTM pages
// (section Activation functions), with the alpha and beta they take and the
// defaults of the operators of the same names.
var activations = map[string]struct {
	args        int // how many of alpha and beta it takes
	alpha, beta float64
	f           func(x, alpha, beta float64) float64
}{
	"relu":            {f: func(x, _, _ float64) float64 { return max(x, 0) }},
	"tanh":            {f: func(x, _, _ float64) float64 { return math.Tanh(x) }},
	"sigmoid":         {f: func(x, _, _ float64) float64 { return 1 / (1 + math.Exp(-x)) }},
	"softsign":        {f: func(x, _, _ float64) float64 { return x / (1 + math.Abs(x)) }},
	"softplus":        {f: func(x, _, _ float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }},
	"affine":          {args: 2, alpha: 1, beta: 0, f: func(x, a, b float64) float64 { return a*x + b }},
	"scaledtanh":      {args: 2, alpha: 1, beta: 1, f: func(x, a, b float64) float64 { return a * math.Tanh(b*x) }},
	"hardsigmoid":     {args: 2, alpha: 0.2, beta: 0.5, f: func(x, a, b float64) float64 { return min(max(a*x+b, 0), 1) }},
	"leakyrelu":       {args: 1, alpha: 0.01, f: leakyRelu},
	"thresholdedrelu": {args: 1, alpha: 1, f: thresholdedRelu},
	"elu":             {args: 1, alpha: 1, f: elu},
}

func leakyRelu(x, a, _ float64) float64 {
	if x < 0 {
		return a * x
	}
	return x
}

func thresholdedRelu(x, a, _ float64) float64 {
	if x > a || x != x {
		return x
	}
	return 0
}

func elu(x, a, _ float64) float64 {
	if x < 0 {
		return a * math.Expm1(x)
	}
	return x
}

// ActivationArgs returns how many of alpha and beta a function takes, and
// whether there is one of that name; upper and lower case are the same.
func ActivationArgs(name string) (args int, ok bool) {
	a, ok := activations[strings.ToLower(name)]
	return a.args, ok
}

// NewActivation returns a known function. A nil alpha or beta takes the default.
func NewActivation[T Float](name string, alpha, beta *float32) Activation[T] {
	name = strings.ToLower(name)
	d := activations[name]
	if alpha != nil {
		d.alpha = float64(*alpha)
	}
	if beta != nil {
		d.beta = float64(*beta)
	}
	if f, ok := any(vectorActivations[name]).(Activation[T]); ok && f != nil {
		return f
	}
	return func(x []T) {
		for i, v := range x {
			x[i] = T(d.f(float64(v), d.alpha, d.beta))
		}
	}
}

var vectorActivations = map[string]Activation[float32]{
	"sigmoid": func(x []float32) { simd.Sigmoid(x, x) },
	"tanh":    func(x []float32) { simd.Tanh(x, x) },
	"relu":    func(x []float32) { simd.Relu(x, x) },
}

// clip bounds elements to [-limit, limit]; a limit of 0 leaves them.
func clip[T Float](x []T, limit T) {
	if limit == 0 {
		return
	}
	for i, v := range x {
		x[i] = min(max(v, -limit), limit)
	}
}
