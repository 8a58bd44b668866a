package elementwise

import (
	"math"

	"gort/internal/simd"
)

// log32 is the natural logarithm to 2 ULP: of x = m * 2**e with m in
// [sqrt(1/2), sqrt(2)), a polynomial in m-1 plus e*ln2 in two parts (the method
// and coefficients of S. Moshier's Cephes library, logf).
func log32(x float32) float32 {
	switch {
	case x > math.MaxFloat32 || x != x:
		return x
	case x <= 0:
		if x == 0 {
			return float32(math.Inf(-1))
		}
		return float32(math.NaN())
	}
	e := 0
	if x < 0x1p-126 {
		x *= 0x1p23
		e = -23
	}
	const half = 0x3f3504f3 // sqrt(1/2)
	b := math.Float32bits(x) - half
	e += int(int32(b) >> 23)
	f := math.Float32frombits(b&0x7fffff+half) - 1
	z := f * f
	p := float32(7.0376836292e-2)
	p = p*f - 1.1514610310e-1
	p = p*f + 1.1676998740e-1
	p = p*f - 1.2420140846e-1
	p = p*f + 1.4249322787e-1
	p = p*f - 1.6668057665e-1
	p = p*f + 2.0000714765e-1
	p = p*f - 2.4999993993e-1
	p = p*f + 3.3333331174e-1
	y := p*f*z - 2.12194440e-4*float32(e) - 0.5*z
	return f + y + 0.693359375*float32(e)
}

func logLoop32(dst, a []float32) {
	for i, x := range a {
		dst[i] = log32(x)
	}
}

// softplus32 is max(x, 0) + log(1+e) with e = exp(-|x|). What 1+e rounds off is
// made up for by the quotient of e and the e that is left in the sum.
var softplus32 = blocked(func(dst, x, tmp []float32) {
	for i, v := range x {
		tmp[i] = -abs32(v)
	}
	simd.Exp(tmp, tmp)
	for i, e := range tmp {
		l := e
		if u := 1 + e; u != 1 {
			l = log32(u) * (e / (u - 1))
		}
		dst[i] = max(x[i], 0) + l
	}
})

func abs32(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }
