package norm

import "math"

// mvnEpsilon is added to the standard deviation, not to the variance.
const mvnEpsilon = 1e-9

// MeanVariance normalises over some axes of a tensor (ONNX
// MeanVarianceNormalization):
//
//	y = (x - mean) / (standard deviation + 1e-9)
//
// reduced says for each dimension of shape whether it is one of the axes.
func MeanVariance[T Float](shape []int, reduced []bool, x, y []T) {
	// Elements with the same coordinates in the kept dimensions share statistics.
	strides, kept := make([]int, len(shape)), 1
	for d := len(shape) - 1; d >= 0; d-- {
		if !reduced[d] {
			strides[d] = kept
			kept *= shape[d]
		}
	}
	if len(x) == 0 {
		return
	}
	mean, deviation := make([]float64, kept), make([]float64, kept)
	count := float64(len(x) / kept)
	each := func(visit func(i, k int)) {
		at, k := make([]int, len(shape)), 0
		for i := range x {
			visit(i, k)
			for d := len(shape) - 1; d >= 0; d-- {
				k += strides[d]
				if at[d]++; at[d] < shape[d] {
					break
				}
				k -= strides[d] * shape[d]
				at[d] = 0
			}
		}
	}
	each(func(i, k int) { mean[k] += float64(x[i]) })
	for k := range mean {
		mean[k] /= count
	}
	each(func(i, k int) { d := float64(x[i]) - mean[k]; deviation[k] += d * d })
	for k := range deviation {
		deviation[k] = math.Sqrt(deviation[k]/count) + mvnEpsilon
	}
	each(func(i, k int) { y[i] = T((float64(x[i]) - mean[k]) / deviation[k]) })
}
