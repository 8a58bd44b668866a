package difftest

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"

	"gort/tensor"
)

// imageGenerators call ImageDecoder. ONNX Runtime has no kernel for it; TestImageFormula
// compares it with what was encoded.
var imageGenerators = []Generator{
	{Op: "ImageDecoder", Make: func(g *G) {
		data, _ := g.picture()
		g.In(tensor.Must(tensor.FromSlice(data)))
		g.MaybeAttr("pixel_format", Pick(g, "RGB", "BGR", "Grayscale"))
	}},
}

// picture returns an encoded picture, and what was encoded if the format loses nothing.
func (g *G) picture() (data []byte, exact image.Image) {
	w, h := g.Size(), g.Size()
	box := image.Rect(0, 0, w, h)
	var img image.Image
	switch g.IntN(4) {
	case 0:
		p := image.NewGray(box)
		for i := range p.Pix {
			p.Pix[i] = uint8(g.Uint32())
		}
		img = p
	case 1:
		palette := color.Palette{color.NRGBA{0, 0, 0, 255}, color.NRGBA{255, 0, 10, 255}, color.NRGBA{7, 200, 100, 255}}
		p := image.NewPaletted(box, palette)
		for i := range p.Pix {
			p.Pix[i] = uint8(g.IntN(len(palette)))
		}
		img = p
	default:
		p := image.NewNRGBA(box)
		for i := range p.Pix {
			p.Pix[i] = uint8(g.Uint32())
			if i%4 == 3 {
				p.Pix[i] = 255
			}
		}
		img = p
	}
	var buf bytes.Buffer
	switch {
	case g.OneIn(3):
		fmt.Fprintf(&buf, "P6\n%d %d\n255\n", w, h)
		for i := range w * h {
			r, g, b, _ := img.At(i%w, i/w).RGBA()
			buf.Write([]byte{byte(r >> 8), byte(g >> 8), byte(b >> 8)})
		}
	case g.OneIn(3):
		must(0, jpeg.Encode(&buf, img, &jpeg.Options{Quality: g.Between(60, 100)}))
		return buf.Bytes(), nil
	default:
		must(0, png.Encode(&buf, img))
	}
	return buf.Bytes(), img
}
