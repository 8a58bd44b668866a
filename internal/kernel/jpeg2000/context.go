package jpeg2000

// Contexts of decisions, table D.1 to D.4 and D.7.
const (
	contextZero    = 0  // 9 of them: is a coefficient significant in this bit-plane?
	contextSign    = 9  // 5 of them
	contextRefine  = 14 // 3 of them: the next bit of a significant coefficient
	contextRun     = 17 // is any of four coefficients significant?
	contextUniform = 18
	contexts       = 19
)

// A coefficient's flags: which neighbours are significant, and the signs of the four
// next to it; then its own state.
const (
	nearNE = 1 << iota
	nearSE
	nearSW
	nearNW
	nearN
	nearE
	nearS
	nearW
	negativeN
	negativeE
	negativeS
	negativeW
	significant
	visited // in this bit-plane, by the first pass
	refined // once at least

	near = 0xFF
)

// zeroContexts has the contexts of significance, table D.1, by orientation of the
// band and flags of the neighbours.
var zeroContexts = func() (out [4][256]uint8) {
	for orientation := range out {
		for f := range 256 {
			h := f>>5&1 + f>>7&1
			v := f>>4&1 + f>>6&1
			d := f&1 + f>>1&1 + f>>2&1 + f>>3&1
			if orientation == bandHL {
				h, v = v, h
			}
			c := 0
			if orientation == bandHH {
				c = diagonalContext(h+v, d)
			} else {
				c = straightContext(h, v, d)
			}
			out[orientation][f] = contextZero + uint8(c)
		}
	}
	return out
}()

// straightContext is table D.1's part for the bands LL and LH.
func straightContext(h, v, d int) int {
	switch {
	case h == 2:
		return 8
	case h == 1 && v >= 1:
		return 7
	case h == 1 && d >= 1:
		return 6
	case h == 1:
		return 5
	case v == 2:
		return 4
	case v == 1:
		return 3
	default:
		return min(d, 2)
	}
}

// diagonalContext is table D.1's part for the band HH.
func diagonalContext(straight, d int) int {
	switch {
	case d >= 3:
		return 8
	case d == 2:
		return 6 + min(straight, 1)
	case d == 1:
		return 3 + min(straight, 2)
	default:
		return min(straight, 2)
	}
}

// signContexts has the contexts of signs, tables D.2 and D.3, by the flags of the four
// neighbours and their signs; 0x80 is added where the decision is inverted.
var signContexts = func() (out [256]uint8) {
	for f := range out {
		// +1 is a positive neighbour, -1 a negative one; two of them count once.
		sign := func(i int) int { return (f >> i & 1) * (1 - f>>(i+4)&1*2) }
		v := min(max(sign(0)+sign(2), -1), 1)
		h := min(max(sign(1)+sign(3), -1), 1)
		invert := uint8(0)
		if h < 0 || h == 0 && v < 0 {
			h, v, invert = -h, -v, 0x80
		}
		c := v // 0 or 1
		if h == 1 {
			c = 3 + v
		}
		out[f] = contextSign + uint8(c) | invert
	}
	return out
}()
