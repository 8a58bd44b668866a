package simd

// Float16ToFloat32 computes dst[i] = float32(src[i]) for IEEE 754 half
// precision numbers given as bits. It is exact; a signalling NaN becomes quiet.
func Float16ToFloat32(dst []float32, src []uint16) {
	float16ToFloat32(dst, src[:len(dst)])
}

// Float32ToFloat16 computes the half precision number nearest to src[i], ties
// to even, as bits. What is too large becomes infinite; NaN keeps the upper
// bits of its payload.
func Float32ToFloat16(dst []uint16, src []float32) {
	float32ToFloat16(dst, src[:len(dst)])
}
