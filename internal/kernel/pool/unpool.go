package pool

import "fmt"

// Unpool writes the elements of x to the positions that indices give in a tensor
// of shape inner, and everything else of y is zero (ONNX MaxUnpool). y's shape
// outer has the same rank and is at least as large; the tensor lies at its origin.
func Unpool[T any](x []T, indices []int64, inner, outer []int, y []T) error {
	clear(y)
	same := true
	for d := range inner {
		if outer[d] < inner[d] {
			return fmt.Errorf("output_shape is %v, smaller than the %v that the windows cover", outer, inner)
		}
		same = same && outer[d] == inner[d]
	}
	size := product(inner)
	for i, at := range indices {
		if at < 0 || at >= int64(size) {
			return fmt.Errorf("input 1 (I): element %d is %d, allowed are 0 to %d", i, at, size-1)
		}
		to := int(at)
		if !same {
			rest, stride := to, 1
			to = 0
			for d := len(inner) - 1; d >= 0; d-- {
				to += rest % inner[d] * stride
				rest /= inner[d]
				stride *= outer[d]
			}
		}
		y[to] = x[i]
	}
	return nil
}
