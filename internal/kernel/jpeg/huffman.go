package jpeg

import "fmt"

// lookBits is how long the codes are that one table look-up decodes.
const lookBits = 9

// huffman is a table of codes, T.81 annex F.2.2.3.
type huffman struct {
	// look maps the next lookBits bits to length<<8 | symbol, or 0 where the code is
	// longer.
	look [1 << lookBits]uint16
	// Of the codes of each length: the largest of them, left-aligned to 16 bits and
	// with 1s behind (-1 if there is none), and what to add for its symbol's index.
	largest [17]int32
	offset  [17]int32
	symbols []byte
}

// readHuffman reads tables of codes.
func (d *decoder) readHuffman(s []byte) error {
	for len(s) > 0 {
		if len(s) < 17 {
			return fmt.Errorf("%w: a Huffman table of %d bytes, want at least 17", ErrCorrupt, len(s))
		}
		class, id := s[0]>>4, s[0]&15
		if class > 1 || id > 3 {
			return fmt.Errorf("%w: a Huffman table of class %d, number %d, allowed are 0 to 1 and 0 to 3", ErrCorrupt, class, id)
		}
		n := 0
		for _, count := range s[1:17] {
			n += int(count)
		}
		if n > 256 || len(s) < 17+n {
			return fmt.Errorf("%w: a Huffman table of %d codes, in %d bytes", ErrCorrupt, n, len(s)-17)
		}
		h, err := newHuffman(s[1:17], s[17:17+n])
		if err != nil {
			return err
		}
		if class == 0 {
			d.dc[id] = h
		} else {
			d.ac[id] = h
		}
		s = s[17+n:]
	}
	return nil
}

// newHuffman makes a table of how many codes there are of each length from 1, and
// their symbols.
func newHuffman(counts, symbols []byte) (*huffman, error) {
	h := &huffman{symbols: symbols}
	code, k := 0, 0
	for length := 1; length <= 16; length++ {
		n := int(counts[length-1])
		h.largest[length] = -1
		if n > 0 {
			if code+n > 1<<length {
				return nil, fmt.Errorf("%w: a Huffman table has too many codes of %d bits", ErrCorrupt, length)
			}
			h.offset[length] = int32(k - code)
			h.largest[length] = int32((code+n)<<(16-length) - 1)
		}
		for range n {
			if length <= lookBits {
				first := code << (lookBits - length)
				for i := range 1 << (lookBits - length) {
					h.look[first+i] = uint16(length)<<8 | uint16(symbols[k])
				}
			}
			code++
			k++
		}
		code <<= 1
	}
	return h, nil
}

// decode reads a symbol.
func (r *bitReader) decode(h *huffman) (byte, error) {
	if r.count < 16 {
		r.fill()
	}
	if e := h.look[r.peek(lookBits)]; e != 0 {
		r.count -= int(e >> 8)
		return byte(e), nil
	}
	next := int32(r.peek(16))
	for length := lookBits + 1; length <= 16; length++ {
		if next <= h.largest[length] {
			r.count -= length
			return h.symbols[next>>(16-length)+h.offset[length]], nil
		}
	}
	return 0, fmt.Errorf("%w: no Huffman code near byte %d", ErrCorrupt, r.at)
}
