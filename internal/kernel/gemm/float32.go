package gemm

import (
	"context"

	"gort/internal/parallel"
)

// Float32 computes C = alpha*op(A)*op(B) + beta*C, where op(A) is m x k,
// op(B) is k x n, and op is the transpose where the flag says so.
//
// beta == 0 overwrites C without reading it. k == 0 or alpha == 0 leave
// beta*C, and A and B are not looked at (so a NaN in them has no effect).
func Float32(ctx context.Context, p *parallel.Pool, transA, transB bool, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) error {
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
	ars, acs := strides(transA, lda)
	brs, bcs := strides(transB, ldb)
	if m == 1 {
		return gemv(ctx, p, n, k, alpha, b, bcs, brs, a, acs, beta, c, 1)
	}
	if n == 1 {
		return gemv(ctx, p, m, k, alpha, a, ars, acs, b, brs, beta, c, ldc)
	}
	r := newBlocked()
	r.a, r.ars, r.acs = a, ars, acs
	r.b, r.brs, r.bcs = b, brs, bcs
	r.m, r.n, r.k, r.alpha, r.beta, r.c, r.ldc = m, n, k, alpha, beta, c, ldc
	return r.run(ctx, p)
}

// Float32PackedB is [Float32] with op(B) packed beforehand by [PackB]; the
// flag for B was given there.
func Float32PackedB(ctx context.Context, p *parallel.Pool, transA bool, m, n, k int, alpha float32, a []float32, lda int, pb *PackedB, beta float32, c []float32, ldc int) error {
	if err := pb.check(k, n); err != nil {
		return err
	}
	if err := checkShape(transA, false, m, n, k, len(a), lda, k*n, n, len(c), ldc); err != nil {
		return err
	}
	if m == 0 || n == 0 {
		return nil
	}
	if k == 0 || alpha == 0 {
		scale(m, n, beta, c, ldc)
		return nil
	}
	r := newBlocked()
	r.a = a
	r.ars, r.acs = strides(transA, lda)
	r.packed = pb
	r.m, r.n, r.k, r.alpha, r.beta, r.c, r.ldc = m, n, k, alpha, beta, c, ldc
	return r.run(ctx, p)
}

// scale computes C *= beta; beta == 0 sets zeros.
func scale[T number](m, n int, beta T, c []T, ldc int) {
	if beta == 1 {
		return
	}
	for i := range m {
		row := c[i*ldc : i*ldc+n]
		if beta == 0 {
			clear(row)
			continue
		}
		for j := range row {
			row[j] *= beta
		}
	}
}
