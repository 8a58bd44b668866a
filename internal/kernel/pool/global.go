package pool

import (
	"context"

	"gort/internal/parallel"
	"gort/internal/simd"
)

// Planes computes y[i] = reduce(plane i of x) for planes of n elements each.
func Planes[T any](ctx context.Context, pool *parallel.Pool, n int, x, y []T, reduce func(plane []T) T) error {
	return pool.For(ctx, len(y), max(1, inlineWork/max(1, n)), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			y[i] = reduce(x[i*n:][:n])
		}
	})
}

// MeanOf returns the mean of a plane; 0/0 is NaN.
func MeanOf(plane []float32) float32 { return simd.Sum(plane) / float32(len(plane)) }

// MeanOf64 is [MeanOf] in double precision.
func MeanOf64(plane []float64) float64 {
	sum := 0.0
	for _, v := range plane {
		sum += v
	}
	return sum / float64(len(plane))
}

// MaxOf returns the largest element of a plane, NaN if it holds one.
func MaxOf(plane []float32) float32 { return simd.MaxReduce(plane) }

// MaxOf64 is [MaxOf] in double precision.
func MaxOf64(plane []float64) float64 {
	best := -infinity
	for _, v := range plane {
		if v > best || v != v {
			best = v
		}
	}
	return best
}

// LpOf returns the function that computes the Lp norm of a plane.
func LpOf[T Float](p float64) func(plane []T) T {
	power, root := norm(p)
	return func(plane []T) T {
		sum := 0.0
		for _, v := range plane {
			sum += power(float64(v))
		}
		return T(root(sum))
	}
}
