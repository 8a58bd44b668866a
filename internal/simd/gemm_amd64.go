//go:build !purego

package simd

func gemmKernel(rows, k int, a []float32, ars, acs int, b []float32, ldb int, c []float32, ldc int, alpha float32, accumulate bool) {
	if !avx2 || k == 0 {
		gemmKernelGo(rows, k, a, ars, acs, b, ldb, c, ldc, alpha, accumulate)
		return
	}
	// A switch, not a table of functions: through a function value the
	// compiler would have to assume that the operands escape.
	switch rows {
	case 1:
		gemm1x16AVX2(k, &a[0], ars, acs, &b[0], ldb, &c[0], ldc, alpha, accumulate)
	case 2:
		gemm2x16AVX2(k, &a[0], ars, acs, &b[0], ldb, &c[0], ldc, alpha, accumulate)
	case 3:
		gemm3x16AVX2(k, &a[0], ars, acs, &b[0], ldb, &c[0], ldc, alpha, accumulate)
	case 4:
		gemm4x16AVX2(k, &a[0], ars, acs, &b[0], ldb, &c[0], ldc, alpha, accumulate)
	case 5:
		gemm5x16AVX2(k, &a[0], ars, acs, &b[0], ldb, &c[0], ldc, alpha, accumulate)
	default:
		gemm6x16AVX2(k, &a[0], ars, acs, &b[0], ldb, &c[0], ldc, alpha, accumulate)
	}
}

func int16Kernel(rows, pairs int, a, b []int16, c []int32, ldc int, accumulate bool) {
	if !avx2 || pairs == 0 {
		int16KernelGo(rows, pairs, a, b, c, ldc, accumulate)
		return
	}
	switch rows {
	case 1:
		int16gemm1x16AVX2(pairs, &a[0], &b[0], &c[0], ldc, accumulate)
	case 2:
		int16gemm2x16AVX2(pairs, &a[0], &b[0], &c[0], ldc, accumulate)
	case 3:
		int16gemm3x16AVX2(pairs, &a[0], &b[0], &c[0], ldc, accumulate)
	case 4:
		int16gemm4x16AVX2(pairs, &a[0], &b[0], &c[0], ldc, accumulate)
	case 5:
		int16gemm5x16AVX2(pairs, &a[0], &b[0], &c[0], ldc, accumulate)
	default:
		int16gemm6x16AVX2(pairs, &a[0], &b[0], &c[0], ldc, accumulate)
	}
}
