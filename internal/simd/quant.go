package simd

// QuantPanel describes a panel of 16 columns of a matrix whose elements are
// unsigned integers of 2, 4 or 8 bits, quantized in blocks of rows. A word holds
// the 32/Bits elements of one column in consecutive rows, the first in its lowest
// bits; the words of the 16 columns lie side by side:
//
//	element(p, j) = words[p/per*16+j] >> (p%per*Bits) & (1<<Bits - 1), per = 32/Bits
//
// Each block of block rows, a multiple of per, has 16 scales and 16 zero points.
// Zeros with 16 elements in all serve every block.
type QuantPanel struct {
	Bits   int
	Words  []uint32
	Scales []float32
	Zeros  []float32
}

// Blocks is the number of blocks of rows.
func (q *QuantPanel) Blocks() int { return len(q.Scales) / GemmNR }

// perWord is the number of rows a word holds.
func (q *QuantPanel) perWord() int { return 32 / q.Bits }

// wordRows is the number of rows of words in a block.
func (q *QuantPanel) wordRows() int {
	if len(q.Scales) == 0 {
		return 0
	}
	return len(q.Words) / len(q.Scales)
}

// zeroStep is the distance between the zero points of two blocks.
func (q *QuantPanel) zeroStep() int {
	if len(q.Zeros) == GemmNR {
		return 0
	}
	return GemmNR
}

func (q *QuantPanel) check() {
	if q.Bits != 2 && q.Bits != 4 && q.Bits != 8 {
		panic("simd: QuantPanel: bad width")
	}
	blocks := q.Blocks()
	if len(q.Scales) != blocks*GemmNR || len(q.Words) != blocks*q.wordRows()*GemmNR || len(q.Zeros) != GemmNR && len(q.Zeros) != len(q.Scales) {
		panic("simd: QuantPanel: bad lengths")
	}
}

// QuantPrescale prepares a vector for [QuantDot16]: dst[i] = src[i] * 2^-s, where s
// is the place of element i in its word, but 0 for the last element of a word. The
// product then takes an element out of its word by a mask alone.
func QuantPrescale(bits int, dst, src []float32) {
	per := 32 / bits
	var factor [16]float32
	f := float32(1)
	for i := range per {
		factor[i] = f
		f /= float32(int(1) << bits)
	}
	factor[per-1] = 1
	_ = dst[:len(src)]
	for i, v := range src {
		dst[i] = v * factor[i%per]
	}
}

// QuantDot16 adds the product of a vector and a panel to the 16 elements of y:
//
//	for j := range 16 {
//		for b := range blocks {
//			s := -zeros[b*16+j] * sums[b]
//			for p := b * block; p < (b+1)*block; p++ {
//				s += x[p] * element(p, j)
//			}
//			y[j] += scales[b*16+j] * s
//		}
//	}
//
// x comes from [QuantPrescale], and sums are the sums of its blocks before that.
// Where the CPU has FMA, additions are fused, and elements of a block are summed in
// four chains, by their places in a word modulo 4.
func QuantDot16(y, x, sums []float32, q *QuantPanel) {
	q.check()
	_ = y[:GemmNR]
	_ = sums[:q.Blocks()]
	_ = x[:len(q.Words)/GemmNR*q.perWord()]
	quantDot(y, x, sums, q)
}

// QuantRows16 makes a panel numbers, in the form of a packed panel of B for
// [GemmKernel6x16]:
//
//	dst[p*16+j] = (element(p, j) - zeros[b*16+j]) * scales[b*16+j], b = p/block
func QuantRows16(dst []float32, q *QuantPanel) {
	q.check()
	_ = dst[:len(q.Words)*q.perWord()]
	quantRows(dst, q)
}
