package jpeg

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"os"
	"path/filepath"
	"testing"
)

// The pixels that Pillow 9.4 with libjpeg-turbo 2.1.5 gives for the files in
// testdata, converted to RGB: the first 8 bytes of their SHA-256. The files are noise
// and waves, written by Pillow and cjpeg; ycck is cmyk with another Adobe marker.
var pixels = []struct {
	name          string
	width, height int
	sum           string
}{
	{"420", 33, 31, "166f183674a0c27a"},
	{"420_narrow", 4, 50, "8a2b5d95d6a6e671"}, // planes 2 wide are not smoothed
	{"420_progressive", 33, 31, "37cd67a0b601a014"},
	{"422", 33, 31, "fe9e71803006caae"},
	{"444_progressive", 33, 31, "4b4e892c069464fa"},
	{"440_restart", 33, 31, "fd62286b0dda13ce"},
	{"411_restart", 33, 31, "29b8fa9e1fb8ae0d"},
	{"grey", 33, 31, "cff3e514f46cbdd3"},
	{"grey_progressive", 33, 31, "09c2689de8e5226a"},
	{"rgb", 9, 17, "c235669ea2783497"},
	{"cmyk", 17, 16, "400e9db51ce38dd0"},
	{"ycck", 33, 31, "14701070bb03812d"},
	{"mixed_scans", 33, 31, "8f2ed09cb8908bfe"}, // three sampling ratios, ten progressive scans
	{"separate_scans", 17, 16, "7e24280a402003b3"},
	{"tall_chroma", 17, 16, "16832f22da699abd"}, // luma is what is enlarged
}

const testPixels = 1 << 16

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".jpg"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// decode decodes on one thread.
func decode(data []byte) (*Image, error) {
	return Decode(context.Background(), nil, data, testPixels)
}

// flat collects an image's rows.
func flat(m *Image) []uint8 {
	var out []uint8
	read := m.RowReader()
	for y := range m.Height {
		out = append(out, read(y)...)
	}
	return out
}

func TestPixels(t *testing.T) {
	for _, c := range pixels {
		m, err := decode(read(t, c.name))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if m.Width != c.width || m.Height != c.height {
			t.Errorf("%s: %d x %d, want %d x %d", c.name, m.Width, m.Height, c.width, c.height)
		}
		sum := sha256.Sum256(flat(m))
		if got := fmt.Sprintf("%x", sum[:8]); got != c.sum {
			t.Errorf("%s: checksum %s, want %s", c.name, got, c.sum)
		}
	}
}

// The standard library's planes differ by its transform's rounding only.
func TestAgainstStandardLibrary(t *testing.T) {
	compared := 0
	for _, c := range pixels {
		data := read(t, c.name)
		std, err := jpeg.Decode(bytes.NewReader(data))
		if err != nil {
			continue // it reads fewer sampling ratios
		}
		var planes [][]uint8
		var strides []int
		switch s := std.(type) {
		case *image.YCbCr:
			planes, strides = [][]uint8{s.Y, s.Cb, s.Cr}, []int{s.YStride, s.CStride, s.CStride}
		case *image.Gray:
			planes, strides = [][]uint8{s.Pix}, []int{s.Stride}
		default:
			continue
		}
		m, err := decode(data)
		if err != nil {
			t.Fatal(err)
		}
		compared++
		for i, plane := range planes {
			p := &m.components[i]
			for y := range p.height {
				for x, got := range p.row(y) {
					want := plane[y*strides[i]+x]
					if d := int(got) - int(want); d < -2 || d > 2 {
						t.Fatalf("%s: component %d at %d, %d is %d, the standard library's is %d", c.name, i, x, y, got, want)
					}
				}
			}
		}
	}
	if compared < 6 {
		t.Errorf("%d images were compared, want at least 6", compared)
	}
}

// A file cut off anywhere is an error, unless only padding or the end marker is
// missing.
func TestTruncated(t *testing.T) {
	for _, name := range []string{"420", "422", "mixed_scans", "440_restart", "separate_scans"} {
		data := read(t, name)
		whole, err := decode(data)
		if err != nil {
			t.Fatal(err)
		}
		want := flat(whole)
		for n := range data {
			m, err := decode(data[:n])
			if err == nil && (n < len(data)-4 || !bytes.Equal(flat(m), want)) {
				t.Errorf("%s: no error for %d of %d bytes", name, n, len(data))
			}
			if err != nil && !errors.Is(err, ErrCorrupt) {
				t.Errorf("%s, %d bytes: %v, want ErrCorrupt", name, n, err)
			}
		}
	}
}

// frameAt is where the bytes after the frame's marker are.
func frameAt(t *testing.T, data []byte) int {
	t.Helper()
	i := bytes.Index(data, []byte{0xFF, markerSOF0, 0, 17})
	if i < 0 {
		t.Fatal("no frame")
	}
	return i + 2
}

func TestRefused(t *testing.T) {
	original := read(t, "420")
	frame := frameAt(t, original)
	for _, c := range []struct {
		name string
		at   int // relative to the frame's length
		with string
		want error
	}{
		{"large", 3, "\xff\xff\xff\xff", ErrUnsupported},
		{"larger than the data can be", 3, "\x01\x00\x01\x00", ErrCorrupt},
		{"no height", 3, "\x00\x00", ErrUnsupported},
		{"12 bits", 2, "\x0c", ErrUnsupported},
		{"lossless", -1, "\xc3", ErrUnsupported},
		{"arithmetic", -1, "\xc9", ErrUnsupported},
		{"hierarchical", -1, "\xc5", ErrUnsupported},
		{"two components", 0, "\x00\x0e\x08\x00\x10\x00\x10\x02", ErrUnsupported},
		{"sampling of 0", 9, "\x02", ErrCorrupt},
		{"sampling of 3 to 2", 9, "\x33\x00\x02\x22", ErrUnsupported},
		{"quantization table 9", 10, "\x09", ErrCorrupt},
		{"missing quantization table", 10, "\x03", ErrCorrupt},
		{"unknown component in the scan", 8, "\x77", ErrCorrupt},
	} {
		data := bytes.Clone(original)
		copy(data[frame+c.at:], c.with)
		if _, err := decode(data); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	for _, s := range []string{"", "\xff", "GIF89a", "\xff\xd8", "\xff\xd8\xff\xd9", "\xff\xd8\xff\xda\x00\x06\x01\x01\x00\x00"} {
		if _, err := decode([]byte(s)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%q: %v, want %v", s, err, ErrCorrupt)
		}
	}
}

// Damage may give other pixels, or an error, and never more than that.
func FuzzDecode(f *testing.F) {
	for _, c := range pixels {
		// Go's fuzzer spends its time on making larger ones smaller.
		if data := read(f, c.name); len(data) < 1000 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := decode(data)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrUnsupported) {
				t.Errorf("untyped error: %v", err)
			}
			return
		}
		if n := len(flat(m)); n != 3*m.Width*m.Height {
			t.Errorf("%d elements for %d x %d pixels", n, m.Width, m.Height)
		}
	})
}
