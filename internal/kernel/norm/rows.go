package norm

import (
	"context"

	"gort/internal/parallel"
)

// Layer normalises rows of n elements by their own mean and variance (ONNX
// LayerNormalization):
//
//	y = (x - mean) / sqrt(variance + epsilon) * scale + bias
//
// scale and bias have n elements or as many as x; bias may be nil. mean and
// invStdDev get the statistics of each row unless they are nil.
func Layer[T Float](ctx context.Context, pool *parallel.Pool, n int, epsilon float64, x, scale, bias, y, mean, invStdDev []T) error {
	if n == 0 {
		return nil
	}
	return pool.For(ctx, len(x)/n, grain(n), func(lo, hi int) {
		for r := lo; r < hi; r++ {
			in, out := x[r*n:][:n], y[r*n:][:n]
			m, variance := moments(in)
			inv := inverse(variance, epsilon)
			standardize(out, in, T(m), T(inv), 0)
			times(out, rowOf(scale, r, n))
			if bias != nil {
				plus(out, rowOf(bias, r, n))
			}
			if mean != nil {
				mean[r] = T(m)
			}
			if invStdDev != nil {
				invStdDev[r] = T(inv)
			}
		}
	})
}

// RMS scales rows of n elements by the inverse of their root mean square (ONNX
// RMSNormalization; Zhang and Sennrich 2019):
//
//	y = x / sqrt(mean of x**2 + epsilon) * scale
//
// invRMS gets 1/sqrt(…) of each row unless it is nil.
func RMS[T Float](ctx context.Context, pool *parallel.Pool, n int, epsilon float64, x, scale, y, invRMS []T) error {
	if n == 0 {
		return nil
	}
	return pool.For(ctx, len(x)/n, grain(n), func(lo, hi int) {
		for r := lo; r < hi; r++ {
			in, out := x[r*n:][:n], y[r*n:][:n]
			inv := inverse(squares(in)/float64(n), epsilon)
			affine(out, in, T(inv), 0)
			times(out, rowOf(scale, r, n))
			if invRMS != nil {
				invRMS[r] = T(inv)
			}
		}
	})
}

func rowOf[T Float](s []T, r, n int) []T {
	if len(s) == n {
		return s
	}
	return s[r*n:][:n]
}
