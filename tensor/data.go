package tensor

import (
	"fmt"
	"unsafe"
)

// Go types of the elements that Go has no type for. Each holds the bits of one
// element; the methods in their own files convert.
type (
	// F16 is an IEEE 754 half-precision number (float16).
	F16 uint16
	// BF16 is the upper half of a float32 (bfloat16).
	BF16 uint16
	// F8E4M3FN is a float8e4m3fn.
	F8E4M3FN uint8
	// F8E4M3FNUZ is a float8e4m3fnuz.
	F8E4M3FNUZ uint8
	// F8E5M2 is a float8e5m2.
	F8E5M2 uint8
	// F8E5M2FNUZ is a float8e5m2fnuz.
	F8E5M2FNUZ uint8
	// F8E8M0 is a float8e8m0.
	F8E8M0 uint8
)

// Element is every Go type that holds one element of a tensor. The packed types
// are not among them: see Unpack.
type Element interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 |
		bool | string | complex64 | complex128 |
		F16 | BF16 | F8E4M3FN | F8E4M3FNUZ | F8E5M2 | F8E5M2FNUZ | F8E8M0
}

// DTypeOf returns the element type whose elements are of Go type T.
func DTypeOf[T Element]() DType {
	var z T
	switch any(z).(type) {
	case float32:
		return Float32
	case float64:
		return Float64
	case int8:
		return Int8
	case int16:
		return Int16
	case int32:
		return Int32
	case int64:
		return Int64
	case uint8:
		return Uint8
	case uint16:
		return Uint16
	case uint32:
		return Uint32
	case uint64:
		return Uint64
	case bool:
		return Bool
	case string:
		return String
	case complex64:
		return Complex64
	case complex128:
		return Complex128
	case F16:
		return Float16
	case BF16:
		return BFloat16
	case F8E4M3FN:
		return Float8E4M3FN
	case F8E4M3FNUZ:
		return Float8E4M3FNUZ
	case F8E5M2:
		return Float8E5M2
	case F8E5M2FNUZ:
		return Float8E5M2FNUZ
	case F8E8M0:
		return Float8E8M0
	}
	return Undefined
}

// FromSlice returns a tensor that aliases data, whose elements are in row-major
// order. Without a shape, or with a nil one, it is one-dimensional; an empty shape
// that is not nil makes a scalar. It fails when the shape does not hold len(data)
// elements.
func FromSlice[T Element](data []T, shape ...int) (*Tensor, error) {
	if shape == nil {
		shape = []int{len(data)}
	}
	n, err := Shape(shape).NumElements()
	if err != nil {
		return nil, err
	}
	if n != len(data) {
		return nil, fmt.Errorf("tensor: shape %v holds %d elements, got %d", Shape(shape), n, len(data))
	}
	t := &Tensor{dtype: DTypeOf[T](), shape: Shape(shape).Clone(), size: n}
	if t.dtype == String {
		t.strs = any(data).([]string)
	} else {
		t.data = bytesOf(data)
	}
	return t, nil
}

// Scalar returns a rank-0 tensor holding v.
func Scalar[T Element](v T) *Tensor { return Must(FromSlice([]T{v}, []int{}...)) }

// Data returns the elements of a contiguous tensor as a Go slice that aliases
// them. It fails when T is not the tensor's element type or when there are gaps.
func Data[T Element](t *Tensor) ([]T, error) {
	if d := DTypeOf[T](); d != t.dtype {
		return nil, fmt.Errorf("tensor: elements are %v, not %v", t.dtype, d)
	}
	if !t.IsContiguous() {
		return nil, fmt.Errorf("tensor: %v of shape %v has strides %v; make it contiguous first", t.dtype, t.shape, t.strides)
	}
	if t.dtype == String {
		return any(t.strs[t.offset:][:t.size:t.size]).([]T), nil
	}
	return cast[T](t.data)[t.offset:][:t.size:t.size], nil
}

// Elements is Data for callers that have already checked type and contiguity,
// such as kernels; it panics where Data would fail.
func Elements[T Element](t *Tensor) []T {
	s, err := Data[T](t)
	if err != nil {
		panic(err)
	}
	return s
}

// StorageOf returns the whole storage as a slice of T, for walking a strided
// window by Offset and Strides. It panics when T is not the element type.
func StorageOf[T Element](t *Tensor) []T {
	if d := DTypeOf[T](); d != t.dtype {
		panic(fmt.Errorf("tensor: elements are %v, not %v", t.dtype, d))
	}
	if t.dtype == String {
		return any(t.strs).([]T)
	}
	return cast[T](t.data)
}

// cast reads bytes as elements of T. Go allows unaligned pointers to types
// without pointers, and every architecture gort builds for loads them.
func cast[T any](b []byte) []T {
	var z T
	n := len(b) / int(unsafe.Sizeof(z))
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

func bytesOf[T any](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(s[0])))
}
