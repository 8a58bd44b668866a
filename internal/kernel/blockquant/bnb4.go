package blockquant

import (
	"context"

	"gort/internal/parallel"
)

// The numbers behind the 4-bit codes of bitsandbytes, as fractions of the largest
// magnitude in a block. FP4 is a sign, two bits of exponent and one of mantissa,
// normalized by its largest number, 12; NF4 has quantiles of the normal distribution.
var (
	FP4 = [16]float32{
		0, 5.208333333e-03, 0.66666667, 1, 0.33333333, 0.5, 0.16666667, 0.25,
		0, -5.208333333e-03, -0.66666667, -1, -0.33333333, -0.5, -0.16666667, -0.25,
	}
	NF4 = [16]float32{
		-1, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453,
		-0.28444138169288635, -0.18477343022823334, -0.09105003625154495, 0,
		0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224,
		0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1,
	}
)

// Bnb4 makes a run of elements numbers: dst[i] = table[code i] * largest[i/block].
// The first code of a byte is in its high bits.
func Bnb4(ctx context.Context, pool *parallel.Pool, table *[16]float32, packed []uint8, largest []float32, block int, dst []float32) error {
	blocks := (len(dst) + block - 1) / block
	return pool.For(ctx, blocks, max(1, (16<<10)/block), func(lo, hi int) {
		for b := lo; b < hi; b++ {
			scale := largest[b]
			for i := b * block; i < min((b+1)*block, len(dst)); i++ {
				dst[i] = table[packed[i/2]>>(4*(1-i&1))&15] * scale
			}
		}
	})
}
