package tensor

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// Shape is the size of each dimension, outermost first. A scalar has no
// dimensions; a dimension of 0 makes the tensor empty.
type Shape []int

// ErrTooLarge is returned when a shape's element or byte count does not fit in an int.
var ErrTooLarge = errors.New("tensor: shape too large")

// maxElements bounds the elements of one tensor such that byte offsets never
// overflow an int, even in the widest element type.
const maxElements = math.MaxInt / 16

// Rank is the number of dimensions.
func (s Shape) Rank() int { return len(s) }

// NumElements is the product of the dimensions, 1 for a scalar. It fails with
// ErrTooLarge on overflow and on a negative dimension.
func (s Shape) NumElements() (int, error) {
	n := 1
	zero := false
	for _, d := range s {
		if d < 0 {
			return 0, fmt.Errorf("tensor: negative dimension in shape %v", s)
		}
		if d == 0 {
			zero = true
			continue
		}
		hi, lo := bits.Mul64(uint64(n), uint64(d))
		if hi != 0 || lo > maxElements {
			return 0, fmt.Errorf("%w: %v", ErrTooLarge, s)
		}
		n = int(lo)
	}
	if zero {
		return 0, nil
	}
	return n, nil
}

// Size is NumElements for a shape already known to be valid; it panics otherwise.
func (s Shape) Size() int {
	n, err := s.NumElements()
	if err != nil {
		panic(err)
	}
	return n
}

// Equal reports whether the two shapes have the same dimensions.
func (s Shape) Equal(o Shape) bool { return slices.Equal(s, o) }

// Clone returns a copy that shares nothing with s. The clone of nil is an empty, non-nil shape.
func (s Shape) Clone() Shape { return append(make(Shape, 0, len(s)), s...) }

// String prints the shape as [2 3 4] does in ONNX tools: "2x3x4", "scalar" for rank 0.
func (s Shape) String() string {
	if len(s) == 0 {
		return "scalar"
	}
	var b strings.Builder
	for i, d := range s {
		if i > 0 {
			b.WriteByte('x')
		}
		b.WriteString(strconv.Itoa(d))
	}
	return b.String()
}

// Strides returns the row-major strides of s in elements.
func (s Shape) Strides() []int {
	st := make([]int, len(s))
	n := 1
	for i := len(s) - 1; i >= 0; i-- {
		st[i] = n
		n *= max(s[i], 1)
	}
	return st
}

// Axis turns a possibly negative axis into [0, rank); it fails when axis is not in [-rank, rank).
func Axis(axis, rank int) (int, error) {
	if axis < -rank || axis >= rank {
		return 0, fmt.Errorf("axis %d is out of range [%d, %d) for rank %d", axis, -rank, rank, rank)
	}
	if axis < 0 {
		axis += rank
	}
	return axis, nil
}

// Broadcast returns the shape that a and b broadcast to by NumPy's rules
// (ONNX specification, Broadcasting in ONNX: multidirectional).
func Broadcast(shapes ...Shape) (Shape, error) {
	rank := 0
	for _, s := range shapes {
		rank = max(rank, len(s))
	}
	out := make(Shape, rank)
	for i := range out {
		out[i] = 1
		for _, s := range shapes {
			j := i - (rank - len(s))
			if j < 0 || s[j] == 1 || s[j] == out[i] {
				continue
			}
			if out[i] != 1 {
				return nil, fmt.Errorf("shapes %v do not broadcast: dimension %d is %d and %d", shapes, i, out[i], s[j])
			}
			out[i] = s[j]
		}
	}
	return out, nil
}
