//go:build !purego

package simd

func dot(a, b []float32) float32 {
	if !avx2 || len(a) == 0 {
		return dotGo(a, b)
	}
	var s float32
	for len(a) > maxCall {
		s += dotAVX2(&a[0], &b[0], maxCall)
		a, b = a[maxCall:], b[maxCall:]
	}
	return s + dotAVX2(&a[0], &b[0], len(a))
}

func sum(a []float32) float32 {
	if !avx2 || len(a) == 0 {
		return sumGo(a)
	}
	var s float32
	for len(a) > maxCall {
		s += sumAVX2(&a[0], maxCall)
		a = a[maxCall:]
	}
	return s + sumAVX2(&a[0], len(a))
}

func maxReduce(a []float32) float32 {
	if !avx2 || len(a) == 0 {
		return maxReduceGo(a)
	}
	m := maxReduceAVX2(&a[0], min(len(a), maxCall))
	for len(a) > maxCall {
		a = a[maxCall:]
		if x := maxReduceAVX2(&a[0], min(len(a), maxCall)); x > m || x != x {
			m = x
		}
		if m != m {
			break
		}
	}
	return m
}

func axpy(dst, a []float32, s float32) {
	if !avx2 {
		axpyGo(dst, a, s)
		return
	}
	for len(dst) > 0 {
		n := min(len(dst), maxCall)
		axpyAVX2(&dst[0], &a[0], n, s)
		dst, a = dst[n:], a[n:]
	}
}

func axpy4(dst, b []float32, ldb int, s *[4]float32) {
	if !avx2 {
		axpy4Go(dst, b, ldb, s)
		return
	}
	for len(dst) > 0 {
		n := min(len(dst), maxCall)
		axpy4AVX2(&dst[0], &b[0], n, ldb, &s[0])
		dst = dst[n:]
		if len(dst) > 0 {
			b = b[n:]
		}
	}
}
