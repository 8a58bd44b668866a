package picture

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

// decode decodes on one thread.
func decode(file []byte, f Format) (*Pixels, error) {
	return Decode(context.Background(), nil, file, f)
}

// encode writes an image with one of the libraries' encoders.
func encode(t *testing.T, m image.Image, write func(io.Writer, image.Image) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func writeTIFF(w io.Writer, m image.Image) error {
	return tiff.Encode(w, m, &tiff.Options{Compression: tiff.Deflate, Predictor: true})
}

func writeJPEG(w io.Writer, m image.Image) error {
	return jpeg.Encode(w, m, &jpeg.Options{Quality: 100})
}

// Every kind of pixel becomes three colours of 8 bits: opacity is dropped and the
// colour under it kept, of 16 bits the upper 8 are taken.
func TestPixelKinds(t *testing.T) {
	box := image.Rect(0, 0, 2, 1)
	palette := color.Palette{color.NRGBA{10, 20, 30, 255}, color.NRGBA{40, 50, 60, 0}, color.NRGBA{70, 80, 90, 255}}
	for _, c := range []struct {
		name  string
		image image.Image
		want  []uint8
	}{
		{"RGB", &image.RGBA{Pix: []uint8{1, 2, 3, 255, 4, 5, 6, 255}, Stride: 8, Rect: box}, []uint8{1, 2, 3, 4, 5, 6}},
		{"RGB of 16 bits", &image.RGBA64{Pix: []uint8{1, 255, 2, 128, 3, 0, 255, 255, 4, 9, 5, 9, 6, 9, 255, 255}, Stride: 16, Rect: box}, []uint8{1, 2, 3, 4, 5, 6}},
		{"opacity", &image.NRGBA{Pix: []uint8{200, 100, 50, 128, 7, 8, 9, 0}, Stride: 8, Rect: box}, []uint8{200, 100, 50, 7, 8, 9}},
		{"opacity of 16 bits", &image.NRGBA64{Pix: []uint8{200, 255, 100, 255, 50, 255, 1, 0, 7, 7, 8, 8, 9, 9, 0, 0}, Stride: 16, Rect: box}, []uint8{200, 100, 50, 7, 8, 9}},
		{"grey", &image.Gray{Pix: []uint8{77, 255}, Stride: 2, Rect: box}, []uint8{77, 77, 77, 255, 255, 255}},
		{"grey of 16 bits", &image.Gray16{Pix: []uint8{77, 255, 255, 255}, Stride: 4, Rect: box}, []uint8{77, 77, 77, 255, 255, 255}},
		{"palette", &image.Paletted{Pix: []uint8{2, 0}, Stride: 2, Rect: box, Palette: palette}, []uint8{70, 80, 90, 10, 20, 30}},
		{"palette with opacity", &image.Paletted{Pix: []uint8{1, 2}, Stride: 2, Rect: box, Palette: palette}, []uint8{40, 50, 60, 70, 80, 90}},
	} {
		formats := map[string]func(io.Writer, image.Image) error{"png": png.Encode, "tiff": writeTIFF}
		if !strings.Contains(c.name, "opacity") && !strings.Contains(c.name, "16") {
			formats["bmp"] = bmp.Encode // keeps neither
		}
		if c.name == "palette with opacity" {
			delete(formats, "tiff") // has no opacity in palettes
		}
		for format, write := range formats {
			got, err := decode(encode(t, c.image, write), RGB)
			if err != nil || got.Height != 1 || got.Width != 2 || !slices.Equal(got.Data, c.want) {
				t.Errorf("%s of %s: got %v, %v, want %v", format, c.name, got, err, c.want)
			}
		}
	}
}

func TestFormats(t *testing.T) {
	file := encode(t, &image.RGBA{Pix: []uint8{200, 100, 50, 255}, Stride: 4, Rect: image.Rect(0, 0, 1, 1)}, png.Encode)
	for f, want := range map[Format][]uint8{
		RGB:       {200, 100, 50},
		BGR:       {50, 100, 200},
		Grayscale: {124}, // 0.299 * 200 + 0.587 * 100 + 0.114 * 50 = 124.2
	} {
		got, err := decode(file, f)
		if err != nil || !slices.Equal(got.Data, want) {
			t.Errorf("%s: got %v, %v, want %v", f, got, err, want)
		}
	}
}

// The standard library's encoder and this decoder are off by rounding only.
func TestJPEG(t *testing.T) {
	m := image.NewGray(image.Rect(0, 0, 20, 10))
	for i := range m.Pix {
		m.Pix[i] = uint8(i)
	}
	got, err := decode(encode(t, m, writeJPEG), RGB)
	if err != nil {
		t.Fatal(err)
	}
	if got.Height != 10 || got.Width != 20 {
		t.Fatalf("%d x %d, want 10 x 20", got.Height, got.Width)
	}
	for i, v := range got.Data {
		if d := int(v) - int(m.Pix[i/3]); d < -2 || d > 2 {
			t.Fatalf("element %d is %d, want %d", i, v, m.Pix[i/3])
		}
	}
}

// The pixels that Pillow 9.4 with libwebp 1.2.4 gives: the first 8 bytes of their
// SHA-256.
func TestWebP(t *testing.T) {
	for _, c := range []struct{ name, sum string }{
		{"webp_80_33x31.webp", "80d3dd06ddb92203"},
		{"webp_100_40x24.webp", "99d9a4dd80660fb7"},
		{"webp_20_1x1.webp", "fb83a1ccfef91509"},
		{"webpa_20_7x5.webp", "8a5d5628fc08fb08"}, // lossy, with opacity
		{"webp_lla_7x5.webp", "d09c13ce1b834d3c"}, // lossless, with opacity
	} {
		file, err := os.ReadFile(filepath.Join("testdata", c.name))
		if err != nil {
			t.Fatal(err)
		}
		p, err := decode(file, RGB)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		sum := sha256.Sum256(p.Data)
		if got := fmt.Sprintf("%x", sum[:8]); got != c.sum {
			t.Errorf("%s: checksum %s, want %s", c.name, got, c.sum)
		}
	}
}

// All portable formats, as text and binary, with comments, several depths and bitmaps
// whose rows end within a byte.
func TestPortable(t *testing.T) {
	for _, c := range []struct {
		name, file    string
		width, height int
		want          []uint8 // grey, or the first pixel's colours and the rest
	}{
		{"P1", "P1\n# a bitmap\n3 2\n1 0 1\n0 1 0\n", 3, 2, []uint8{0, 255, 0, 255, 0, 255}},
		{"P1 without blanks", "P1 3 2 101010", 3, 2, []uint8{0, 255, 0, 255, 0, 255}},
		{"P2", "P2 2 2 15 0 15 # white\n7 1", 2, 2, []uint8{0, 255, 119, 17}},
		{"P2 of 16 bits", "P2 3 1 65535 65535 32768 127", 3, 1, []uint8{255, 128, 0}},
		{"P4", "P4 9 2\n\x80\x80\x01\x00", 9, 2, []uint8{0, 255, 255, 255, 255, 255, 255, 255, 0, 255, 255, 255, 255, 255, 255, 255, 0, 255}},
		{"P5", "P5 2 1 255\n\x07\xff", 2, 1, []uint8{7, 255}},
		{"P5 of 7 bits", "P5 2 1 127\n\x7f\x40", 2, 1, []uint8{255, 129}},
		{"P5 of 16 bits", "P5 2 1 65535\n\xff\xff\x80\x00", 2, 1, []uint8{255, 128}},
		{"P5 with a comment", "P5\n# by hand\n1 1\n255\n#", 1, 1, []uint8{'#'}},
	} {
		got, err := decode([]byte(c.file), Grayscale)
		if err != nil || got.Width != c.width || got.Height != c.height || !slices.Equal(got.Data, c.want) {
			t.Errorf("%s: got %v, %v, want %v", c.name, got, err, c.want)
		}
	}
	for _, file := range []string{"P3 1 2 3 0 1 2 3 2 1", "P6 1 2 255\n\x00\x55\xaa\xff\xaa\x55", "P6 1 2 3\n\x00\x01\x02\x03\x02\x01", "P6 1 2 65535\n\x00\x00\x55\x55\xaa\xaa\xff\xff\xaa\xaa\x55\x55"} {
		got, err := decode([]byte(file), RGB)
		if want := []uint8{0, 85, 170, 255, 170, 85}; err != nil || !slices.Equal(got.Data, want) {
			t.Errorf("%q: got %v, %v, want %v", file, got, err, want)
		}
	}
	for _, file := range []string{"P1", "P2 1 1", "P2 1 1 0 0", "P2 1 1 70000 0", "P3 1 1 255 0 0", "P4 9 1\n\x80", "P5 2 2 255\nab", "P5 1 1 256\na", "P6 x", "P2 1 1 9 10"} {
		if _, err := decode([]byte(file), RGB); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%q: %v, want %v", file, err, ErrCorrupt)
		}
	}
}

