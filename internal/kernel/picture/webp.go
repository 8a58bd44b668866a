package picture

import "image"

// webpRows returns how to read the rows of a lossy WebP: luma and colours in the
// narrow ranges of ITU-R 601, and colour planes of half the size enlarged as libwebp
// does: with weights 9, 3, 3 and 1, halves of which are rounded on the way.
func webpRows(m *image.YCbCr) func(rgb []uint8, y int) {
	b := m.Rect
	w, h := b.Dx(), b.Dy()
	n, rows := (w+1)/2, (h+1)/2
	u, v := make([]int, w), make([]int, w)
	enlarge := func(out []int, plane []uint8, y int) {
		far := min(max(y/2+2*(y%2)-1, 0), rows-1)
		near, above := plane[y/2*m.CStride:][:n], plane[far*m.CStride:][:n]
		for x := range out {
			at, side := x/2, x/2+2*(x%2)-1
			a, b := int(near[at]), int(above[at])
			if side < 0 || side >= n {
				out[x] = (3*a + b + 2) >> 2
				continue
			}
			beside, across := int(near[side]), int(above[side])
			sum := a + beside + b + across + 8
			out[x] = ((sum+2*(beside+b))>>3 + a) >> 1
		}
	}
	// Six bits of fraction.
	clamp := func(v int) uint8 { return uint8(min(max(v>>6, 0), 255)) }
	return func(rgb []uint8, y int) {
		y -= b.Min.Y
		enlarge(u, m.Cb, y)
		enlarge(v, m.Cr, y)
		for x, l := range m.Y[y*m.YStride:][:w] {
			l := int(l) * 19077 >> 8
			p := rgb[3*x : 3*x+3 : 3*x+3]
			p[0] = clamp(l + v[x]*26149>>8 - 14234)
			p[1] = clamp(l - u[x]*6419>>8 - v[x]*13320>>8 + 8708)
			p[2] = clamp(l + u[x]*33050>>8 - 17685)
		}
	}
}
