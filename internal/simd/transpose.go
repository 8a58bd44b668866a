package simd

// Transpose8x8 transposes a block of 8 x 8,
//
//	for i := range 8 {
//		for j := range 8 {
//			dst[j*ldd+i] = src[i*lds+j]
//		}
//	}
//
// dst and src must not overlap.
func Transpose8x8(dst []float32, ldd int, src []float32, lds int) {
	if ldd < 0 || lds < 0 {
		panic("simd: Transpose8x8: negative stride")
	}
	_ = dst[7*ldd+7]
	_ = src[7*lds+7]
	transpose8x8(dst, ldd, src, lds)
}
