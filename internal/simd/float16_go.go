package simd

import "math"

func float16ToFloat32Go(dst []float32, src []uint16) {
	for i, h := range src {
		dst[i] = fromFloat16(h)
	}
}

func float32ToFloat16Go(dst []uint16, src []float32) {
	for i, x := range src {
		dst[i] = toFloat16(x)
	}
}

func fromFloat16(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exp := uint32(h>>10) & 0x1f
	frac := uint32(h & 0x3ff)
	switch {
	case exp == 0x1f && frac != 0:
		return math.Float32frombits(sign | 0x7fc00000 | frac<<13)
	case exp == 0x1f:
		return math.Float32frombits(sign | 0x7f800000)
	case exp == 0:
		// Zero or denormal: frac * 2^-24, exact.
		x := float32(frac) * 0x1p-24
		return math.Float32frombits(sign | math.Float32bits(x))
	}
	return math.Float32frombits(sign | (exp+127-15)<<23 | frac<<13)
}

func toFloat16(x float32) uint16 {
	bits := math.Float32bits(x)
	sign := uint16(bits>>16) & 0x8000
	bits &= 0x7fffffff
	switch {
	case bits > 0x7f800000:
		return sign | 0x7e00 | uint16(bits>>13)&0x3ff
	case bits >= 0x47800000: // 65536 and up
		return sign | 0x7c00
	case bits < 0x38800000: // below 2^-14: a denormal, a multiple of 2^-24
		// Adding 0.5 leaves the multiple of 2^-24, rounded, in the low bits.
		y := math.Float32frombits(bits) + 0.5
		return sign | uint16(math.Float32bits(y)-0x3f000000)
	}
	// Rebias, and round half to even; a carry runs into the exponent, up to
	// infinity.
	bits += 0xfff + bits>>13&1
	return sign | uint16((bits-(127-15)<<23)>>13)
}
