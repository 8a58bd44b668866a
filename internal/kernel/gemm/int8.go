package gemm

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"gort/internal/parallel"
	"gort/internal/simd"
)

// Byte lists the element types of the exact integer products.
type Byte interface{ int8 | uint8 }

// ZeroPoints holds the zero points of an operand: none (all zero), one for the
// whole, or one per row of A or column of B.
type ZeroPoints[T Byte] []T

func (z ZeroPoints[T]) at(i int) int16 {
	switch len(z) {
	case 0:
		return 0
	case 1:
		return int16(z[0])
	default:
		return int16(z[i])
	}
}

// panel returns the zero points of the 16 columns from j on.
func (z ZeroPoints[T]) panel(j int) (zero [simd.GemmNR]int16) {
	for i := range zero {
		zero[i] = z.at(j + i)
	}
	return zero
}

func (z ZeroPoints[T]) check(name string, n int) error {
	if len(z) > 1 && len(z) != n {
		return fmt.Errorf("gemm: %d zero points of %s, want 0, 1 or %d", len(z), name, n)
	}
	return nil
}

// Int8 computes
//
//	C[i,j] = sum over p of (op(A)[i,p]-za[i]) * (op(B)[p,j]-zb[j])
//
// exactly in 32 bits (wrapping), for any mix of signed and unsigned operands.
func Int8[A, B Byte](ctx context.Context, p *parallel.Pool, transA, transB bool, m, n, k int, a []A, lda int, za ZeroPoints[A], b []B, ldb int, zb ZeroPoints[B], c []int32, ldc int) error {
	if err := checkShape(transA, transB, m, n, k, len(a), lda, len(b), ldb, len(c), ldc); err != nil {
		return err
	}
	if err := zb.check("B", n); err != nil {
		return err
	}
	brs, bcs := strides(transB, ldb)
	// B is packed whole and once: every block of rows reads all of it.
	s := int8Pool.Get().(*int8Scratch)
	defer int8Pool.Put(s)
	s.b = grow(s.b, packedInt8Len(k, n))
	packInt8B(s.b, b, brs, bcs, zb, k, n)
	return int8Product(ctx, p, transA, m, n, k, a, lda, za, s.b, c, ldc)
}

// PackedInt8B is op(B)-zb, packed by [PackInt8B]; read-only and shared.
type PackedInt8B struct {
	k, n int
	data []int16
}

// PackInt8B packs op(B) with its zero points for [Int8PackedB]. It panics if b
// or zb are too short.
func PackInt8B[B Byte](transB bool, k, n int, b []B, ldb int, zb ZeroPoints[B]) *PackedInt8B {
	rows, cols := stored(transB, k, n)
	if err := checkOperand("B", rows, cols, ldb, len(b)); err != nil {
		panic(err)
	}
	if err := zb.check("B", n); err != nil {
		panic(err)
	}
	brs, bcs := strides(transB, ldb)
	pb := &PackedInt8B{k: k, n: n, data: make([]int16, packedInt8Len(k, n))}
	packInt8B(pb.data, b, brs, bcs, zb, k, n)
	return pb
}

// Bytes returns the memory the packed matrix takes.
func (pb *PackedInt8B) Bytes() int { return 2 * len(pb.data) }

// Int8PackedB is [Int8] with op(B) packed beforehand.
func Int8PackedB[A Byte](ctx context.Context, p *parallel.Pool, transA bool, m, n, k int, a []A, lda int, za ZeroPoints[A], pb *PackedInt8B, c []int32, ldc int) error {
	if pb.k != k || pb.n != n {
		return fmt.Errorf("gemm: B was packed as %d x %d, used as %d x %d", pb.k, pb.n, k, n)
	}
	if err := checkShape(transA, false, m, n, k, len(a), lda, k*n, n, len(c), ldc); err != nil {
		return err
	}
	return int8Product(ctx, p, transA, m, n, k, a, lda, za, pb.data, c, ldc)
}

// Blocks of the integer product: int8K elements of k (a panel of 16 columns
// takes 16 KiB), and the least rows and panels for a thread.
const (
	int8K         = 512
	int8MinRows   = 8 * simd.GemmMR
	int8MinPanels = 2
)

// packedInt8Len is the number of int16 a packed k x n matrix takes: k rounded
// up to pairs, n to panels.
func packedInt8Len(k, n int) int { return roundUp(k, 2) * roundUp(n, simd.GemmNR) }

