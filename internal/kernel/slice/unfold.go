package slice

import (
	"gort/internal/kernel/strided"
	"gort/tensor"
)

// Unfolded is the move that lays out the windows of size elements, step apart, along
// an axis of a contiguous tensor of a shape: the axis then counts windows, and the
// elements of a window become the last dimension.
func Unfolded(shape tensor.Shape, axis, size, step int) strided.Move {
	outer, inner := rows(shape, axis)
	windows := (shape[axis]-size)/step + 1
	var m strided.Move
	m.Add(outer, windows*inner*size, shape[axis]*inner)
	m.Add(windows, inner*size, step*inner)
	m.Add(inner, size, 1)
	m.Add(size, 1, inner)
	return m
}
