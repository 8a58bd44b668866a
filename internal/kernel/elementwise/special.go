package elementwise

import "gort/tensor"

// floatFormat says which codes of a float type are infinite or no numbers.
type floatFormat struct {
	exp, frac uint64 // the bits of exponent and fraction
	inf       bool   // exp all ones is infinite or NaN, as in IEEE 754
	nan       uint64 // else, the code of NaN, sign aside unless it is the sign bit itself
}

var formats = map[tensor.DType]floatFormat{
	tensor.Float64:        {exp: 0x7ff << 52, frac: 1<<52 - 1, inf: true},
	tensor.Float32:        {exp: 0xff << 23, frac: 1<<23 - 1, inf: true},
	tensor.Float16:        {exp: 0x1f << 10, frac: 1<<10 - 1, inf: true},
	tensor.BFloat16:       {exp: 0xff << 7, frac: 1<<7 - 1, inf: true},
	tensor.Float8E5M2:     {exp: 0x1f << 2, frac: 3, inf: true},
	tensor.Float8E4M3FN:   {exp: 0xf << 3, frac: 7, nan: 0x7f},
	tensor.Float8E4M3FNUZ: {exp: 0xf << 3, frac: 7, nan: 0x80},
	tensor.Float8E5M2FNUZ: {exp: 0x1f << 2, frac: 3, nan: 0x80},
}

// IsNaN returns the loop that finds NaN in a float type given as bits.
func IsNaN[U Unsigned](d tensor.DType) Loop1[U, bool] {
	f := formats[d]
	exp, all := U(f.exp), U(f.exp|f.frac)
	if f.inf {
		return func(dst []bool, a []U) {
			for i, x := range a {
				dst[i] = x&all > exp
			}
		}
	}
	code := U(f.nan)
	if f.nan <= f.exp|f.frac {
		return func(dst []bool, a []U) {
			for i, x := range a {
				dst[i] = x&all == code
			}
		}
	}
	return func(dst []bool, a []U) {
		for i, x := range a {
			dst[i] = x == code
		}
	}
}

// IsInf returns the loop that finds infinities of the given signs in a float
// type given as bits. Types without infinities have none.
func IsInf[U Unsigned](d tensor.DType, negative, positive bool) Loop1[U, bool] {
	f := formats[d]
	pos := U(f.exp)
	neg := pos | U((f.exp|f.frac)+1)
	negative, positive = negative && f.inf, positive && f.inf
	return func(dst []bool, a []U) {
		for i, x := range a {
			dst[i] = positive && x == pos || negative && x == neg
		}
	}
}
