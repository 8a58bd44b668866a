package tensor

import "math"

// RoundMode is how a number that is not a power of two becomes a float8e8m0. The
// zero value is the default of the ONNX Cast operator.
type RoundMode uint8

// Rounding modes for float8e8m0 (ONNX Cast, attribute round_mode).
const (
	RoundUp      RoundMode = iota // to the next larger power of two
	RoundNearest                  // to the nearer one, halfway up
	RoundDown                     // to the next smaller one
)

// String is the ONNX name of the mode: "up", "nearest" or "down".
func (m RoundMode) String() string {
	switch m {
	case RoundNearest:
		return "nearest"
	case RoundDown:
		return "down"
	}
	return "up"
}

const (
	e8m0Max = 0xfe // 2^127
	e8m0NaN = 0xff
)

// F8E8M0From rounds v to a power of two from 2^-127 to 2^127. What lies outside
// after rounding, and zero, becomes the nearest end of that range when saturating
// and NaN otherwise. ONNX leaves negative numbers open; here they lie below the
// range like zero.
func F8E8M0From(v float32, saturate bool, round RoundMode) F8E8M0 {
	return F8E8M0FromFloat64(float64(v), saturate, round)
}

// F8E8M0FromFloat64 is F8E8M0From for a float64, in one rounding.
func F8E8M0FromFloat64(v float64, saturate bool, round RoundMode) F8E8M0 {
	var code int
	switch {
	case v != v:
		return e8m0NaN
	case v <= 0:
		code = -1
	case v > math.MaxFloat64:
		code = e8m0Max + 1
	default:
		frac, exp := math.Frexp(v) // v = frac * 2^exp, frac in [0.5, 1)
		code = exp - 1 + 127
		if round == RoundUp && frac > 0.5 || round == RoundNearest && frac >= 0.75 {
			code++
		}
	}
	switch {
	case code >= 0 && code <= e8m0Max:
		return F8E8M0(code)
	case !saturate:
		return e8m0NaN
	case code < 0:
		return 0
	}
	return e8m0Max
}

// Float32 is the number f stands for, exactly.
func (f F8E8M0) Float32() float32 {
	switch f {
	case 0:
		return 0x1p-127 // below float32's normal numbers, so its exponent field can not say it
	case e8m0NaN:
		return float32(math.NaN())
	}
	return math.Float32frombits(uint32(f) << 23)
}
