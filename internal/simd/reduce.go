package simd

// Dot returns the sum of a[i]*b[i] over the length of a. The terms are added
// in several interleaved chains, so the result differs from a plain loop by
// rounding; it depends on the values and the length only.
func Dot(a, b []float32) float32 {
	return dot(a, b[:len(a)])
}

// AXPY computes dst[i] += s*a[i], fused (rounded once) where the CPU has FMA.
func AXPY(dst, a []float32, s float32) {
	axpy(dst, a[:len(dst)], s)
}

// AXPY4 computes four steps of [AXPY] in one pass over dst:
//
//	for p := range 4 {
//		AXPY(dst, b[p*ldb:], s[p])
//	}
func AXPY4(dst, b []float32, ldb int, s *[4]float32) {
	if len(dst) == 0 {
		return
	}
	if ldb < 0 {
		panic("simd: AXPY4: negative stride")
	}
	_ = b[3*ldb+len(dst)-1]
	axpy4(dst, b, ldb, s)
}

// Sum returns the sum of a, added in interleaved chains like [Dot].
func Sum(a []float32) float32 { return sum(a) }

// MaxReduce returns the largest element, NaN if there is one, and -Inf for an
// empty slice. Zeros compare equal; which sign is returned is not defined.
func MaxReduce(a []float32) float32 { return maxReduce(a) }
