package simd

import "math"

// chains is the number of interleaved sums of the reductions: four registers
// of eight lanes.
const chains = 32

func dotGo(a, b []float32) float32 {
	var s float32
	for len(a) > maxCall {
		s += dotBlock(a[:maxCall], b)
		a, b = a[maxCall:], b[maxCall:]
	}
	return s + dotBlock(a, b)
}

func dotBlock(a, b []float32) float32 {
	var s [chains]float32
	for len(a) >= chains {
		x, y := (*[chains]float32)(a), (*[chains]float32)(b)
		for i := range s {
			s[i] += x[i] * y[i]
		}
		a, b = a[chains:], b[chains:]
	}
	for i, x := range a {
		s[i] += x * b[i]
	}
	return foldSum(&s)
}

func sumGo(a []float32) float32 {
	var s float32
	for len(a) > maxCall {
		s += sumBlock(a[:maxCall])
		a = a[maxCall:]
	}
	return s + sumBlock(a)
}

func sumBlock(a []float32) float32 {
	var s [chains]float32
	for len(a) >= chains {
		x := (*[chains]float32)(a)
		for i := range s {
			s[i] += x[i]
		}
		a = a[chains:]
	}
	for i, x := range a {
		s[i] += x
	}
	return foldSum(&s)
}

// foldSum adds the chains in the order of the assembly: registers first
// ((0+1)+(2+3)), then lanes by halves.
func foldSum(s *[chains]float32) float32 {
	for i := range 8 {
		s[i] = (s[i] + s[8+i]) + (s[16+i] + s[24+i])
	}
	for i := range 4 {
		s[i] += s[4+i]
	}
	return (s[0] + s[2]) + (s[1] + s[3])
}

func axpyGo(dst, a []float32, s float32) {
	for i := range dst {
		dst[i] += s * a[i]
	}
}

func axpy4Go(dst, b []float32, ldb int, s *[4]float32) {
	for p, x := range s {
		axpyGo(dst, b[p*ldb:], x)
	}
}

func maxReduceGo(a []float32) float32 {
	m := float32(math.Inf(-1))
	for _, x := range a {
		if x > m || x != x {
			m = x
		}
		if m != m {
			return m
		}
	}
	return m
}
