package conv

import "gort/internal/simd"

// run is a stretch of output positions of one panel that lie in one row, and
// the input position at which the first one's window starts.
type run struct {
	col, n int
	x      int   // in the last dimension
	row    []int // in the others
}

// runs cuts up to 16 output positions from pixel on into rows.
func (p *Plan) runs(into []run, pixel, cols int) []run {
	into = into[:0]
	last := len(p.Output) - 1
	width := p.Output[last]
	for col := 0; col < cols; {
		row, x := (pixel+col)/width, (pixel+col)%width
		if len(into) < cap(into) {
			into = into[:len(into)+1]
		} else {
			into = append(into, run{})
		}
		r := &into[len(into)-1]
		r.col, r.n = col, min(cols-col, width-x)
		r.x = x*p.Strides[last] - p.Begin[last]
		r.row = grow(r.row, last)
		for d := last - 1; d >= 0; d-- {
			r.row[d] = row%p.Output[d]*p.Strides[d] - p.Begin[d]
			row /= p.Output[d]
		}
		col += r.n
	}
	return into
}

// source finds where a run of a tap lies in a channel: the positions [lo, hi) of
// the run are inside, the one at lo is element at.
func (p *Plan) source(r *run, tap int) (at, lo, hi int) {
	last := len(p.Input) - 1
	reach := p.reach[tap*(last+1):]
	row := 0
	for d, o := range r.row {
		i := o + reach[d]
		if uint(i) >= uint(p.Input[d]) {
			return 0, 0, 0
		}
		row = row*p.Input[d] + i
	}
	x, s, width := r.x+reach[last], p.Strides[last], p.Input[last]
	if x < 0 {
		lo = min((-x+s-1)/s, r.n)
	}
	if x < width {
		hi = min((width-x+s-1)/s, r.n)
	}
	if lo >= hi {
		return 0, 0, 0
	}
	return row*width + x + lo*s, lo, hi
}

// channels returns which channels have term tap among the terms [k0, k1).
func (p *Plan) channels(tap, k0, k1 int) (c0, c1 int) {
	if k0 > tap {
		c0 = ceilDiv(k0-tap, p.taps)
	}
	if k1 > tap {
		c1 = (k1-1-tap)/p.taps + 1
	}
	return c0, c1
}

// gather fills one panel of 16 columns, rows [k0, k1), with the terms that the
// runs' output positions sum up. x holds the channels of one group of an image.
func (p *Plan) gather(panel, x []float32, runs []run, k0, k1 int) {
	const nr = simd.GemmNR
	s := p.Strides[len(p.Strides)-1]
	for tap := range p.taps {
		c0, c1 := p.channels(tap, k0, k1)
		if c0 >= c1 {
			continue
		}
		for i := range runs {
			r := &runs[i]
			from, lo, hi := p.source(r, tap)
			from += c0 * p.plane
			to := (c0*p.taps+tap-k0)*nr + r.col
			if s == 1 && lo == 0 && hi == nr {
				for range c1 - c0 {
					*(*[nr]float32)(panel[to:]) = *(*[nr]float32)(x[from:])
					from, to = from+p.plane, to+p.taps*nr
				}
				continue
			}
			for range c1 - c0 {
				out := panel[to : to+r.n]
				clear(out[:lo])
				if s == 1 {
					copy(out[lo:hi], x[from:])
				} else if hi > lo {
					in := x[from : from+(hi-lo-1)*s+1]
					for j := range out[lo:hi] {
						out[lo+j] = in[j*s]
					}
				}
				clear(out[hi:])
				from, to = from+p.plane, to+p.taps*nr
			}
		}
	}
}

// gatherInt is gather for bytes less their zero point, in the order of
// [simd.Int16Kernel6x16]: pairs of rows, with the two elements of a column side
// by side. Padding stands for the zero point.
func gatherInt[T int8 | uint8](p *Plan, panel []int16, x []T, zero int16, runs []run, k0, k1 int) {
	const nr = simd.GemmNR
	if (k1-k0)%2 > 0 {
		last := panel[(k1-k0)/2*2*nr:]
		for j := range nr {
			last[2*j+1] = 0
		}
	}
	s := p.Strides[len(p.Strides)-1]
	for tap := range p.taps {
		c0, c1 := p.channels(tap, k0, k1)
		for i := range runs {
			r := &runs[i]
			from, lo, hi := p.source(r, tap)
			from += c0 * p.plane
			for c := c0; c < c1; c++ {
				row := c*p.taps + tap - k0
				out := panel[row/2*2*nr+2*r.col+row%2:]
				for j := range lo {
					out[2*j] = 0
				}
				for j := lo; j < hi; j++ {
					out[2*j] = int16(x[from+(j-lo)*s]) - zero
				}
				for j := hi; j < r.n; j++ {
					out[2*j] = 0
				}
				from += p.plane
			}
		}
	}
}
