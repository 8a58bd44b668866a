// Package softmax computes Softmax, LogSoftmax and Hardmax along one axis.
//
// With m the largest element of a vector x, all three start from x-m, which is
// at most 0, so that no exponential overflows:
//
//	softmax(x)    = exp(x-m) / sum(exp(x-m))
//	logsoftmax(x) = (x-m) - log(sum(exp(x-m)))
//	hardmax(x)    = 1 at the first place of m, 0 elsewhere
//
// NaN in a vector makes all of its Softmax and LogSoftmax NaN.
package softmax

import (
	"context"
	"math"

	"gort/internal/parallel"
	"gort/internal/simd"
)

// Float is the types that are computed with.
type Float interface{ float32 | float64 }

// Kind is one of the three functions.
type Kind uint8

// The functions.
const (
	Soft Kind = iota
	Log
	Hard
)

// Layout says which vectors a gapless tensor consists of: Outer times Inner ones
// of N elements, neighbours of one lying Inner elements apart.
type Layout struct{ Outer, N, Inner int }

// Along is the layout of the vectors along an axis.
func Along(shape []int, axis int) Layout {
	return Layout{product(shape[:axis]), shape[axis], product(shape[axis+1:])}
}

// From is the layout in which all dimensions from axis on make one vector, as
// Softmax had it before opset 13.
func From(shape []int, axis int) Layout {
	return Layout{product(shape[:axis]), product(shape[axis:]), 1}
}

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// columns is how many vectors with interleaved elements are computed together.
const columns = 256

// grain is how many elements are worth a thread's attention.
const grain = 1 << 12

// Run computes a function over all vectors. dst may be the same slice as src.
func Run[T Float](ctx context.Context, pool *parallel.Pool, kind Kind, dst, src []T, l Layout) error {
	if len(dst) == 0 {
		return nil
	}
	if l.Inner == 1 {
		return pool.For(ctx, l.Outer, max(1, grain/l.N), func(lo, hi int) {
			for i := lo; i < hi; i++ {
				row(kind, dst[i*l.N:][:l.N], src[i*l.N:][:l.N])
			}
		})
	}
	blocks := (l.Inner + columns - 1) / columns
	per := l.N * min(l.Inner, columns)
	return pool.For(ctx, l.Outer*blocks, max(1, grain/per), func(lo, hi int) {
		var w work[T]
		for i := lo; i < hi; i++ {
			at := i/blocks*l.N*l.Inner + i%blocks*columns
			w.block(kind, dst[at:], src[at:], l, min(columns, l.Inner-i%blocks*columns))
		}
	})
}

func row[T Float](kind Kind, dst, src []T) {
	if d, ok := any(dst).([]float32); ok && kind != Hard {
		s := any(src).([]float32)
		if kind == Soft {
			softRow(d, s)
		} else {
			logRow(d, s)
		}
		return
	}
	at, m := 0, src[0]
	for i, x := range src {
		if x > m || x != x && m == m {
			at, m = i, x
		}
	}
	if kind == Hard {
		clear(dst)
		dst[at] = 1
		return
	}
	sum := 0.0
	for _, x := range src {
		sum += math.Exp(float64(x - m))
	}
	for i, x := range src {
		if kind == Soft {
			dst[i] = T(math.Exp(float64(x-m)) / sum)
		} else {
			dst[i] = T(float64(x-m) - math.Log(sum))
		}
	}
}

func softRow(dst, src []float32) {
	simd.SubScalar(dst, src, simd.MaxReduce(src))
	simd.Exp(dst, dst)
	simd.DivScalar(dst, dst, simd.Sum(dst))
}

func logRow(dst, src []float32) {
	m := simd.MaxReduce(src)
	var tmp [columns]float32
	sum := 0.0
	for at := 0; at < len(src); at += len(tmp) {
		x := src[at:min(len(src), at+len(tmp))]
		t := tmp[:len(x)]
		simd.SubScalar(t, x, m)
		simd.Exp(t, t)
		sum += float64(simd.Sum(t))
	}
	simd.SubScalar(dst, src, m)
	simd.SubScalar(dst, dst, float32(math.Log(sum)))
}

// work is the memory for a block of columns.
type work[T Float] struct {
	most, sum, tmp [columns]T
	at             [columns]int
}

// block computes n neighbouring vectors whose elements interleave.
func (w *work[T]) block(kind Kind, dst, src []T, l Layout, n int) {
	m, sum, tmp := w.most[:n], w.sum[:n], w.tmp[:n]
	copy(m, src[:n])
	if kind == Hard {
		w.hard(dst, src, l, n)
		return
	}
	for k := 1; k < l.N; k++ {
		larger(m, src[k*l.Inner:][:n])
	}
	clear(sum)
	for k := range l.N {
		t := tmp
		if kind == Soft {
			t = dst[k*l.Inner:][:n]
		}
		expDiff(t, src[k*l.Inner:][:n], m)
		add(sum, t)
	}
	if kind == Soft {
		for k := range l.N {
			div(dst[k*l.Inner:][:n], sum)
		}
		return
	}
	for i, s := range sum {
		sum[i] = T(math.Log(float64(s)))
	}
	for k := range l.N {
		for i, x := range src[k*l.Inner:][:n] {
			dst[k*l.Inner+i] = (x - m[i]) - sum[i]
		}
	}
}

func (w *work[T]) hard(dst, src []T, l Layout, n int) {
	m, at := w.most[:n], w.at[:n]
	clear(at)
	for k := 1; k < l.N; k++ {
		for i, x := range src[k*l.Inner:][:n] {
			if x > m[i] || x != x && m[i] == m[i] {
				m[i], at[i] = x, k
			}
		}
	}
	for k := range l.N {
		clear(dst[k*l.Inner:][:n])
	}
	for i, k := range at {
		dst[k*l.Inner+i] = 1
	}
}

// The passes over a row of columns, on float32 by vector instructions.

func larger[T Float](m, x []T) {
	if d, ok := any(m).([]float32); ok {
		simd.Max(d, d, any(x).([]float32))
		return
	}
	for i, v := range x {
		if v > m[i] || v != v {
			m[i] = v
		}
	}
}

func expDiff[T Float](dst, x, m []T) {
	if d, ok := any(dst).([]float32); ok {
		simd.Sub(d, any(x).([]float32), any(m).([]float32))
		simd.Exp(d, d)
		return
	}
	for i, v := range x {
		dst[i] = T(math.Exp(float64(v - m[i])))
	}
}

func add[T Float](sum, x []T) {
	if d, ok := any(sum).([]float32); ok {
		simd.Add(d, d, any(x).([]float32))
		return
	}
	for i, v := range x {
		sum[i] += v
	}
}

func div[T Float](dst, sum []T) {
	if d, ok := any(dst).([]float32); ok {
		simd.Div(d, d, any(sum).([]float32))
		return
	}
	for i, s := range sum {
		dst[i] /= s
	}
}
