package search

import (
	"context"

	"gort/internal/kernel/element"
	"gort/tensor"
)

// Nonzero marks the elements that are not zero, false or empty; NaN is not zero,
// zeros of both signs are.
type Nonzero struct {
	marks []bool
	count int
}

// Count is how many elements are not zero.
func (n Nonzero) Count() int { return n.count }

// FindNonzero looks at the elements of a contiguous tensor.
func FindNonzero(src *tensor.Tensor) Nonzero {
	n := Nonzero{marks: make([]bool, src.Size())}
	d := src.DType()
	bits := d.Bits()
	// Of floats, the sign does not count.
	signs := uint64(0)
	switch d.Class() {
	case tensor.ClassFloat:
		signs = 1 << (bits - 1)
	case tensor.ClassComplex:
		if signs = 1 << 63; d == tensor.Complex64 {
			signs |= 1 << 31
		}
	}
	switch bits {
	case 0:
		for i, s := range tensor.Elements[string](src) {
			n.mark(i, s != "")
		}
	case 8:
		markWords(&n, element.Words[uint8](src), ^uint8(signs))
	case 16:
		markWords(&n, element.Words[uint16](src), ^uint16(signs))
	case 32:
		markWords(&n, element.Words[uint32](src), ^uint32(signs))
	case 64:
		markWords(&n, element.Words[uint64](src), ^signs)
	case 128:
		for i, w := range element.Words[[2]uint64](src) {
			n.mark(i, (w[0]|w[1])&^signs != 0)
		}
	}
	return n
}

func (n *Nonzero) mark(i int, yes bool) {
	n.marks[i] = yes
	if yes {
		n.count++
	}
}

func markWords[T uint8 | uint16 | uint32 | uint64](n *Nonzero, words []T, mask T) {
	count := 0
	for i, w := range words {
		if w&mask != 0 {
			n.marks[i] = true
			count++
		}
	}
	n.count = count
}

// Coordinates writes the coordinates of the marked elements of a shape to dst:
// one row for each dimension.
func (n Nonzero) Coordinates(ctx context.Context, dst []int64, shape tensor.Shape) error {
	index := make([]int64, len(shape))
	found := 0
	for i, yes := range n.marks {
		if i&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if yes {
			for k, v := range index {
				dst[k*n.count+found] = v
			}
			found++
		}
		for k := len(index) - 1; k >= 0; k-- {
			index[k]++
			if index[k] < int64(shape[k]) {
				break
			}
			index[k] = 0
		}
	}
	return nil
}
