//go:build !purego

package simd

func transpose8x8(dst []float32, ldd int, src []float32, lds int) {
	if avx2 {
		transpose8x8AVX2(&dst[0], ldd, &src[0], lds)
		return
	}
	transpose8x8Go(dst, ldd, src, lds)
}
