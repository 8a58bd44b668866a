package blockquant

import (
	"encoding/binary"
	"math"
	"math/rand"
	"testing"
)

// The tables are what their papers say: FP4 is the bias-3 format with one bit of
// mantissa, by its largest number, 12; NF4 ends at ±1, has zero, and grows.
func TestTables(t *testing.T) {
	for code := range 16 {
		e, m := code>>1&3, code&1
		want := 12 * 0.0052083333
		switch {
		case e == 0:
			want *= float64(m)
		default: // the exponents' codes are in an order of their own: 0b11 is 2 and 3
			want = math.Ldexp(2+float64(m), map[int]int{3: 0, 2: 1, 1: 2}[e])
		}
		if code&8 != 0 {
			want = -want
		}
		if got := float64(FP4[code]) * 12; math.Abs(got-want) > 1e-6 {
			t.Errorf("fp4 code %04b is %v, want %v", code, got, want)
		}
	}
	for i := 1; i < 16; i++ {
		if NF4[i] <= NF4[i-1] {
			t.Errorf("nf4 code %d is %v, not above %v", i, NF4[i], NF4[i-1])
		}
	}
	if NF4[0] != -1 || NF4[7] != 0 || NF4[15] != 1 {
		t.Errorf("nf4 ends at %v and %v and has %v in the middle", NF4[0], NF4[15], NF4[7])
	}
}

// A published example of bitsandbytes' order: the first element in the high bits.
func TestBnb4(t *testing.T) {
	packed := []uint8{0x0f, 0x70, 0x82}
	dst := make([]float32, 5)
	if err := Bnb4(t.Context(), nil, &NF4, packed, []float32{2, 10}, 4, dst); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float32{-2, 2, 0, -2, 10 * 0.07958029955625534} {
		if dst[i] != want {
			t.Errorf("element %d is %v, want %v", i, dst[i], want)
		}
	}
}

// Matrices written block by block and read back.
func TestFromFpQ4(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	for _, zeros := range []bool{false, true} {
		const k, n = 45, 3
		var blob []uint8
		want := make([]float32, n*k)
		for c := range n {
			for b := range 2 {
				scale, zero := r.Float32(), 8
				blob = binary.LittleEndian.AppendUint32(blob, math.Float32bits(scale))
				if zeros {
					zero = r.Intn(16)
					blob = append(blob, uint8(zero))
				}
				var data [16]uint8
				for i := range 32 {
					q := r.Intn(16)
					data[i%16] |= uint8(q << (i / 16 * 4))
					if b*32+i < k {
						want[c*k+b*32+i] = float32(q-zero) * scale
					}
				}
				blob = append(blob, data[:]...)
			}
		}
		w, ok := FromFpQ4(k, n, zeros, blob)
		if !ok {
			t.Fatal("refused")
		}
		got := make([]float32, n*k)
		if err := w.Dequantize(t.Context(), nil, got); err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("zero points %v: element %d is %v, want %v", zeros, i, got[i], want[i])
			}
		}
		if _, ok := FromFpQ4(k, n, zeros, blob[1:]); ok {
			t.Error("a byte too few is taken")
		}
	}
}
