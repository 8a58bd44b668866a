package picture

import (
	"context"
	"fmt"

	"gort/internal/parallel"
)

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// portableReader reads the numbers of a portable image.
type portableReader struct {
	data []byte
	at   int
}

// next skips blanks and comments.
func (r *portableReader) next() {
	for r.at < len(r.data) {
		switch c := r.data[r.at]; {
		case isSpace(c):
			r.at++
		case c == '#':
			for r.at < len(r.data) && r.data[r.at] != '\n' {
				r.at++
			}
		default:
			return
		}
	}
}

// number reads a decimal number of at most limit.
func (r *portableReader) number(limit int) (int, error) {
	r.next()
	n, start := 0, r.at
	for r.at < len(r.data) && r.data[r.at] >= '0' && r.data[r.at] <= '9' {
		n = n*10 + int(r.data[r.at]-'0')
		if r.at++; n > limit {
			return 0, fmt.Errorf("%w: the number at byte %d is larger than %d", ErrCorrupt, start, limit)
		}
	}
	if r.at == start {
		return 0, fmt.Errorf("%w: no number at byte %d", ErrCorrupt, start)
	}
	return n, nil
}

// decodePortable reads an image of the Netpbm formats: PBM, PGM or PPM, as text (P1
// to P3) or binary (P4 to P6).
func decodePortable(_ context.Context, _ *parallel.Pool, file []byte, p *Pixels) error {
	kind := file[1] - '0'
	bitmap := kind == 1 || kind == 4
	r := &portableReader{file, 2}
	width, height, depth, err := r.header(bitmap)
	if err != nil {
		return err
	}
	colours := 1
	if kind == 3 || kind == 6 {
		colours = 3
	}
	values := r.text
	if kind > 3 {
		r.at++ // one blank ends the header
		values = r.binary
	}
	// At least a bit a pixel must be there before memory is taken.
	if width <= maxPixels && height <= maxPixels/max(width, 1) && (len(file)-r.at)*8 < width*height {
		return fmt.Errorf("%w: %d bytes are too few for %d x %d pixels", ErrCorrupt, len(file), width, height)
	}
	if err := p.size(width, height, len(file)); err != nil {
		return err
	}
	row, rgb := make([]uint8, width*colours), make([]uint8, width*3)
	for y := range height {
		if err := values(row, depth, bitmap); err != nil {
			return err
		}
		if colours == 3 {
			p.put(y, row)
			continue
		}
		for x, v := range row {
			rgb[3*x], rgb[3*x+1], rgb[3*x+2] = v, v, v
		}
		p.put(y, rgb)
	}
	return nil
}

// header reads the size, and the largest value unless the image is a bitmap.
func (r *portableReader) header(bitmap bool) (width, height, depth int, err error) {
	if width, err = r.number(maxPixels); err != nil {
		return 0, 0, 0, err
	}
	if height, err = r.number(maxPixels); err != nil || bitmap {
		return width, height, 1, err
	}
	if depth, err = r.number(65535); err == nil && depth == 0 {
		err = fmt.Errorf("%w: the largest value is 0", ErrCorrupt)
	}
	return width, height, depth, err
}

// text reads a row of decimal numbers; the bits of a bitmap need no blanks.
func (r *portableReader) text(row []uint8, depth int, bitmap bool) error {
	for i := range row {
		if bitmap {
			if r.next(); r.at >= len(r.data) || r.data[r.at]|1 != '1' {
				return fmt.Errorf("%w: no bit at byte %d", ErrCorrupt, r.at)
			}
			row[i] = (r.data[r.at] ^ '1') * 255
			r.at++
			continue
		}
		v, err := r.number(depth)
		if err != nil {
			return err
		}
		row[i] = scaled(v, depth)
	}
	return nil
}

// binary reads a row of bytes, or of pairs of them, or of bits packed into bytes.
func (r *portableReader) binary(row []uint8, depth int, bitmap bool) error {
	size := len(row)
	if bitmap {
		size = (len(row) + 7) / 8
	} else if depth > 255 {
		size *= 2
	}
	if len(r.data)-r.at < size {
		return fmt.Errorf("%w: the file ends within a row", ErrCorrupt)
	}
	in := r.data[r.at:][:size]
	r.at += size
	for i := range row {
		switch {
		case bitmap:
			row[i] = (^in[i/8] >> (7 - i%8) & 1) * 255
		case depth > 255:
			row[i] = scaled(int(in[2*i])<<8|int(in[2*i+1]), depth)
		default:
			row[i] = scaled(int(in[i]), depth)
		}
	}
	return nil
}

// scaled maps [0, depth] to [0, 255], rounding.
func scaled(v, depth int) uint8 { return uint8((min(v, depth)*255*2 + depth) / (2 * depth)) }