// packInt8B writes blocks of int8K rows; each has panels of 16 columns; each
// panel is pairs of rows, with the two elements of a column side by side.
func packInt8B[B Byte](dst []int16, b []B, brs, bcs int, zb ZeroPoints[B], k, n int) {
	const nr = simd.GemmNR
	width := roundUp(n, nr)
	for p0 := 0; p0 < k; p0 += int8K {
		kc := min(int8K, k-p0)
		pairs := ceilDiv(kc, 2)
		for j0 := 0; j0 < n; j0 += nr {
			panel := dst[p0*width+j0*2*pairs:][:2*pairs*nr]
			if n-j0 < nr || kc%2 > 0 {
				clear(panel)
			}
			if bcs == 1 && n-j0 >= nr {
				packInt8Rows(panel, b[p0*brs+j0:], brs, zb.panel(j0), kc)
				continue
			}
			for j := j0; j < min(n, j0+nr); j++ {
				z := zb.at(j)
				out := panel[2*(j-j0):]
				src := b[j*bcs+p0*brs:]
				for q := range kc {
					out[q/2*2*nr+q%2] = int16(src[q*brs]) - z
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

type int8Scratch struct {
	a, b []int16
	edge [simd.GemmMR * simd.GemmNR]int32
}

var int8Pool = sync.Pool{New: func() any { return &int8Scratch{} }}

// int8Product multiplies with a packed B.
func int8Product[A Byte](ctx context.Context, p *parallel.Pool, transA bool, m, n, k int, a []A, lda int, za ZeroPoints[A], packed []int16, c []int32, ldc int) error {
	if err := za.check("A", m); err != nil {
		return err
	}
	if m == 0 || n == 0 {
		return nil
	}
	if k == 0 {
		scale(m, n, 0, c, ldc)
		return nil
	}
	if float64(m)*float64(n)*float64(k) < inlineWork {
		p = nil
	}
	const mr, nr = simd.GemmMR, simd.GemmNR
	ars, acs := strides(transA, lda)
	width := roundUp(n, nr)
	done := doneOf(ctx)
	var cut atomic.Bool
	// Divide the rows if there are many, else the columns.
	rowWise := ceilDiv(m, int8MinRows) >= 2*p.Threads() || n <= nr
	body := func(i0, i1, j0, j1 int) {
		s := int8Pool.Get().(*int8Scratch)
		defer int8Pool.Put(s)
		for ; i0 < i1; i0 += mBlock {
			mc := min(mBlock, i1-i0)
			for p0 := 0; p0 < k; p0 += int8K {
				kc := min(int8K, k-p0)
				pairs := ceilDiv(kc, 2)
				s.a = grow(s.a, roundUp(mc, mr)*2*pairs)
				packInt8A(s.a, a, ars, acs, za, i0, mc, p0, kc)
				for j := j0; j < j1; j += nr {
					if stopped(done) {
						cut.Store(true)
						return
					}
					panel := packed[p0*width+j*2*pairs:]
					int8Panel(s, pairs, mc, min(nr, n-j), panel, c[i0*ldc+j:], ldc, p0 > 0)
				}
			}
		}
	}
	var err error
	if rowWise {
		err = p.For(ctx, ceilDiv(m, mr), int8MinRows/mr, func(lo, hi int) {
			body(lo*mr, min(m, hi*mr), 0, n)
		})
	} else {
		err = p.For(ctx, ceilDiv(n, nr), int8MinPanels, func(lo, hi int) {
			body(0, m, lo*nr, min(n, hi*nr))
		})
	}
	if err == nil && cut.Load() {
		err = ctx.Err()
	}
	return err
}

// int8Panel multiplies the packed block of A with one panel of B.
func int8Panel(s *int8Scratch, pairs, mc, cols int, panel []int16, c []int32, ldc int, accumulate bool) {
	const mr, nr = simd.GemmMR, simd.GemmNR
	for i := 0; i < mc; i += mr {
		rows := min(mr, mc-i)
		a := s.a[i*2*pairs:]
		out := c[i*ldc:]
		if cols == nr {
			simd.Int16Kernel6x16(rows, pairs, a, panel, out, ldc, accumulate)
			continue
		}
		simd.Int16Kernel6x16(rows, pairs, a, panel, s.edge[:], nr, false)
		for q := range rows {
			row := out[q*ldc : q*ldc+cols]
			for j := range row {
				if accumulate {
					row[j] += s.edge[q*nr+j]
				} else {
					row[j] = s.edge[q*nr+j]
				}
			}
		}
	}
}
