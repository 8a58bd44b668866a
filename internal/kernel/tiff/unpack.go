package tiff

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"golang.org/x/image/ccitt"
	"golang.org/x/image/tiff/lzw"

	"gort/internal/kernel/jpeg"
)

// Compressions.
const (
	compressionNone       = 1
	compressionGroup3     = 3
	compressionGroup4     = 4
	compressionLZW        = 5
	compressionJPEG       = 7
	compressionDeflate    = 8
	compressionPackBits   = 32773
	compressionOldDeflate = 32946
)

// checkCompression checks that the compression is read, for such samples.
func (m *Image) checkCompression(d *directory) error {
	switch m.compression {
	case compressionNone, compressionPackBits:
		m.predicted = false // as in libtiff, only what follows have it
	case compressionLZW, compressionDeflate, compressionOldDeflate:
		if p := d.number(tagPredictor, 1); p > 2 || p == 2 && m.bits < 8 {
			return fmt.Errorf("%w: predictor %d of samples of %d bits", ErrUnsupported, p, m.bits)
		}
	case compressionGroup3, compressionGroup4:
		m.predicted = false
		if m.bits != 1 || m.samples != 1 {
			return fmt.Errorf("%w: CCITT compression of %d samples of %d bits", ErrUnsupported, m.samples, m.bits)
		}
		if o := d.number(tagGroup3Options, 0); m.compression == compressionGroup3 && o != 0 {
			return fmt.Errorf("%w: group 3 compression with options %d, allowed is the one-dimensional one without filling bits (0)", ErrUnsupported, o)
		}
	case compressionJPEG:
		if m.bits != 8 || m.apart && m.samples > 1 || m.samples != 1 && m.samples != 3 || m.photometric == photoIndex {
			return fmt.Errorf("%w: JPEG compression of %d samples of %d bits with photometric interpretation %d", ErrUnsupported, m.samples, m.bits, m.photometric)
		}
		return nil
	default:
		return fmt.Errorf("%w: compression %d; allowed are none (1), CCITT group 3 and 4 (3, 4), LZW (5), JPEG (7), Deflate (8) and PackBits (32773)", ErrUnsupported, m.compression)
	}
	if m.photometric == photoYCbCr {
		return fmt.Errorf("%w: YCbCr without JPEG compression", ErrUnsupported)
	}
	return nil
}

// part returns the bytes of a strip or tile.
func (m *Image) part(i int) ([]byte, error) {
	at, n := m.offsets[i], m.counts[i]
	if at < 0 || n < 0 || at > len(m.file) || n > len(m.file)-at {
		return nil, fmt.Errorf("%w: %d bytes at byte %d of %d", ErrCorrupt, n, at, len(m.file))
	}
	return m.file[at : at+n], nil
}

// unpack decompresses the first rows of a strip or tile, each of some bytes.
func (m *Image) unpack(i, rows, size int) ([]byte, error) {
	in, err := m.part(i)
	if err != nil {
		return nil, err
	}
	fax := m.compression == compressionGroup3 || m.compression == compressionGroup4
	if m.lowFirst && !fax {
		in = bytes.Clone(in)
		for i, v := range in {
			in[i] = bits.Reverse8(v)
		}
	}
	var r io.Reader = bytes.NewReader(in)
	switch m.compression {
	case compressionGroup3:
		r = m.fax(r, ccitt.Group3, rows)
	case compressionGroup4:
		r = m.fax(r, ccitt.Group4, rows)
	case compressionLZW:
		r = lzw.NewReader(r, lzw.MSB, 8)
	case compressionDeflate, compressionOldDeflate:
		if r, err = zlib.NewReader(r); err != nil {
			return nil, fmt.Errorf("%w: %v", ErrCorrupt, err)
		}
	case compressionPackBits:
		r = &packBits{in: in}
	}
	// What is read grows with the data; the header may claim more.
	out, err := io.ReadAll(io.LimitReader(r, int64(rows*size)))
	if len(out) < rows*size {
		return nil, fmt.Errorf("%w: %d bytes where %d rows of %d are wanted (%v)", ErrCorrupt, len(out), rows, size, err)
	}
	return out, nil
}

