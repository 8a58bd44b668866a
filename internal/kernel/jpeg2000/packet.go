package jpeg2000

import (
	"fmt"
	"math/bits"
)

// headerBits reads a packet header: after a byte of 0xFF the next has 7 bits only.
type headerBits struct {
	data  []byte
	at    int
	value byte
	count int // of bits that are unread in value
	short bool
}

func (r *headerBits) bit() int {
	if r.count == 0 {
		r.count = 8
		if r.value == 0xFF {
			r.count = 7
		}
		r.value = 0
		if r.at < len(r.data) {
			r.value = r.data[r.at]
		} else {
			r.short = true
		}
		r.at++
	}
	r.count--
	return int(r.value>>r.count) & 1
}

func (r *headerBits) bits(n int) int {
	v := 0
	for range n {
		v = v<<1 | r.bit()
	}
	return v
}

// end goes to the byte behind the header.
func (r *headerBits) end() {
	if r.value == 0xFF {
		r.at++
	}
	r.value, r.count = 0, 0
}

// passes reads a number of passes, table B.4.
func (r *headerBits) passes() int {
	if r.bit() == 0 {
		return 1
	}
	if r.bit() == 0 {
		return 2
	}
	if n := r.bits(2); n < 3 {
		return 3 + n
	}
	if n := r.bits(5); n < 31 {
		return 6 + n
	}
	return 37 + r.bits(7)
}

// packetReader reads a tile's packets.
type packetReader struct {
	*tileData
	header  headerBits // of packed headers, else of the body
	body    []byte     // what is left
	pending []announced
}

// announced is data whose length the header has told.
type announced struct {
	block           *codeBlock
	segment, length int
}

// errShort is of data that ends within a packet.
var errShort = fmt.Errorf("%w: a tile's data ends within a packet", ErrCorrupt)

// read reads the packet of a precinct in a layer, annex B.9.
func (p *packetReader) read(c *tileComponent, r *resolution, k *precinct, layer int) error {
	if p.sop && len(p.body) >= 6 && uint16At(p.body, 0) == markerSOP {
		p.body = p.body[6:]
	}
	if !p.packed {
		p.header = headerBits{data: p.body}
	}
	p.pending = p.pending[:0]
	if err := p.readHeader(c, r, k, layer); err != nil {
		return err
	}
	h := &p.header
	if h.end(); h.short || h.at > len(h.data) {
		return errShort
	}
	if p.eph && len(h.data) >= h.at+2 && uint16At(h.data, h.at) == markerEPH {
		h.at += 2
	}
	if !p.packed {
		p.body = p.body[h.at:]
	}
	return p.readData()
}

// readHeader reads what the packet has of each code-block, annex B.10.
func (p *packetReader) readHeader(c *tileComponent, r *resolution, k *precinct, layer int) error {
	h := &p.header
	if h.bit() == 0 {
		return nil // nothing
	}
	for i := range k.parts {
		part := &k.parts[i]
		for n := range part.blocks {
			if h.short {
				return errShort
			}
			b := &part.blocks[n]
			if b.lengthBits > 0 {
				if h.bit() == 0 {
					continue
				}
			} else {
				if !part.included.less(h, n, layer+1) {
					continue
				}
				if err := b.begin(h, part.zeros, n, r.bands[i].planes+c.shift); err != nil {
					return err
				}
			}
			if err := p.readLengths(b, c.style); err != nil {
				return err
			}
		}
	}
	return nil
}

const (
	// maxPlanes is how many bit-planes fit into a coefficient, with a fractional bit.
	maxPlanes = 30
	// maxPasses is how many passes go over them: three each.
	maxPasses = 3 * maxPlanes
)

// begin reads how many bit-planes a code-block has.
func (b *codeBlock) begin(h *headerBits, zeros *tagTree, n, planes int) error {
	b.planes = planes
	for limit := 1; !zeros.less(h, n, limit); limit++ {
		if b.planes--; b.planes < 0 {
			return fmt.Errorf("%w: a code-block has fewer than 0 of %d bit-planes", ErrCorrupt, planes)
		}
	}
	if b.planes > maxPlanes {
		return fmt.Errorf("%w: a code-block has %d bit-planes, allowed are %d", ErrUnsupported, b.planes, maxPlanes)
	}
	b.lengthBits = 3
	return nil
}

// readLengths reads how many passes of a code-block come, and the bytes of their
// segments.
func (p *packetReader) readLengths(b *codeBlock, style byte) error {
	h := &p.header
	passes := h.passes()
	if b.passes += passes; b.passes > maxPasses {
		return fmt.Errorf("%w: a code-block has %d passes, allowed are %d", ErrCorrupt, b.passes, maxPasses)
	}
	for h.bit() == 1 {
		b.lengthBits++
		if b.lengthBits > 32 {
			return fmt.Errorf("%w: a code-block's bytes are counted with more than 32 bits", ErrCorrupt)
		}
	}
	for passes > 0 {
		s := b.openSegment(style)
		n := min(passes, s.room)
		width := b.lengthBits + bits.Len(uint(n)) - 1
		if width > 32 {
			return fmt.Errorf("%w: a code-block's bytes are counted with more than 32 bits", ErrCorrupt)
		}
		p.pending = append(p.pending, announced{b, len(b.segments) - 1, h.bits(width)})
		s.passes += n
		s.room -= n
		passes -= n
	}
	return nil
}

// openSegment returns the segment that the next pass belongs to.
func (b *codeBlock) openSegment(style byte) *segment {
	if n := len(b.segments); n > 0 && b.segments[n-1].room > 0 {
		return &b.segments[n-1]
	}
	room := maxPasses
	switch n := len(b.segments); {
	case style&styleTerminate != 0:
		room = 1
	case style&styleBypass == 0:
	case n == 0:
		room = bypassFrom // these are arithmetically coded
	case n%2 == 1:
		room = 2 // these are not
	default:
		room = 1 // this one is
	}
	b.segments = append(b.segments, segment{room: room})
	return &b.segments[len(b.segments)-1]
}

// readData takes the bytes that the header has announced.
func (p *packetReader) readData() error {
	for _, a := range p.pending {
		if a.length > len(p.body) {
			return errShort
		}
		s := &a.block.segments[a.segment]
		if s.data == nil {
			s.data = p.body[:a.length:a.length]
		} else {
			s.data = append(s.data, p.body[:a.length]...)
		}
		p.body = p.body[a.length:]
	}
	return nil
}
