package elementwise

import (
	"errors"
	"math"

	"gort/internal/simd"
)

// ErrDivideByZero is what integer division and remainder by zero give.
var ErrDivideByZero = errors.New("integer division by zero")

// HasZero reports whether an integer divisor among b is zero; of floats none is
// forbidden.
func HasZero[T Number](b []T) bool {
	if isFloat[T]() {
		return false
	}
	for _, v := range b {
		if v == 0 {
			return true
		}
	}
	return false
}

// Arithmetic returns the loop of an operator on two numbers of one type: Add,
// Sub, Mul, Div (integers truncate), Max and Min (NaN if either is), Mod (of
// integers, with the divisor's sign) and Fmod (with the dividend's sign). It
// returns nil for other names. Div, Mod and Fmod must not meet an integer zero
// as divisor: check with HasZero.
func Arithmetic[T Number](op string) Loop2[T, T, T] {
	if f, ok := any(arithmetic32[op]).(Loop2[T, T, T]); ok && f != nil {
		return f
	}
	switch op {
	case "Add", "Sum", "Mean":
		return add[T]
	case "Sub":
		return sub[T]
	case "Mul":
		return mul[T]
	case "Div":
		return div[T]
	case "Max":
		return larger[T]
	case "Min":
		return smaller[T]
	case "Mod":
		return mod[T]
	case "Fmod":
		return fmod[T]
	}
	return nil
}

var arithmetic32 = map[string]Loop2[float32, float32, float32]{
	"Add":  vector(simd.Add, simd.AddScalar, flip(simd.AddScalar)),
	"Sum":  vector(simd.Add, simd.AddScalar, flip(simd.AddScalar)),
	"Mean": vector(simd.Add, simd.AddScalar, flip(simd.AddScalar)),
	"Sub":  vector(simd.Sub, simd.SubScalar, flip(simd.ScalarSub)),
	"Mul":  vector(simd.Mul, simd.MulScalar, flip(simd.MulScalar)),
	"Div":  vector(simd.Div, simd.DivScalar, flip(simd.ScalarDiv)),
	"Max":  vector(simd.Max, simd.MaxScalar, flip(simd.MaxScalar)),
	"Min":  vector(simd.Min, simd.MinScalar, flip(simd.MinScalar)),
}

// vector makes a loop of its three forms: on two vectors, with the second and
// with the first operand repeating.
func vector(vv func(dst, a, b []float32), vs func(dst, a []float32, s float32), sv func(dst []float32, s float32, b []float32)) Loop2[float32, float32, float32] {
	return func(dst, a, b []float32, ma, mb int) {
		switch {
		case ma == mb:
			vv(dst, a, b)
		case mb == 0:
			vs(dst, a, b[0])
		default:
			sv(dst, a[0], b)
		}
	}
}

func flip(f func(dst, a []float32, s float32)) func(dst []float32, s float32, b []float32) {
	return func(dst []float32, s float32, b []float32) { f(dst, b, s) }
}

func add[T Number](dst, a, b []T, ma, mb int) {
	for i := range dst {
		dst[i] = a[i&ma] + b[i&mb]
	}
}

func sub[T Number](dst, a, b []T, ma, mb int) {
	for i := range dst {
		dst[i] = a[i&ma] - b[i&mb]
	}
}

func mul[T Number](dst, a, b []T, ma, mb int) {
	for i := range dst {
		dst[i] = a[i&ma] * b[i&mb]
	}
}

func div[T Number](dst, a, b []T, ma, mb int) {
	for i := range dst {
		dst[i] = a[i&ma] / b[i&mb]
	}
}

func larger[T Number](dst, a, b []T, ma, mb int) {
	for i := range dst {
		x, y := a[i&ma], b[i&mb]
		if x > y || x != x {
			dst[i] = x
		} else {
			dst[i] = y
		}
	}
}

func smaller[T Number](dst, a, b []T, ma, mb int) {
	for i := range dst {
		x, y := a[i&ma], b[i&mb]
		if x < y || x != x {
			dst[i] = x
		} else {
			dst[i] = y
		}
	}
}

// rem is the remainder with the sign of x, on integers and floats.
func rem[T Number](x, y T) T {
	switch x := any(x).(type) {
	case float32:
		return T(math.Mod(float64(x), float64(y)))
	case float64:
		return T(math.Mod(x, float64(y)))
	}
	return x - x/y*y
}

func fmod[T Number](dst, a, b []T, ma, mb int) {
	for i := range dst {
		dst[i] = rem(a[i&ma], b[i&mb])
	}
}

func mod[T Number](dst, a, b []T, ma, mb int) {
	for i := range dst {
		y := b[i&mb]
		r := rem(a[i&ma], y)
		if r != 0 && (r < 0) != (y < 0) {
			r += y
		}
		dst[i] = r
	}
}

// Scale multiplies dst by 1/n as Mean does: it divides.
func Scale[T Number](dst []T, n int) {
	for i := range dst {
		dst[i] /= T(n)
	}
}
