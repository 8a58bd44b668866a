package gemm

import (
	"context"
	"sync"
	"sync/atomic"

	"gort/internal/parallel"
	"gort/internal/simd"
)

// Block sizes. A kBlock x 16 panel of B (16 KiB) stays in the first-level cache
// while the kernel walks down a block of A (192 KiB), which stays in the second
// level. kBlock is part of the numerical result (partial sums are rounded to
// float32 at its multiples): it is the same for every shape and machine.
const (
	kBlock    = 256
	mBlock    = 192
	nBlock    = 256
	minMBlock = 48
	minNBlock = 64
)

// inlineWork is the number of multiplications below which a product is not
// worth waking a worker.
const inlineWork = 32 << 10

// blocked is one product on its way through the cache blocks. C is cut into
// mb x nb tiles, the units of work for the pool, numbered down the columns.
type blocked struct {
	a        []float32
	ars, acs int
	b        []float32 // nil if packed is set
	brs, bcs int
	packed   *PackedB

	m, n, k     int
	alpha, beta float32
	c           []float32
	ldc         int

	mb, nb, mTiles int
	done           <-chan struct{}
	stopped        atomic.Bool
	body           func(lo, hi int) // r.tiles, bound once
}

var blockedPool = sync.Pool{New: func() any {
	r := &blocked{}
	r.body = r.tiles
	return r
}}

func newBlocked() *blocked { return blockedPool.Get().(*blocked) }

// run computes the product and gives r back.
func (r *blocked) run(ctx context.Context, p *parallel.Pool) error {
	defer r.recycle()
	r.done = doneOf(ctx)
	if float64(r.m)*float64(r.n)*float64(r.k) < inlineWork {
		p = nil
	}
	r.mb, r.nb = tileSize(r.m, r.n, p.Threads())
	r.mTiles = ceilDiv(r.m, r.mb)
	err := p.For(ctx, r.mTiles*ceilDiv(r.n, r.nb), 1, r.body)
	if err == nil && r.stopped.Load() {
		err = ctx.Err()
	}
	return err
}

func (r *blocked) recycle() {
	*r = blocked{body: r.body}
	blockedPool.Put(r)
}

// tileSize shrinks the tiles until there are enough to keep all threads busy
// to the end.
func tileSize(m, n, threads int) (mb, nb int) {
	mb, nb = min(mBlock, roundUp(m, simd.GemmMR)), min(nBlock, roundUp(n, simd.GemmNR))
	if threads == 1 {
		return mb, nb
	}
	for ceilDiv(m, mb)*ceilDiv(n, nb) < 4*threads {
		switch {
		case nb >= mb && nb > minNBlock:
			nb = roundUp(nb/2, simd.GemmNR)
		case mb > minMBlock:
			mb = roundUp(mb/2, simd.GemmMR)
		case nb > minNBlock:
			nb = roundUp(nb/2, simd.GemmNR)
		default:
			return mb, nb
		}
	}
	return mb, nb
}

// tiles computes the tiles [lo, hi). Tiles above each other are done together,
// so that they share the packed block of B.
func (r *blocked) tiles(lo, hi int) {
	s := scratchPool.Get().(*scratch)
	defer scratchPool.Put(s)
	for lo < hi {
		column := lo / r.mTiles
		end := min(hi, (column+1)*r.mTiles)
		i0 := (lo - column*r.mTiles) * r.mb
		i1 := min(r.m, (end-column*r.mTiles)*r.mb)
		j0 := column * r.nb
		j1 := min(r.n, j0+r.nb)
		if !r.strip(s, i0, i1, j0, j1) {
			r.stopped.Store(true)
			return
		}
		lo = end
	}
}

// strip computes rows [i0, i1) of columns [j0, j1) and reports whether it got
// to the end.
func (r *blocked) strip(s *scratch, i0, i1, j0, j1 int) bool {
	if r.beta != 0 {
		scale(i1-i0, j1-j0, r.beta, r.c[i0*r.ldc+j0:], r.ldc)
	}
	for p := 0; p < r.k; p += kBlock {
		kc := min(kBlock, r.k-p)
		bs := r.blockB(s, p, kc, j0, j1, i1-i0)
		for i := i0; i < i1; i += r.mb {
			mc := min(r.mb, i1-i)
			as := r.blockA(s, p, kc, i, mc, j1-j0)
			if !r.macro(s, as, bs, i, mc, j0, j1, kc, p > 0 || r.beta != 0) {
				return false
			}
		}
	}
	return true
}

