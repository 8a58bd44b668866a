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
	if err := packInt8B(ctx, p, s.b, b, brs, bcs, zb, k, n); err != nil {
		return err
	}
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
	// Cannot fail: nothing cancels it.
	_ = packInt8B(context.Background(), nil, pb.data, b, brs, bcs, zb, k, n)
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

type int8Scratch struct {
	a, b []int16
	edge [simd.GemmMR * simd.GemmNR]int32
}

var int8Pool = sync.Pool{New: func() any { return &int8Scratch{} }}

// int8Run is a product with a packed B on its way through the pool.
type int8Run[A Byte] struct {
	a        []A
	ars, acs int
	za       ZeroPoints[A]
	packed   []int16
	c        []int32
	ldc      int
	m, n, k  int

	done          <-chan struct{}
	stopped       atomic.Bool
	rows, columns func(lo, hi int) // bound once
}

func newInt8Run[A Byte]() any {
	r := &int8Run[A]{}
	r.rows, r.columns = r.rowPanels, r.columnPanels
	return r
}

var (
	signedRuns   = sync.Pool{New: newInt8Run[int8]}
	unsignedRuns = sync.Pool{New: newInt8Run[uint8]}
)

func int8Runs[A Byte]() *sync.Pool {
	if ^A(0) < 0 {
		return &signedRuns
	}
	return &unsignedRuns
}

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
	r := int8Runs[A]().Get().(*int8Run[A])
	defer r.recycle()
	r.a, r.za, r.packed, r.c, r.ldc = a, za, packed, c, ldc
	r.ars, r.acs = strides(transA, lda)
	r.m, r.n, r.k = m, n, k
	r.done = doneOf(ctx)

	const mr, nr = simd.GemmMR, simd.GemmNR
	// Divide the rows if there are enough of them, else the columns.
	var err error
	if ceilDiv(m, int8MinRows) >= 2*p.Threads() || n <= nr {
		err = p.For(ctx, ceilDiv(m, mr), int8MinRows/mr, r.rows)
	} else {
		err = p.For(ctx, ceilDiv(n, nr), int8MinPanels, r.columns)
	}
	if err == nil && r.stopped.Load() {
		err = ctx.Err()
	}
	return err
}

func (r *int8Run[A]) recycle() {
	*r = int8Run[A]{rows: r.rows, columns: r.columns}
	int8Runs[A]().Put(r)
}

func (r *int8Run[A]) rowPanels(lo, hi int) {
	r.block(lo*simd.GemmMR, min(r.m, hi*simd.GemmMR), 0, r.n)
}

func (r *int8Run[A]) columnPanels(lo, hi int) {
	r.block(0, r.m, lo*simd.GemmNR, min(r.n, hi*simd.GemmNR))
}

// block computes rows [i0, i1) of columns [j0, j1).
func (r *int8Run[A]) block(i0, i1, j0, j1 int) {
	const mr, nr = simd.GemmMR, simd.GemmNR
	s := int8Pool.Get().(*int8Scratch)
	defer int8Pool.Put(s)
	width := roundUp(r.n, nr)
	for ; i0 < i1; i0 += mBlock {
		mc := min(mBlock, i1-i0)
		for p := 0; p < r.k; p += int8K {
			kc := min(int8K, r.k-p)
			pairs := ceilDiv(kc, 2)
			s.a = grow(s.a, roundUp(mc, mr)*2*pairs)
			packInt8A(s.a, r.a, r.ars, r.acs, r.za, i0, mc, p, kc)
			for j := j0; j < j1; j += nr {
				if stopped(r.done) {
					r.stopped.Store(true)
					return
				}
				panel := r.packed[p*width+j*2*pairs:]
				int8Panel(s, pairs, mc, min(nr, r.n-j), panel, r.c[i0*r.ldc+j:], r.ldc, p > 0)
			}
		}
	}
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