// Formats that are known but not read are told from what is no image, and both
// errors name what is read.
func TestRefused(t *testing.T) {
	for file, want := range map[string]error{
		"GIF89a\x01\x00\x01\x00":             ErrUnsupported,
		"\x00\x00\x00\x1cftypavif":           ErrUnsupported,
		"\xff\x0a":                           ErrUnsupported,
		"P7\nWIDTH 1\n":                      ErrUnsupported,
		"\x00\x00\x00\x0cJXL \r\n\x87\n":     ErrUnsupported,
		"":                                   ErrCorrupt,
		"hello":                              ErrCorrupt,
		"RIFF\x00\x00\x00\x00WAVE":           ErrCorrupt,
		"\x00\x00\x00\x0cjP  \r\n\x88\n\x00": ErrCorrupt,
	} {
		_, err := decode([]byte(file), RGB)
		if !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", file, err, want)
			continue
		}
		for i := range codecs {
			if !strings.Contains(err.Error(), codecs[i].name) {
				t.Errorf("%q: %q does not name %s", file, err, codecs[i].name)
			}
		}
	}
	// What begins well and goes on badly names its format.
	for _, c := range []struct {
		file, name string
		want       error
	}{
		{"BM", "BMP", ErrCorrupt},
		{"\xff\xd8\xff", "JPEG", ErrCorrupt},
		{"\xff\xd8\xff\xc3\x00\x0b\x08\x00\x01\x00\x01\x01\x01\x11\x00", "JPEG", ErrUnsupported},
		{"\xff\x4f\xff\x51", "JPEG 2000", ErrCorrupt},
		{"\x89PNG\r\n\x1a\n", "PNG", ErrCorrupt},
		{"II*\x00\xff\xff\xff\x00", "TIFF", ErrCorrupt},
		{"RIFF\x04\x00\x00\x00WEBP", "WebP", ErrCorrupt},
		{"P5 16000 17000 255\na", "PBM, PGM and PPM", ErrUnsupported},
	} {
		_, err := decode([]byte(c.file), RGB)
		if !errors.Is(err, c.want) || !strings.HasPrefix(err.Error(), c.name+":") {
			t.Errorf("%q: %v, want %s: %v", c.file, err, c.name, c.want)
		}
	}
}

