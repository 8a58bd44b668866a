package random

import (
	"math"
	"slices"
	"testing"
)

const n = 20000

func moments[T Float](x []T) (mean, deviation float64) {
	for _, v := range x {
		mean += float64(v)
	}
	mean /= float64(len(x))
	for _, v := range x {
		deviation += (float64(v) - mean) * (float64(v) - mean)
	}
	return mean, math.Sqrt(deviation / float64(len(x)))
}

func TestDistributions(t *testing.T) {
	x := make([]float32, n)
	Normal(x, Seed{Bits: 1, Given: true}, 3, 2)
	if m, d := moments(x); math.Abs(m-3) > 0.1 || math.Abs(d-2) > 0.1 {
		t.Errorf("normal(3, 2) has mean %v, deviation %v", m, d)
	}
	y := make([]float64, n)
	Uniform(y, Seed{Bits: 2, Given: true}, -1, 5)
	if m, d := moments(y); math.Abs(m-2) > 0.1 || math.Abs(d-6/math.Sqrt(12)) > 0.1 {
		t.Errorf("uniform(-1, 5) has mean %v, deviation %v", m, d)
	}
	if lo, hi := slices.Min(y), slices.Max(y); lo < -1 || hi >= 5 {
		t.Errorf("uniform(-1, 5) reaches from %v to %v", lo, hi)
	}
	p, hits := make([]float64, n), make([]uint8, n)
	for i := range p {
		p[i] = []float64{0, 1, 0.25}[i%3]
	}
	Bernoulli(hits, p, Seed{Bits: 3, Given: true})
	var count [3]int
	for i, h := range hits {
		count[i%3] += int(h)
	}
	if quarter := float64(count[2]) / (n / 3); count[0] != 0 || count[1] != (n+1)/3 || math.Abs(quarter-0.25) > 0.02 {
		t.Errorf("Bernoulli hits %v", count)
	}
	keep := make([]bool, n)
	Keep(keep, Seed{Bits: 4, Given: true}, 0.75)
	kept := 0
	for _, k := range keep {
		if k {
			kept++
		}
	}
	if f := float64(kept) / n; math.Abs(f-0.25) > 0.02 {
		t.Errorf("of a ratio of 0.75, %v is kept", f)
	}
}

func TestMultinomial(t *testing.T) {
	// Two rows: probabilities 1/4, 3/4 up to a constant, and a certain last class.
	logits := []float32{0, float32(math.Log(3)), float32(math.Inf(-1)), float32(math.Inf(-1)), float32(math.Inf(-1)), 700}
	got := make([]int32, 2*n)
	Multinomial(got, logits, 2, Seed{Bits: 5, Given: true})
	var count [3]int
	for _, k := range got[:n] {
		count[k]++
	}
	if f := float64(count[1]) / n; count[2] != 0 || math.Abs(f-0.75) > 0.02 {
		t.Errorf("classes are drawn %v times", count)
	}
	for _, k := range got[n:] {
		if k != 2 {
			t.Fatalf("class %d is drawn, only 2 is possible", k)
		}
	}
}

func TestSeeds(t *testing.T) {
	draw := func(s Seed) []float64 {
		x := make([]float64, 8)
		Uniform(x, s, 0, 1)
		return x
	}
	a := draw(Seed{Bits: 9, Given: true})
	if !slices.Equal(a, draw(Seed{Bits: 9, Given: true})) {
		t.Error("one seed gives two sequences")
	}
	if slices.Equal(a, draw(Seed{Bits: 10, Given: true})) {
		t.Error("two seeds give one sequence")
	}
	if slices.Equal(draw(Seed{}), draw(Seed{})) {
		t.Error("without a seed the sequence repeats")
	}
}
