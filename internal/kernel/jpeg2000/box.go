package jpeg2000

import (
	"encoding/binary"
	"fmt"
)

// Enumerated colour spaces, annex I.5.3.3 and ISO/IEC 15444-2.
const (
	spaceCMYK = 12
	spaceLab  = 14
	spaceRGB  = 16
	spaceGrey = 17
	spaceYCC  = 18
)

// maxChannels bounds the work that a file can ask for.
const maxChannels = 64

// boxes is what a JP2 file says about its image, annex I.
type boxes struct {
	file    bool // it is a file, not a bare codestream
	space   int  // enumerated colour space, 0 for others
	palette [][]uint8
	maps    []channelMap
	defs    []channelDefinition
}

// channelMap makes a channel of a component, directly or by a column of the palette.
type channelMap struct {
	component int
	palette   bool
	column    int
}

// channelDefinition says which colour a channel is.
type channelDefinition struct{ channel, kind, colour int }

// next splits a box off; one of length 0 takes all bytes.
func next(data []byte) (kind string, body, rest []byte, err error) {
	if len(data) < 8 {
		return "", nil, nil, fmt.Errorf("%w: %d bytes are too few for a box", ErrCorrupt, len(data))
	}
	kind = string(data[4:8])
	length, header := uint64(binary.BigEndian.Uint32(data)), 8
	switch {
	case length == 0:
		length = uint64(len(data))
	case length == 1 && len(data) >= 16:
		length, header = binary.BigEndian.Uint64(data[8:]), 16
	}
	if length < uint64(header) || length > uint64(len(data)) {
		return "", nil, nil, fmt.Errorf("%w: the box %q has %d of %d bytes", ErrCorrupt, kind, length, len(data))
	}
	return kind, data[header:length], data[length:], nil
}

// read goes through a file's boxes up to the codestream, and returns that.
func (b *boxes) read(data []byte) ([]byte, error) {
	b.file = true
	for len(data) > 0 {
		kind, body, rest, err := next(data)
		if err != nil {
			return nil, err
		}
		switch kind {
		case "jp2c":
			return body, nil
		case "jp2h":
			if err := b.readHeader(body); err != nil {
				return nil, err
			}
		}
		data = rest
	}
	return nil, fmt.Errorf("%w: the file has no codestream", ErrCorrupt)
}

// readHeader reads the boxes in the header box.
func (b *boxes) readHeader(data []byte) error {
	coloured := false
	for len(data) > 0 {
		kind, body, rest, err := next(data)
		if err != nil {
			return err
		}
		r := &fields{data: body}
		switch kind {
		case "colr":
			// The first counts. Method 1 enumerates, others have profiles.
			if method := r.byte(); !coloured && method == 1 {
				r.uint16() // precedence and approximation
				b.space = r.uint16()<<16 | r.uint16()
			}
			coloured = true
		case "pclr":
			b.readPalette(r)
		case "cmap":
			for r.more() {
				r.require(len(b.maps) < maxChannels, "more than 64 channels")
				m := channelMap{component: r.uint16(), palette: r.byte() == 1}
				m.column = r.byte()
				b.maps = append(b.maps, m)
			}
		case "cdef":
			n := r.uint16()
			r.require(n <= maxChannels, "more than 64 channels")
			for range n {
				b.defs = append(b.defs, channelDefinition{r.uint16(), r.uint16(), r.uint16()})
				if r.err != nil {
					break
				}
			}
		}
		if r.err != nil {
			return fmt.Errorf("in the box %q: %w", kind, r.err)
		}
		data = rest
	}
	return nil
}

// readPalette reads the columns of a palette, scaled to 8 bits.
func (b *boxes) readPalette(r *fields) {
	entries, columns := r.uint16(), r.byte()
	r.require(entries >= 1 && entries <= 1024 && columns >= 1, "a palette without entries or with more than 1024")
	depths := make([]int, columns)
	for i := range depths {
		d := r.byte()
		depths[i] = d&0x7F + 1
		if depths[i] > 16 || d > 0x7F {
			r.require(false, "a palette of signed numbers or more than 16 bits")
		}
	}
	if r.err != nil {
		return
	}
	b.palette = make([][]uint8, columns)
	for i := range b.palette {
		b.palette[i] = make([]uint8, entries)
	}
	for i := range entries {
		for j, d := range depths {
			v := r.byte()
			if d > 8 {
				v = v<<8 | r.byte()
			}
			b.palette[j][i] = scaled(v, d)
		}
	}
}
