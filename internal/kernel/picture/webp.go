package picture

import "image"

// webpRows returns how to read the rows of a lossy WebP: luma and colours in the
// narrow ranges of ITU-R 601, and colour planes of half the size enlarged as libwebp
// does.
func webpRows(m *image.YCbCr) func(rgb []uint8, y int) {
	b := m.Rect
	w, h := b.Dx(), b.Dy()
	n, rows := (w+1)/2, (h+1)/2
	// Six bits of fraction.
	clamp := func(v int) uint8 { return uint8(min(max(v>>6, 0), 255)) }
	return func(rgb []uint8, y int) {
		y -= b.Min.Y
		near, far := y/2*m.CStride, min(max(y/2+2*(y%2)-1, 0), rows-1)*m.CStride
		nearU, farU := m.Cb[near:][:n], m.Cb[far:][:n]
		nearV, farV := m.Cr[near:][:n], m.Cr[far:][:n]
		for x, l := range m.Y[y*m.YStride:][:w] {
			at, side := x/2, x/2+2*(x%2)-1
			if side < 0 || side >= n {
				side = at
			}
			u := enlarged(int(nearU[at]), int(nearU[side]), int(farU[at]), int(farU[side]))
			v := enlarged(int(nearV[at]), int(nearV[side]), int(farV[at]), int(farV[side]))
			l := int(l) * 19077 >> 8
			p := rgb[3*x : 3*x+3 : 3*x+3]
			p[0] = clamp(l + v*26149>>8 - 14234)
			p[1] = clamp(l - u*6419>>8 - v*13320>>8 + 8708)
			p[2] = clamp(l + u*33050>>8 - 17685)
		}
	}
}

// enlarged is the mean of the four nearest samples with the weights 9, 3, 3 and 1,
// halves of which are rounded on the way. Where there is nothing beside, at the edges,
// the sample itself stands there.
func enlarged(near, beside, far, across int) int {
	sum := near + beside + far + across + 8
	return ((sum+2*(beside+far))>>3 + near) >> 1
}
