package simd

// The register tile of the matrix kernels: 6 rows by 16 columns fill twelve
// of the sixteen 256-bit registers with sums.
const (
	GemmMR = 6
	GemmNR = 16
)

// GemmKernel6x16 computes a tile of up to 6 rows and exactly 16 columns,
//
//	for i := range rows {
//		for j := range 16 {
//			s := 0
//			for p := range k {
//				s += a[i*ars+p*acs] * b[p*ldb+j]
//			}
//			if accumulate {
//				c[i*ldc+j] += alpha * s
//			} else {
//				c[i*ldc+j] = alpha * s
//			}
//		}
//	}
//
// with the additions fused (FMA) where the CPU has it. A packed panel of A
// has ars, acs = 1, 6 and one of B has ldb = 16; any other strides do as well,
// so small products need no packing. Each element is one chain of additions in
// ascending p, whatever the number of rows. 1 <= rows <= 6; k should stay
// below some thousands to bound the time of a call. c is not read unless
// accumulate is set.
func GemmKernel6x16(rows, k int, a []float32, ars, acs int, b []float32, ldb int, c []float32, ldc int, alpha float32, accumulate bool) {
	if rows < 1 || rows > GemmMR || k < 0 || ars < 0 || acs < 0 || ldb < 0 || ldc < 0 {
		panic("simd: GemmKernel6x16: bad tile or stride")
	}
	if k > 0 {
		_ = a[(rows-1)*ars+(k-1)*acs]
		_ = b[(k-1)*ldb+GemmNR-1]
	}
	_ = c[(rows-1)*ldc+GemmNR-1]
	gemmKernel(rows, k, a, ars, acs, b, ldb, c, ldc, alpha, accumulate)
}

// Int16Kernel6x16 is the exact integer kernel: products of 16-bit integers,
// taken two at a time along k, summed in 32 bits (wrapping).
//
//	for i := range rows {
//		for j := range 16 {
//			var s int32
//			for p := range pairs {
//				s += int32(a[(p*6+i)*2]) * int32(b[(p*16+j)*2])
//				s += int32(a[(p*6+i)*2+1]) * int32(b[(p*16+j)*2+1])
//			}
//			c[i*ldc+j] = s // or += s if accumulate
//		}
//	}
//
// a and b are packed panels. 8-bit operands with their zero point subtracted
// fit 16 bits, so this serves every mix of signs and zero points.
func Int16Kernel6x16(rows, pairs int, a, b []int16, c []int32, ldc int, accumulate bool) {
	if rows < 1 || rows > GemmMR || pairs < 0 || ldc < 0 {
		panic("simd: Int16Kernel6x16: bad tile or stride")
	}
	_ = a[:pairs*2*GemmMR]
	_ = b[:pairs*2*GemmNR]
	_ = c[(rows-1)*ldc+GemmNR-1]
	int16Kernel(rows, pairs, a, b, c, ldc, accumulate)
}
