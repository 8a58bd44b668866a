package quant

import "math"

// Requantize turns exact sums into codes in [lo, hi]:
//
//	y = clamp(round(sum * factor) + zero, lo, hi)
//
// with ties to even. factor has one element or as many as sums.
func Requantize[T int8 | uint8](sums []int32, factor []float32, zero, lo, hi int32, y []T) {
	least, most := float32(lo-zero), float32(hi-zero)
	f := factor[0]
	for i, s := range sums {
		if len(factor) > 1 {
			f = factor[i]
		}
		v := min(max(float32(s)*f, least), most)
		v += roundEven
		v -= roundEven
		y[i] = T(int32(v) + zero)
	}
}

// Limits returns the least and largest code of an 8-bit type.
func Limits[T int8 | uint8]() (lo, hi int32) {
	var zero T
	if _, signed := any(zero).(int8); signed {
		return math.MinInt8, math.MaxInt8
	}
	return 0, math.MaxUint8
}
