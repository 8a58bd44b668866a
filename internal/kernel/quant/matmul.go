package quant

import (
	"context"
	"fmt"

	"gort/internal/kernel/gemm"
	"gort/internal/parallel"
)

// Product describes a matrix product of stacks of matrices, as numpy.matmul does.
type Product struct {
	M, N, K  int
	batchesA int // matrices of A
	batchesB int
	a, b     []int // for each product, which matrix of A and of B
}

// NewProduct pairs the matrices of two tensors.
func NewProduct(a, b []int) (*Product, error) {
	bad := func() (*Product, error) { return nil, fmt.Errorf("matrices %v and %v do not multiply", a, b) }
	if len(a) == 0 || len(b) == 0 {
		return bad()
	}
	if len(a) == 1 {
		a = []int{1, a[0]}
	}
	if len(b) == 1 {
		b = []int{b[0], 1}
	}
	p := &Product{M: a[len(a)-2], K: a[len(a)-1], N: b[len(b)-1]}
	if b[len(b)-2] != p.K {
		return bad()
	}
	a, b = a[:len(a)-2], b[:len(b)-2]
	p.batchesA, p.batchesB = product(a), product(b)
	rank := max(len(a), len(b))
	dim := func(s []int, d int) int {
		if d < rank-len(s) {
			return 1
		}
		return s[d-(rank-len(s))]
	}
	p.a, p.b = []int{0}, []int{0}
	for d := range rank {
		na, nb := dim(a, d), dim(b, d)
		n := max(na, nb)
		if na == 0 || nb == 0 {
			n = 0
		}
		if na != n && na != 1 || nb != n && nb != 1 {
			return bad()
		}
		p.a, p.b = spread(p.a, na, n), spread(p.b, nb, n)
	}
	return p, nil
}

// spread extends indices by a dimension of size elements, repeated n times if
// size is 1.
func spread(list []int, size, n int) []int {
	out := make([]int, 0, len(list)*n)
	for _, i := range list {
		for j := range n {
			out = append(out, i*size+min(j, size-1))
		}
	}
	return out
}

// Products is the number of matrices of the result.
func (p *Product) Products() int { return len(p.a) }

// of returns the parameters of matrix i of count: one for all, n for each of its
// rows or columns, or n for those of each matrix.
func of[T any](list []T, n, i, count int) ([]T, error) {
	switch len(list) {
	case 0, 1, n:
		return list, nil
	case n * count:
		return list[i*n:][:n], nil
	}
	return nil, fmt.Errorf("%d scales or zero points for %d matrices with %d rows or columns", len(list), count, n)
}

// RowsOf returns which of A's scales or zero points belong to product i.
func RowsOf[T any](p *Product, list []T, i int) ([]T, error) {
	return of(list, p.M, p.a[i], p.batchesA)
}

// ColumnsOf returns which of B's scales or zero points belong to product i.
func ColumnsOf[T any](p *Product, list []T, i int) ([]T, error) {
	return of(list, p.N, p.b[i], p.batchesB)
}

// MatMul computes the exact sums of product i, less the zero points. packed, if
// not nil, is the only matrix of B with its zero points.
func MatMul[A, B gemm.Byte](ctx context.Context, pool *parallel.Pool, p *Product, i int, a, zeroA []A, b, zeroB []B, packed *gemm.PackedInt8B, sums []int32) error {
	za, err := RowsOf(p, zeroA, i)
	if err != nil {
		return fmt.Errorf("a_zero_point: %w", err)
	}
	a = a[p.a[i]*p.M*p.K:][:p.M*p.K]
	if packed != nil {
		return gemm.Int8PackedB(ctx, pool, false, p.M, p.N, p.K, a, p.K, gemm.ZeroPoints[A](za), packed, sums, p.N)
	}
	zb, err := ColumnsOf(p, zeroB, i)
	if err != nil {
		return fmt.Errorf("b_zero_point: %w", err)
	}
	return gemm.Int8(ctx, pool, false, false, p.M, p.N, p.K, a, p.K, gemm.ZeroPoints[A](za), b[p.b[i]*p.K*p.N:][:p.K*p.N], p.N, gemm.ZeroPoints[B](zb), sums, p.N)
}
