package blockquant

import (
	"encoding/binary"
	"math"
)

// fpQ4Block is the number of elements in a block of [FromFpQ4].
const fpQ4Block = 32

// FromFpQ4 reads the weights of MatMulFpQ4: column by column of the k x n matrix,
// blocks of a float32 scale, with zeros a byte for the zero point, and 16 bytes, whose
// low halves are the first 16 elements and whose high halves the others. It reports
// false when the bytes are not as many as that takes.
func FromFpQ4(k, n int, zeros bool, blob []uint8) (*Weights, bool) {
	w := &Weights{N: n, K: k, Bits: 4, Block: fpQ4Block}
	size, data := 4+fpQ4Block/2, 4
	if zeros {
		size, data = size+1, data+1
	}
	count := n * w.Blocks()
	if len(blob) != count*size {
		return nil, false
	}
	w.Packed = make([]uint8, count*fpQ4Block/2)
	w.Scales = make([]float32, count)
	if zeros {
		w.Zeros = make([]float32, count)
	}
	for b := range count {
		from, to := blob[b*size:][:size], w.Packed[b*fpQ4Block/2:][:fpQ4Block/2]
		w.Scales[b] = math.Float32frombits(binary.LittleEndian.Uint32(from))
		if zeros {
			w.Zeros[b] = float32(from[4])
		}
		for i, v := range from[data:] {
			shift := 4 * (i & 1)
			to[i/2] |= v & 15 << shift
			to[fpQ4Block/4+i/2] |= v >> 4 << shift
		}
	}
	return w, true
}
