//go:build !amd64 || purego

package simd

func packB16(dst []float32, panel int, src []float32, lds, k, panels int) {
	packB16Go(dst, panel, src, lds, k, panels)
}

func packA6(dst, src []float32, lds, k int) { packA6Go(dst, src, lds, k) }