// operand is a block of A or B, packed or in place: panel q starts at
// data[q*panel:], with the given strides inside.
type operand struct {
	data     []float32
	panel    int
	rs, cs   int
	lastData []float32 // the last panel of B if it is not full and B is in place
}

// macro multiplies a block of A with a block of B, panel by panel.
func (r *blocked) macro(s *scratch, as, bs operand, i0, mc, j0, j1, kc int, accumulate bool) bool {
	const mr, nr = simd.GemmMR, simd.GemmNR
	for j := j0; j < j1; j += nr {
		if stopped(r.done) {
			return false
		}
		cols := min(nr, j1-j)
		b, ldb := bs.data, bs.rs
		if cols < nr && bs.lastData != nil {
			b, ldb = bs.lastData, nr
		} else {
			b = b[(j-j0)/nr*bs.panel:]
		}
		for i := 0; i < mc; i += mr {
			rows := min(mr, mc-i)
			a := as.data[i/mr*as.panel:]
			c := r.c[(i0+i)*r.ldc+j:]
			if cols == nr {
				simd.GemmKernel6x16(rows, kc, a, as.rs, as.cs, b, ldb, c, r.ldc, r.alpha, accumulate)
				continue
			}
			edge := s.edge[:]
			if accumulate {
				for q := range rows {
					copy(edge[q*nr:q*nr+cols], c[q*r.ldc:])
				}
			}
			simd.GemmKernel6x16(rows, kc, a, as.rs, as.cs, b, ldb, edge, nr, r.alpha, accumulate)
			for q := range rows {
				copy(c[q*r.ldc:q*r.ldc+cols], edge[q*nr:])
			}
		}
	}
	return true
}

// blockA returns rows [i, i+mc) of columns [p, p+kc) of op(A), packed if that
// pays.
func (r *blocked) blockA(s *scratch, p, kc, i, mc, cols int) operand {
	src := r.a[i*r.ars+p*r.acs:]
	if !packsA(r.ars, r.acs, cols) {
		return operand{data: src, panel: simd.GemmMR * r.ars, rs: r.ars, cs: r.acs}
	}
	s.a = grow(s.a, roundUp(mc, simd.GemmMR)*kc)
	packA(s.a, src, r.ars, r.acs, mc, kc)
	return operand{data: s.a, panel: simd.GemmMR * kc, rs: 1, cs: simd.GemmMR}
}

// blockB returns rows [p, p+kc) of columns [j0, j1) of op(B). It is packed
// unless it is already or only few panels of A will read it.
func (r *blocked) blockB(s *scratch, p, kc, j0, j1, rows int) operand {
	const nr = simd.GemmNR
	if r.packed != nil {
		return operand{data: r.packed.panels(p, kc, j0), panel: nr * kc, rs: nr}
	}
	src := r.b[p*r.brs+j0*r.bcs:]
	cols := j1 - j0
	if r.bcs == 1 && rows <= directRows {
		op := operand{data: src, panel: nr, rs: r.brs}
		if tail := cols % nr; tail > 0 {
			s.b = grow(s.b, nr*kc)
			packB(s.b, src[cols-tail:], r.brs, r.bcs, kc, tail)
			op.lastData = s.b
		}
		return op
	}
	s.b = grow(s.b, roundUp(cols, nr)*kc)
	packB(s.b, src, r.brs, r.bcs, kc, cols)
	return operand{data: s.b, panel: nr * kc, rs: nr}
}

// directRows is the number of rows up to which B is read in place: packing
// would cost more than it saves.
const directRows = 12

// packsA decides whether A is packed for so many columns of B. Rows are read
// in place, unless they lie a multiple of a page apart and so compete for the
// same few cache lines; a transposed A is read in place only for a few columns.
func packsA(ars, acs, cols int) bool {
	const pageFloats = 1024
	if acs != 1 {
		return cols > 32
	}
	return ars%pageFloats == 0 && cols > 64
}

// scratch is the packing memory of one thread.
type scratch struct {
	a, b []float32
	edge [simd.GemmMR * simd.GemmNR]float32
}

var scratchPool = sync.Pool{New: func() any { return &scratch{} }}

func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
