package simd

// PackB16 copies k rows of 16*panels numbers into panels of 16 columns,
//
//	for p := range k {
//		for q := range panels {
//			copy(dst[q*panel+p*16:][:16], src[p*lds+q*16:])
//		}
//	}
//
// k*panels should stay below some thousands.
func PackB16(dst []float32, panel int, src []float32, lds, k, panels int) {
	if k <= 0 || panels <= 0 {
		return
	}
	if panel < 0 || lds < 0 {
		panic("simd: PackB16: negative stride")
	}
	_ = dst[(panels-1)*panel+k*GemmNR-1]
	_ = src[(k-1)*lds+panels*GemmNR-1]
	packB16(dst, panel, src, lds, k, panels)
}

// PackA6 interleaves six rows of k numbers,
//
//	for p := range k {
//		for i := range 6 {
//			dst[p*6+i] = src[i*lds+p]
//		}
//	}
//
// k should stay below some thousands.
func PackA6(dst, src []float32, lds, k int) {
	if k <= 0 {
		return
	}
	if lds < 0 {
		panic("simd: PackA6: negative stride")
	}
	packA6(dst[:k*GemmMR], src[:5*lds+k], lds, k)
}
