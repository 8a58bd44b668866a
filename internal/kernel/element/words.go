package element

import (
	"unsafe"

	"gort/tensor"
)

// Word is a Go type that stands for every element type of its width, and string.
type Word interface {
	uint8 | uint16 | uint32 | uint64 | [2]uint64 | string
}

// Storage returns the whole storage that t is a window on as words. It panics
// when T has not the width of an element.
func Storage[T Word](t *tensor.Tensor) []T {
	if t.DType() == tensor.String {
		s := tensor.StorageOf[string](t)
		if Bits[T]() != 0 {
			panic("element: words of strings are strings")
		}
		return *(*[]T)(unsafe.Pointer(&s))
	}
	if Bits[T]() != t.DType().Bits() {
		panic("element: word and element differ in width")
	}
	return Cast[T](t.Storage())
}

// Words returns the elements of a contiguous tensor as words.
func Words[T Word](t *tensor.Tensor) []T {
	return Storage[T](t)[t.Offset():][:t.Size():t.Size()]
}

// Bits is the width of a word: 0 for string, as tensor.DType.Bits has it.
func Bits[T Word]() int {
	var z T
	switch any(z).(type) {
	case string:
		return 0
	default:
		return 8 * int(unsafe.Sizeof(z))
	}
}

// Cast reads bytes as words. Words may lie at any address: every architecture
// that gort builds for loads them.
func Cast[T Word](b []byte) []T {
	var z T
	n := len(b) / int(unsafe.Sizeof(z))
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}
