package norm

import (
	"context"
	"math"

	"gort/internal/parallel"
)

// Lp divides vectors along an axis by their L1 or L2 norm (ONNX
// LpNormalization); a vector of norm 0 stays 0. The tensor has outer blocks of
// size vectors elements that lie inner apart.
func Lp[T Float](ctx context.Context, pool *parallel.Pool, outer, size, inner, p int, x, y []T) error {
	return pool.For(ctx, outer*inner, grain(size), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			at := i/inner*size*inner + i%inner
			sum := 0.0
			for j := range size {
				v := float64(x[at+j*inner])
				if p == 1 {
					sum += math.Abs(v)
				} else {
					sum += v * v
				}
			}
			if p == 2 {
				sum = math.Sqrt(sum)
			}
			for j := range size {
				if sum == 0 {
					y[at+j*inner] = 0
				} else {
					y[at+j*inner] = T(float64(x[at+j*inner]) / sum)
				}
			}
		}
	})
}
