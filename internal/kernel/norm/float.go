package norm

import (
	"math"

	"gort/internal/simd"
)

// Float lists the element types of the package.
type Float interface{ float32 | float64 }

// inlineWork is the number of elements below which waking a worker does not pay.
const inlineWork = 16 << 10

func grain(elements int) int { return max(1, inlineWork/max(1, elements)) }

// affine computes dst[i] = x[i]*a + b.
func affine[T Float](dst, x []T, a, b T) {
	if d, ok := any(dst).([]float32); ok {
		simd.ScaleShift(d, any(x).([]float32), float32(a), float32(b))
		return
	}
	for i, v := range x {
		dst[i] = v*a + b
	}
}

// standardize computes dst[i] = (x[i]-mean)*factor + shift. The mean goes first: where
// x is all but constant, what is left is small and the factor large.
func standardize[T Float](dst, x []T, mean, factor, shift T) {
	for len(x) > 0 {
		n := min(len(x), 1024)
		affine(dst[:n], x[:n], 1, -mean)
		affine(dst[:n], dst[:n], factor, shift)
		dst, x = dst[n:], x[n:]
	}
}

// moments returns the mean and the population variance of x, NaN when it is empty.
func moments[T Float](x []T) (mean, variance float64) {
	if f, ok := any(x).([]float32); ok {
		mean = meanOf(f)
		return mean, squaresAround(f, float32(mean)) / float64(len(x))
	}
	for _, v := range x {
		mean += float64(v)
	}
	mean /= float64(len(x))
	for _, v := range x {
		variance += (float64(v) - mean) * (float64(v) - mean)
	}
	return mean, variance / float64(len(x))
}

// block is how many elements are summed in single precision.
const block = 4096

func meanOf(x []float32) float64 {
	sum := 0.0
	for i := 0; i < len(x); i += block {
		sum += float64(simd.Sum(x[i:min(i+block, len(x))]))
	}
	return sum / float64(len(x))
}

// squaresAround returns the sum of (x[i]-mean)**2.
func squaresAround(x []float32, mean float32) float64 {
	var distance [512]float32
	sum := 0.0
	for len(x) > 0 {
		d := distance[:min(len(distance), len(x))]
		simd.SubScalar(d, x[:len(d)], mean)
		sum += float64(simd.Dot(d, d))
		x = x[len(d):]
	}
	return sum
}

// squares returns the sum of x[i]**2.
func squares[T Float](x []T) float64 {
	sum := 0.0
	if f, ok := any(x).([]float32); ok {
		for i := 0; i < len(f); i += block {
			b := f[i:min(i+block, len(f))]
			sum += float64(simd.Dot(b, b))
		}
		return sum
	}
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return sum
}

func inverse(variance, epsilon float64) float64 { return 1 / math.Sqrt(variance+epsilon) }

// times computes x[i] *= w[i].
func times[T Float](x, w []T) {
	if f, ok := any(x).([]float32); ok {
		simd.Mul(f, f, any(w).([]float32))
		return
	}
	for i := range x {
		x[i] *= w[i]
	}
}

// plus computes x[i] += b[i].
func plus[T Float](x, b []T) {
	if f, ok := any(x).([]float32); ok {
		simd.Add(f, f, any(b).([]float32))
		return
	}
	for i := range x {
		x[i] += b[i]
	}
}
