package norm

import (
	"context"
	"math"

	"gort/internal/parallel"
)

// lrnTile is how many positions of a plane are normalised together.
const lrnTile = 256

// LRN divides each element by a power of the squares around it in neighbouring
// channels (ONNX LRN; Krizhevsky et al. 2012):
//
//	y[c] = x[c] / (bias + alpha/size * sum of x[i]**2) ** beta
//
// for i from c - floor((size-1)/2) to c + ceil((size-1)/2).
func LRN[T Float](ctx context.Context, pool *parallel.Pool, batch, channels, n, size int, alpha, beta, bias float64, x, y []T) error {
	if len(x) == 0 {
		return nil
	}
	tiles := (n + lrnTile - 1) / lrnTile
	before, after := (size-1)/2, size/2
	power := inversePower[T](beta)
	return pool.For(ctx, batch*tiles, grain(channels*min(n, lrnTile)), func(lo, hi int) {
		var sums [lrnTile]T
		for u := lo; u < hi; u++ {
			at := u%tiles*lrnTile + u/tiles*channels*n
			cols := min(lrnTile, n-u%tiles*lrnTile)
			for c := range channels {
				sum := sums[:cols]
				clear(sum)
				for i := max(0, c-before); i <= min(channels-1, c+after); i++ {
					for j, v := range x[at+i*n:][:cols] {
						sum[j] += v * v
					}
				}
				in, out := x[at+c*n:][:cols], y[at+c*n:][:cols]
				for j, s := range sum {
					out[j] = in[j] * power(T(bias)+T(alpha/float64(size))*s)
				}
			}
		}
	})
}

// inversePower returns the function s**-beta; roots are cheaper than powers.
func inversePower[T Float](beta float64) func(s T) T {
	root := func(s T) T { return T(math.Sqrt(float64(s))) }
	switch beta {
	case 0.5:
		return func(s T) T { return 1 / root(s) }
	case 0.75:
		return func(s T) T { r := root(s); return 1 / (r * root(r)) }
	case 1:
		return func(s T) T { return 1 / s }
	}
	return func(s T) T { return T(math.Pow(float64(s), -beta)) }
}
