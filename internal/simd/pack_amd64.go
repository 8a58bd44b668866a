//go:build !purego

package simd

func packB16(dst []float32, panel int, src []float32, lds, k, panels int) {
	if avx2 {
		packB16AVX2(&dst[0], panel, &src[0], lds, k, panels)
		return
	}
	packB16Go(dst, panel, src, lds, k, panels)
}

func packA6(dst, src []float32, lds, k int) {
	// At least one column is left over: the assembly writes a little of it.
	if blocks := (k - 1) / 8; avx2 && blocks > 0 {
		packA6AVX2(&dst[0], &src[0], lds, blocks)
		k -= 8 * blocks
		dst, src = dst[8*GemmMR*blocks:], src[8*blocks:]
	}
	packA6Go(dst, src, lds, k)
}
