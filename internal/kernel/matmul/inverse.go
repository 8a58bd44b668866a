package matmul

import (
	"context"
	"math"

	"gort/internal/parallel"
)

// Inverse inverts a stack of n x n matrices by Gauss-Jordan elimination with partial
// pivoting in float64. A singular matrix gives infinities or NaN.
func Inverse[T float32 | float64](ctx context.Context, p *parallel.Pool, n int, x, y []T) error {
	if n == 0 {
		return nil
	}
	return p.For(ctx, len(x)/(n*n), max(1, chunkWork/(n*n*n+1)), func(lo, hi int) {
		a, b := make([]float64, n*n), make([]float64, n*n)
		for i := lo; i < hi; i++ {
			clear(b)
			for j, v := range x[i*n*n : (i+1)*n*n] {
				a[j] = float64(v)
			}
			for j := range n {
				b[j*n+j] = 1
			}
			invert(n, a, b)
			for j, v := range b {
				y[i*n*n+j] = T(v)
			}
		}
	})
}

// invert turns a into the identity and b by the same steps.
func invert(n int, a, b []float64) {
	for c := range n {
		pivot := c
		for r := c + 1; r < n; r++ {
			if math.Abs(a[r*n+c]) > math.Abs(a[pivot*n+c]) {
				pivot = r
			}
		}
		for j := range n {
			a[c*n+j], a[pivot*n+j] = a[pivot*n+j], a[c*n+j]
			b[c*n+j], b[pivot*n+j] = b[pivot*n+j], b[c*n+j]
		}
		v := a[c*n+c]
		for j := range n {
			a[c*n+j] /= v
			b[c*n+j] /= v
		}
		for r := range n {
			f := a[r*n+c]
			if r == c || f == 0 {
				continue
			}
			for j := range n {
				a[r*n+j] -= f * a[c*n+j]
				b[r*n+j] -= f * b[c*n+j]
			}
		}
	}
}
