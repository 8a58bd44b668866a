package norm

import (
	"context"

	"gort/internal/parallel"
)

// Skip describes rows of a residual connection: sums of two inputs and a bias, which
// are normalised right after they are made, while they are in the cache.
type Skip[T Float] struct {
	X    []T
	Skip []T // as many rows as X has, or fewer that repeat
	Bias []T // one row, or nil
	Sum  []T // where the sums go, or nil when only the result is wanted
}

// row puts sum number r in y, and in Sum.
func (s *Skip[T]) row(r, n int, y []T) {
	copy(y, s.X[r*n:][:n])
	plus(y, s.Skip[r*n%len(s.Skip):][:n])
	if s.Bias != nil {
		plus(y, s.Bias)
	}
	if s.Sum != nil {
		copy(s.Sum[r*n:][:n], y)
	}
}

// SkipLayer normalises the sums as [Layer] does (com.microsoft SkipLayerNormalization).
func SkipLayer[T Float](ctx context.Context, pool *parallel.Pool, n int, epsilon float64, s *Skip[T], scale, bias, y, mean, invStdDev []T) error {
	return s.each(ctx, pool, n, y, func(r int, out []T) {
		m, variance := moments(out)
		inv := inverse(variance, epsilon)
		standardize(out, out, T(m), T(inv), 0)
		times(out, scale)
		if bias != nil {
			plus(out, bias)
		}
		if mean != nil {
			mean[r] = T(m)
		}
		if invStdDev != nil {
			invStdDev[r] = T(inv)
		}
	})
}

// SkipRMS scales the sums as [RMS] does (com.microsoft SkipSimplifiedLayerNormalization).
func SkipRMS[T Float](ctx context.Context, pool *parallel.Pool, n int, epsilon float64, s *Skip[T], scale, y, mean, invStdDev []T) error {
	return s.each(ctx, pool, n, y, func(r int, out []T) {
		inv := inverse(squares(out)/float64(n), epsilon)
		if mean != nil {
			m, _ := moments(out)
			mean[r] = T(m)
		}
		affine(out, out, T(inv), 0)
		times(out, scale)
		if invStdDev != nil {
			invStdDev[r] = T(inv)
		}
	})
}

func (s *Skip[T]) each(ctx context.Context, pool *parallel.Pool, n int, y []T, normalise func(r int, out []T)) error {
	if n == 0 {
		return nil
	}
	return pool.For(ctx, len(s.X)/n, grain(n), func(lo, hi int) {
		for r := lo; r < hi; r++ {
			out := y[r*n:][:n]
			s.row(r, n, out)
			normalise(r, out)
		}
	})
}
