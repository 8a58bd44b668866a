//go:build !amd64 || purego

package simd

func quantDot(y, x, sums []float32, q *QuantPanel) { quantDotGo(y, x, sums, q) }
func quantRows(dst []float32, q *QuantPanel)       { quantRowsGo(dst, q) }
