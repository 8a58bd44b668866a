package attention

import "fmt"

// Mask is the attn_mask of a call: either which keys take part, or what is added
// to the scores. Keys beyond its Columns take no part.
type Mask[T Float] struct {
	Bool    []bool
	Float   []T
	Columns int
	stride  [3]int // of batch, head and row; 0 where it broadcasts
}

// NewMask returns the mask of a shape that broadcasts, aligned to the right, to
// [batch, heads, rows, columns], but for columns, which may be fewer than the keys.
func NewMask[T Float](shape []int, batch, heads, rows, total int) (*Mask[T], error) {
	if len(shape) < 1 || len(shape) > 4 {
		return nil, fmt.Errorf("attn_mask has shape %v, must have 1 to 4 dimensions", shape)
	}
	m := &Mask[T]{Columns: shape[len(shape)-1]}
	if m.Columns > total {
		return nil, fmt.Errorf("attn_mask has shape %v, there are only %d keys", shape, total)
	}
	step := m.Columns
	for i, want := range []int{rows, heads, batch} {
		at := len(shape) - 2 - i
		if at < 0 {
			break
		}
		switch shape[at] {
		case 1:
		case want:
			m.stride[2-i] = step
			step *= want
		default:
			return nil, fmt.Errorf("attn_mask has shape %v, dimension %d must be 1 or %d", shape, at, want)
		}
	}
	return m, nil
}

// apply masks the scores of a query row with keys from first on, and reports
// whether any takes part. A key that does not gets -inf whatever its score, so
// that a NaN among them has no effect.
func (m *Mask[T]) apply(b, head, row, first int, scores []T) (open bool) {
	at := b*m.stride[0] + head*m.stride[1] + row*m.stride[2] + first
	if m.Bool != nil {
		for i, takesPart := range m.Bool[at:][:len(scores)] {
			if takesPart {
				open = true
			} else {
				scores[i] = minusInf[T]()
			}
		}
		return open
	}
	for i, v := range m.Float[at:][:len(scores)] {
		if v == minusInf[T]() {
			scores[i] = v
		} else {
			scores[i] += v
			open = true
		}
	}
	return open
}
