package jpeg

import "gort/internal/kernel/colour"

// model is what an image's components mean: a function that turns a row of each
// into a row of RGB pixels.
type model func(rgb []uint8, rows [][]uint8)

// RowReader returns a function that reads a row of the image: pixels of red, green
// and blue. A row is valid until the next call. Several readers may read at once.
func (m *Image) RowReader() func(y int) []uint8 {
	read := make([]func(y int) []uint8, len(m.components))
	for i := range read {
		read[i] = m.components[i].rows()
	}
	rows := make([][]uint8, len(read))
	rgb := make([]uint8, 3*m.Width)
	return func(y int) []uint8 {
		for i, r := range read {
			rows[i] = r(y)[:m.Width]
		}
		m.model(rgb, rows)
		return rgb
	}
}

// colourModel finds out what the components mean, as libjpeg does: from the markers
// of JFIF and Adobe, then from the components' identifiers.
func (d *decoder) colourModel() model {
	c := d.image.components
	switch len(c) {
	case 1:
		return fromGrey
	case 3:
		names := string([]byte{c[0].id, c[1].id, c[2].id})
		if !d.jfif && (d.adobe == 0 || d.adobe < 0 && names == "RGB") {
			return fromRGB
		}
		return fromYCC
	default:
		if d.adobe <= 0 {
			return fromCMYK
		}
		return fromYCCK
	}
}

func fromGrey(rgb []uint8, rows [][]uint8) {
	for x, v := range rows[0] {
		p := rgb[3*x : 3*x+3 : 3*x+3]
		p[0], p[1], p[2] = v, v, v
	}
}

func fromRGB(rgb []uint8, rows [][]uint8) {
	g, b := rows[1], rows[2]
	for x, v := range rows[0] {
		p := rgb[3*x : 3*x+3 : 3*x+3]
		p[0], p[1], p[2] = v, g[x], b[x]
	}
}

// fromYCC is the conversion of JFIF.
func fromYCC(rgb []uint8, rows [][]uint8) {
	cb, cr := rows[1], rows[2]
	for x, l := range rows[0] {
		p := rgb[3*x : 3*x+3 : 3*x+3]
		p[0], p[1], p[2] = colour.YCbCrToRGB(l, cb[x], cr[x])
	}
}

// fromCMYK takes the samples for paper that is left white, not for ink, as Adobe's
// programs write them and as everybody reads them.
func fromCMYK(rgb []uint8, rows [][]uint8) {
	m, y, k := rows[1], rows[2], rows[3]
	for x, c := range rows[0] {
		p := rgb[3*x : 3*x+3 : 3*x+3]
		p[0], p[1], p[2] = colour.CMYKToRGB(255-c, 255-m[x], 255-y[x], 255-k[x])
	}
}

// fromYCCK is CMYK whose first three components are coded as YCbCr.
func fromYCCK(rgb []uint8, rows [][]uint8) {
	cb, cr, k := rows[1], rows[2], rows[3]
	for x, l := range rows[0] {
		c, m, y := colour.YCbCrToRGB(l, cb[x], cr[x])
		p := rgb[3*x : 3*x+3 : 3*x+3]
		p[0], p[1], p[2] = colour.CMYKToRGB(c, m, y, 255-k[x])
	}
}
