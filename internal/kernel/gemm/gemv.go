package gemm

import (
	"context"
	"sync"
	"sync/atomic"

	"gort/internal/parallel"
	"gort/internal/simd"
)

// vecBlock is how many multiplications a thread does between two looks at the
// context, and the least it is woken for.
const vecBlock = 32 << 10

// vecProduct is y = alpha*M*x + beta*y with M of rows x k, on its way through
// the pool.
type vecProduct struct {
	m        []float32
	mrs, mcs int
	x        []float32 // contiguous
	y        []float32
	ys       int
	k        int

	alpha, beta float32
	done        <-chan struct{}
	stopped     atomic.Bool
	dots, axpys func(lo, hi int) // bound once
	xBuf        []float32
}

var vecPool = sync.Pool{New: func() any {
	v := &vecProduct{}
	v.dots, v.axpys = v.byDots, v.byColumns
	return v
}}

// gemv multiplies the matrix M, rows x k with strides mrs and mcs, by the
// vector x with stride xs.
func gemv(ctx context.Context, p *parallel.Pool, rows, k int, alpha float32, m []float32, mrs, mcs int, x []float32, xs int, beta float32, y []float32, ys int) error {
	v := vecPool.Get().(*vecProduct)
	defer v.recycle()
	v.m, v.mrs, v.mcs, v.y, v.ys, v.k = m, mrs, mcs, y, ys, k
	v.alpha, v.beta = alpha, beta
	if xs == 1 {
		v.x = x[:k]
	} else {
		v.xBuf = grow(v.xBuf, k)
		for i := range k {
			v.xBuf[i] = x[i*xs]
		}
		v.x = v.xBuf
	}
	v.done = doneOf(ctx)
	body, grain := v.axpys, max(64, vecBlock/k)
	if mcs == 1 && (mrs != 1 || k >= rows) {
		body, grain = v.dots, max(1, vecBlock/k)
	}
	err := p.For(ctx, rows, grain, body)
	if err == nil && v.stopped.Load() {
		err = ctx.Err()
	}
	return err
}

func (v *vecProduct) recycle() {
	*v = vecProduct{dots: v.dots, axpys: v.axpys, xBuf: v.xBuf}
	vecPool.Put(v)
}

// byDots: the rows of M are contiguous, each result is a dot product.
func (v *vecProduct) byDots(lo, hi int) {
	step := max(1, vecBlock/v.k)
	for i := lo; i < hi; i++ {
		if (i-lo)%step == 0 && stopped(v.done) {
			v.stopped.Store(true)
			return
		}
		v.store(i, simd.Dot(v.x, v.m[i*v.mrs:]))
	}
}

// byColumns: the columns of M are contiguous (mrs == 1); the results of up to
// 512 rows are summed side by side.
func (v *vecProduct) byColumns(lo, hi int) {
	var sums [512]float32
	for ; lo < hi; lo += len(sums) {
		sum := sums[:min(len(sums), hi-lo)]
		clear(sum)
		p := 0
		for ; p+4 <= v.k; p += 4 {
			if p%64 == 0 && stopped(v.done) {
				v.stopped.Store(true)
				return
			}
			simd.AXPY4(sum, v.m[lo+p*v.mcs:], v.mcs, (*[4]float32)(v.x[p:]))
		}
		for ; p < v.k; p++ {
			simd.AXPY(sum, v.m[lo+p*v.mcs:], v.x[p])
		}
		for i, s := range sum {
			v.store(lo+i, s)
		}
	}
}

func (v *vecProduct) store(i int, s float32) {
	y := &v.y[i*v.ys]
	if v.beta == 0 {
		*y = v.alpha * s
	} else {
		*y = v.alpha*s + v.beta**y
	}
}
