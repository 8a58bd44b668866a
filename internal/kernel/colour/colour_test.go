package colour

import (
	"math"
	"testing"
)

func TestYCbCrToRGB(t *testing.T) {
	for _, c := range [][6]uint8{{128, 128, 128, 128, 128, 128}, {76, 85, 255, 254, 0, 0}, {150, 44, 21, 0, 255, 1}, {255, 255, 255, 255, 121, 255}} {
		if r, g, b := YCbCrToRGB(c[0], c[1], c[2]); r != c[3] || g != c[4] || b != c[5] {
			t.Errorf("YCbCr %v is %d %d %d, want %v", c[:3], r, g, b, c[3:])
		}
	}
}

// An ink and black multiply.
func TestCMYKToRGB(t *testing.T) {
	for c := range 256 {
		for k := range 256 {
			r, g, b := CMYKToRGB(uint8(c), 0, 255, uint8(k))
			want := float64(255-c) * float64(255-k) / 255
			if math.Abs(float64(r)-want) > 0.5001 || int(g) != 255-k || b != 0 {
				t.Fatalf("inks %d, 0, 255 and %d are %d %d %d, want %g %d 0", c, k, r, g, b, want, 255-k)
			}
		}
	}
}

func TestLuma(t *testing.T) {
	for _, c := range [][4]uint8{{0, 0, 0, 0}, {255, 255, 255, 255}, {255, 0, 0, 76}, {0, 255, 0, 150}, {0, 0, 255, 29}, {200, 100, 50, 124}} {
		if got := Luma(c[0], c[1], c[2]); got != c[3] {
			t.Errorf("the grey of %v is %d, want %d", c[:3], got, c[3])
		}
	}
}
