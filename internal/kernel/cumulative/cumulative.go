// Package cumulative computes running sums and products along an axis.
package cumulative

import (
	"context"

	"gort/internal/parallel"
)

// Number is the types that are computed with.
type Number interface {
	float32 | float64 | int32 | int64 | uint32 | uint64
}

// Mode says which elements a result covers.
type Mode struct {
	Exclusive bool // all before its own place, not that one
	Reverse   bool // counted from the end
}

// grain is how many elements are worth a thread's attention.
const grain = 1 << 14

// Sum writes running sums along an axis of src.
func Sum[T Number](ctx context.Context, pool *parallel.Pool, dst, src []T, shape []int, axis int, m Mode) error {
	return run(ctx, pool, dst, src, shape, axis, m, 0, func(dst, acc, x []T) {
		for i, v := range x {
			dst[i] = acc[i] + v
		}
	})
}

// Prod writes running products along an axis of src.
func Prod[T Number](ctx context.Context, pool *parallel.Pool, dst, src []T, shape []int, axis int, m Mode) error {
	return run(ctx, pool, dst, src, shape, axis, m, 1, func(dst, acc, x []T) {
		for i, v := range x {
			dst[i] = acc[i] * v
		}
	})
}

// run steps along the axis one row of inner elements at a time: each row of dst
// is the one before it combined with a row of src. dst must not be src.
func run[T Number](ctx context.Context, pool *parallel.Pool, dst, src []T, shape []int, axis int, m Mode, first T, step func(dst, acc, x []T)) error {
	if len(dst) == 0 {
		return nil
	}
	outer, n, inner := 1, shape[axis], 1
	for i, d := range shape {
		switch {
		case i < axis:
			outer *= d
		case i > axis:
			inner *= d
		}
	}
	return pool.For(ctx, outer, max(1, grain/(n*inner)), func(lo, hi int) {
		for o := lo; o < hi; o++ {
			row := func(s []T, k int) []T {
				if m.Reverse {
					k = n - 1 - k
				}
				return s[(o*n+k)*inner:][:inner]
			}
			d := row(dst, 0)
			if m.Exclusive {
				for i := range d {
					d[i] = first
				}
			} else {
				copy(d, row(src, 0))
			}
			for k := 1; k < n; k++ {
				from := k
				if m.Exclusive {
					from = k - 1
				}
				step(row(dst, k), row(dst, k-1), row(src, from))
			}
		}
	})
}
