package quant

import "fmt"

// Layout cuts a tensor into rows: contiguous elements that either share one
// scale or have as many scales of their own.
type Layout struct {
	size   int  // elements
	Scales int  // scales there are
	own    bool // each element of a row has a scale of its own

	kind                granularity
	axis, inner         int
	block, blocks, rows int
}

type granularity int

const (
	whole granularity = iota
	perAxis
	perBlock
)

// rowSize is the length of rows where the layout does not give one.
const rowSize = 4096

// NewLayout describes a tensor of a shape whose scales have the given shape.
// block is the attribute block_size, 0 when quantisation is not by blocks.
func NewLayout(shape, scales []int, axis, block int) (*Layout, error) {
	l := &Layout{size: product(shape), Scales: product(scales), inner: 1, axis: 1}
	if block > 0 {
		if axis < 0 || axis >= len(shape) || len(scales) != len(shape) {
			return nil, fmt.Errorf("scales %v do not fit a tensor %v quantised in blocks of %d along axis %d", scales, shape, block, axis)
		}
		for d := range shape {
			want := shape[d]
			if d == axis {
				want = (want + block - 1) / block
			}
			if scales[d] != want {
				return nil, fmt.Errorf("scales %v do not fit a tensor %v quantised in blocks of %d along axis %d: dimension %d must be %d", scales, shape, block, axis, d, want)
			}
		}
		l.kind, l.axis, l.inner, l.block, l.blocks = perBlock, shape[axis], product(shape[axis+1:]), block, scales[axis]
		l.own = l.inner > 1
		l.rows = product(shape[:axis]) * l.axis
		if !l.own {
			l.rows = product(shape[:axis]) * l.blocks
		}
		return l, nil
	}
	if l.Scales == 1 {
		l.rows = (l.size + rowSize - 1) / rowSize
		return l, nil
	}
	if len(scales) != 1 || axis < 0 || axis >= len(shape) || scales[0] != shape[axis] {
		return nil, fmt.Errorf("scales %v do not fit axis %d of a tensor %v", scales, axis, shape)
	}
	l.kind, l.axis, l.inner = perAxis, shape[axis], product(shape[axis+1:])
	l.own = l.inner == 1
	l.rows = product(shape[:axis])
	if !l.own {
		l.rows *= l.axis
	}
	return l, nil
}

func product(s []int) int {
	n := 1
	for _, v := range s {
		n *= v
	}
	return n
}

// row returns the elements [at, at+n) of row r and its first scale.
func (l *Layout) row(r int) (at, n, scale int) {
	switch {
	case l.kind == whole:
		at = r * rowSize
		return at, min(rowSize, l.size-at), 0
	case l.kind == perAxis && l.own:
		return r * l.axis, l.axis, 0
	case l.kind == perAxis:
		return r * l.inner, l.inner, r % l.axis
	case l.own:
		return r * l.inner, l.inner, (r/l.axis*l.blocks + r%l.axis/l.block) * l.inner
	}
	b := r % l.blocks
	return r/l.blocks*l.axis + b*l.block, min(l.block, l.axis-b*l.block), r
}

// grain is how many rows are worth handing to a thread.
func (l *Layout) grain() int { return max(1, 8<<10*l.rows/max(1, l.size)) }
