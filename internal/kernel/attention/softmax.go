package attention

import (
	"math"

	"gort/internal/simd"
)

func (c *Config) scale(size int) float64 {
	if c.Scale != 0 {
		return c.Scale
	}
	return 1 / math.Sqrt(float64(size))
}

func minusInf[T Float]() T { return T(math.Inf(-1)) }

func fill[T Float](x []T, v T) {
	for i := range x {
		x[i] = v
	}
}

// softcap computes cap*tanh(x/cap) in place.
func softcap[T Float](x []T, limit T) {
	if f, ok := any(x).([]float32); ok {
		l := float32(limit)
		simd.DivScalar(f, f, l)
		simd.Tanh(f, f)
		simd.MulScalar(f, f, l)
		return
	}
	for i, v := range x {
		x[i] = limit * T(math.Tanh(float64(v/limit)))
	}
}

// softmax makes exp(x-max(x)) / sum of one row, in place.
func softmax[T Float](x []T) {
	if f, ok := any(x).([]float32); ok {
		top := simd.MaxReduce(f)
		if math.IsInf(float64(top), -1) {
			clear(f) // nothing to attend to
			return
		}
		simd.SubScalar(f, f, top)
		simd.Exp(f, f)
		simd.MulScalar(f, f, 1/simd.Sum(f))
		return
	}
	top := minusInf[T]()
	for _, v := range x {
		top = max(top, v)
	}
	if math.IsInf(float64(top), -1) {
		clear(x)
		return
	}
	var sum T
	for i, v := range x {
		x[i] = T(math.Exp(float64(v - top)))
		sum += x[i]
	}
	for i := range x {
		x[i] /= sum
	}
}

// softmaxSink is softmax of a row and one more score, which gets its share and is
// dropped (Xiao et al. 2023; with a sink of 0 the "softmax off by one").
func softmaxSink[T Float](x []T, sink T) {
	top := sink
	for _, v := range x {
		top = max(top, v)
	}
	if math.IsInf(float64(top), -1) {
		clear(x)
		return
	}
	sum := T(math.Exp(float64(sink - top)))
	for i, v := range x {
		x[i] = T(math.Exp(float64(v - top)))
		sum += x[i]
	}
	for i := range x {
		x[i] /= sum
	}
}
