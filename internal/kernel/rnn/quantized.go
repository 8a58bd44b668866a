package rnn

import (
	"context"
	"sync"

	"gort/internal/kernel/gemm"
	"gort/internal/kernel/quant"
	"gort/internal/parallel"
)

// codes is a matrix of 8-bit codes. What it multiplies is quantized first, to 8 bits
// over the range of all its rows.
type codes struct {
	packed *gemm.PackedInt8B
	scale  []float32 // one, or one for each of the n columns
}

// NewQuantizedWeight packs a matrix that lies transposed, as k rows of n codes, with
// zero points and scales: one for all, or n.
func NewQuantizedWeight[W gemm.Byte](data []W, n, k int, zero []W, scale []float32) *Weight[float32] {
	return &Weight[float32]{n: n, k: k, codes: &codes{gemm.PackInt8B(false, k, n, data, n, gemm.ZeroPoints[W](zero)), scale}}
}

// codesMemory is the working memory of a product.
type codesMemory struct {
	x    []uint8
	sums []int32
}

var codesPool = sync.Pool{New: func() any { return new(codesMemory) }}

func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// multiply computes y = quantize(x)*W^T + beta*y.
func (w *codes) multiply(ctx context.Context, p *parallel.Pool, m, n, k int, x []float32, beta float32, y []float32, ldy int) error {
	s := codesPool.Get().(*codesMemory)
	defer codesPool.Put(s)
	s.x, s.sums = grown(s.x, m*k), grown(s.sums, m*n)
	unit, zero := quant.Range(x[:m*k])
	l, err := quant.NewLayout([]int{m * k}, nil, 0, 0)
	if err != nil {
		return err
	}
	if err := quant.Quantize(ctx, p, l, x[:m*k], []float32{unit}, nil, []int32{int32(zero)}, 0, 255, s.x); err != nil {
		return err
	}
	if err := gemm.Int8PackedB(ctx, p, false, m, n, k, s.x, k, gemm.ZeroPoints[uint8]{zero}, w.packed, s.sums, n); err != nil {
		return err
	}
	for i := range m {
		to := y[i*ldy:][:n]
		for j, v := range s.sums[i*n:][:n] {
			f := w.scale[0]
			if len(w.scale) > 1 {
				f = w.scale[j]
			}
			v := float32(v) * (unit * f)
			if beta != 0 {
				v += beta * to[j]
			}
			to[j] = v
		}
	}
	return nil
}
