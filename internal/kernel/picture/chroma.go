package picture

import "image"

// smooth returns how to read a JPEG's pixels. Colour planes of half the width, or
// of half of both sizes, are enlarged by a triangle filter: a new element lies a
// quarter of the way to its neighbour, and rounding alternates between 1/2 down
// and 1/2 up. In two dimensions both steps are done in one rounding, to 1/16.
func smooth(m *image.YCbCr) func(x, y int) (r, g, b uint8) {
	b := m.Rect
	w, h := b.Dx(), b.Dy()
	enlarge := map[image.YCbCrSubsampleRatio]func(plane []uint8, stride, w, h int) []uint8{
		image.YCbCrSubsampleRatio422: enlargeWidth,
		image.YCbCrSubsampleRatio420: enlargeBoth,
	}[m.SubsampleRatio]
	if enlarge == nil {
		return func(x, y int) (uint8, uint8, uint8) {
			c := m.COffset(x, y)
			return toRGB(m.Y[m.YOffset(x, y)], m.Cb[c], m.Cr[c])
		}
	}
	cb, cr := enlarge(m.Cb, m.CStride, w, h), enlarge(m.Cr, m.CStride, w, h)
	return func(x, y int) (uint8, uint8, uint8) {
		i := (y-b.Min.Y)*w + x - b.Min.X
		return toRGB(m.Y[m.YOffset(x, y)], cb[i], cr[i])
	}
}

// enlargeWidth doubles the columns.
func enlargeWidth(plane []uint8, stride, w, h int) []uint8 {
	out := make([]uint8, w*h)
	n := (w + 1) / 2
	for y := range h {
		in := plane[y*stride:][:n]
		for x := range w {
			i := x / 2
			near := int(in[i])
			switch {
			case x%2 == 0 && i > 0:
				near = (3*near + int(in[i-1]) + 1) >> 2
			case x%2 == 1 && i < n-1:
				near = (3*near + int(in[i+1]) + 2) >> 2
			}
			out[y*w+x] = uint8(near)
		}
	}
	return out
}

// enlargeBoth doubles rows and columns.
func enlargeBoth(plane []uint8, stride, w, h int) []uint8 {
	out := make([]uint8, w*h)
	n, rows := (w+1)/2, (h+1)/2
	sums := make([]int, n) // of a row and its nearer neighbour, in quarters
	for y := range h {
		i := y / 2
		other := i + 2*(y%2) - 1
		other = min(max(other, 0), rows-1)
		for k := range sums {
			sums[k] = 3*int(plane[i*stride+k]) + int(plane[other*stride+k])
		}
		for x := range w {
			k := x / 2
			v := sums[k]
			switch {
			case x%2 == 0 && k > 0:
				v = (3*v + sums[k-1] + 8) >> 4
			case x%2 == 1 && k < n-1:
				v = (3*v + sums[k+1] + 7) >> 4
			case x%2 == 0:
				v = (4*v + 8) >> 4
			default:
				v = (4*v + 7) >> 4
			}
			out[y*w+x] = uint8(v)
		}
	}
	return out
}

// toRGB is the conversion of JFIF in 16-bit fixed point, each product rounded.
func toRGB(y, cb, cr uint8) (r, g, b uint8) {
	const half = 1 << 15
	l, u, v := int(y), int(cb)-128, int(cr)-128
	clamp := func(v int) uint8 { return uint8(min(max(v, 0), 255)) }
	return clamp(l + (91881*v+half)>>16),
		clamp(l + (-22554*u-46802*v+half)>>16),
		clamp(l + (116130*u+half)>>16)
}
