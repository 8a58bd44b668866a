package jpeg

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The transform of T.81 annex A.3.3, in float64: the fixed-point one is off by no
// more than its rounding.
func TestInverseDCT(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var block [blockSize]int32
		for range rng.IntN(blockSize) {
			block[rng.IntN(blockSize)] = rng.Int32N(401) - 200
		}
		want := [blockSize]float64{}
		for i := range want {
			x, y := float64(i%8), float64(i/8)
			for k, c := range block {
				u, v := float64(k%8), float64(k/8)
				w := float64(c) * math.Cos((2*x+1)*u*math.Pi/16) * math.Cos((2*y+1)*v*math.Pi/16) / 4
				if u == 0 {
					w /= math.Sqrt2
				}
				if v == 0 {
					w /= math.Sqrt2
				}
				want[i] += w
			}
			want[i] = min(max(want[i]+128, 0), 255)
		}
		got := make([]uint8, blockSize)
		inverseDCT(&block, got, 8)
		for i, v := range got {
			if math.Abs(float64(v)-want[i]) > 0.7 {
				t.Fatalf("sample %d is %d, want %.3f", i, v, want[i])
			}
		}
	}
}

// The formulas of ImageDecoder's specification: B0 = round_half_down(A/4 + 3B/4),
// B1 = round_half_up(3B/4 + C/4), and the outer samples as they are.
func TestDoubleWidth(t *testing.T) {
	got := make([]uint8, 8)
	doubleWidth(got, []uint8{0, 10, 20, 99})
	if want := []uint8{0, 3, 7, 13, 17, 40, 79, 99}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestDoubleBoth(t *testing.T) {
	got, sums := make([]uint8, 6), make([]int, 3)
	doubleBoth(got, []uint8{77, 77, 77}, []uint8{77, 77, 77}, sums)
	for _, v := range got {
		if v != 77 {
			t.Errorf("a constant 77 becomes %v", got)
		}
	}
	doubleBoth(got, []uint8{0, 16, 32}, []uint8{32, 48, 64}, sums)
	// Column sums are 32, 96 and 160 quarters.
	if want := []uint8{8, 12, 20, 28, 36, 40}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
