package moe

import (
	"math"

	"gort/internal/simd"
)

// Activation is what stands between the two layers of an expert. It writes dst from
// the first layer's results and, where there are two such layers, the other's. work
// has room for dst.
type Activation func(dst, h, other, work []float32)

// plain are the activations of one operand; with another one they multiply by it.
var plain = map[string]func(dst, h, work []float32){
	"identity": func(dst, h, _ []float32) { copy(dst, h) },
	"relu":     func(dst, h, _ []float32) { simd.Relu(dst, h) },
	"silu": func(dst, h, work []float32) {
		simd.Sigmoid(work, h)
		simd.Mul(dst, h, work)
	},
	// The approximation by tanh, as ONNX Runtime has it.
	"gelu": func(dst, h, work []float32) {
		for i, x := range h {
			work[i] = float32(math.Sqrt2/math.SqrtPi) * (x + 0.044715*x*x*x)
		}
		simd.Tanh(work, work)
		for i, t := range work {
			dst[i] = 0.5 * h[i] * (1 + t)
		}
	},
}

// NewActivation returns one by its name, nil for an unknown one. It is not for swiglu.
func NewActivation(name string) Activation {
	f := plain[name]
	if f == nil {
		return nil
	}
	return func(dst, h, other, work []float32) {
		f(dst, h, work[:len(dst)])
		if other != nil {
			simd.Mul(dst, dst, other)
		}
	}
}

// SwiGLU is g * sigmoid(Alpha*g) * (l + Beta), where g is at most Limit, and l within
// Limit of zero.
type SwiGLU struct{ Alpha, Beta, Limit float32 }

// The places of g and l: each in a layer of its own, alternating in one layer, or one
// half after the other.
const (
	Apart = iota
	Alternating
	Halves
)

// Activation returns the activation for operands of a layout.
func (s SwiGLU) Activation(layout int) Activation {
	return func(dst, h, other, work []float32) {
		gate, linear, step := h, other, 1
		switch layout {
		case Alternating:
			linear, step = h[min(1, len(h)):], 2
		case Halves:
			gate, linear = h[:len(dst)], h[len(dst):]
		}
		for i := range dst {
			dst[i] = min(gate[i*step], s.Limit)
		}
		work = work[:len(dst)]
		simd.MulScalar(work, dst, s.Alpha)
		simd.Sigmoid(work, work)
		simd.Mul(dst, dst, work)
		for i := range dst {
			dst[i] *= min(max(linear[i*step], -s.Limit), s.Limit) + s.Beta
		}
	}
}
