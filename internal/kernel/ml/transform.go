package ml

import (
	"fmt"
	"math"
)

// Transform is what a model does to its scores in the end (attribute post_transform).
type Transform uint8

// Transforms.
const (
	None Transform = iota
	Softmax
	Logistic
	SoftmaxZero
	Probit
)

var transformNames = []string{"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"}

// ParseTransform reads the attribute's value.
func ParseTransform(s string) (Transform, error) {
	for i, n := range transformNames {
		if n == s {
			return Transform(i), nil
		}
	}
	return None, fmt.Errorf("is %q, allowed are %q", s, transformNames)
}

// Float lists the types of scores.
type Float interface{ float32 | float64 }

// Apply transforms the scores of one row in place. A single score is left as it
// is by all but Probit; see also [Pair].
func Apply[T Float](t Transform, s []T) {
	if len(s) == 1 && t != Probit {
		return
	}
	switch t {
	case Softmax:
		softmax(s)
	case SoftmaxZero:
		softmaxZero(s)
	case Logistic, Probit:
		for i, v := range s {
			s[i] = one(t, v)
		}
	}
}

// one is Logistic or Probit of one score.
func one[T Float](t Transform, v T) T {
	switch t {
	case Logistic:
		return logistic(v)
	case Probit:
		return probit(v)
	}
	return v
}

func logistic[T Float](v T) T {
	p := 1 / (1 + math.Exp(-math.Abs(float64(v))))
	if v < 0 {
		p = 1 - p
	}
	return T(p)
}

// probit is sqrt(2)*erfinv(2v-1) with S. Winitzki's approximation of the inverse
// error function ("A handy approximation for the error function and its inverse",
// 2008, a = 0.147), which is what ONNX Runtime and ONNX's reference compute.
func probit[T Float](v T) T {
	const a = 0.147
	x := 2*float64(v) - 1
	l := math.Log((1 - x) * (1 + x))
	h := 2/(math.Pi*a) + l/2
	return T(math.Sqrt2 * math.Copysign(math.Sqrt(math.Sqrt(h*h-l/a)-h), x))
}

func softmax[T Float](s []T) {
	top := math.Inf(-1)
	for _, v := range s {
		top = max(top, float64(v))
	}
	sum := 0.0
	for i, v := range s {
		e := math.Exp(float64(v) - top)
		s[i] = T(e)
		sum += e
	}
	for i := range s {
		s[i] = T(float64(s[i]) / sum)
	}
}

// softmaxZero is softmax over the scores that are not zero; zeros stay zero.
func softmaxZero[T Float](s []T) {
	top := math.Inf(-1)
	for _, v := range s {
		top = max(top, float64(v))
	}
	sum := 0.0
	for i, v := range s {
		if v > 1e-7 || v < -1e-7 {
			e := math.Exp(float64(v) - top)
			s[i] = T(e)
			sum += e
		} else {
			s[i] = T(float64(v) * math.Exp(-top))
		}
	}
	for i := range s {
		s[i] = T(float64(s[i]) / sum)
	}
}
