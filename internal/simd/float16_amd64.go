//go:build !purego

package simd

func float16ToFloat32(dst []float32, src []uint16) {
	for avx2 && len(dst) >= 8 {
		n := min(len(dst), maxCall) &^ 7
		float16ToFloat32F16C(&dst[0], &src[0], n)
		dst, src = dst[n:], src[n:]
	}
	float16ToFloat32Go(dst, src)
}

func float32ToFloat16(dst []uint16, src []float32) {
	for avx2 && len(dst) >= 8 {
		n := min(len(dst), maxCall) &^ 7
		float32ToFloat16F16C(&dst[0], &src[0], n)
		dst, src = dst[n:], src[n:]
	}
	float32ToFloat16Go(dst, src)
}
