package attention

import (
	"context"

	"gort/internal/kernel/matmul"
	"gort/internal/parallel"
)

// Flex is attention whose scores and weights are changed by others in between:
// Scores, then Softmax, then Weighted. Operands are contiguous [batch, heads, rows,
// size].
type Flex[T Float] struct {
	Batch, QHeads, KVHeads, Q, Total, Size, VSize int
	Multiply                                      matmul.Multiply[T]
}

// NewFlex returns a Flex whose sizes are yet to be set.
func NewFlex[T Float]() Flex[T] { return Flex[T]{Multiply: New[T](Config{}).multiply} }

// stack is a product for each query head; b is shared by the heads of a group.
func (f *Flex[T]) stack(m, n, k int, transB bool, a, b, c []T) *matmul.Stack[T] {
	group := f.QHeads / f.KVHeads
	ldb := n
	if transB {
		ldb = k
	}
	steps := func(each int) []int { return []int{f.QHeads * each, group * each, each} }
	return &matmul.Stack[T]{
		Multiply: f.Multiply, TransB: transB, M: m, N: n, K: k, Dims: []int{f.Batch, f.KVHeads, group},
		A: matmul.Operand[T]{Data: a, Ld: k, Step: steps(m * k)},
		B: matmul.Operand[T]{Data: b, Ld: ldb, Step: []int{f.KVHeads * n * k, n * k, 0}},
		C: matmul.Operand[T]{Data: c, Ld: n, Step: steps(m * n)},
	}
}

// Scores writes scale*Q*K^T as [batch, heads, Q, Total].
func (f *Flex[T]) Scores(ctx context.Context, p *parallel.Pool, scale float64, q, k, scores []T) error {
	c := Config{Scale: scale}
	s := T(c.scale(f.Size))
	scaled := make([]T, len(q))
	for i, v := range q {
		scaled[i] = v * s
	}
	return f.stack(f.Q, f.Total, f.Size, true, scaled, k, scores).Run(ctx, p)
}

// Softmax makes each row of scores weights, in place.
func (f *Flex[T]) Softmax(ctx context.Context, p *parallel.Pool, scores []T) error {
	if f.Total == 0 {
		return nil
	}
	return p.For(ctx, len(scores)/f.Total, max(1, 4096/f.Total), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			softmax(scores[i*f.Total : (i+1)*f.Total])
		}
	})
}

// Weighted writes weights*V.
func (f *Flex[T]) Weighted(ctx context.Context, p *parallel.Pool, weights, v, y []T) error {
	return f.stack(f.Q, f.VSize, f.Total, false, weights, v, y).Run(ctx, p)
}
