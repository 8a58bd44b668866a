package blockquant

import (
	"context"
	"fmt"
	"sync"

	"gort/internal/parallel"
	"gort/internal/simd"
)

// fewRows is up to how many rows of A are multiplied by the quantized weights as
// they are. From there on it is less work to make a panel numbers once and multiply
// all rows by it.
const fewRows = 3

// rowsPerPart is how many rows of A a worker takes at least, and depth how many rows
// of a panel are numbers at a time: 16 KiB, which the first-level cache keeps.
const (
	rowsPerPart = 48
	depth       = 256
)

// product is one Multiply on its way through the pool.
type product struct {
	p    *Panels
	m    int
	a, y []float32
	bias []float32

	x, sums       []float32 // of all rows: prescaled, filled up to whole blocks, and the blocks' sums
	parts         int       // of the rows of A
	dots, numbers func(lo, hi int)
}

var products = sync.Pool{New: func() any {
	r := &product{}
	r.dots, r.numbers = r.byDots, r.byNumbers
	return r
}}

// rowsMemory keeps the panels that are made numbers, one a worker.
var rowsMemory = sync.Pool{New: func() any { return new([]float32) }}

// Multiply computes y = a * weights' + bias for m rows of a, each of K elements, in
// float32. bias has N elements or is nil. Each element of y is the same chain of
// additions whatever the number of threads; one row alone and a row among many
// differ in rounding.
func (p *Panels) Multiply(ctx context.Context, pool *parallel.Pool, m int, a, bias, y []float32) error {
	if len(a) < m*p.k || len(y) < m*p.n || bias != nil && len(bias) != p.n {
		return fmt.Errorf("blockquant: %d x %d weights, %d rows: operands have %d, %d and %d elements", p.n, p.k, m, len(a), len(bias), len(y))
	}
	if m == 0 || p.n == 0 {
		return nil
	}
	r := products.Get().(*product)
	defer func() {
		r.p, r.a, r.y, r.bias = nil, nil, nil, nil
		products.Put(r)
	}()
	r.p, r.m, r.a, r.y, r.bias = p, m, a, y, bias
	if m <= fewRows && r.prepare() {
		return pool.For(ctx, p.count(), max(1, (32<<10)/max(1, m*p.k*simd.GemmNR)), r.dots)
	}
	r.parts = 1
	if threads := pool.Threads(); p.count() < 2*threads {
		r.parts = max(1, min(m/rowsPerPart, 2*threads/p.count()))
	}
	return pool.For(ctx, p.count()*r.parts, 1, r.numbers)
}

// prepare fills x and sums. It reports false when a sum is not finite: there the
// difference of two sums, which is how zero points are taken off, means nothing.
func (r *product) prepare() bool {
	p := r.p
	blocks := p.blocks()
	width := blocks * p.block
	r.x, r.sums = grow(r.x, r.m*width), grow(r.sums, r.m*blocks)
	for i := range r.m {
		a, x := r.a[i*p.k:][:p.k], r.x[i*width:][:width]
		simd.QuantPrescale(p.bits, x[:p.k], a)
		clear(x[p.k:])
		for b := range blocks {
			s := simd.Sum(a[min(b*p.block, p.k):min((b+1)*p.block, p.k)])
			if s-s != 0 {
				return false
			}
			r.sums[i*blocks+b] = s
		}
	}
	return true
}

// byDots multiplies rows by quantized panels.
func (r *product) byDots(lo, hi int) {
	p := r.p
	blocks := p.blocks()
	width := blocks * p.block
	for i := lo; i < hi; i++ {
		q := p.panel(i, 0, blocks)
		j := i * simd.GemmNR
		cols := min(simd.GemmNR, p.n-j)
		for row := range r.m {
			var y [simd.GemmNR]float32
			if r.bias != nil {
				copy(y[:cols], r.bias[j:])
			}
			simd.QuantDot16(y[:], r.x[row*width:], r.sums[row*blocks:], &q)
			copy(r.y[row*p.n+j:][:cols], y[:])
		}
	}
}

// byNumbers makes panels numbers and multiplies a part of the rows by them.
func (r *product) byNumbers(lo, hi int) {
	p := r.p
	buf := rowsMemory.Get().(*[]float32)
	defer rowsMemory.Put(buf)
	step := max(1, depth/p.block) // blocks at a time
	for t := lo; t < hi; t++ {
		i, part := t/r.parts, t%r.parts
		m0, m1 := part*r.m/r.parts, (part+1)*r.m/r.parts
		for b := 0; b < p.blocks(); b += step {
			end := min(b+step, p.blocks())
			q := p.panel(i, b, end)
			*buf = grow(*buf, (end-b)*p.block*simd.GemmNR)
			simd.QuantRows16(*buf, &q)
			k0 := b * p.block
			r.tiles(i*simd.GemmNR, k0, min(end*p.block, p.k)-k0, m0, m1, *buf)
		}
	}
}

// tiles adds the product of kc columns of A from k0 on, rows [m0, m1), and a panel of
// numbers to the result's columns from j on.
func (r *product) tiles(j, k0, kc, m0, m1 int, panel []float32) {
	p := r.p
	cols := min(simd.GemmNR, p.n-j)
	for m := m0; m < m1; m += simd.GemmMR {
		rows := min(simd.GemmMR, m1-m)
		if k0 == 0 {
			for i := range rows {
				y := r.y[(m+i)*p.n+j:][:cols]
				if r.bias != nil {
					copy(y, r.bias[j:])
				} else {
					clear(y)
				}
			}
		}
		a := r.a[m*p.k+k0:]
		if cols == simd.GemmNR {
			simd.GemmKernel6x16(rows, kc, a, p.k, 1, panel, simd.GemmNR, r.y[m*p.n+j:], p.n, 1, true)
			continue
		}
		var tile [simd.GemmMR * simd.GemmNR]float32
		simd.GemmKernel6x16(rows, kc, a, p.k, 1, panel, simd.GemmNR, tile[:], simd.GemmNR, 1, false)
		for i := range rows {
			y := r.y[(m+i)*p.n+j:][:cols]
			for c := range y {
				y[c] += tile[i*simd.GemmNR+c]
			}
		}
	}
}

// grow returns a slice of n elements, the same memory when it is enough.
func grow(s []float32, n int) []float32 {
	if cap(s) < n {
		return make([]float32, n)
	}
	return s[:n]
}