// A context that is done ends the work, and is no fault of the file.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, name := range []string{"../jpeg/testdata/420.jpg", "../jpeg/testdata/420_progressive.jpg", "../jpeg2000/testdata/reversible.jp2", "../tiff/testdata/planes.tif", "testdata/webp_80_33x31.webp"} {
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(ctx, nil, file, RGB); !errors.Is(err, context.Canceled) || errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v, want %v", name, err, context.Canceled)
		}
	}
}

// A few bytes can not claim gigabytes.
func TestImplausible(t *testing.T) {
	file := encode(t, image.NewGray(image.Rect(0, 0, 1, 1)), png.Encode)
	copy(file[16:], "\x00\x00\x3f\xff\x00\x00\x3f\xff") // 16383 x 16383
	var p Pixels
	if err := p.size(16383, 16383, len(file)); !errors.Is(err, ErrUnsupported) {
		t.Errorf("%v, want %v", err, ErrUnsupported)
	}
	if _, err := decode(file, RGB); err == nil {
		t.Error("no error")
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{"P1 2 1 10", "P3 #c\n1 2 1 0 1 0 1 1 1", "P5 2 1 65535\n\xff\xff\x00\x00", "P6 1 1 255\nabc", "BM", "RIFF\x00\x00\x00\x00WEBP", "II*\x00"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		p, err := decode(file, RGB)
		if err == nil && len(p.Data) != p.Height*p.Width*3 {
			t.Errorf("%d elements for %d x %d pixels", len(p.Data), p.Height, p.Width)
		}
		if err != nil && !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrUnsupported) {
			t.Errorf("untyped error: %v", err)
		}
	})
}
