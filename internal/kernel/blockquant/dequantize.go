// Package blockquant has the numerics of weights that are quantized in blocks, each
// with a scale and a zero point of its own (com.microsoft MatMulNBits and its kin):
// [Panels] multiplies by them as they are, [Weights], [Bnb4] and [Gather] make them
// numbers.
package blockquant

import (
	"context"

	"gort/internal/parallel"
)

// Weights are n rows of k elements of 2, 4 or 8 bits. A row is Blocks() blocks of
// Block elements, the last one padded; elements lie in bytes from the low bits up.
type Weights struct {
	N, K, Bits, Block int
	Packed            []uint8   // [N, RowBytes]
	RowBytes          int       // 0 for those of whole blocks
	Scales            []float32 // [N, Blocks]
	// Zeros are the zero points of the blocks as numbers [N, Blocks], or packed like
	// the elements, each row of Blocks filled up to whole bytes. With neither, the
	// zero point is the middle of the range.
	Zeros       []float32
	PackedZeros []uint8
	// Group, when not nil, gives the block whose scale and zero point each of the K
	// elements of a row takes.
	Group []int32
}

// Blocks is the number of blocks of a row.
func (w *Weights) Blocks() int { return (w.K + w.Block - 1) / w.Block }

// ZeroBytes is the number of bytes of a row of packed zero points.
func (w *Weights) ZeroBytes() int { return (w.Blocks()*w.Bits + 7) / 8 }

// at returns element i of a run of packed ones.
func (w *Weights) at(packed []uint8, i int) uint8 {
	bit := i * w.Bits
	return packed[bit>>3] >> (bit & 7) & uint8(1<<w.Bits-1)
}

// rowBytes is the number of bytes of a row.
func (w *Weights) rowBytes() int {
	if w.RowBytes > 0 {
		return w.RowBytes
	}
	return w.Blocks() * w.Block * w.Bits / 8
}

func (w *Weights) zero(n, block int) float32 {
	switch {
	case w.Zeros != nil:
		return w.Zeros[n*w.Blocks()+block]
	case w.PackedZeros != nil:
		return float32(w.at(w.PackedZeros[n*w.ZeroBytes():], block))
	}
	return float32(int(1) << (w.Bits - 1))
}

// Dequantize computes dst[n*K+k] = (element - zero) * scale.
func (w *Weights) Dequantize(ctx context.Context, pool *parallel.Pool, dst []float32) error {
	blocks, bytes := w.Blocks(), w.rowBytes()
	return pool.For(ctx, w.N, max(1, (16<<10)/max(1, w.K)), func(lo, hi int) {
		for n := lo; n < hi; n++ {
			row, packed := dst[n*w.K:][:w.K], w.Packed[n*bytes:][:bytes]
			for b := range blocks {
				scale, zero := w.Scales[n*blocks+b], w.zero(n, b)
				for i := b * w.Block; i < min((b+1)*w.Block, w.K); i++ {
					if w.Group != nil {
						g := int(w.Group[i])
						scale, zero = w.Scales[n*blocks+g], w.zero(n, g)
					}
					row[i] = (float32(w.at(packed, i)) - zero) * scale
				}
			}
		}
	})
}
