package quant

import "math"

// Range returns scale and zero point of ONNX DynamicQuantizeLinear, which maps
// the range of x, widened to contain 0, to the codes 0 to 255:
//
//	scale = (max - min) / 255
//	zero  = clamp(round(-min / scale), 0, 255)
//
// The scale of an empty or all-zero x is 1.
func Range(x []float32) (scale float32, zero uint8) {
	lo, hi := float32(0), float32(0)
	for _, v := range x {
		lo, hi = min(lo, v), max(hi, v)
	}
	if lo == hi {
		return 1, 0
	}
	scale = (hi - lo) / 255
	return scale, uint8(math.RoundToEven(float64(min(max(-lo/scale, 0), 255))))
}
