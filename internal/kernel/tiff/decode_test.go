package tiff

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gort/internal/parallel"
)

// The pixels of the files in testdata, all 33 x 21: the first 8 bytes of their
// SHA-256. The files are noise and waves, written by Pillow 9.4 and libtiff's tiffcp
// 4.5.0; the pixels are those that Pillow reads, except that of 16 bits the upper 8
// are taken and that opacity is dropped.
var pixels = []struct{ name, sum string }{
	{"tiles", "a3d3839e706f5375"},  // big-endian, LZW with prediction
	{"planes", "a3d3839e706f5375"}, // each sample in strips of its own
	{"tiled_planes", "a3d3839e706f5375"},
	{"packbits", "97e3bf90f89151aa"}, // the low bits first
	{"palette", "d15e712000d2ee83"},  // Deflate with prediction
	{"grey16", "97e3bf90f89151aa"},
	{"grey16_big", "97e3bf90f89151aa"},
	{"bits", "fb34b558724977c7"},
	{"group3", "fb34b558724977c7"},
	{"group4", "fb34b558724977c7"}, // black is 0, against the compression's custom
	{"group4_low", "fb34b558724977c7"},
	{"cmyk", "6b4e375edd8cfc25"},
	{"opacity", "0faa19b07d602a45"},
	{"multiplied", "8561651043941573"}, // opacity with another meaning
	{"jpeg", "a9348079a48be413"},
	{"jpeg_ycbcr", "07164c576f41ed56"},
	{"jpeg_grey", "19a132e6b6aab7e7"},
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".tif"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// decode decodes an image of at most 65536 pixels.
func decode(file []byte) ([]uint8, error) {
	m, err := Open(file)
	if err != nil {
		return nil, err
	}
	if m.Width*m.Height > 1<<16 {
		return nil, ErrUnsupported
	}
	pool := parallel.New(2)
	defer pool.Close()
	out := make([]uint8, 3*m.Width*m.Height)
	err = m.Decode(context.Background(), pool, func(y int, rgb []uint8) {
		copy(out[3*m.Width*y:], rgb)
	})
	return out, err
}

func TestPixels(t *testing.T) {
	for _, c := range pixels {
		got, err := decode(read(t, c.name))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if len(got) != 3*33*21 {
			t.Errorf("%s: %d elements, want 33 x 21 x 3", c.name, len(got))
		}
		sum := sha256.Sum256(got)
		if got := fmt.Sprintf("%x", sum[:8]); got != c.sum {
			t.Errorf("%s: checksum %s, want %s", c.name, got, c.sum)
		}
	}
}

// entry is a field of shorts that fit into it.
type entry struct {
	tag    int
	values []uint16
}

// build writes a little-endian file of an image in one strip.
func build(strip string, entries ...entry) []byte {
	le := binary.LittleEndian
	entries = append(entries, entry{tagStripOffsets, []uint16{8}}, entry{tagStripByteCounts, []uint16{uint16(len(strip))}})
	file := append([]byte("II*\x00"), 0, 0, 0, 0)
	file = append(file, strip...)
	fields := le.AppendUint16(nil, uint16(len(entries)))
	for _, e := range entries {
		var data []byte
		for _, v := range e.values {
			data = le.AppendUint16(data, v)
		}
		fields = le.AppendUint16(fields, uint16(e.tag))
		fields = le.AppendUint16(fields, typeShort)
		fields = le.AppendUint32(fields, uint32(len(e.values)))
		if len(data) > 4 {
			fields = le.AppendUint32(fields, uint32(len(file)))
			file = append(file, data...)
			continue
		}
		fields = append(fields, append(data, 0, 0, 0, 0)[:4]...)
	}
	le.PutUint32(file[4:], uint32(len(file)))
	return append(file, fields...)
}

// one is a field of one number.
func one(tag int, value uint16) entry { return entry{tag, []uint16{value}} }

// Samples of all sizes, from what the standard says about them.
func TestSamples(t *testing.T) {
	size := func(w, h uint16) []entry { return []entry{one(tagWidth, w), one(tagHeight, h)} }
	for _, c := range []struct {
		name    string
		strip   string
		entries []entry
		want    []uint8 // the reds
	}{
		{"1 bit, white is 0", "\x50\x80", append(size(3, 2), one(tagPhotometric, 0)), []uint8{255, 0, 255, 0, 255, 255}},
		{"1 bit, black is 0", "\x50\x80", append(size(3, 2), one(tagPhotometric, 1)), []uint8{0, 255, 0, 255, 0, 0}},
		{"2 bits", "\x1b\xc0", append(size(5, 1), one(tagPhotometric, 1), one(tagBits, 2)), []uint8{0, 85, 170, 255, 255}},
		{"4 bits, white is 0", "\x0f\x70", append(size(3, 1), one(tagPhotometric, 0), one(tagBits, 4)), []uint8{255, 0, 136}},
		{"8 bits and another", "\x07\x00\xff\x00", append(size(2, 1), one(tagPhotometric, 1), one(tagBits, 8), one(tagSamples, 2)), []uint8{7, 255}},
		{"16 bits", "\xff\x07\x00\xff", append(size(2, 1), one(tagPhotometric, 1), one(tagBits, 16)), []uint8{7, 255}},
		{"a palette", "\x40", append(size(2, 1), one(tagPhotometric, 3), entry{tagColorMap, []uint16{0x1234, 0xabcd, 0, 0, 0, 0}}), []uint8{0x12, 0xab}},
		{"RGB of 16 bits", "\x00\x01\x00\x02\x00\x03\x00\xff\x00\x00\x00\x00", append(size(2, 1), one(tagPhotometric, 2), one(tagBits, 16), one(tagSamples, 3)), []uint8{1, 255}},
		{"CMYK", "\x00\x00\x00\x80\xff\x00\x00\x00", append(size(2, 1), one(tagPhotometric, 5), one(tagBits, 8), one(tagSamples, 4)), []uint8{127, 0}},
		{"multiplied RGB", "\x20\x10\x08\x40\xff\x00\x00\x00", append(size(2, 1), one(tagPhotometric, 2), one(tagBits, 8), one(tagSamples, 4), one(tagExtraSamples, 1)), []uint8{127, 255}},
		{"PackBits", "\xfe\x07\x80\x01\x08\x09", append(size(5, 1), one(tagPhotometric, 1), one(tagBits, 8), one(tagCompression, compressionPackBits)), []uint8{7, 7, 7, 8, 9}},
	} {
		got, err := decode(build(c.strip, c.entries...))
		var reds []uint8
		for i := 0; i < len(got); i += 3 {
			reds = append(reds, got[i])
		}
		if err != nil || !slices.Equal(reds, c.want) {
			t.Errorf("%s: got %v, %v, want %v", c.name, reds, err, c.want)
		}
	}
}

func TestRefused(t *testing.T) {
	grey := []entry{one(tagWidth, 2), one(tagHeight, 1), one(tagPhotometric, 1), one(tagBits, 8)}
	with := func(e ...entry) []byte {
		return build("ab", append(slices.DeleteFunc(slices.Clone(grey), func(old entry) bool {
			return slices.ContainsFunc(e, func(n entry) bool { return n.tag == old.tag })
		}), e...)...)
	}
	if _, err := decode(with()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		file []byte
		want error
	}{
		{"no width", with(one(tagWidth, 0)), ErrUnsupported},
		{"32 bits", with(one(tagBits, 32)), ErrUnsupported},
		{"5 bits", with(one(tagBits, 5)), ErrUnsupported},
		{"different bits", with(entry{tagBits, []uint16{8, 4}}, one(tagSamples, 2)), ErrUnsupported},
		{"floating point", with(one(tagSampleFormat, 3)), ErrUnsupported},
		{"CIELab", with(one(tagPhotometric, 8), one(tagSamples, 3)), ErrUnsupported},
		{"RGB of 2 samples", with(one(tagPhotometric, 2), one(tagSamples, 2)), ErrUnsupported},
		{"YCbCr", with(one(tagPhotometric, 6), one(tagSamples, 3)), ErrUnsupported},
		{"Zstandard", with(one(tagCompression, 50000)), ErrUnsupported},
		{"predictor 3", with(one(tagCompression, compressionLZW), one(tagPredictor, 3)), ErrUnsupported},
		{"group 3 of two dimensions", with(one(tagCompression, compressionGroup3), one(tagBits, 1), one(tagGroup3Options, 1)), ErrUnsupported},
		{"group 4 of 8 bits", with(one(tagCompression, compressionGroup4)), ErrUnsupported},
		{"no palette", with(one(tagPhotometric, 3)), ErrCorrupt},
		{"strips of no rows", with(one(tagRowsPerStrip, 0)), ErrCorrupt},
		{"two strips, one place", with(one(tagHeight, 2), one(tagRowsPerStrip, 1)), ErrCorrupt},
		{"a short strip", with(one(tagWidth, 3)), ErrCorrupt},
		{"no Deflate data", with(one(tagCompression, compressionDeflate)), ErrCorrupt},
		{"no JPEG data", with(one(tagCompression, compressionJPEG)), ErrCorrupt},
		{"nothing", nil, ErrCorrupt},
		{"a directory outside", []byte("II*\x00\xff\xff\xff\xff"), ErrCorrupt},
	} {
		if _, err := decode(c.file); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

// A file cut off anywhere is an error, or has the same pixels.
func TestTruncated(t *testing.T) {
	for _, name := range []string{"tiles", "packbits", "group4"} {
		data := read(t, name)
		want, err := decode(data)
		if err != nil {
			t.Fatal(err)
		}
		failed := 0
		for n := range data {
			got, err := decode(data[:n])
			if err == nil && !bytes.Equal(got, want) {
				t.Errorf("%s: other pixels for %d of %d bytes", name, n, len(data))
			}
			if err != nil {
				failed++
			}
		}
		if failed < len(data)/2 {
			t.Errorf("%s: only %d of %d lengths fail", name, failed, len(data))
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, c := range pixels {
		// Go's fuzzer spends its time on making larger ones smaller.
		if data := read(f, c.name); len(data) < 1000 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := decode(data); err != nil && !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrUnsupported) {
			t.Errorf("untyped error: %v", err)
		}
	})
}
