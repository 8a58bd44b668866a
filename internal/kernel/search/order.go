package search

import (
	"math"
	"unsafe"
)

// number is every type that is compared as Go compares it.
type number interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// keyOf maps numbers to unsigned integers of the same order. Zeros of both signs
// are equal, and NaN is larger than all else.
func keyOf[T number](v T) uint64 {
	if v != v {
		return math.MaxUint64
	}
	var half T = 1
	if half /= 2; half != 0 { // a float type
		b := math.Float64bits(float64(v) + 0)
		if float64(v) == 0 {
			b = 0
		}
		if b>>63 != 0 {
			return ^b
		}
		return b | 1<<63
	}
	if T(0)-1 > 0 { // an unsigned type
		return uint64(v)
	}
	return uint64(int64(v)) ^ 1<<63
}

func isFloat32[T any]() bool {
	var z T
	_, ok := any(z).(float32)
	return ok
}

// asFloat32 is the same slice under its own name, for T float32.
func asFloat32[T any](s []T) []float32 { return *(*[]float32)(unsafe.Pointer(&s)) }
