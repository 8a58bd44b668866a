package matmul

import (
	"context"
	"fmt"

	"gort/internal/parallel"
	"gort/tensor"
)

// Bias lays c, of a shape that broadcasts to m x n, over the m x n matrix y.
func Bias[T Number](y []T, m, n int, c []T, shape tensor.Shape) error {
	rows, cols := 1, 1
	switch r := len(shape); {
	case r > 2:
		return fmt.Errorf("bias %v has rank %d, at most 2 is allowed", shape, r)
	case r == 2:
		rows, cols = shape[0], shape[1]
	case r == 1:
		cols = shape[0]
	}
	if rows != 1 && rows != m || cols != 1 && cols != n {
		return fmt.Errorf("bias %v does not broadcast to %dx%d", shape, m, n)
	}
	if n == 0 {
		return nil
	}
	rowStep := cols
	if rows == 1 {
		rowStep = 0
	}
	for i := range m {
		row, from := y[i*n:(i+1)*n], c[i*rowStep:]
		if cols == n {
			copy(row, from)
			continue
		}
		for j := range row {
			row[j] = from[0]
		}
	}
	return nil
}

// Gemm computes y = alpha*op(a)*op(b) + beta*c; c is nil when there is no bias.
// The operands are matrices, c any shape that broadcasts to the result. A beta of
// 0 leaves c unread.
func Gemm[T Number](ctx context.Context, p *parallel.Pool, multiply Multiply[T], transA, transB bool, m, n, k int, alpha T, a, b []T, beta T, c []T, cShape tensor.Shape, y []T) error {
	lda, ldb := k, n
	if transA {
		lda = m
	}
	if transB {
		ldb = k
	}
	if c == nil || beta == 0 {
		beta = 0
	} else if err := Bias(y, m, n, c, cShape); err != nil {
		return err
	}
	return multiply(ctx, p, transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, y, n)
}
