package conv

import (
	"context"

	"gort/internal/parallel"
	"gort/internal/simd"
)

// Causal computes a one-dimensional convolution of each channel with k taps in
// which an output sees the current and the k-1 earlier elements (ONNX
// CausalConvWithState):
//
//	y[n,c,i] = bias[c] + sum over t of w[c,t] * (past ++ x)[n,c,i+t]
//
// followed by z*sigmoid(z) when silu is set. past, zero if nil, has k-1 elements
// a channel; so has state, which becomes the last ones of past ++ x. y and state
// may be nil when they are not wanted.
func Causal(ctx context.Context, pool *parallel.Pool, batch, channels, length, k int, x, w, bias, past []float32, silu bool, y, state []float32) error {
	grain := max(1, inlineWork/max(1, length*k))
	return pool.For(ctx, batch*channels, grain, func(lo, hi int) {
		line := make([]float32, k-1+length)
		gate := make([]float32, length)
		for i := lo; i < hi; i++ {
			c := i % channels
			clear(line[:k-1])
			if past != nil {
				copy(line, past[i*(k-1):][:k-1])
			}
			copy(line[k-1:], x[i*length:][:length])
			if state != nil {
				copy(state[i*(k-1):][:k-1], line[length:])
			}
			if y == nil {
				continue
			}
			out := y[i*length:][:length]
			b := float32(0)
			if bias != nil {
				b = bias[c]
			}
			fill(out, b)
			for t, v := range w[c*k:][:k] {
				simd.AXPY(out, line[t:], v)
			}
			if silu {
				simd.Sigmoid(gate, out)
				simd.Mul(out, out, gate)
			}
		}
	})
}
