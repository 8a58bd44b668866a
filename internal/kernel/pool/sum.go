package pool

import (
	"context"
	"math"

	"gort/internal/parallel"
)

// Float lists the element types of the poolings that add.
type Float interface{ float32 | float64 }

// Average computes the mean of each window: over the elements inside the input,
// or, with countPadding, over those inside the input and its padding, which
// count as 0. The mean of nothing is 0.
func Average[T Float](ctx context.Context, pool *parallel.Pool, w *Window, countPadding bool, x, y []T) error {
	return sums(ctx, pool, w, x, y, func(v T) float64 { return float64(v) }, func(outer []int, o int, sum float64) float64 {
		n := 1
		for d, c := range outer {
			n *= w.count(d, c, countPadding)
		}
		if n *= w.count(len(outer), o, countPadding); n == 0 {
			return 0
		}
		return sum / float64(n)
	})
}

// count is the number of taps that divide the sum of output o in dimension d.
func (w *Window) count(d, o int, countPadding bool) int {
	if countPadding {
		return w.padded(d, o)
	}
	first, last, _ := w.taps(d, o)
	return last - first
}

// Lp computes (sum of |x|**p)**(1/p) over each window.
func Lp[T Float](ctx context.Context, pool *parallel.Pool, w *Window, p float64, x, y []T) error {
	power, root := norm(p)
	return sums(ctx, pool, w, x, y, func(v T) float64 { return power(float64(v)) }, func(_ []int, _ int, sum float64) float64 { return root(sum) })
}

// norm returns |v|**p and its inverse on sums.
func norm(p float64) (power, root func(v float64) float64) {
	switch p {
	case 1:
		return math.Abs, func(v float64) float64 { return v }
	case 2:
		return func(v float64) float64 { return v * v }, math.Sqrt
	}
	return func(v float64) float64 { return math.Pow(math.Abs(v), p) }, func(v float64) float64 { return math.Pow(v, 1/p) }
}

// sums adds up term over each window and stores what finish makes of the sum of
// the output with these coordinates.
func sums[T Float](ctx context.Context, pool *parallel.Pool, w *Window, x, y []T, term func(v T) float64, finish func(outer []int, o int, sum float64) float64) error {
	if len(y) == 0 {
		return nil
	}
	last := len(w.Output) - 1
	width, plane, dilation := w.Output[last], product(w.Input), w.Dilations[last]
	rows, grain := w.rowsAndGrain()
	return pool.For(ctx, w.Planes*rows, grain, func(lo, hi int) {
		outer, at := make([]int, last), make([]int, 3*last)
		for r := lo; r < hi; r++ {
			in := x[r/rows*plane:][:plane]
			w.coordinates(outer, r%rows)
			for o := range width {
				first, end, start := w.taps(last, o)
				sum := 0.0
				w.rows(outer, at, func(row int) {
					i := row + start
					for range end - first {
						sum += term(in[i])
						i += dilation
					}
				})
				y[r*width+o] = T(finish(outer, o, sum))
			}
		}
	})
}
