package jpeg2000

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"gort/internal/parallel"
)

var (
	// ErrCorrupt is returned for data that is no JPEG 2000 image, or a damaged one.
	ErrCorrupt = errors.New("damaged JPEG 2000 image")
	// ErrUnsupported is returned for kinds of JPEG 2000 that are not read.
	ErrUnsupported = errors.New("JPEG 2000 variant not supported")
)

const (
	// SignatureBox begins a JP2 file.
	SignatureBox = "\x00\x00\x00\x0cjP  \r\n\x87\n"
	// SignatureCodestream begins a bare codestream.
	SignatureCodestream = "\xff\x4f\xff\x51"
)

// Image is a decoded image. A RowReader gives its pixels.
type Image struct {
	Width, Height int

	x0, y0     int // of the upper left corner on the reference grid
	components []component
	channels   []channel // of colour: one is grey, three are RGB
	luma       bool      // the channels are luma and two colour differences
}

// component is a plane of samples, perhaps of reduced size.
type component struct {
	precision int
	dx, dy    int // distance of its samples on the reference grid
	x0, y0    int // of the first sample, in samples
	width     int
	height    int
	used      bool // it is needed for the pixels
	samples   []uint16
}

// Decode reads an image of at most maxPixels pixels. Memory is taken in proportion to
// the length of the data, above a minimum: an image that the data can hardly fill is
// refused.
func Decode(ctx context.Context, pool *parallel.Pool, data []byte, maxPixels int) (*Image, error) {
	box := new(boxes)
	code := data
	if bytes.HasPrefix(data, []byte(SignatureBox)) {
		var err error
		if code, err = box.read(data); err != nil {
			return nil, err
		}
	}
	if !bytes.HasPrefix(code, []byte(SignatureCodestream)) {
		return nil, fmt.Errorf("%w: the codestream does not begin with the markers SOC and SIZ", ErrCorrupt)
	}
	c := &codestream{data: code, at: 2, image: new(Image)}
	if err := c.readSize(maxPixels); err != nil {
		return nil, err
	}
	if err := c.image.setChannels(box); err != nil {
		return nil, err
	}
	if err := c.readTileParts(); err != nil {
		return nil, err
	}
	return c.image, c.decodeTiles(ctx, pool)
}
