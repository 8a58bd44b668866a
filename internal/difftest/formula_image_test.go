package difftest

import (
	"math"
	"testing"

	"gort/tensor"
)

// TestImageFormula decodes pictures in formats that lose nothing and finds the pixels
// that were encoded, in every order of colours.
func TestImageFormula(t *testing.T) {
	exact := 0
	for seed := range uint64(60) {
		for _, format := range []string{"", "RGB", "BGR", "Grayscale"} {
			var want []float64
			_, _, out := runCall(t, &Generator{Op: "ImageDecoder", Make: func(g *G) {
				data, img := g.picture()
				g.In(tensor.Must(tensor.FromSlice(data)))
				if format != "" {
					g.Attr("pixel_format", format)
				}
				if img == nil {
					return
				}
				b := img.Bounds()
				for y := b.Min.Y; y < b.Max.Y; y++ {
					for x := b.Min.X; x < b.Max.X; x++ {
						red, green, blue, _ := img.At(x, y).RGBA()
						r, g, b := float64(red>>8), float64(green>>8), float64(blue>>8)
						switch format {
						case "BGR":
							want = append(want, b, g, r)
						case "Grayscale":
							want = append(want, 0.299*r+0.587*g+0.114*b)
						default:
							want = append(want, r, g, b)
						}
					}
				}
			}}, seed, nil)
			if want == nil {
				continue
			}
			exact++
			got := tensor.Elements[uint8](out)
			if len(got) != len(want) {
				t.Fatalf("%d %s: %v, want %d elements", seed, format, out, len(want))
			}
			for i, v := range want {
				// Grey is rounded in one way or the other.
				if d := math.Abs(float64(got[i]) - v); d > 0 && format != "Grayscale" || d >= 1 {
					t.Fatalf("%d %s: element %d is %d, want %v", seed, format, i, got[i], v)
				}
			}
		}
	}
	if exact < 60 {
		t.Errorf("%d pictures were compared", exact)
	}
}
