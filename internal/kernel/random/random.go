// Package random draws from distributions. A seed fixes the values for good; they
// are those of no other implementation, which ONNX does not ask for.
package random

import (
	"math"
	"math/rand/v2"
)

// Float is the types that are drawn.
type Float interface{ float32 | float64 }

// Seed is where a generator starts.
type Seed struct {
	Bits  uint64
	Given bool // else every call starts elsewhere
}

// stream tells this package's sequences from others with the same seed.
const stream = 0x9e3779b97f4a7c15

func (s Seed) source() *rand.Rand {
	if !s.Given {
		return rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	return rand.New(rand.NewPCG(s.Bits, stream))
}

// Normal fills dst from the normal distribution.
func Normal[T Float](dst []T, s Seed, mean, scale float64) {
	r := s.source()
	for i := range dst {
		dst[i] = T(mean + scale*r.NormFloat64())
	}
}

// Uniform fills dst from the uniform distribution on [low, high).
func Uniform[T Float](dst []T, s Seed, low, high float64) {
	r := s.source()
	for i := range dst {
		x := T(low + (high-low)*r.Float64())
		if x >= T(high) && high > low { // rounded up to the end
			x = T(low)
		}
		dst[i] = x
	}
}

// Bernoulli writes 1 with the probability that p gives for each place, else 0.
func Bernoulli[T Float](dst []uint8, p []T, s Seed) {
	r := s.source()
	for i, q := range p {
		dst[i] = 0
		if r.Float64() < float64(q) {
			dst[i] = 1
		}
	}
}

// Keep writes for each place whether it is kept when a fraction ratio is dropped.
func Keep(dst []bool, s Seed, ratio float64) {
	r := s.source()
	for i := range dst {
		dst[i] = r.Float64() >= ratio
	}
}

// Multinomial draws, for each of the rows of logits, classes with probabilities
// proportional to exp(logit): len(dst)/rows of them. rows must not be 0.
func Multinomial[I int32 | int64, T Float](dst []I, logits []T, rows int, s Seed) {
	r := s.source()
	classes, samples := len(logits)/rows, len(dst)/rows
	cdf := make([]float64, classes)
	for row := range rows {
		x := logits[row*classes:][:classes]
		most := math.Inf(-1)
		for _, v := range x {
			most = math.Max(most, float64(v))
		}
		sum := 0.0
		for i, v := range x {
			sum += math.Exp(float64(v) - most)
			cdf[i] = sum
		}
		for i := range samples {
			u := r.Float64() * sum
			k := 0
			for k < classes-1 && cdf[k] <= u {
				k++
			}
			dst[row*samples+i] = I(k)
		}
	}
}
