package picture

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"slices"
	"testing"
)

// The formulas of the operator's specification: B0 = round_half_down(A/4 + 3B/4),
// B1 = round_half_up(3B/4 + C/4); libjpeg rounds the first column's way by adding
// 1 before the division by 4, the second's by adding 2.
func TestEnlargeWidth(t *testing.T) {
	got := enlargeWidth([]uint8{0, 10, 20, 99}, 4, 6, 1)
	if want := []uint8{0, 3, 7, 13, 17, 20}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestEnlargeBoth(t *testing.T) {
	// A constant stays one, an odd size is cut off.
	for _, v := range enlargeBoth([]uint8{77, 77, 77, 77}, 2, 3, 3) {
		if v != 77 {
			t.Errorf("a constant 77 becomes %d", v)
		}
	}
	got := enlargeBoth([]uint8{0, 16, 32, 48}, 2, 4, 4)
	if want := []uint8{0, 4, 12, 16, 8, 12, 20, 24}; !slices.Equal(got[:8], want) {
		t.Errorf("got %v, want %v", got[:8], want)
	}
}

func TestToRGB(t *testing.T) {
	for _, c := range [][6]uint8{{128, 128, 128, 128, 128, 128}, {76, 85, 255, 254, 0, 0}, {150, 44, 21, 0, 255, 1}, {255, 255, 255, 255, 121, 255}} {
		if r, g, b := toRGB(c[0], c[1], c[2]); r != c[3] || g != c[4] || b != c[5] {
			t.Errorf("YCbCr %v is %d %d %d, want %v", c[:3], r, g, b, c[3:])
		}
	}
}

// The formats that the standard library writes come back.
func TestDecode(t *testing.T) {
	m := image.NewGray(image.Rect(0, 0, 20, 10))
	for i := range m.Pix {
		m.Pix[i] = uint8(i)
	}
	var p, j bytes.Buffer
	if err := errors.Join(png.Encode(&p, m), jpeg.Encode(&j, m, &jpeg.Options{Quality: 100})); err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string][]byte{"png": p.Bytes(), "jpeg": j.Bytes()} {
		got, err := Decode(file, RGB)
		if err != nil {
			t.Fatal(err)
		}
		if got.Height != 10 || got.Width != 20 {
			t.Fatalf("%s: %d x %d, want 10 x 20", name, got.Height, got.Width)
		}
		for i, v := range got.Data {
			if d := int(v) - int(m.Pix[i/3]); d < -2 || d > 2 || name == "png" && d != 0 {
				t.Fatalf("%s: element %d is %d, want %d", name, i, v, m.Pix[i/3])
			}
		}
	}
}

// Colours under transparency are kept.
func TestDecodeTransparent(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 1, 1))
	m.SetNRGBA(0, 0, color.NRGBA{200, 100, 50, 128})
	var p bytes.Buffer
	if err := png.Encode(&p, m); err != nil {
		t.Fatal(err)
	}
	got, err := Decode(p.Bytes(), RGB)
	if err != nil || !slices.Equal(got.Data, []uint8{200, 100, 50}) {
		t.Errorf("got %v, %v, want [200 100 50]", got, err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{"P1 2 1 10", "P3 #c\n1 2 1 0 1 0 1 1 1", "P5 2 1 65535\n\xff\xff\x00\x00", "P6 1 1 255\nabc", "BM", "RIFF\x00\x00\x00\x00WEBP", "II*\x00"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		p, err := Decode(file, RGB)
		if err == nil && len(p.Data) != p.Height*p.Width*3 {
			t.Errorf("%d elements for %d x %d pixels", len(p.Data), p.Height, p.Width)
		}
	})
}
