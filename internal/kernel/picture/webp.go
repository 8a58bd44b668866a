package picture

import "image"

// webpColours returns how to read the pixels of a lossy WebP: luma and colours in
// the narrow ranges of ITU-R 601, and colour planes of half the size enlarged as
// libwebp does: with weights 9, 3, 3 and 1, halves of which are rounded on the way.
func webpColours(m *image.YCbCr) func(x, y int) (r, g, b uint8) {
	b := m.Rect
	w, h := b.Dx(), b.Dy()
	n, rows := (w+1)/2, (h+1)/2
	enlarged := func(plane []uint8, x, y int) int {
		row, col := y/2, x/2
		far := min(max(row+2*(y%2)-1, 0), rows-1)
		at := func(r, c int) int { return int(plane[r*m.CStride+c]) }
		near, above := at(row, col), at(far, col)
		side := col + 2*(x%2) - 1
		if side < 0 || side >= n {
			return (3*near + above + 2) >> 2
		}
		beside, across := at(row, side), at(far, side)
		sum := near + beside + above + across + 8
		return ((sum+2*(beside+above))>>3 + near) >> 1
	}
	return func(x, y int) (uint8, uint8, uint8) {
		l := int(m.Y[m.YOffset(x, y)])
		u, v := enlarged(m.Cb, x-b.Min.X, y-b.Min.Y), enlarged(m.Cr, x-b.Min.X, y-b.Min.Y)
		l = l * 19077 >> 8
		// Six bits of fraction.
		clamp := func(v int) uint8 { return uint8(min(max(v>>6, 0), 255)) }
		return clamp(l + v*26149>>8 - 14234),
			clamp(l - u*6419>>8 - v*13320>>8 + 8708),
			clamp(l + u*33050>>8 - 17685)
	}
}
