package jpeg

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
		p[0], p[1], p[2] = YCbCrToRGB(l, cb[x], cr[x])
	}
}

// YCbCrToRGB converts luma and colour differences as JFIF defines. It computes with
// 16 fractional bits: the factors are 1.402, 0.34414, 0.71414 and 1.772, and each
// output is rounded once.
func YCbCrToRGB(y, cb, cr uint8) (r, g, b uint8) {
	const half = 1 << 15
	l, u, v := int32(y), int32(cb)-128, int32(cr)-128
	return clamp(l + (91881*v+half)>>16),
		clamp(l + (-22554*u-46802*v+half)>>16),
		clamp(l + (116130*u+half)>>16)
}

// fromCMYK takes the samples for paper that is left white, not for ink, as Adobe's
// programs write them and as everybody reads them.
func fromCMYK(rgb []uint8, rows [][]uint8) {
	m, y, k := rows[1], rows[2], rows[3]
	for x, c := range rows[0] {
		p := rgb[3*x : 3*x+3 : 3*x+3]
		p[0], p[1], p[2] = inked(255-c, k[x]), inked(255-m[x], k[x]), inked(255-y[x], k[x])
	}
}

// fromYCCK is CMYK whose first three components are coded as YCbCr.
func fromYCCK(rgb []uint8, rows [][]uint8) {
	cb, cr, k := rows[1], rows[2], rows[3]
	for x, l := range rows[0] {
		c, m, y := YCbCrToRGB(l, cb[x], cr[x])
		p := rgb[3*x : 3*x+3 : 3*x+3]
		p[0], p[1], p[2] = inked(c, k[x]), inked(m, k[x]), inked(y, k[x])
	}
}

// inked is a light of a given strength dimmed by an ink of 255ths.
func inked(ink, light uint8) uint8 {
	t := int(ink)*int(light) + 128
	return light - uint8((t>>8+t)>>8) // t/255, rounded
}
