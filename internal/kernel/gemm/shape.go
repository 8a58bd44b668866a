package gemm

import "fmt"

// checkOperand reports whether rows x cols elements with the given stride lie
// within a slice of length have.
func checkOperand(name string, rows, cols, ld, have int) error {
	if rows == 0 || cols == 0 {
		return nil
	}
	if ld < cols {
		return fmt.Errorf("gemm: stride of %s is %d, below its %d columns", name, ld, cols)
	}
	// (rows-1)*ld + cols <= have, without overflow.
	if have < cols || rows-1 > (have-cols)/ld {
		return fmt.Errorf("gemm: %s has %d elements, too few for %d rows of %d with stride %d", name, have, rows, cols, ld)
	}
	return nil
}

// checkShape checks all three operands of a product.
func checkShape(transA, transB bool, m, n, k, lenA, lda, lenB, ldb, lenC, ldc int) error {
	if m < 0 || n < 0 || k < 0 {
		return fmt.Errorf("gemm: negative dimension m=%d n=%d k=%d", m, n, k)
	}
	rows, cols := stored(transA, m, k)
	if err := checkOperand("A", rows, cols, lda, lenA); err != nil {
		return err
	}
	rows, cols = stored(transB, k, n)
	if err := checkOperand("B", rows, cols, ldb, lenB); err != nil {
		return err
	}
	return checkOperand("C", m, n, ldc, lenC)
}

// stored returns the dimensions in memory of an operand that is rows x cols
// after op.
func stored(trans bool, rows, cols int) (int, int) {
	if trans {
		return cols, rows
	}
	return rows, cols
}

// strides returns the distances between neighbours down a column and along a
// row of op(X).
func strides(trans bool, ld int) (row, col int) {
	if trans {
		return 1, ld
	}
	return ld, 1
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
func roundUp(a, b int) int { return ceilDiv(a, b) * b }
