package matmul

import (
	"context"
	"sync/atomic"

	"gort/internal/kernel/gemm"
	"gort/internal/parallel"
)

// Number lists the element types with a product of their own.
type Number interface{ float32 | gemm.Number }

// Multiply is one product, C = alpha*op(A)*op(B) + beta*C, as in package gemm.
type Multiply[T Number] func(ctx context.Context, p *parallel.Pool, transA, transB bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) error

// MultiplyOf returns the product for an element type.
func MultiplyOf[T Number]() Multiply[T] {
	var f any
	switch any(*new(T)).(type) {
	case float32:
		f = Multiply[float32](gemm.Float32)
	case float64:
		f = Multiply[float64](gemm.Generic[float64])
	case int32:
		f = Multiply[int32](gemm.Generic[int32])
	case int64:
		f = Multiply[int64](gemm.Generic[int64])
	case uint32:
		f = Multiply[uint32](gemm.Generic[uint32])
	case uint64:
		f = Multiply[uint64](gemm.Generic[uint64])
	}
	return f.(Multiply[T])
}

// Operand is a stack of matrices within a slice: Step tells for each dimension of
// the stack how far the next matrix is (0 repeats one), Ld is the row stride.
type Operand[T any] struct {
	Data []T
	Ld   int
	Step []int
}

func (o *Operand[T]) at(offset int) []T { return o.Data[offset:] }

// Stack is a stack of products C = op(A)*op(B), of m x k by k x n matrices.
type Stack[T Number] struct {
	Multiply       Multiply[T]
	TransA, TransB bool
	M, N, K        int
	A, B, C        Operand[T]
	Dims           []int // of the stack
}

const (
	// tinyWork is how many multiplications are done by plain loops.
	tinyWork = 48
	// smallWork is the number of multiplications below which a product of a stack
	// stays on one thread and the threads share out the stack.
	smallWork = 1 << 18
	// chunkWork is the least work a thread is woken for.
	chunkWork = 32 << 10
)

// Run computes the stack.
func (s *Stack[T]) Run(ctx context.Context, p *parallel.Pool) error {
	n := 1
	for _, d := range s.Dims {
		n *= d
	}
	if n == 0 || s.M == 0 || s.N == 0 {
		return nil
	}
	if n == 1 {
		return s.product(ctx, p, 0, 0, 0)
	}
	work := float64(s.M) * float64(s.N) * float64(max(s.K, 1))
	if work >= smallWork && n < 4*p.Threads() {
		return s.span(ctx, p, 0, n)
	}
	grain := max(1, int(chunkWork/work))
	var first atomic.Pointer[error]
	err := p.For(ctx, n, grain, func(lo, hi int) {
		if err := s.span(ctx, nil, lo, hi); err != nil {
			first.CompareAndSwap(nil, &err)
		}
	})
	if e := first.Load(); err == nil && e != nil {
		err = *e
	}
	return err
}

// span computes products lo to hi of the stack, counted row by row.
func (s *Stack[T]) span(ctx context.Context, p *parallel.Pool, lo, hi int) error {
	var few [8]int
	index := few[:0]
	if len(s.Dims) > len(few) {
		index = make([]int, len(s.Dims))
	}
	index = index[:len(s.Dims)]
	a, b, c := 0, 0, 0
	for d, rest := len(s.Dims)-1, lo; d >= 0; d-- {
		index[d] = rest % s.Dims[d]
		rest /= s.Dims[d]
		a += index[d] * s.A.Step[d]
		b += index[d] * s.B.Step[d]
		c += index[d] * s.C.Step[d]
	}
	for ; lo < hi; lo++ {
		if err := s.product(ctx, p, a, b, c); err != nil {
			return err
		}
		for d := len(s.Dims) - 1; d >= 0; d-- {
			a, b, c = a+s.A.Step[d], b+s.B.Step[d], c+s.C.Step[d]
			if index[d]++; index[d] < s.Dims[d] {
				break
			}
			a, b, c = a-index[d]*s.A.Step[d], b-index[d]*s.B.Step[d], c-index[d]*s.C.Step[d]
			index[d] = 0
		}
	}
	return nil
}

func (s *Stack[T]) product(ctx context.Context, p *parallel.Pool, a, b, c int) error {
	if s.M*s.N*s.K <= tinyWork && max(s.M, s.N, s.K) <= tinyWork {
		s.tiny(s.A.at(a), s.B.at(b), s.C.at(c))
		return nil
	}
	return s.Multiply(ctx, p, s.TransA, s.TransB, s.M, s.N, s.K, 1, s.A.at(a), s.A.Ld, s.B.at(b), s.B.Ld, 0, s.C.at(c), s.C.Ld)
}

// tiny is the product as it is defined, for matrices so small that a call of the
// blocked one costs more.
func (s *Stack[T]) tiny(a, b, c []T) {
	ars, acs := s.A.Ld, 1
	if s.TransA {
		ars, acs = acs, ars
	}
	brs, bcs := s.B.Ld, 1
	if s.TransB {
		brs, bcs = bcs, brs
	}
	for i := range s.M {
		for j := range s.N {
			var sum T
			for k := range s.K {
				sum += a[i*ars+k*acs] * b[k*brs+j*bcs]
			}
			c[i*s.C.Ld+j] = sum
		}
	}
}
