//go:build !amd64 || purego

package simd

func float16ToFloat32(dst []float32, src []uint16) { float16ToFloat32Go(dst, src) }
func float32ToFloat16(dst []uint16, src []float32) { float32ToFloat16Go(dst, src) }
