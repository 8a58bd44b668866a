package rnn

import (
	"context"

	"gort/internal/kernel/gemm"
	"gort/internal/parallel"
)

// Weight is a matrix of n rows of k, ready to multiply states or inputs: y = x*W^T.
type Weight[T Float] struct {
	n, k   int
	data   []T
	packed *gemm.PackedB
	codes  *codes // in place of both, see quantized.go
}

// NewWeight wraps rows of k; the data is read until Pack.
func NewWeight[T Float](data []T, n, k int) *Weight[T] { return &Weight[T]{n: n, k: k, data: data} }

// Pack brings the matrix into the order of the kernel, where there is one for the
// type; the given data is no longer read then. It reports whether it did.
func (w *Weight[T]) Pack() bool {
	data, ok := any(w.data).([]float32)
	if ok && w.packed == nil {
		w.packed = gemm.PackB(true, w.k, w.n, data, w.k)
		w.data = nil
	}
	return ok
}

// multiply computes y = x*W^T + beta*y for m rows.
func (w *Weight[T]) multiply(ctx context.Context, p *parallel.Pool, m int, x []T, beta T, y []T, ldy int) error {
	switch x := any(x).(type) {
	case []float32:
		y, beta := any(y).([]float32), any(beta).(float32)
		if w.codes != nil {
			return w.codes.multiply(ctx, p, m, w.n, w.k, x, beta, y, ldy)
		}
		if w.packed != nil {
			return gemm.Float32PackedB(ctx, p, false, m, w.n, w.k, 1, x, w.k, w.packed, beta, y, ldy)
		}
		return gemm.Float32(ctx, p, false, true, m, w.n, w.k, 1, x, w.k, any(w.data).([]float32), w.k, beta, y, ldy)
	case []float64:
		return gemm.Generic(ctx, p, false, true, m, w.n, w.k, 1, x, w.k, any(w.data).([]float64), w.k, any(beta).(float64), any(y).([]float64), ldy)
	}
	return nil
}
