package rnn

import (
	"math"
	"math/rand"
	"testing"

	"gort/internal/parallel"
)

// A product with codes is that of the numbers which the codes stand for, where the
// other factor is quantized by DynamicQuantizeLinear's formulas.
func TestQuantizedWeight(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	pool := parallel.New(2)
	defer pool.Close()
	for range 50 {
		m, n, k := 1+rng.Intn(7), 1+rng.Intn(40), 1+rng.Intn(30)
		columns := 1
		if rng.Intn(2) == 0 {
			columns = n
		}
		data, zero, scale := make([]uint8, k*n), make([]uint8, columns), make([]float32, columns)
		for i := range data {
			data[i] = uint8(rng.Intn(256))
		}
		for i := range scale {
			zero[i], scale[i] = uint8(rng.Intn(256)), 0.01+rng.Float32()
		}
		x, y := draw[float32](rng, m*k), draw[float32](rng, m*n)
		beta := float32(rng.Intn(2))
		lo, hi := 0.0, 0.0
		for _, v := range x {
			lo, hi = min(lo, float64(v)), max(hi, float64(v))
		}
		unit := float64(float32(float32(hi)-float32(lo)) / 255)
		offset := math.RoundToEven(-lo / unit)
		want := make([]float64, len(y))
		for i := range m {
			for j := range n {
				sum := float64(beta) * float64(y[i*n+j])
				for p := range k {
					code := min(max(math.RoundToEven(float64(x[i*k+p]/float32(unit)))+offset, 0), 255)
					c := j % columns
					sum += (code - offset) * unit * (float64(data[p*n+j]) - float64(zero[c])) * float64(scale[c])
				}
				want[i*n+j] = sum
			}
		}
		w := NewQuantizedWeight(data, n, k, zero, scale)
		if err := w.multiply(t.Context(), pool, m, x, beta, y, n); err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if d := math.Abs(float64(y[i]) - want[i]); d > 1e-5*math.Abs(want[i])+1e-3 {
				t.Fatalf("%d x %d x %d, beta %v: y[%d] = %v, want %v", m, n, k, beta, i, y[i], want[i])
			}
		}
	}
}
