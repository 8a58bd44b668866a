package elementwise

import "fmt"

// maxDims bounds the dimensions that remain after joining. Each has at least
// two elements, so a result with more would not fit any memory.
const maxDims = 40

// operands is how many operands a walk steps through at most.
const operands = 3

// walk describes how gapless operands are read while a result of a common
// broadcast shape is written in row-major order. Dimensions of size 1 are
// dropped and neighbours that all operands step through alike are joined; the
// innermost dimension comes first. The steps of the innermost are 0 or 1.
type walk struct {
	n    int // operands
	rank int
	dims [maxDims]int
	step [operands][maxDims]int
}

// plan fills in the walk for operands of these shapes, which broadcast to out.
func (w *walk) plan(out []int, shapes ...[]int) error {
	w.rank, w.n = 0, len(shapes)
	var stride [operands]int
	for j := range shapes {
		stride[j] = 1
		if len(shapes[j]) > len(out) {
			return fmt.Errorf("an operand of shape %v does not broadcast to %v", shapes[j], out)
		}
	}
	for i := 1; i <= len(out); i++ {
		d := out[len(out)-i]
		var step [operands]int
		for j, s := range shapes {
			if i > len(s) {
				continue
			}
			switch e := s[len(s)-i]; {
			case e == d:
				step[j] = stride[j]
				stride[j] *= e
			case e != 1:
				return fmt.Errorf("an operand of shape %v does not broadcast to %v", s, out)
			}
		}
		if d == 1 {
			continue
		}
		if k := w.rank - 1; k >= 0 && w.joins(k, &step, len(shapes)) {
			w.dims[k] *= d
			continue
		}
		if w.rank == maxDims {
			return fmt.Errorf("a broadcast over more than %d dimensions", maxDims)
		}
		w.dims[w.rank] = d
		for j := range shapes {
			w.step[j][w.rank] = step[j]
		}
		w.rank++
	}
	if w.rank == 0 {
		w.rank, w.dims[0] = 1, 1
		for j := range shapes {
			w.step[j][0] = 1
		}
	}
	return nil
}

// joins reports whether stepping through a dimension outside of dimension k
// continues each operand where dimension k ends.
func (w *walk) joins(k int, step *[operands]int, n int) bool {
	for j := range n {
		if step[j] != w.step[j][k]*w.dims[k] {
			return false
		}
	}
	return true
}

// mask is -1 when the operand advances in the innermost dimension, else 0.
func (w *walk) mask(j int) int { return -w.step[j][0] }

// cursor is a place in a walk.
type cursor struct {
	at    [operands]int // where each operand's stretch begins
	col   int           // within the innermost dimension
	index [maxDims]int  // within the others
}

// seek puts the cursor on element i of the result.
func (w *walk) seek(c *cursor, i int) {
	c.col = i % w.dims[0]
	i /= w.dims[0]
	for j := range c.at {
		c.at[j] = c.col * w.step[j][0]
	}
	for k := 1; k < w.rank; k++ {
		x := i % w.dims[k]
		i /= w.dims[k]
		c.index[k] = x
		for j := range c.at {
			c.at[j] += x * w.step[j][k]
		}
	}
}

// stretch is how many of up to most elements lie in the cursor's row.
func (w *walk) stretch(c *cursor, most int) int { return min(w.dims[0]-c.col, most) }

// advance moves the cursor by n elements, at most to the row's end.
func (w *walk) advance(c *cursor, n int) {
	c.col += n
	for j := range w.n {
		c.at[j] += n * w.step[j][0]
	}
	if c.col < w.dims[0] {
		return
	}
	c.col = 0
	for j := range w.n {
		c.at[j] -= w.dims[0] * w.step[j][0]
	}
	for k := 1; k < w.rank; k++ {
		c.index[k]++
		for j := range w.n {
			c.at[j] += w.step[j][k]
		}
		if c.index[k] < w.dims[k] {
			return
		}
		c.index[k] = 0
		for j := range w.n {
			c.at[j] -= w.dims[k] * w.step[j][k]
		}
	}
}

// full reports whether an operand is read in row-major order without gaps or
// repetitions.
func (w *walk) full(j int) bool {
	n := 1
	for k := range w.rank {
		if w.step[j][k] != n {
			return false
		}
		n *= w.dims[k]
	}
	return true
}

// gather writes what operand j gives for the elements of the result from lo on.
func gather[T any](w *walk, j int, dst, src []T, lo int) {
	var index [maxDims]int
	inner, step := w.dims[0], w.step[j][0]
	col, at := lo%inner, 0
	lo /= inner
	for k := 1; k < w.rank; k++ {
		index[k] = lo % w.dims[k]
		lo /= w.dims[k]
		at += index[k] * w.step[j][k]
	}
	for len(dst) > 0 {
		n := min(inner-col, len(dst))
		if step == 0 {
			v := src[at]
			for i := range n {
				dst[i] = v
			}
		} else {
			copy(dst, src[at+col:][:n])
		}
		dst, col = dst[n:], 0
		for k := 1; k < w.rank; k++ {
			at += w.step[j][k]
			if index[k]++; index[k] < w.dims[k] {
				break
			}
			at -= w.dims[k] * w.step[j][k]
			index[k] = 0
		}
	}
}
