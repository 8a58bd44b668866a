package simd

import "math"

// The twins of the assembly, number by number. A step that is an FMA there is
// fma32 here; all others round as usual.

const (
	// Adding magic to a number below 2^22 rounds it to an integer, which is
	// then in the low bits.
	magic     = 12582912 // 1.5 * 2^23
	magicBits = 0x4b400000

	log2e = 1.442695
	// ln2 in two parts; the first has trailing zeros, so that n times it is
	// exact.
	ln2Hi = 6.93145752e-1
	ln2Lo = 1.42860677e-6

	// Beyond these exp is +Inf and 0, and the steps below stay in range.
	expMax = 89
	expMin = -104
)

// expReduced splits x = n*ln2 + f with |f| <= ln2/2 and returns exp(f) and n.
func expReduced(x float32) (p float32, n int32) {
	t := fma32(log2e, x, magic)
	nf := t - magic
	f := fma32(nf, -ln2Hi, x)
	f = fma32(nf, -ln2Lo, f)
	p = 1.37805939e-3
	p = fma32(p, f, 8.37312452e-3)
	p = fma32(p, f, 4.16695364e-2)
	p = fma32(p, f, 1.66664720e-1)
	p = fma32(p, f, 4.99999851e-1)
	p = fma32(p, f, 1)
	p = fma32(p, f, 1)
	return p, int32(math.Float32bits(t)) - magicBits
}

// pow2 returns 2^n for n in [-126, 127].
func pow2(n int32) float32 { return math.Float32frombits(uint32(n+127) << 23) }

func exp32(x float32) float32 {
	if !(expMax >= x) && x == x {
		x = expMax
	}
	if !(expMin <= x) && x == x {
		x = expMin
	}
	return expClamped(x)
}

// expClamped is exp in [expMin, expMax]. The power of two is applied in two
// halves: 2^128 and 2^-150 have no float32.
func expClamped(x float32) float32 {
	if x != x {
		return x
	}
	p, n := expReduced(x)
	h := n >> 1
	return p * pow2(h) * pow2(n-h)
}

// expModerate is exp for results in the normal range.
func expModerate(x float32) float32 {
	if x != x {
		return x
	}
	p, n := expReduced(x)
	return p * pow2(n)
}

// tanh32 is an odd polynomial near 0, and 1 - 2/(exp(2a)+1) farther out, where
// that loses no digits; from 9.02 on the result is 1.
func tanh32(x float32) float32 {
	a := abs32(x)
	if a < 0.625 {
		s := a * a
		p := float32(-5.70498872745e-3)
		p = fma32(p, s, 2.06390887954e-2)
		p = fma32(p, s, -5.37397155531e-2)
		p = fma32(p, s, 1.33314422036e-1)
		p = fma32(p, s, -3.33332819422e-1)
		p *= s
		return copySign32(fma32(p, a, a), x)
	}
	if a > 10 {
		a = 10
	}
	e := expModerate(a + a)
	return copySign32(1-2/(e+1), x)
}

// sigmoid32 works on exp(-|x|), which is at most 1, so that neither end
// cancels or overflows.
func sigmoid32(x float32) float32 {
	if x != x {
		return x
	}
	e := expClamped(max(-abs32(x), expMin))
	if math.Signbit(float64(x)) {
		return e / (e + 1)
	}
	return 1 / (e + 1)
}

// erf32 is an odd polynomial near 0, and 1 - exp(-a - a*Q(a)) farther out; from
// 3.92 on the result is 1.
func erf32(x float32) float32 {
	a := abs32(x)
	if a > 4 {
		a = 4
	}
	if a < 0.927734375 {
		s := a * a
		p := float32(-5.96761703e-4)
		p = fma32(p, s, 4.99119423e-3)
		p = fma32(p, s, -2.67681349e-2)
		p = fma32(p, s, 1.12819925e-1)
		p = fma32(p, s, -3.76125336e-1)
		p = fma32(p, s, 1.28379166e-1)
		return copySign32(fma32(p, a, a), x)
	}
	q := float32(-1.72853470e-5)
	q = fma32(q, a, 3.83197126e-4)
	q = fma32(q, a, -3.88396438e-3)
	q = fma32(q, a, 2.42546219e-2)
	q = fma32(q, a, -1.06777877e-1)
	q = fma32(q, a, -6.34846687e-1)
	q = fma32(q, a, -1.28717512e-1)
	q = fma32(q, a, -a)
	return copySign32(1-expModerate(q), x)
}

func abs32(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

// copySign32 returns r, which is not negative, with the sign of x.
func copySign32(r, x float32) float32 {
	return math.Float32frombits(math.Float32bits(r) | math.Float32bits(x)&(1<<31))
}
