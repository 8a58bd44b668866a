package picture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"gort/internal/kernel/colour"
	"gort/internal/parallel"
)

// Format is the order of the colours.
type Format string

// Formats.
const (
	RGB       Format = "RGB"
	BGR       Format = "BGR"
	Grayscale Format = "Grayscale"
)

// Colours is how many elements a pixel has.
func (f Format) Colours() int {
	if f == Grayscale {
		return 1
	}
	return 3
}

var (
	// ErrUnsupported is returned for files of a format, or a variant of one, that is
	// known but not read, and for images that are too large.
	ErrUnsupported = errors.New("image format not supported")
	// ErrCorrupt is returned for what is no image, or a broken one.
	ErrCorrupt = errors.New("no readable image")
)

// Pixels is a decoded image: rows of pixels of Format.Colours() elements.
type Pixels struct {
	Height, Width int
	Data          []uint8

	format Format
}

// codec reads files of a format.
type codec struct {
	name   string
	magics []string // how files begin, with ? for any byte
	decode func(ctx context.Context, pool *parallel.Pool, file []byte, p *Pixels) error
}

var codecs = []codec{
	{"BMP", []string{"BM"}, decodeBMP},
	{"JPEG", []string{"\xff\xd8"}, decodeJPEG},
	{"JPEG 2000", []string{"\x00\x00\x00\x0cjP  \r\n\x87\n", "\xff\x4f\xff\x51"}, decodeJPEG2000},
	{"PNG", []string{"\x89PNG\r\n\x1a\n"}, decodePNG},
	{"TIFF", []string{"II*\x00", "MM\x00*"}, decodeTIFF},
	{"WebP", []string{"RIFF????WEBP"}, decodeWebP},
	{"PBM, PGM and PPM", []string{"P1", "P2", "P3", "P4", "P5", "P6"}, decodePortable},
}

// unread has formats that are known but not read.
var unread = []codec{
	{"AVIF or HEIF", []string{"????ftyp"}, nil},
	{"BigTIFF", []string{"II+\x00", "MM\x00+"}, nil},
	{"DDS", []string{"DDS "}, nil},
	{"GIF", []string{"GIF8"}, nil},
	{"JPEG XL", []string{"\xff\x0a", "\x00\x00\x00\x0cJXL "}, nil},
	{"OpenEXR", []string{"v/1\x01"}, nil},
	{"PAM or PFM", []string{"P7", "PF", "Pf"}, nil},
	{"PSD", []string{"8BPS"}, nil},
	{"QOI", []string{"qoif"}, nil},
	{"Radiance HDR", []string{"#?RADIANCE"}, nil},
}

// matches reports whether a file begins as those of the format do.
func (c *codec) matches(file []byte) bool {
	for _, m := range c.magics {
		if len(file) < len(m) {
			continue
		}
		ok := true
		for i := range len(m) {
			ok = ok && (m[i] == '?' || m[i] == file[i])
		}
		if ok {
			return true
		}
	}
	return false
}

// formats names the formats that are read.
func formats() string {
	var names []string
	for _, c := range codecs {
		names = append(names, c.name)
	}
	return strings.Join(names, ", ")
}

// Decode reads an image file.
func Decode(ctx context.Context, pool *parallel.Pool, file []byte, f Format) (*Pixels, error) {
	for i := range codecs {
		if c := &codecs[i]; c.matches(file) {
			p := &Pixels{format: f}
			if err := c.decode(ctx, pool, file, p); err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			return p, nil
		}
	}
	for i := range unread {
		if c := &unread[i]; c.matches(file) {
			return nil, fmt.Errorf("%w: %s; allowed are %s", ErrUnsupported, c.name, formats())
		}
	}
	return nil, fmt.Errorf("%w: it begins with %q, as no file of the formats %s does", ErrCorrupt, bytes.Clone(file[:min(len(file), 8)]), formats())
}

const (
	// maxPixels bounds the images that are decoded.
	maxPixels = 1 << 28
	// freePixels is how many pixels any file may claim. More have to be backed by
	// the file's length: no more for a byte than deflate makes of one, at a bit each.
	freePixels    = 1 << 26
	pixelsPerByte = 8 * 1032
)

// size takes the memory for an image that a file of some bytes claims to have.
func (p *Pixels) size(width, height, bytes int) error {
	if width <= 0 || height <= 0 || width > maxPixels/height {
		return fmt.Errorf("%w: %d x %d pixels, allowed are 1 to %d", ErrUnsupported, width, height, maxPixels)
	}
	if limit := max(freePixels, pixelsPerByte*bytes); width*height > limit {
		return fmt.Errorf("%w: %d x %d pixels in %d bytes, allowed are %d", ErrUnsupported, width, height, bytes, limit)
	}
	p.Width, p.Height = width, height
	p.Data = make([]uint8, width*height*p.format.Colours())
	return nil
}

// fill takes all rows of an image from readers, of which each is used by one thread.
func (p *Pixels) fill(ctx context.Context, pool *parallel.Pool, reader func() func(y int) []uint8) error {
	return pool.For(ctx, p.Height, 1+fillGrain/p.Width, func(lo, hi int) {
		row := reader()
		for y := lo; y < hi; y++ {
			p.put(y, row(y))
		}
	})
}

// fillGrain is how many pixels are worth a thread's attention.
const fillGrain = 1 << 14

// put sets a row of the image.
func (p *Pixels) put(y int, rgb []uint8) {
	n := p.Width * p.format.Colours()
	row := p.Data[y*n:][:n]
	switch p.format {
	case Grayscale:
		for x := range row {
			c := rgb[3*x : 3*x+3 : 3*x+3]
			row[x] = colour.Luma(c[0], c[1], c[2])
		}
	case BGR:
		for x := 0; x < n; x += 3 {
			c := rgb[x : x+3 : x+3]
			row[x], row[x+1], row[x+2] = c[2], c[1], c[0]
		}
	default:
		copy(row, rgb)
	}
}
