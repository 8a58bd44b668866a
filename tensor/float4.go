package tensor

import "math"

// F4E2M1From rounds v to the nearest float4e2m1, ties to even, and returns its
// 4-bit code. Beyond ±6, infinities included, the result is ±6. The format has no
// NaN: NaN becomes negative zero, as in ONNX's backend tests (the prose of its
// "Float stored in 4 bits" page says 6 instead).
func F4E2M1From(v float32) uint8 { return F4E2M1FromFloat64(float64(v)) }

// F4E2M1FromFloat64 is F4E2M1From for a float64, in one rounding.
func F4E2M1FromFloat64(v float64) uint8 {
	if v != v {
		return 8
	}
	code := uint8(min(roundCode(v, 1, 1), 7))
	if math.Signbit(v) {
		code |= 8
	}
	return code
}

// The constant -0.0 is +0 in Go.
var negativeZero = float32(math.Copysign(0, -1))

// float4Table is the technical page's table of values, positive then negative.
var float4Table = [16]float32{
	0, 0.5, 1, 1.5, 2, 3, 4, 6,
	negativeZero, -0.5, -1, -1.5, -2, -3, -4, -6,
}

// F4E2M1ToFloat32 is the number that the low 4 bits of code stand for, exactly.
func F4E2M1ToFloat32(code uint8) float32 { return float4Table[code&15] }
