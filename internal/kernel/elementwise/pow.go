package elementwise

import (
	"math"

	"gort/internal/simd"
)

// Pow returns the loop of base**exponent in the type of the base. Integers with
// an exponent that is no negative integer multiply exactly, keeping the low bits;
// everything else is computed in float64 and converted, integers truncating.
func Pow[A, B Number]() Loop2[A, B, A] {
	if isFloat[A]() {
		return func(dst, a []A, b []B, ma, mb int) {
			if mb == 0 && powConst(dst, a, ma, float64(b[0])) {
				return
			}
			for i := range dst {
				dst[i] = A(math.Pow(float64(a[i&ma]), float64(b[i&mb])))
			}
		}
	}
	return func(dst, a []A, b []B, ma, mb int) {
		for i := range dst {
			dst[i] = intPow(a[i&ma], b[i&mb])
		}
	}
}

func intPow[A, B Number](x A, e B) A {
	if isFloat[B]() || e < 0 {
		return truncate[A](math.Pow(float64(x), float64(e)))
	}
	r := A(1)
	for n := uint64(e); n > 0; n >>= 1 {
		if n&1 != 0 {
			r *= x
		}
		x *= x
	}
	return r
}

// powConst computes powers that models raise to most without a logarithm. It
// reports whether e is among them.
func powConst[A Number](dst, a []A, ma int, e float64) bool {
	if e != 2 && e != 3 && e != 0.5 && e != 1 && e != -1 {
		return false
	}
	if d, ok := any(dst).([]float32); ok && e == 2 && ma != 0 {
		s := any(a).([]float32)
		simd.Mul(d, s, s)
		return true
	}
	for i := range dst {
		x := float64(a[i&ma])
		switch e {
		case 2:
			x *= x
		case 3:
			x *= x * x
		case -1:
			x = 1 / x
		case 0.5:
			// Unlike a square root, a power of -0 is 0 and one of -Inf is +Inf.
			if x == math.Inf(-1) {
				x = -x
			} else {
				x = math.Sqrt(x + 0)
			}
		}
		dst[i] = A(x)
	}
	return true
}
