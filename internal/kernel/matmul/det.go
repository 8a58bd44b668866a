package matmul

import (
	"context"
	"math"

	"gort/internal/parallel"
)

// Det computes the determinants of a stack of n x n matrices by LU decomposition
// with partial pivoting in float64.
func Det[T float32 | float64](ctx context.Context, p *parallel.Pool, n int, x, y []T) error {
	grain := max(1, chunkWork/(n*n*n+1))
	return p.For(ctx, len(y), grain, func(lo, hi int) {
		lu := make([]float64, n*n)
		for i := lo; i < hi; i++ {
			for j, v := range x[i*n*n : (i+1)*n*n] {
				lu[j] = float64(v)
			}
			y[i] = T(det(n, lu))
		}
	})
}

// det destroys a.
func det(n int, a []float64) float64 {
	d := 1.0
	for c := range n {
		pivot := c
		for r := c + 1; r < n; r++ {
			if math.Abs(a[r*n+c]) > math.Abs(a[pivot*n+c]) {
				pivot = r
			}
		}
		if pivot != c {
			for j := c; j < n; j++ {
				a[c*n+j], a[pivot*n+j] = a[pivot*n+j], a[c*n+j]
			}
			d = -d
		}
		v := a[c*n+c]
		d *= v
		if v == 0 {
			return 0
		}
		for r := c + 1; r < n; r++ {
			f := a[r*n+c] / v
			for j := c + 1; j < n; j++ {
				a[r*n+j] -= f * a[c*n+j]
			}
		}
	}
	return d
}
