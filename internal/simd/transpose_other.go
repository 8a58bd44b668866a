//go:build !amd64 || purego

package simd

func transpose8x8(dst []float32, ldd int, src []float32, lds int) {
	transpose8x8Go(dst, ldd, src, lds)
}
