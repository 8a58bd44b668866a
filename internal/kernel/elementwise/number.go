package elementwise

import (
	"math"
	"unsafe"

	"gort/tensor"
)

type (
	// Float is the floating-point types that Go computes with.
	Float interface{ float32 | float64 }
	// Signed is the signed integers.
	Signed interface{ int8 | int16 | int32 | int64 }
	// Unsigned is the unsigned integers.
	Unsigned interface {
		uint8 | uint16 | uint32 | uint64
	}
	// Integer is all integers.
	Integer interface{ Signed | Unsigned }
	// Number is everything that Go computes with.
	Number interface{ Float | Integer }
	// Bits is a type for elements whose meaning does not matter.
	Bits interface {
		uint8 | uint16 | uint32 | uint64 | [2]uint64
	}
)

// View returns the storage of a contiguous tensor as elements of any type of the
// same size. Kernels read booleans as bytes with it, for files may hold bytes
// other than 0 and 1, and move elements whose meaning does not matter.
func View[T Bits | Number](t *tensor.Tensor) ([]T, error) {
	b, err := t.Bytes()
	if err != nil || len(b) == 0 {
		return nil, err
	}
	var z T
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/int(unsafe.Sizeof(z))), nil
}

func isFloat[T Number]() bool {
	var z T
	switch any(z).(type) {
	case float32, float64:
		return true
	}
	return false
}

// truncate converts to T as Go does, except that what lies beyond an integer
// type's range goes by way of int64, where such and NaN are the least int64, so
// that the result does not depend on the machine.
func truncate[T Number](x float64) T {
	switch {
	case isFloat[T]():
		return T(x)
	case x >= -1<<63 && x < 1<<63:
		return T(int64(x))
	case x >= 1<<63 && x < 1<<64:
		return T(uint64(x))
	}
	least := int64(-1 << 63)
	return T(least)
}

// Limits returns the least and largest number of a type; infinities of floats.
func Limits[T Number]() (lo, hi T) {
	var z T
	switch any(z).(type) {
	case float32, float64:
		return T(math.Inf(-1)), T(math.Inf(1))
	}
	bits := 8 * int(unsafe.Sizeof(z))
	if z--; z < 0 { // signed
		least := int64(-1) << (bits - 1)
		return T(least), T(^least)
	}
	return 0, z
}
