package picture

import (
	"fmt"
)

// isPortable reports whether a file is PBM, PGM or PPM, as text (P1 to P3) or
// binary (P4 to P6).
func isPortable(file []byte) bool {
	return len(file) > 2 && file[0] == 'P' && file[1] >= '1' && file[1] <= '6' && isSpace(file[2])
}

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

// decodePortable reads an image of the Netpbm formats.
func decodePortable(file []byte, f Format) (*Pixels, error) {
	kind := file[1] - '0'
	r := &portableReader{file, 2}
	width, err := r.number(maxPixels)
	if err != nil {
		return nil, err
	}
	height, err := r.number(maxPixels)
	if err != nil {
		return nil, err
	}
	if width == 0 || height == 0 || width > maxPixels/height {
		return nil, fmt.Errorf("%w: %d x %d pixels, allowed are 1 to %d", ErrUnsupported, width, height, maxPixels)
	}
	depth := 1
	if kind != 1 && kind != 4 {
		if depth, err = r.number(65535); err != nil {
			return nil, err
		}
		if depth == 0 {
			return nil, fmt.Errorf("%w: the largest value is 0", ErrCorrupt)
		}
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
	if (len(file)-r.at)*8 < width*height {
		return nil, fmt.Errorf("%w: %d bytes are too few for %d x %d pixels", ErrCorrupt, len(file), width, height)
	}
	p := &Pixels{height, width, make([]uint8, width*height*f.Colours())}
	row := make([]uint8, width*colours)
	i := 0
	for range height {
		if err := values(row, depth, kind == 1 || kind == 4); err != nil {
			return nil, err
		}
		for x := range width {
			c := row[x*colours:]
			i += f.put(p.Data[i:], c[0], c[colours/2], c[colours-1])
		}
	}
	return p, nil
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
