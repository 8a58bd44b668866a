package blockquant

import (
	"math/rand"
	"testing"
)

// Every width, with blocks that the inner dimension does not fill, both forms of zero
// points, and groups, against the formula element by element.
func TestDequantize(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, bits := range []int{2, 4, 8} {
		for _, k := range []int{1, 16, 27, 48, 65} {
			for kind := range 5 {
				w := &Weights{N: 3, K: k, Bits: bits, Block: 16}
				blocks := w.Blocks()
				elements := make([]int, w.N*blocks*w.Block)
				w.Packed = make([]uint8, len(elements)*bits/8)
				for i := range elements {
					elements[i] = r.Intn(1 << bits)
					w.Packed[i*bits/8] |= uint8(elements[i] << (i * bits % 8))
				}
				zeros := make([]int, w.N*blocks)
				w.PackedZeros = make([]uint8, w.N*w.ZeroBytes())
				for i := range zeros {
					zeros[i] = r.Intn(1 << bits)
					w.Scales = append(w.Scales, r.Float32())
					w.Zeros = append(w.Zeros, float32(zeros[i]))
					bit := i % blocks * bits
					w.PackedZeros[i/blocks*w.ZeroBytes()+bit/8] |= uint8(zeros[i] << (bit % 8))
				}
				switch kind {
				case 0: // the middle
					w.Zeros, w.PackedZeros = nil, nil
					for i := range zeros {
						zeros[i] = 1 << (bits - 1)
					}
				case 1:
					w.Zeros = nil
				case 2:
					w.PackedZeros = nil
				case 3, 4:
					if kind == 3 {
						w.PackedZeros = nil
					} else {
						w.Zeros = nil
					}
					for range k {
						w.Group = append(w.Group, int32(r.Intn(blocks)))
					}
				}
				got := make([]float32, w.N*k)
				if err := w.Dequantize(t.Context(), nil, got); err != nil {
					t.Fatal(err)
				}
				for i, v := range got {
					n, at := i/k, i%k
					block := at / w.Block
					if w.Group != nil {
						block = int(w.Group[at])
					}
					want := float32(elements[n*blocks*w.Block+at]-zeros[n*blocks+block]) * w.Scales[n*blocks+block]
					if v != want {
						t.Fatalf("%d bits, K %d, kind %d: element %d is %v, want %v", bits, k, kind, i, v, want)
					}
				}
			}
		}
	}
}
