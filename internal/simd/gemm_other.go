//go:build !amd64 || purego

package simd

func gemmKernel(rows, k int, a []float32, ars, acs int, b []float32, ldb int, c []float32, ldc int, alpha float32, accumulate bool) {
	gemmKernelGo(rows, k, a, ars, acs, b, ldb, c, ldc, alpha, accumulate)
}

func int16Kernel(rows, pairs int, a, b []int16, c []int32, ldc int, accumulate bool) {
	int16KernelGo(rows, pairs, a, b, c, ldc, accumulate)
}
