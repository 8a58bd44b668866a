package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // registers the format
	_ "image/png"  // registers the format

	_ "golang.org/x/image/bmp"  // registers the format
	_ "golang.org/x/image/tiff" // registers the format
	_ "golang.org/x/image/webp" // registers the format
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

// maxPixels bounds the images that are decoded.
const maxPixels = 1 << 28

var (
	// ErrUnsupported is returned for files of a format that is known but not read.
	ErrUnsupported = errors.New("image format not supported")
	// ErrCorrupt is returned for what is no image, or a broken one.
	ErrCorrupt = errors.New("no readable image")
)

// signatures of formats that are not read.
var unread = []struct{ name, magic string }{
	{"JPEG 2000", "\x00\x00\x00\x0cjP  \r\n\x87\n"},
	{"JPEG 2000 codestream", "\xff\x4f\xff\x51"},
}

// Pixels is a decoded image: rows of pixels of Format.Colours() elements.
type Pixels struct {
	Height, Width int
	Data          []uint8
}

// Decode reads an image file.
func Decode(file []byte, f Format) (*Pixels, error) {
	for _, u := range unread {
		if bytes.HasPrefix(file, []byte(u.magic)) {
			return nil, fmt.Errorf("%w: %s; convert the image to another format", ErrUnsupported, u.name)
		}
	}
	if isPortable(file) {
		return decodePortable(file, f)
	}
	c, name, err := image.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrCorrupt, err)
	}
	if c.Width <= 0 || c.Height <= 0 || c.Width > maxPixels/c.Height {
		return nil, fmt.Errorf("%w: %d x %d pixels, allowed are %d", ErrUnsupported, c.Width, c.Height, maxPixels)
	}
	m, _, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrCorrupt, err)
	}
	b := m.Bounds()
	p := &Pixels{b.Dy(), b.Dx(), make([]uint8, b.Dx()*b.Dy()*f.Colours())}
	at := colourAt(m)
	switch planes := m.(type) {
	case *image.YCbCr:
		if name == "jpeg" {
			at = smooth(planes)
		} else if name == "webp" {
			at = webpColours(planes)
		}
	case *image.NYCbCrA:
		at = webpColours(&planes.YCbCr)
	}
	i := 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, b := at(x, y)
			i += f.put(p.Data[i:], r, g, b)
		}
	}
	return p, nil
}

// colourAt returns how to read an image's pixels, without their transparency.
func colourAt(m image.Image) func(x, y int) (r, g, b uint8) {
	return func(x, y int) (r, g, b uint8) {
		switch c := m.At(x, y).(type) {
		case color.NRGBA:
			return c.R, c.G, c.B
		case color.YCbCr:
			return color.YCbCrToRGB(c.Y, c.Cb, c.Cr)
		case color.NYCbCrA:
			return color.YCbCrToRGB(c.Y, c.Cb, c.Cr)
		default:
			n := color.NRGBAModel.Convert(c).(color.NRGBA)
			return n.R, n.G, n.B
		}
	}
}

// put writes a pixel and returns how many elements it took. Grey is the luma of
// ITU-R 601 in 16-bit fixed point.
func (f Format) put(dst []uint8, r, g, b uint8) int {
	switch f {
	case Grayscale:
		dst[0] = uint8((uint32(r)*19595 + uint32(g)*38470 + uint32(b)*7471 + 1<<15) >> 16)
		return 1
	case BGR:
		r, b = b, r
	}
	dst[0], dst[1], dst[2] = r, g, b
	return 3
}
