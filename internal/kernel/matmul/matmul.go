package matmul

import (
	"context"
	"fmt"
	"sync"

	"gort/internal/kernel/gemm"
	"gort/internal/parallel"
	"gort/tensor"
)

// MatMul is numpy.matmul for one element type: the last two dimensions are
// matrices, the others a stack that broadcasts; a vector on the left is a row and
// one on the right a column, and that dimension is dropped from the result.
type MatMul[T Number] struct{ stacks sync.Pool }

// NewMatMul returns a MatMul.
func NewMatMul[T Number]() *MatMul[T] {
	multiply := MultiplyOf[T]()
	m := &MatMul[T]{}
	m.stacks.New = func() any { return &Stack[T]{Multiply: multiply} }
	return m
}

// matrix splits a shape into its stack, rows and columns.
func matrix(s tensor.Shape, left bool) (stack tensor.Shape, rows, cols int, err error) {
	switch n := len(s); {
	case n == 0:
		return nil, 0, 0, fmt.Errorf("a scalar is no operand of a matrix product")
	case n == 1 && left:
		return nil, 1, s[0], nil
	case n == 1:
		return nil, s[0], 1, nil
	default:
		return s[:n-2], s[n-2], s[n-1], nil
	}
}

// Run computes c = a*b for contiguous operands of these shapes. c must have the
// size of the result.
func (m *MatMul[T]) Run(ctx context.Context, p *parallel.Pool, a []T, as tensor.Shape, b []T, bs tensor.Shape, c []T) error {
	s := m.stacks.Get().(*Stack[T])
	defer func() {
		s.A.Data, s.B.Data, s.C.Data = nil, nil, nil
		m.stacks.Put(s)
	}()
	sa, rows, k, err := matrix(as, true)
	if err != nil {
		return err
	}
	sb, kb, cols, err := matrix(bs, false)
	if err != nil {
		return err
	}
	if k != kb {
		return fmt.Errorf("cannot multiply %v by %v: %d columns meet %d rows", as, bs, k, kb)
	}
	s.M, s.N, s.K = rows, cols, k
	s.A = Operand[T]{a, k, s.A.Step[:0]}
	s.B = Operand[T]{b, cols, s.B.Step[:0]}
	s.C = Operand[T]{c, cols, s.C.Step[:0]}
	s.Dims = s.Dims[:0]
	rank := max(len(sa), len(sb))
	for i := range rank {
		da, db := dimAt(sa, rank, i), dimAt(sb, rank, i)
		if da != db && da != 1 && db != 1 {
			return fmt.Errorf("cannot multiply %v by %v: dimension %d of the stack is %d and %d", as, bs, i, da, db)
		}
		d := da
		if d == 1 {
			d = db
		}
		s.Dims = append(s.Dims, d)
		s.A.Step, s.B.Step, s.C.Step = append(s.A.Step, 0), append(s.B.Step, 0), append(s.C.Step, 0)
	}
	stepA, stepB, stepC := rows*k, k*cols, rows*cols
	for i := rank - 1; i >= 0; i-- {
		if d := dimAt(sa, rank, i); d != 1 {
			s.A.Step[i] = stepA
			stepA *= d
		}
		if d := dimAt(sb, rank, i); d != 1 {
			s.B.Step[i] = stepB
			stepB *= d
		}
		s.C.Step[i] = stepC
		stepC *= s.Dims[i]
	}
	if len(c) != stepC {
		return fmt.Errorf("product of %v and %v has %d elements, the result has room for %d", as, bs, stepC, len(c))
	}
	s.fold()
	return s.Run(ctx, p)
}

func dimAt(s tensor.Shape, rank, i int) int {
	if i < rank-len(s) {
		return 1
	}
	return s[i-(rank-len(s))]
}

// fold makes inner dimensions of the stack rows of the product where B is the
// same for all of them: one large product instead of many.
func (s *Stack[T]) fold() {
	for len(s.Dims) > 0 {
		i := len(s.Dims) - 1
		if s.Dims[i] != 1 && (s.B.Step[i] != 0 || s.A.Step[i] != s.M*s.K || s.C.Step[i] != s.M*s.N) {
			return
		}
		s.M *= s.Dims[i]
		s.Dims = s.Dims[:i]
	}
}

// RunPacked computes c = a*b, where b is one packed k x n matrix and a is any
// number of rows of k.
func RunPacked(ctx context.Context, p *parallel.Pool, a []float32, k int, b *gemm.PackedB, n int, c []float32) error {
	if n == 0 || len(c) == 0 {
		return nil
	}
	return gemm.Float32PackedB(ctx, p, false, len(c)/n, n, k, 1, a, k, b, 0, c, n)
}
