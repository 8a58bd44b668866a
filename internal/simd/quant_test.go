package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// quantCase is a panel with random elements, and the elements one by one.
func quantCase(rng *rand.Rand, bits, rows, blocks int, oneZero bool) (q *QuantPanel, element func(p, j int) float64, checks []func(t *testing.T)) {
	floats := func(n int) []float32 {
		s, check := guarded(n)
		checks = append(checks, check)
		for i := range s {
			s[i] = rng.Float32()*2 - 1
		}
		return s
	}
	q = &QuantPanel{Bits: bits, Words: make([]uint32, blocks*rows*GemmNR), Scales: floats(blocks * GemmNR)}
	for i := range q.Words {
		q.Words[i] = rng.Uint32()
	}
	q.Zeros = floats(blocks * GemmNR)
	if oneZero {
		q.Zeros = floats(GemmNR)
	}
	for i := range q.Zeros {
		q.Zeros[i] = float32(rng.IntN(1 << bits))
	}
	per := 32 / bits
	return q, func(p, j int) float64 {
		w := uint64(q.Words[p/per*GemmNR+j])
		return float64(w / uint64(math.Pow(2, float64(p%per*bits))) % (1 << bits))
	}, checks
}

func TestQuantPanel(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, bits := range []int{2, 4, 8} {
		for _, size := range []struct{ rows, blocks int }{{1, 1}, {2, 3}, {4, 4}, {3, 1}, {16, 2}, {1, 37}, {4, quantTestBlocks}, {0, 0}} {
			for _, oneZero := range []bool{false, true} {
				per := 32 / bits
				k := size.rows * per * size.blocks
				block := size.rows * per
				q, element, checks := quantCase(rng, bits, size.rows, size.blocks, oneZero)
				raw, scaled := make([]float32, k), make([]float32, k)
				sums, checkSums := guarded(size.blocks)
				for b := range sums {
					sums[b] = 0
				}
				for i := range raw {
					raw[i] = rng.Float32()*2 - 1
					sums[i/block] += raw[i]
				}
				x, checkX := guarded(k)
				QuantPrescale(bits, x, raw)
				copy(scaled, x)
				old := make([]float32, GemmNR)
				for j := range old {
					old[j] = rng.Float32()
				}
				name := fmt.Sprintf("%d bits, %d rows of words, %d blocks, one zero %v", bits, size.rows, size.blocks, oneZero)
				var rowsOf [][]float32
				bothWays(func(how string) {
					y, checkY := guarded(GemmNR)
					copy(y, old)
					QuantDot16(y, x, sums, q)
					dst, checkDst := guarded(k * GemmNR)
					QuantRows16(dst, q)
					for _, c := range append(checks, checkY, checkDst, checkSums, checkX) {
						c(t)
					}
					rowsOf = append(rowsOf, dst)
					zstep := q.zeroStep()
					for j := range GemmNR {
						want, bound := float64(old[j]), 0.0
						for p := range k {
							b := p / block
							e, z, s := element(p, j), float64(q.Zeros[b*zstep+j]), float64(q.Scales[b*GemmNR+j])
							want += float64(raw[p]) * (e - z) * s
							bound += math.Abs(float64(raw[p])*s) * (e + z)
							if got := dst[p*GemmNR+j]; float64(got) != float64(float32(e-z)*float32(s)) {
								t.Fatalf("%s, %s: row %d column %d is %v, want %v", how, name, p, j, got, (e-z)*s)
							}
						}
						if got := float64(y[j]); math.Abs(got-want) > (bound+1)*float64(block/2+8)*0x1p-23 {
							t.Fatalf("%s, %s: product %d is %v, want %v", how, name, j, got, want)
						}
					}
				})
				requireSame(t, "QuantRows16 of "+name+": assembly against pure Go", rowsOf[0], rowsOf[1])
			}
		}
	}
}

// quantTestBlocks is more than one call into assembly takes, at four words a block.
const quantTestBlocks = maxCall/4/16 + 3

// Infinity and NaN go through the product.
func TestQuantDotSpecials(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	q, _, _ := quantCase(rng, 4, 2, 2, false)
	for _, v := range []float32{float32(math.Inf(1)), float32(math.NaN())} {
		x, sums := make([]float32, 32), make([]float32, 2)
		x[5], sums[0] = v, v
		bothWays(func(how string) {
			y := make([]float32, GemmNR)
			QuantDot16(y, x, sums, q)
			for j, got := range y {
				if got-got == 0 {
					t.Errorf("%s: product %d of a vector with %v is %v", how, j, v, got)
				}
			}
		})
	}
}

func TestQuantPanelPanics(t *testing.T) {
	whole := func() *QuantPanel {
		return &QuantPanel{Bits: 4, Words: make([]uint32, 64), Scales: make([]float32, 32), Zeros: make([]float32, 16)}
	}
	for name, call := range map[string]func(q *QuantPanel){
		"short y":      func(q *QuantPanel) { QuantDot16(make([]float32, 15), make([]float32, 32), make([]float32, 2), q) },
		"short x":      func(q *QuantPanel) { QuantDot16(make([]float32, 16), make([]float32, 31), make([]float32, 2), q) },
		"short sums":   func(q *QuantPanel) { QuantDot16(make([]float32, 16), make([]float32, 32), make([]float32, 1), q) },
		"short rows":   func(q *QuantPanel) { QuantRows16(make([]float32, 32*16-1), q) },
		"odd width":    func(q *QuantPanel) { q.Bits = 3; QuantRows16(make([]float32, 4096), q) },
		"ragged words": func(q *QuantPanel) { q.Words = q.Words[1:]; QuantRows16(make([]float32, 4096), q) },
		"short zeros":  func(q *QuantPanel) { q.Zeros = q.Zeros[1:]; QuantRows16(make([]float32, 4096), q) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call(whole())
		}()
	}
}

func BenchmarkQuantDot16(b *testing.B) {
	rng := rand.New(rand.NewPCG(15, 16))
	for _, bits := range []int{2, 4, 8} {
		b.Run(fmt.Sprint(bits), func(b *testing.B) {
			const k, block = 2048, 32
			q, _, _ := quantCase(rng, bits, block*bits/32, k/block, false)
			x, sums, y := make([]float32, k), make([]float32, k/block), make([]float32, GemmNR)
			for b.Loop() {
				QuantDot16(y, x, sums, q)
			}
			b.ReportMetric(float64(k*GemmNR)/b.Elapsed().Seconds()*float64(b.N)/1e9, "G-elements/s")
		})
	}
}
