//go:build !amd64 || purego

package simd

func binary(op binaryOp, dst, a, b []float32) {
	binaryGo[op](dst, a[:len(dst)], b[:len(dst)])
}

func unary(op unaryOp, dst, a []float32, s, t float32) {
	unaryGo[op](dst, a[:len(dst)], s, t)
}
