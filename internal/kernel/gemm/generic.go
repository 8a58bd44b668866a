package gemm

import (
	"context"

	"gort/internal/parallel"
)

type number interface {
	float32 | float64 | int32 | int64 | uint32 | uint64
}

// Number lists the element types of [Generic].
type Number interface {
	float64 | int32 | int64 | uint32 | uint64
}

// Blocks of the plain loops: genericK rows of B by genericN columns (256 KiB of
// float64) stay in the second-level cache.
const (
	genericM = 16
	genericN = 256
	genericK = 128
)

// Generic is [Float32] for the other element types, in plain Go. Integers
// wrap.
func Generic[T Number](ctx context.Context, p *parallel.Pool, transA, transB bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) error {
	if err := checkShape(transA, transB, m, n, k, len(a), lda, len(b), ldb, len(c), ldc); err != nil {
		return err
	}
	if m == 0 || n == 0 {
		return nil
	}
	if k == 0 || alpha == 0 {
		scale(m, n, beta, c, ldc)
		return nil
	}
	if float64(m)*float64(n)*float64(k) < inlineWork {
		p = nil
	}
	ars, acs := strides(transA, lda)
	brs, bcs := strides(transB, ldb)
	done := doneOf(ctx)
	mTiles := ceilDiv(m, genericM)
	err := p.For(ctx, mTiles*ceilDiv(n, genericN), 1, func(lo, hi int) {
		// Rows of B as the inner loop wants them, when B is transposed.
		var packed []T
		if transB {
			packed = make([]T, genericK*min(n, genericN))
		}
		for t := lo; t < hi; t++ {
			i0, j0 := t%mTiles*genericM, t/mTiles*genericN
			mc, nc := min(genericM, m-i0), min(genericN, n-j0)
			out := c[i0*ldc+j0:]
			scale(mc, nc, beta, out, ldc)
			for q := 0; q < k; q += genericK {
				if stopped(done) {
					return
				}
				kc := min(genericK, k-q)
				rows, ld := b[q*brs+j0*bcs:], ldb
				if transB {
					transposeInto(packed, rows, bcs, kc, nc)
					rows, ld = packed, nc
				}
				addProduct(mc, nc, kc, alpha, a[i0*ars+q*acs:], ars, acs, rows, ld, out, ldc)
			}
		}
	})
	if err == nil && stopped(done) {
		err = ctx.Err()
	}
	return err
}

// transposeInto writes kc rows of nc elements from columns with stride ld.
func transposeInto[T Number](dst, cols []T, ld, kc, nc int) {
	for j := range nc {
		for p, x := range cols[j*ld : j*ld+kc] {
			dst[p*nc+j] = x
		}
	}
}

// addProduct computes C += alpha*A*B on one block, four rows of B at a time so
// that C is read and written a quarter as often.
func addProduct[T Number](m, n, k int, alpha T, a []T, ars, acs int, b []T, ldb int, c []T, ldc int) {
	for i := range m {
		row := c[i*ldc : i*ldc+n]
		ai := a[i*ars:]
		p := 0
		for ; p+4 <= k; p += 4 {
			x0, x1 := alpha*ai[p*acs], alpha*ai[(p+1)*acs]
			x2, x3 := alpha*ai[(p+2)*acs], alpha*ai[(p+3)*acs]
			b0, b1 := b[p*ldb:][:n], b[(p+1)*ldb:][:n]
			b2, b3 := b[(p+2)*ldb:][:n], b[(p+3)*ldb:][:n]
			for j := range row {
				row[j] = row[j] + x0*b0[j] + x1*b1[j] + x2*b2[j] + x3*b3[j]
			}
		}
		for ; p < k; p++ {
			x := alpha * ai[p*acs]
			for j, y := range b[p*ldb:][:n] {
				row[j] += x * y
			}
		}
	}
}
