package ml

import (
	"context"

	"gort/internal/kernel/gemm"
	"gort/internal/parallel"
)

// Linear is X*W^T + B for rows of features: W has a row for each target.
type Linear struct {
	Targets, Features int
	w, b              []float32
	packed            *gemm.PackedB
}

// NewLinear wraps weights, targets rows of features, and biases, of which there
// are targets or none.
func NewLinear(w, b []float32, targets, features int) *Linear {
	l := &Linear{Targets: targets, Features: features, w: w, b: b}
	if targets > 1 { // a single row is used as it lies
		l.packed = gemm.PackB(true, features, targets, w, features)
	}
	return l
}

// Run writes rows of targets.
func (l *Linear) Run(ctx context.Context, p *parallel.Pool, x []float32, rows int, y []float32) error {
	n, k, beta := l.Targets, l.Features, float32(0)
	if len(l.b) > 0 {
		beta = 1
		for i := range rows {
			copy(y[i*n:(i+1)*n], l.b)
		}
	}
	if l.packed != nil {
		return gemm.Float32PackedB(ctx, p, false, rows, n, k, 1, x, k, l.packed, beta, y, n)
	}
	return gemm.Float32(ctx, p, false, true, rows, n, k, 1, x, k, l.w, k, beta, y, n)
}

// Best returns the first index of the largest score.
func Best(scores []float32) int {
	best := 0
	for i, v := range scores {
		if v > scores[best] {
			best = i
		}
	}
	return best
}
