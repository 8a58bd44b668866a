package jpeg

import (
	"context"
	"errors"
	"fmt"

	"gort/internal/parallel"
)

var (
	// ErrCorrupt is returned for data that is no JPEG image, or a damaged one.
	ErrCorrupt = errors.New("damaged JPEG image")
	// ErrUnsupported is returned for kinds of JPEG that are not read.
	ErrUnsupported = errors.New("JPEG variant not supported")
)

// Markers, each the byte after 0xFF.
const (
	markerSOF0  = 0xC0 // sequential
	markerSOF1  = 0xC1 // sequential, extended
	markerSOF2  = 0xC2 // progressive
	markerDHT   = 0xC4
	markerJPG   = 0xC8
	markerDAC   = 0xCC
	markerSOF15 = 0xCF
	markerRST0  = 0xD0
	markerRST7  = 0xD7
	markerSOI   = 0xD8
	markerEOI   = 0xD9
	markerSOS   = 0xDA
	markerDQT   = 0xDB
	markerDRI   = 0xDD
	markerAPP0  = 0xE0
	markerAPP14 = 0xEE
	markerTEM   = 0x01
)

// Image is a decoded image: a plane of samples for each component, perhaps of
// reduced size. A RowReader gives its pixels.
type Image struct {
	Width, Height int

	components []component
	model      model
}

// decoder is the state while a file is read.
type decoder struct {
	data []byte
	at   int

	image       *Image
	progressive bool
	mcusAcross  int // of an interleaved scan
	mcusDown    int
	maxH, maxV  int

	quant    [4]*[blockSize]uint16 // in zigzag order
	dc, ac   [4]*huffman
	interval int // MCUs between restarts, 0 for none
	jfif     bool
	adobe    int // the Adobe marker's transform, -1 without the marker
}

// Decode reads an image of at most maxPixels pixels. Memory is taken in proportion
// to the length of the data: an image that the data can not fill is refused.
func Decode(ctx context.Context, pool *parallel.Pool, data []byte, maxPixels int) (*Image, error) {
	d := &decoder{data: data, adobe: -1}
	if len(data) < 2 || data[0] != 0xFF || data[1] != markerSOI {
		return nil, fmt.Errorf("%w: it does not begin with the marker SOI", ErrCorrupt)
	}
	d.at = 2
	for {
		marker, err := d.nextMarker()
		if err != nil {
			return nil, err
		}
		if marker == markerEOI {
			return d.finish(ctx, pool)
		}
		if marker == markerTEM || marker >= markerRST0 && marker <= markerRST7 {
			continue // no segment follows
		}
		segment, err := d.segment(marker)
		if err != nil {
			return nil, err
		}
		if marker != markerSOS {
			if err := d.header(marker, segment, maxPixels); err != nil {
				return nil, err
			}
			continue
		}
		if err := d.scan(ctx, segment); err != nil {
			return nil, err
		}
		// What follows the last component of a sequential image can not change it,
		// and files that end there without the marker EOI exist.
		if !d.progressive && d.missing() < 0 {
			return d.finish(ctx, pool)
		}
	}
}

// header reads a segment that is not a scan.
func (d *decoder) header(marker byte, segment []byte, maxPixels int) error {
	switch {
	case marker == markerDQT:
		return d.readQuant(segment)
	case marker == markerDHT:
		return d.readHuffman(segment)
	case marker == markerDRI:
		if len(segment) != 2 {
			return fmt.Errorf("%w: the restart interval takes %d bytes, want 2", ErrCorrupt, len(segment))
		}
		d.interval = int(segment[0])<<8 | int(segment[1])
	case marker == markerAPP0:
		if len(segment) >= 5 && string(segment[:5]) == "JFIF\x00" {
			d.jfif = true
		}
	case marker == markerAPP14:
		if len(segment) >= 12 && string(segment[:5]) == "Adobe" {
			d.adobe = int(segment[11])
		}
	case marker >= markerSOF0 && marker <= markerSOF2:
		d.progressive = marker == markerSOF2
		return d.readFrame(segment, maxPixels)
	case marker > markerSOF2 && marker <= markerSOF15 && marker != markerJPG:
		return fmt.Errorf("%w: coding process %#x (%s); allowed are sequential and progressive Huffman coding", ErrUnsupported, marker, process(marker))
	}
	return nil
}

// process names the coding process of a frame marker that is not read.
func process(marker byte) string {
	switch {
	case marker == markerDAC || marker == 0xC9 || marker == 0xCA:
		return "arithmetic coding"
	case marker == 0xC3 || marker == 0xCB:
		return "lossless"
	default:
		return "hierarchical"
	}
}

// nextMarker finds the next marker, skipping fill bytes and strays.
func (d *decoder) nextMarker() (byte, error) {
	for d.at+1 < len(d.data) {
		if c := d.data[d.at+1]; d.data[d.at] == 0xFF && c != 0 && c != 0xFF {
			d.at += 2
			return c, nil
		}
		d.at++
	}
	d.at = len(d.data)
	return 0, fmt.Errorf("%w: it ends without the marker EOI", ErrCorrupt)
}

// segment returns the bytes that belong to a marker.
func (d *decoder) segment(marker byte) ([]byte, error) {
	rest := d.data[d.at:]
	if len(rest) < 2 {
		return nil, fmt.Errorf("%w: it ends within segment %#x", ErrCorrupt, marker)
	}
	n := int(rest[0])<<8 | int(rest[1])
	if n < 2 || n > len(rest) {
		return nil, fmt.Errorf("%w: segment %#x at byte %d has %d bytes, allowed are 2 to %d", ErrCorrupt, marker, d.at, n, len(rest))
	}
	d.at += n
	return rest[2:n], nil
}

// missing returns the first component that no scan has brought, or -1.
func (d *decoder) missing() int {
	for i := range d.image.components {
		if !d.image.components[i].seen {
			return i
		}
	}
	return -1
}

// finish checks that everything has come, and transforms the coefficients of a
// progressive image.
func (d *decoder) finish(ctx context.Context, pool *parallel.Pool) (*Image, error) {
	if d.image == nil {
		return nil, fmt.Errorf("%w: it has no frame", ErrCorrupt)
	}
	if i := d.missing(); i >= 0 {
		return nil, fmt.Errorf("%w: it ends before component %d of %d", ErrCorrupt, i+1, len(d.image.components))
	}
	d.image.model = d.colourModel()
	if d.progressive {
		for i := range d.image.components {
			if err := d.image.components[i].transform(ctx, pool); err != nil {
				return nil, err
			}
		}
	}
	return d.image, nil
}
