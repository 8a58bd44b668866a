package tensor

import (
	"fmt"
	"math"
)

// Int64s returns the elements of an integer tensor, packed types included, in
// row-major order, widened to int64. The slice is the caller's. It fails for other
// types and for a uint64 beyond the range of int64.
func Int64s(t *Tensor) ([]int64, error) {
	switch t.dtype.Class() {
	case ClassInt, ClassUint:
	default:
		return nil, fmt.Errorf("tensor: elements are %v, not integers", t.dtype)
	}
	wide, err := Convert(t, Int64, ConvertOptions{})
	if err != nil {
		return nil, err
	}
	out := Elements[int64](wide)
	if t.dtype == Uint64 {
		for i, v := range out {
			if v < 0 {
				return nil, fmt.Errorf("tensor: element %d, %d, is larger than %d, the largest int64", i, uint64(v), int64(math.MaxInt64))
			}
		}
	}
	return out, nil
}

// Float64s returns the elements of a tensor of floats or integers in row-major
// order, widened to float64; only integers beyond 2^53 may be rounded. The slice
// is the caller's. It fails for other types.
func Float64s(t *Tensor) ([]float64, error) {
	switch t.dtype.Class() {
	case ClassFloat, ClassInt, ClassUint:
	default:
		return nil, fmt.Errorf("tensor: elements are %v, not real numbers", t.dtype)
	}
	wide, err := Convert(t, Float64, ConvertOptions{})
	if err != nil {
		return nil, err
	}
	return Elements[float64](wide), nil
}
