package jpeg

// rows returns how to read a component's rows at the image's full size. The rows are
// valid until the next call, and may be longer than the image is wide.
//
// Planes of half the width, half the height, or half of both are enlarged by a
// triangle filter: a new sample lies a quarter of the way to the neighbour, and the
// rounding alternates between down and up, so that it does not brighten the image.
// At the edges, and for columns of planes at most 2 wide, there is no neighbour.
// Other planes have their samples repeated.
func (c *component) rows() func(y int) []uint8 {
	if c.wider == 1 && c.taller == 1 {
		return c.row
	}
	out := make([]uint8, c.width*c.wider)
	smooth := c.width > 2
	switch {
	case c.wider == 2 && c.taller == 1 && smooth:
		return func(y int) []uint8 {
			doubleWidth(out, c.row(y))
			return out
		}
	case c.wider == 1 && c.taller == 2:
		return func(y int) []uint8 {
			near, far := c.nearestRows(y)
			doubleHeight(out, near, far, 1+y%2)
			return out
		}
	case c.wider == 2 && c.taller == 2 && smooth:
		sums := make([]int, c.width)
		return func(y int) []uint8 {
			near, far := c.nearestRows(y)
			doubleBoth(out, near, far, sums)
			return out
		}
	}
	return func(y int) []uint8 {
		in := c.row(y / c.taller)
		for x := range out {
			out[x] = in[x/c.wider]
		}
		return out
	}
}

// row returns a row of the plane.
func (c *component) row(y int) []uint8 { return c.samples[y*c.across*8:][:c.width] }

// nearestRows returns the row of the plane that row y of the image of twice the
// height is nearest to, and the next nearest.
func (c *component) nearestRows(y int) (near, far []uint8) {
	n := y / 2
	f := n - 1 + y%2*2
	return c.row(n), c.row(min(max(f, 0), c.height-1))
}

// doubleWidth enlarges a row of at least 2 samples.
func doubleWidth(out, in []uint8) {
	last := len(in) - 1
	out[0] = in[0]
	out[1] = uint8((3*int(in[0]) + int(in[1]) + 2) >> 2)
	for i := 1; i < last; i++ {
		v := 3 * int(in[i])
		out[2*i] = uint8((v + int(in[i-1]) + 1) >> 2)
		out[2*i+1] = uint8((v + int(in[i+1]) + 2) >> 2)
	}
	out[2*last] = uint8((3*int(in[last]) + int(in[last-1]) + 1) >> 2)
	out[2*last+1] = in[last]
}

// doubleHeight gives the row between two rows; what is added before the division
// alternates.
func doubleHeight(out, near, far []uint8, bias int) {
	for i, v := range near {
		out[i] = uint8((3*int(v) + int(far[i]) + bias) >> 2)
	}
}

// doubleBoth enlarges in both directions with one rounding, to sixteenths.
func doubleBoth(out, near, far []uint8, sums []int) {
	for i, v := range near {
		sums[i] = 3*int(v) + int(far[i])
	}
	last := len(sums) - 1
	out[0] = uint8((4*sums[0] + 8) >> 4)
	out[1] = uint8((3*sums[0] + sums[1] + 7) >> 4)
	for i := 1; i < last; i++ {
		v := 3 * sums[i]
		out[2*i] = uint8((v + sums[i-1] + 8) >> 4)
		out[2*i+1] = uint8((v + sums[i+1] + 7) >> 4)
	}
	out[2*last] = uint8((3*sums[last] + sums[last-1] + 8) >> 4)
	out[2*last+1] = uint8((4*sums[last] + 7) >> 4)
}
