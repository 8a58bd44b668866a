package tensor

import "math"

// F16From rounds v to the nearest half, ties to even. From 65520 on in magnitude
// the result is infinite; NaN keeps its sign and the top of its payload.
func F16From(v float32) F16 {
	b := math.Float32bits(v)
	sign := uint16(b>>16) & 0x8000
	b &= 0x7fffffff
	switch {
	case b-0x38800000 < 0x0f000000: // from 2^-14 to below 65536
		// Rebias the exponent from 127 to 15 and round; a carry runs into the
		// exponent, and past 65504 into the code of infinity.
		b += 0xc8000fff + b>>13&1
		return F16(sign | uint16(b>>13))
	case b > 0x7f800000:
		return F16(sign | 0x7e00 | uint16(b>>13)&0x3ff)
	case b >= 0x47800000:
		return F16(sign | 0x7c00)
	}
	// Below 2^-14 the result is a subnormal half or zero. The neighbours of 0.5 are
	// 2^-24 apart, as subnormal halves are: the addition rounds, and what is left
	// above 0.5 is the code.
	r := math.Float32bits(math.Float32frombits(b) + 0.5)
	return F16(sign | uint16(r-0x3f000000))
}

// F16FromFloat64 rounds v to the nearest half, ties to even, in one step.
func F16FromFloat64(v float64) F16 {
	b := math.Float64bits(v)
	sign := uint16(b>>48) & 0x8000
	if v != v {
		return F16(sign | 0x7e00 | uint16(b>>42)&0x3ff)
	}
	return F16(sign | uint16(min(roundCode(v, 10, 15), 0x7c00)))
}

// Float32 is the number h stands for; every half is exact in a float32. NaNs
// come out quiet, as hardware conversions give them.
func (h F16) Float32() float32 {
	const magic = 113 << 23 // 2^-14
	b := uint32(h&0x7fff) << 13
	sign := uint32(h&0x8000) << 16
	switch exp := b & 0x0f800000; exp {
	case 0x0f800000: // infinity or NaN
		b |= 0x7f800000
		if b > 0x7f800000 {
			b |= 0x00400000
		}
	case 0: // zero or subnormal: put the fraction under 2^-14 and take that away
		b = math.Float32bits(math.Float32frombits(b+magic) - math.Float32frombits(magic))
	default:
		b += 112 << 23
	}
	return math.Float32frombits(sign | b)
}

// roundCode rounds |v| to the nearest number with m mantissa bits and the given
// exponent bias, ties to even, subnormals included, and returns its code
// exponent<<m | mantissa. The exponent has no upper bound: the caller compares
// the code with its format's largest. v must not be NaN.
func roundCode(v float64, m, bias int) uint32 {
	b := math.Float64bits(v) &^ (1 << 63)
	exp := int(b>>52) - 1023 + bias
	frac := b&(1<<52-1) | 1<<52
	shift := 52 - m
	if exp < 1 {
		shift += 1 - exp
		exp = 1
	}
	if shift > 53 { // less than half of the smallest subnormal; all subnormal float64 end here
		return 0
	}
	frac += 1<<(shift-1) - 1 + frac>>shift&1
	// frac holds the implicit bit, which adds the 1 that exp lacks.
	return uint32(exp-1)<<m + uint32(frac>>shift)
}
