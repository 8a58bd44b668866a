package jpeg2000

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"gort/internal/parallel"
)

// The pixels of the files in testdata: the first 8 bytes of their SHA-256. The files
// are noise and waves, written by OpenJPEG 2.5.0 and Pillow 9.4. Those of 33 x 31 and
// less have the pixels that Pillow gives for them. Of those of 34 x 32, which are
// lossless, the pixels are computed from what was written.
var pixels = []struct {
	name          string
	width, height int
	sum           string
}{
	{"reversible.jp2", 33, 31, "8d5ae7478803f293"},   // 5/3, reversible component transform
	{"irreversible.jp2", 33, 31, "4f5ff40dc2cf8ab1"}, // 9/7, irreversible component transform
	{"odd.j2k", 7, 5, "bdb78c7f60686d15"},
	{"column.j2k", 1, 20, "43afc2f9887b99c6"},
	{"layers.j2k", 33, 31, "f676d628300c5d4e"}, // three, lossy
	{"styles.j2k", 33, 31, "d0b81021cdc9af9c"}, // all code-block styles, three layers, RLCP blocks of 8 x 8
	{"bypass.j2k", 33, 31, "d0b81021cdc9af9c"},
	{"terminate.j2k", 33, 31, "c21d0b8dc0b8791d"},
	{"causal.j2k", 33, 31, "d0b81021cdc9af9c"},
	{"blocks.j2k", 33, 31, "d0b81021cdc9af9c"}, // of 4 x 4
	{"rlcp.j2k", 33, 31, "d0b81021cdc9af9c"},
	{"tiles.j2k", 33, 31, "d0b81021cdc9af9c"}, // of 16 x 16, the image not at the origin
	{"tiles_pcrl.j2k", 33, 31, "d0b81021cdc9af9c"},
	{"markers.j2k", 33, 31, "9d4f2d0eaf374125"},   // SOP and EPH
	{"region.j2k", 33, 31, "8d5ae7478803f293"},    // of interest
	{"tileparts.j2k", 33, 31, "d0b81021cdc9af9c"}, // by layer
	{"changes.j2k", 33, 31, "d0b81021cdc9af9c"},   // of the progression order
	{"rpcl.j2k", 34, 32, "2246fd352e17f088"},      // tiles, reduced colour components, not at the origin
	{"cprl.j2k", 34, 32, "2246fd352e17f088"},      // precincts of 8 x 8, reduced colour components
	{"grey16.jp2", 34, 32, "790745139f1ed83d"},
	{"opacity.jp2", 34, 32, "9d487c96fb535d0d"},
	{"bits2.j2k", 34, 32, "b7c6a4cab9eec9b0"},
	{"signed.j2k", 34, 32, "790745139f1ed83d"},
	{"sycc.jp2", 34, 32, "2246fd352e17f088"},
	{"palette.jp2", 34, 32, "d18d861e34340733"},
	{"bgr.jp2", 34, 32, "34d164ef6b9ad316"}, // channels in another order, long boxes
}

const testPixels = 1 << 16

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// decodeFlat decodes an image and collects its rows.
func decodeFlat(data []byte) ([]uint8, error) {
	pool := parallel.New(2)
	defer pool.Close()
	m, err := Decode(context.Background(), pool, data, testPixels)
	if err != nil {
		return nil, err
	}
	var out []uint8
	row := m.RowReader()
	for y := range m.Height {
		out = append(out, row(y)...)
	}
	if len(out) != 3*m.Width*m.Height {
		return nil, fmt.Errorf("%d elements for %d x %d pixels", len(out), m.Width, m.Height)
	}
	return out, nil
}

func TestPixels(t *testing.T) {
	for _, c := range pixels {
		got, err := decodeFlat(read(t, c.name))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if len(got) != 3*c.width*c.height {
			t.Errorf("%s: %d elements, want %d x %d x 3", c.name, len(got), c.width, c.height)
		}
		sum := sha256.Sum256(got)
		if got := fmt.Sprintf("%x", sum[:8]); got != c.sum {
			t.Errorf("%s: checksum %s, want %s", c.name, got, c.sum)
		}
	}
}

