package gemm

import (
	"context"
	"sync"

	"gort/internal/parallel"
	"gort/internal/simd"
)

// packedInt8Len is the number of int16 a packed k x n matrix takes: k rounded
// up to pairs, n to panels.
func packedInt8Len(k, n int) int { return roundUp(k, 2) * roundUp(n, simd.GemmNR) }

// int8Packing is op(B) on its way into panels, divided over the panels.
type int8Packing[B Byte] struct {
	dst      []int16
	b        []B
	brs, bcs int
	zb       ZeroPoints[B]
	k, n     int
	body     func(lo, hi int) // bound once
}

func newInt8Packing[B Byte]() any {
	r := &int8Packing[B]{}
	r.body = r.panels
	return r
}

var (
	signedPackings   = sync.Pool{New: newInt8Packing[int8]}
	unsignedPackings = sync.Pool{New: newInt8Packing[uint8]}
)

func int8Packings[B Byte]() *sync.Pool {
	if ^B(0) < 0 {
		return &signedPackings
	}
	return &unsignedPackings
}

// packInt8B writes blocks of int8K rows; each has panels of 16 columns; each
// panel is pairs of rows, with the two elements of a column side by side.
func packInt8B[B Byte](ctx context.Context, p *parallel.Pool, dst []int16, b []B, brs, bcs int, zb ZeroPoints[B], k, n int) error {
	if float64(k)*float64(n) < inlineWork {
		p = nil
	}
	r := int8Packings[B]().Get().(*int8Packing[B])
	r.dst, r.b, r.brs, r.bcs, r.zb, r.k, r.n = dst, b, brs, bcs, zb, k, n
	defer func() {
		*r = int8Packing[B]{body: r.body}
		int8Packings[B]().Put(r)
	}()
	return p.For(ctx, ceilDiv(n, simd.GemmNR), 1, r.body)
}

// panels packs the panels [lo, hi) of all blocks.
func (r *int8Packing[B]) panels(lo, hi int) {
	const nr = simd.GemmNR
	width := roundUp(r.n, nr)
	for p0 := 0; p0 < r.k; p0 += int8K {
		kc := min(int8K, r.k-p0)
		pairs := ceilDiv(kc, 2)
		for j0 := lo * nr; j0 < min(r.n, hi*nr); j0 += nr {
			panel := r.dst[p0*width+j0*2*pairs:][:2*pairs*nr]
			if r.n-j0 < nr || kc%2 > 0 {
				clear(panel)
			}
			if r.bcs == 1 && r.n-j0 >= nr {
				packInt8Rows(panel, r.b[p0*r.brs+j0:], r.brs, r.zb.panel(j0), kc)
				continue
			}
			for j := j0; j < min(r.n, j0+nr); j++ {
				z := r.zb.at(j)
				out := panel[2*(j-j0):]
				src := r.b[j*r.bcs+p0*r.brs:]
				for q := range kc {
					out[q/2*2*nr+q%2] = int16(src[q*r.brs]) - z
				}
			}
		}
	}
}

// packInt8Rows fills one panel from rows of contiguous columns.
func packInt8Rows[B Byte](panel []int16, src []B, ld int, zero [simd.GemmNR]int16, kc int) {
	const nr = simd.GemmNR
	for q := range kc {
		row := src[q*ld:][:nr]
		out := panel[q/2*2*nr+q%2:][:2*nr-1]
		for j, x := range row {
			out[2*j] = int16(x) - zero[j]
		}
	}
}

// packInt8A writes rows panels of 6, pairs of columns, like packInt8B.
func packInt8A[A Byte](dst []int16, a []A, ars, acs int, za ZeroPoints[A], i0, m, p0, kc int) {
	const mr = simd.GemmMR
	pairs := ceilDiv(kc, 2)
	for i := 0; i < m; i++ {
		z := za.at(i0 + i)
		out := dst[i/mr*mr*2*pairs+2*(i%mr):]
		src := a[(i0+i)*ars+p0*acs:]
		for q := range kc {
			out[q/2*2*mr+q%2] = int16(src[q*acs]) - z
		}
		if kc%2 > 0 {
			out[(pairs-1)*2*mr+1] = 0
		}
	}
}
