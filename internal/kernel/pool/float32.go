package pool

import (
	"context"
	"math"
	"sync"

	"gort/internal/parallel"
	"gort/internal/simd"
)

// The vector versions reduce the rows of a window first, element by element,
// and then the columns: the combined row is split into phases (every stride-th
// element), in which neighbouring outputs read neighbouring elements.

// vectorizes reports whether the vector versions pay: not for windows that are
// mostly outside of the input.
func (w *Window) vectorizes() bool {
	last := len(w.Input) - 1
	return (w.Kernel[last]-1)*w.Dilations[last] < 2*w.Input[last]+64
}

// rowScratch is the working memory of one thread.
type rowScratch struct {
	row, phases, count []float32
	outer, at          []int
}

var rowPool = sync.Pool{New: func() any { return &rowScratch{} }}

func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// reduction is how two rows become one, and what stands outside the input.
type reduction struct {
	combine func(dst, a, b []float32)
	outside float32
}

var (
	maximum = reduction{simd.Max, float32(math.Inf(-1))}
	adding  = reduction{simd.Add, 0}
)

// MaxFloat32 is [Max] for float32 without indices.
func MaxFloat32(ctx context.Context, pool *parallel.Pool, w *Window, x, y []float32) error {
	if !w.vectorizes() {
		return Max(ctx, pool, w, maximum.outside, x, y, nil, false)
	}
	return byRows(ctx, pool, w, maximum, x, y, nil)
}

// AverageFloat32 is [Average] for float32, with sums in single precision.
func AverageFloat32(ctx context.Context, pool *parallel.Pool, w *Window, countPadding bool, x, y []float32) error {
	if !w.vectorizes() {
		return Average(ctx, pool, w, countPadding, x, y)
	}
	last := len(w.Input) - 1
	return byRows(ctx, pool, w, adding, x, y, func(s *rowScratch, out []float32) {
		n := 1
		for d, o := range s.outer {
			n *= w.count(d, o, countPadding)
		}
		s.count = grow(s.count, len(out))
		for o := range s.count {
			s.count[o] = float32(max(1, n*w.count(last, o, countPadding)))
		}
		simd.Div(out, out, s.count)
	})
}

// byRows reduces window by window; finish, if not nil, sees each output row.
func byRows(ctx context.Context, pool *parallel.Pool, w *Window, r reduction, x, y []float32, finish func(s *rowScratch, out []float32)) error {
	if len(y) == 0 {
		return nil
	}
	last := len(w.Output) - 1
	width, plane, inWidth := w.Output[last], product(w.Input), w.Input[last]
	rows, grain := w.rowsAndGrain()
	return pool.For(ctx, w.Planes*rows, grain, func(lo, hi int) {
		s := rowPool.Get().(*rowScratch)
		defer rowPool.Put(s)
		s.outer, s.at, s.row = grow(s.outer, last), grow(s.at, 3*last), grow(s.row, inWidth)
		for i := lo; i < hi; i++ {
			in := x[i/rows*plane:][:plane]
			w.coordinates(s.outer, i%rows)
			out := y[i*width:][:width]
			var combined []float32
			w.rows(s.outer, s.at, func(row int) {
				next := in[row:][:inWidth]
				if combined == nil {
					combined = next
					return
				}
				r.combine(s.row, combined, next)
				combined = s.row
			})
			if combined == nil {
				for o := range out {
					out[o] = r.outside
				}
			} else {
				w.columns(s, r, combined, out)
			}
			if finish != nil {
				finish(s, out)
			}
		}
	})
}

// columns reduces the windows of one row.
func (w *Window) columns(s *rowScratch, r reduction, row, out []float32) {
	last := len(w.Input) - 1
	k, stride, dilation, begin := w.Kernel[last], w.Strides[last], w.Dilations[last], w.Begin[last]
	size := len(out) + (k-1)*dilation/stride
	phases := min(stride, (k-1)*dilation+1)
	s.phases = grow(s.phases, phases*size)
	for p := range phases {
		phase := s.phases[p*size:][:size]
		for j := range phase {
			if i := j*stride + p - begin; uint(i) < uint(len(row)) {
				phase[j] = row[i]
			} else {
				phase[j] = r.outside
			}
		}
	}
	copy(out, s.phases[:len(out)])
	for t := 1; t < k; t++ {
		at := t * dilation
		r.combine(out, out, s.phases[at%stride*size+at/stride:][:len(out)])
	}
}