// A file cut off anywhere is an error, unless only the end marker is missing.
func TestTruncated(t *testing.T) {
	for _, name := range []string{"reversible.jp2", "tiles.j2k", "markers.j2k", "palette.jp2"} {
		data := read(t, name)
		for n := range data {
			_, err := decodeFlat(data[:n])
			if err == nil && n < len(data)-2 {
				t.Errorf("%s: no error for %d of %d bytes", name, n, len(data))
			}
			if err != nil && !errors.Is(err, ErrCorrupt) {
				t.Errorf("%s, %d bytes: %v, want ErrCorrupt", name, n, err)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	original := read(t, "rlcp.j2k")
	size := 2 // the segment of the image's size
	style := bytes.Index(original, []byte{0xFF, 0x52})
	steps := bytes.Index(original, []byte{0xFF, 0x5C})
	part := bytes.Index(original, []byte{0xFF, 0x90})
	for _, c := range []struct {
		name string
		at   int
		with string
		want error
	}{
		{"more pixels than allowed", size + 6, "\x00\x01\x00\x00\x00\x01\x00\x00", ErrUnsupported},
		{"more than fit into an int32", size + 6, "\xff\xff\xff\xff\xff\xff\xff\xff", ErrUnsupported},
		{"no pixels", size + 6, "\x00\x00\x00\x00", ErrUnsupported},
		{"tiles of size 0", size + 22, "\x00\x00\x00\x00", ErrCorrupt},
		{"more tiles than parts", size + 22, "\x00\x00\x00\x04", ErrCorrupt},
		{"17 bits", size + 40, "\x10", ErrUnsupported},
		{"samples 0 apart", size + 41, "\x00", ErrCorrupt},
		{"progression 5", style + 5, "\x05", ErrCorrupt},
		{"no layers", style + 6, "\x00\x00", ErrCorrupt},
		{"a transform of one component", style + 8, "\x01", ErrCorrupt},
		{"33 levels", style + 9, "\x21", ErrCorrupt},
		{"more levels than steps", style + 9, "\x09", ErrCorrupt},
		{"blocks of 4096 x 64", style + 10, "\x0a", ErrCorrupt},
		{"high-throughput blocks", style + 12, "\x40", ErrUnsupported},
		{"wavelet 2", style + 13, "\x02", ErrCorrupt},
		{"quantization 3", steps + 4, "\x43", ErrCorrupt},
		{"tile 9", part + 4, "\x00\x09", ErrCorrupt},
		{"a tile-part of 12 bytes", part + 6, "\x00\x00\x00\x0c", ErrCorrupt},
	} {
		data := bytes.Clone(original)
		copy(data[c.at:], c.with)
		if _, err := decodeFlat(data); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	cmyk := read(t, "reversible.jp2")
	colr := bytes.Index(cmyk, []byte("colr"))
	binary.BigEndian.PutUint32(cmyk[colr+7:], spaceCMYK)
	if _, err := decodeFlat(cmyk); !errors.Is(err, ErrUnsupported) {
		t.Errorf("CMYK: %v, want %v", err, ErrUnsupported)
	}
	for _, s := range []string{"", SignatureBox, SignatureCodestream, "\x00\x00\x00\x0cjP  \r\n\x87\n\x00\x00\x00\x01jp2c"} {
		if _, err := decodeFlat([]byte(s)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%q: %v, want %v", s, err, ErrCorrupt)
		}
	}
}

// A file may claim no more samples than its length makes plausible.
func TestImplausible(t *testing.T) {
	data := read(t, "rlcp.j2k")
	copy(data[8:], "\x00\x00\x40\x00\x00\x00\x40\x00")
	copy(data[24:], "\x00\x00\x40\x00\x00\x00\x40\x00") // and tiles of that size
	if _, err := Decode(context.Background(), nil, data, 1<<30); !errors.Is(err, ErrUnsupported) {
		t.Errorf("16384 x 16384 pixels in %d bytes: %v, want %v", len(data), err, ErrUnsupported)
	}
}

// Damage may give other pixels, or an error, and never more than that.
func FuzzDecode(f *testing.F) {
	for _, c := range pixels {
		// Go's fuzzer spends its time on making larger ones smaller.
		if data := read(f, c.name); len(data) < 800 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := decodeFlat(data); err != nil && !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrUnsupported) {
			t.Errorf("untyped error: %v", err)
		}
	})
}
