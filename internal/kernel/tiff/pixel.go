package tiff

import "gort/internal/kernel/colour"

// toRGB converts a row of pixels.
func (m *Image) toRGB(rgb []uint8, values []uint16) {
	at := 0
	for i := 0; i < len(rgb); i += 3 {
		p, v := rgb[i:i+3:i+3], values[at:at+m.samples]
		at += m.samples
		switch m.photometric {
		case whiteIsZero:
			g := ^m.scaled(v[0])
			p[0], p[1], p[2] = g, g, g
		case blackIsZero:
			g := m.scaled(v[0])
			p[0], p[1], p[2] = g, g, g
		case photoIndex:
			c := m.palette[v[0]]
			p[0], p[1], p[2] = c[0], c[1], c[2]
		case photoCMYK:
			p[0], p[1], p[2] = colour.CMYKToRGB(m.scaled(v[0]), m.scaled(v[1]), m.scaled(v[2]), m.scaled(v[3]))
		case photoRGB:
			p[0], p[1], p[2] = m.scaled(v[0]), m.scaled(v[1]), m.scaled(v[2])
			if a := int(m.opacity(v)); a > 0 {
				for k, c := range p {
					p[k] = uint8(min(int(c)*255/a, 255))
				}
			}
		}
	}
}

// opacity is what the colours are multiplied by, or 0.
func (m *Image) opacity(values []uint16) uint8 {
	if !m.multiplied {
		return 0
	}
	return m.scaled(values[3])
}

// scaled maps a sample to 8 bits.
func (m *Image) scaled(v uint16) uint8 {
	if m.bits == 16 {
		return uint8(v >> 8)
	}
	return uint8(int(v) * 255 / (1<<m.bits - 1))
}
