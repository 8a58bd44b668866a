package tensor

import "math"

// BF16From rounds v to the nearest bfloat16, ties to even. NaN keeps its sign
// and the top of its payload.
func BF16From(v float32) BF16 {
	b := math.Float32bits(v)
	if v != v {
		return BF16(b>>16 | 0x40)
	}
	return BF16((b + 0x7fff + b>>16&1) >> 16)
}

// BF16FromFloat64 rounds v to the nearest bfloat16, ties to even, in one step.
func BF16FromFloat64(v float64) BF16 {
	b := math.Float64bits(v)
	sign := uint16(b>>48) & 0x8000
	if v != v {
		return BF16(sign | 0x7fc0 | uint16(b>>45)&0x7f)
	}
	return BF16(sign | uint16(min(roundCode(v, 7, 127), 0x7f80)))
}

// Float32 is the number b stands for; every bfloat16 is exact in a float32.
func (b BF16) Float32() float32 { return math.Float32frombits(uint32(b) << 16) }