// fax reads a CCITT compression into bits of which 1 is black.
func (m *Image) fax(r io.Reader, kind ccitt.SubFormat, rows int) io.Reader {
	order := ccitt.MSB
	if m.lowFirst {
		order = ccitt.LSB
	}
	return ccitt.NewReader(r, order, kind, m.partWidth, rows, &ccitt.Options{Invert: true})
}

// packBits decompresses runs: a count n of 0 to 127 and n + 1 bytes, or a count of
// 129 to 255 and a byte that is repeated 257 - n times.
type packBits struct {
	in  []byte
	run []byte // what is left of a run
}

func (p *packBits) Read(out []byte) (int, error) {
	n := 0
	for n < len(out) {
		if len(p.run) == 0 && !p.next() {
			return n, io.EOF
		}
		k := copy(out[n:], p.run)
		p.run = p.run[k:]
		n += k
	}
	return n, nil
}

// next reads a run.
func (p *packBits) next() bool {
	for len(p.in) >= 2 {
		n := int(p.in[0])
		p.in = p.in[1:]
		switch {
		case n < 128:
			n = min(n+1, len(p.in))
			p.run, p.in = p.in[:n], p.in[n:]
			return true
		case n > 128:
			p.run, p.in = bytes.Repeat(p.in[:1], 257-n), p.in[1:]
			return true
		}
	}
	return false
}

// readRow reads a row of n samples into every step-th value, and undoes the
// prediction from the pixel before, which has so many samples.
func (m *Image) readRow(values []uint16, step int, row []byte, n, together int) {
	for i := range n {
		var v uint16
		switch m.bits {
		case 16:
			v = m.order.Uint16(row[2*i:])
		case 8:
			v = uint16(row[i])
		default:
			at := i * m.bits
			v = uint16(row[at/8]) >> (8 - m.bits - at%8) & (1<<m.bits - 1)
		}
		if m.predicted && i >= together {
			v += values[(i-together)*step]
			if m.bits == 8 {
				v &= 0xFF
			}
		}
		values[i*step] = v
	}
}

// decodeJPEG decodes a strip or tile that is a JPEG image, whose tables may be in a
// field of their own. What its components mean is said by the TIFF image; the marker
// of Adobe passes that on.
func (m *Image) decodeJPEG(ctx context.Context, i, rows int, put func(y int, rgb []uint8)) error {
	in, err := m.part(i)
	if err != nil {
		return err
	}
	if len(in) < 2 {
		return fmt.Errorf("%w: a JPEG image of %d bytes", ErrCorrupt, len(in))
	}
	transform := byte(0)
	if m.photometric == photoYCbCr {
		transform = 1
	}
	data := []byte{0xFF, 0xD8, 0xFF, 0xEE, 0, 14, 'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0, transform}
	if n := len(m.tables); n > 4 { // between the markers SOI and EOI
		data = append(data, m.tables[2:n-2]...)
	}
	data = append(data, in[2:]...)
	image, err := jpeg.Decode(ctx, nil, data, m.partWidth*m.partHeight)
	switch {
	case errors.Is(err, jpeg.ErrUnsupported):
		return fmt.Errorf("%w: %w", ErrUnsupported, err)
	case errors.Is(err, jpeg.ErrCorrupt):
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	case err != nil:
		return err
	}
	if image.Width < min(m.partWidth, m.Width) || image.Height < rows {
		return fmt.Errorf("%w: a JPEG image of %d x %d in a strip or tile of %d x %d", ErrCorrupt, image.Width, image.Height, m.partWidth, rows)
	}
	row := image.RowReader()
	for y := range rows {
		rgb := row(y)
		if m.photometric == whiteIsZero {
			for x := range rgb {
				rgb[x] = ^rgb[x]
			}
		}
		put(y, rgb)
	}
	return nil
}
