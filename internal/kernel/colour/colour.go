// Package colour converts colours of 8 bits between the spaces that image files use,
// with the rounding of the usual libraries.
package colour

// YCbCrToRGB converts luma and colour differences as JFIF defines. It computes with
// 16 fractional bits: the factors are 1.402, 0.34414, 0.71414 and 1.772, and each
// output is rounded once, as in libjpeg.
func YCbCrToRGB(y, cb, cr uint8) (r, g, b uint8) {
	const half = 1 << 15
	l, u, v := int32(y), int32(cb)-128, int32(cr)-128
	return clamp(l + (91881*v+half)>>16),
		clamp(l + (-22554*u-46802*v+half)>>16),
		clamp(l + (116130*u+half)>>16)
}

func clamp(v int32) uint8 { return uint8(min(max(v, 0), 255)) }

// CMYKToRGB converts inks, of which 255 is the most: each takes its share of the
// light that black leaves. So does Pillow.
func CMYKToRGB(c, m, y, k uint8) (r, g, b uint8) {
	light := 255 - k
	return inked(c, light), inked(m, light), inked(y, light)
}

// inked is light without ink/255 of it, rounded.
func inked(ink, light uint8) uint8 {
	t := int(ink)*int(light) + 128
	return light - uint8((t>>8+t)>>8) // t/255
}

// Luma is the grey of a colour, ITU-R 601: 0.299 R + 0.587 G + 0.114 B with 16
// fractional bits, rounded.
func Luma(r, g, b uint8) uint8 {
	return uint8((uint32(r)*19595 + uint32(g)*38470 + uint32(b)*7471 + 1<<15) >> 16)
}
