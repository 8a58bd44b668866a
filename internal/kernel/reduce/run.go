package reduce

import (
	"context"

	"gort/internal/parallel"
)

// Reduction is one way to reduce elements of type T with an accumulator A.
type Reduction[T, A any] struct {
	Init  A                    // of no elements
	Row   func(acc A, x []T) A // folds in all of x
	Col   func(acc []A, x []T) // folds x[i] into acc[i]
	Merge func(acc, more A) A  // folds in what another accumulator has
	Done  func(acc A, n int) T // the result of n elements
	Plain bool                 // Done returns acc as it is
}

const (
	grain = 1 << 14 // elements worth a thread's attention
	// columns is how many accumulators side by side stay in the first-level cache.
	columns = 1 << 10
	// piece is how many elements of a long row are folded at a time. Where the
	// cuts lie is fixed, so that the result does not depend on the threads.
	piece = 1 << 16
)

// axis is one of the joined dimensions.
type axis struct{ size, stride int }

// odometer walks through combinations of indices of axes, innermost last.
type odometer struct {
	axes  []axis
	index []int
	at    int
}

func newOdometer(axes []axis) odometer { return odometer{axes: axes, index: make([]int, len(axes))} }

// seek puts the odometer on the i-th combination.
func (o *odometer) seek(i int) {
	o.at = 0
	for k := len(o.axes) - 1; k >= 0; k-- {
		a := o.axes[k]
		o.index[k] = i % a.size
		o.at += o.index[k] * a.stride
		i /= a.size
	}
}

// next moves to the next combination and back to the first after the last.
func (o *odometer) next() {
	for k := len(o.axes) - 1; k >= 0; k-- {
		o.index[k]++
		o.at += o.axes[k].stride
		if o.index[k] < o.axes[k].size {
			return
		}
		o.at -= o.axes[k].size * o.axes[k].stride
		o.index[k] = 0
	}
}

func count(axes []axis) int {
	n := 1
	for _, a := range axes {
		n *= a.size
	}
	return n
}

// job is a reduction laid out for one shape.
type job[T, A any] struct {
	r             *Reduction[T, A]
	dst, src      []T
	kept, reduced []axis // without the innermost one
	inner         int    // size of the innermost
	n             int    // elements folded into one
}

// Run reduces the axes of src that are marked. dst holds the results of the
// others in row-major order.
func Run[T, A any](ctx context.Context, pool *parallel.Pool, r *Reduction[T, A], dst, src []T, shape []int, marked []bool) error {
	if len(dst) == 0 {
		return nil
	}
	j := &job[T, A]{r: r, dst: dst, src: src, inner: 1, n: 1}
	stride, last := 1, false // last: the innermost dimension is reduced
	joined := 0
	for i := len(shape) - 1; i >= 0; i-- {
		if marked[i] {
			j.n *= shape[i]
		}
		if shape[i] == 1 {
			continue
		}
		list := &j.kept
		if marked[i] {
			list = &j.reduced
		}
		switch {
		case joined == 0:
			last, j.inner, joined = marked[i], shape[i], 1
		case joined == 1 && last == marked[i] && len(j.kept)+len(j.reduced) == 0:
			j.inner *= shape[i]
		case len(*list) > 0 && (*list)[0].stride*(*list)[0].size == stride:
			(*list)[0].size *= shape[i]
		default:
			*list = append([]axis{{shape[i], stride}}, *list...)
		}
		stride *= shape[i]
	}
	if j.n == 0 {
		for i := range dst {
			dst[i] = r.Done(r.Init, 0)
		}
		return nil
	}
	if last {
		return j.rows(ctx, pool)
	}
	return j.cols(ctx, pool)
}

// rows is for a reduced innermost dimension.
func (j *job[T, A]) rows(ctx context.Context, pool *parallel.Pool) error {
	times := count(j.reduced)
	if j.inner > piece && len(j.dst) == 1 && times == 1 {
		return j.long(ctx, pool)
	}
	return pool.For(ctx, len(j.dst), max(1, grain/(times*j.inner)), func(lo, hi int) {
		kept, reduced := newOdometer(j.kept), newOdometer(j.reduced)
		kept.seek(lo)
		for i := lo; i < hi; i++ {
			acc := j.r.Init
			for range times {
				acc = j.row(acc, j.src[kept.at+reduced.at:][:j.inner])
				reduced.next()
			}
			j.dst[i] = j.r.Done(acc, j.n)
			kept.next()
		}
	})
}

func (j *job[T, A]) row(acc A, x []T) A {
	for len(x) > piece {
		acc = j.r.Merge(acc, j.r.Row(j.r.Init, x[:piece]))
		x = x[piece:]
	}
	return j.r.Row(acc, x)
}

// long reduces one long row to one number, in parallel.
func (j *job[T, A]) long(ctx context.Context, pool *parallel.Pool) error {
	parts := make([]A, (j.inner+piece-1)/piece)
	err := pool.For(ctx, len(parts), 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			parts[i] = j.r.Row(j.r.Init, j.src[i*piece:min((i+1)*piece, j.inner)])
		}
	})
	acc := j.r.Init
	for _, p := range parts {
		acc = j.r.Merge(acc, p)
	}
	j.dst[0] = j.r.Done(acc, j.n)
	return err
}

// cols is for a kept innermost dimension, and for when nothing is reduced.
func (j *job[T, A]) cols(ctx context.Context, pool *parallel.Pool) error {
	times, blocks := count(j.reduced), (j.inner+columns-1)/columns
	outer := len(j.dst) / j.inner
	per := times * min(j.inner, columns)
	direct, inPlace := any(j.dst).([]A)
	return pool.For(ctx, outer*blocks, max(1, grain/per), func(lo, hi int) {
		kept, reduced := newOdometer(j.kept), newOdometer(j.reduced)
		var own []A
		if !inPlace {
			own = make([]A, min(j.inner, columns))
		}
		kept.seek(lo / blocks)
		for i := lo; i < hi; i++ {
			from := i % blocks * columns
			n := min(columns, j.inner-from)
			dst := j.dst[i/blocks*j.inner+from:][:n]
			acc := own
			if inPlace {
				acc = direct[i/blocks*j.inner+from:]
			}
			acc = acc[:n]
			for k := range acc {
				acc[k] = j.r.Init
			}
			for range times {
				j.r.Col(acc, j.src[kept.at+reduced.at+from:][:n])
				reduced.next()
			}
			if !inPlace || !j.r.Plain {
				for k, a := range acc {
					dst[k] = j.r.Done(a, j.n)
				}
			}
			if i%blocks == blocks-1 {
				kept.next()
			}
		}
	})
}
