package resize

import (
	"context"
	"sort"
	"sync"

	"gort/internal/parallel"
	"gort/internal/simd"
)

// Float lists the element types of interpolation.
type Float interface{ float32 | float64 }

// Interpolation is a resize by weighted sums, made ready for one shape.
type Interpolation[T Float] struct {
	planes          int // leading elements that do not change
	inside, outside int // elements of a plane of the input and the output
	passes          []pass[T]
	extrapolation   T
	largest         int // elements of the largest intermediate plane
}

// pass resamples one dimension: outer blocks of in rows of inner elements.
type pass[T Float] struct {
	axis               *Axis
	weights            []T
	outer, inner, size int // size is the output's elements
}

// NewInterpolation prepares a resize of tensors of shape in. axes has a table
// for each dimension, nil where nothing changes. The dimensions that shrink most
// come first, so that the others have less to do.
func NewInterpolation[T Float](in []int, axes []*Axis, extrapolation float64) *Interpolation[T] {
	p := &Interpolation[T]{planes: 1, extrapolation: T(extrapolation)}
	first := 0
	for first < len(in) && axes[first] == nil {
		p.planes *= in[first]
		first++
	}
	shape := append([]int(nil), in[first:]...)
	axes = axes[first:]
	p.inside = product(shape)
	var order []int
	for d := len(axes) - 1; d >= 0; d-- {
		if axes[d] != nil {
			order = append(order, d)
		}
	}
	sort.SliceStable(order, func(i, j int) bool {
		a, b := axes[order[i]], axes[order[j]]
		return float64(a.Out)/float64(a.In) < float64(b.Out)/float64(b.In)
	})
	for _, d := range order {
		shape[d] = axes[d].Out
		s := pass[T]{axis: axes[d], outer: product(shape[:d]), inner: product(shape[d+1:]), size: product(shape)}
		for _, w := range axes[d].Weights {
			s.weights = append(s.weights, T(w))
		}
		p.passes = append(p.passes, s)
		p.largest = max(p.largest, s.size)
	}
	p.outside = product(shape)
	return p
}

func product(s []int) int {
	n := 1
	for _, v := range s {
		n *= v
	}
	return n
}

var planePools = [2]sync.Pool{
	{New: func() any { return &planes[float32]{} }},
	{New: func() any { return &planes[float64]{} }},
}

// planes are two intermediate results.
type planes[T Float] struct{ buffers [2][]T }

func planePool[T Float]() *sync.Pool {
	var zero T
	if _, double := any(zero).(float64); double {
		return &planePools[1]
	}
	return &planePools[0]
}

// Run resizes x into y.
func (p *Interpolation[T]) Run(ctx context.Context, pool *parallel.Pool, x, y []T) error {
	if len(y) == 0 {
		return nil
	}
	if len(p.passes) == 0 {
		copy(y, x)
		return nil
	}
	if p.planes >= 2*pool.Threads() {
		return pool.For(ctx, p.planes, max(1, inlineWork/(p.outside+p.inside)), func(lo, hi int) {
			for i := lo; i < hi; i++ {
				_ = p.plane(context.Background(), nil, x[i*p.inside:][:p.inside], y[i*p.outside:][:p.outside]) // fails only when cancelled
			}
		})
	}
	for i := range p.planes {
		if err := p.plane(ctx, pool, x[i*p.inside:][:p.inside], y[i*p.outside:][:p.outside]); err != nil {
			return err
		}
	}
	return nil
}

func (p *Interpolation[T]) plane(ctx context.Context, pool *parallel.Pool, x, y []T) error {
	pp := planePool[T]()
	s := pp.Get().(*planes[T])
	defer pp.Put(s)
	for i := range p.passes {
		to := y
		if i < len(p.passes)-1 {
			b := &s.buffers[i%2]
			if cap(*b) < p.largest {
				*b = make([]T, p.largest)
			}
			to = (*b)[:p.passes[i].size]
		}
		if err := p.passes[i].run(ctx, pool, p.extrapolation, x, to); err != nil {
			return err
		}
		x = to
	}
	return nil
}

func (s *pass[T]) run(ctx context.Context, pool *parallel.Pool, extrapolation T, x, y []T) error {
	a := s.axis
	if s.inner == 1 {
		return pool.For(ctx, s.outer, max(1, inlineWork/(a.Out*a.Taps)), func(lo, hi int) {
			for r := lo; r < hi; r++ {
				s.row(y[r*a.Out:][:a.Out], x[r*a.In:][:a.In], extrapolation)
			}
		})
	}
	return pool.For(ctx, s.outer*a.Out, max(1, inlineWork/(s.inner*a.Taps)), func(lo, hi int) {
		for r := lo; r < hi; r++ {
			o := r % a.Out
			dst := y[r*s.inner:][:s.inner]
			if a.Outside != nil && a.Outside[o] {
				fill(dst, extrapolation)
				continue
			}
			block := x[r/a.Out*a.In*s.inner:]
			first := true
			for t := o * a.Taps; t < (o+1)*a.Taps; t++ {
				if s.weights[t] == 0 {
					continue
				}
				src := block[a.Index[t]*s.inner:][:s.inner]
				if first {
					scale(dst, src, s.weights[t])
				} else {
					accumulate(dst, src, s.weights[t])
				}
				first = false
			}
			if first {
				clear(dst)
			}
		}
	})
}

// row resamples neighbouring elements.
func (s *pass[T]) row(dst, src []T, extrapolation T) {
	a := s.axis
	if a.Taps == 2 {
		for o := range dst {
			dst[o] = s.weights[2*o]*src[a.Index[2*o]] + s.weights[2*o+1]*src[a.Index[2*o+1]]
		}
	} else {
		for o := range dst {
			sum := T(0)
			for t := o * a.Taps; t < (o+1)*a.Taps; t++ {
				sum += s.weights[t] * src[a.Index[t]]
			}
			dst[o] = sum
		}
	}
	for o, out := range a.Outside {
		if out {
			dst[o] = extrapolation
		}
	}
}

func scale[T Float](dst, src []T, w T) {
	if d, ok := any(dst).([]float32); ok {
		simd.MulScalar(d, any(src).([]float32), float32(w))
		return
	}
	for i, v := range src {
		dst[i] = v * w
	}
}

func accumulate[T Float](dst, src []T, w T) {
	if d, ok := any(dst).([]float32); ok {
		simd.AXPY(d, any(src).([]float32), float32(w))
		return
	}
	for i, v := range src {
		dst[i] += v * w
	}
}
