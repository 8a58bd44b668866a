package gather

import (
	"fmt"

	"gort/tensor"
)

// Index is the type of an index.
type Index interface{ int32 | int64 }

// OutOfRange says which index leaves its axis.
type OutOfRange struct {
	Position int // of the index among all indices, in row-major order
	Value    int64
	Axis     int
	Size     int // of the axis
}

// Error implements error.
func (e *OutOfRange) Error() string {
	return fmt.Sprintf("index %d of indices is %d, allowed are %d to %d for axis %d of size %d", e.Position, e.Value, -e.Size, e.Size-1, e.Axis, e.Size)
}

// check holds indices against the size of their axis.
func check[I Index](list []I, axis, size int) error {
	for i, v := range list {
		if int64(v) < -int64(size) || int64(v) >= int64(size) {
			return &OutOfRange{i, int64(v), axis, size}
		}
	}
	return nil
}

// wrap makes an index that check let pass count from the start.
func wrap[I Index](v I, size int) int {
	i := int(v)
	if i < 0 {
		i += size
	}
	return i
}

// At returns the place of a lone index into an axis; ok is false when it is
// out of range.
func At(t *tensor.Tensor, size int) (at int, ok bool) {
	if t == nil || t.Size() != 1 {
		return 0, false
	}
	var v int64
	if t.DType() == tensor.Int32 {
		v = int64(tensor.Elements[int32](t)[0])
	} else {
		v = tensor.Elements[int64](t)[0]
	}
	if v < -int64(size) || v >= int64(size) {
		return 0, false
	}
	return wrap(v, size), true
}

// around is what lies before and within an axis of a shape.
func around(shape tensor.Shape, axis int) (outer, inner int) {
	outer, inner = 1, 1
	for _, n := range shape[:axis] {
		outer *= n
	}
	for _, n := range shape[axis+1:] {
		inner *= n
	}
	return outer, inner
}
