package jpeg

import (
	"context"
	"fmt"
)

// scan is one pass over one or more components: the coefficients from first to last
// of their blocks; in a progressive image only some of their bits.
type scan struct {
	*decoder
	bits  bitReader
	parts []scanPart

	first, last int
	high, low   int // the bits' position before and after this scan
	blocksLeft  int // of those that have no further coefficients (progressive)
}

// scanPart is a component in a scan.
type scanPart struct {
	c      *component
	dc, ac *huffman
	before int32 // the DC coefficient of the block before
}

// scan reads a scan's header and data.
func (d *decoder) scan(ctx context.Context, segment []byte) error {
	s, err := d.readScan(segment)
	if err != nil {
		return err
	}
	decode, err := s.blockDecoder()
	if err != nil {
		return err
	}
	s.bits = bitReader{data: d.data, at: d.at}
	if err := s.decodeBlocks(ctx, decode); err != nil {
		return err
	}
	d.at = s.bits.at
	for _, p := range s.parts {
		p.c.seen = p.c.seen || s.first == 0
	}
	return nil
}

// readScan reads a scan's header, T.81 annex B.2.3.
func (d *decoder) readScan(h []byte) (*scan, error) {
	if d.image == nil {
		return nil, fmt.Errorf("%w: a scan comes before the frame", ErrCorrupt)
	}
	if len(h) < 1 || h[0] < 1 || h[0] > 4 || len(h) != 4+2*int(h[0]) {
		return nil, fmt.Errorf("%w: a scan header has %d bytes", ErrCorrupt, len(h))
	}
	n := int(h[0])
	s := &scan{decoder: d}
	for i := range n {
		id, tables := h[1+2*i], h[2+2*i]
		c := d.component(id)
		if c == nil {
			return nil, fmt.Errorf("%w: a scan has component %d, which is not in the frame", ErrCorrupt, id)
		}
		for _, p := range s.parts {
			if p.c == c {
				return nil, fmt.Errorf("%w: a scan has component %d twice", ErrCorrupt, id)
			}
		}
		if tables>>4 > 3 || tables&15 > 3 {
			return nil, fmt.Errorf("%w: a scan has Huffman tables %d and %d, allowed are 0 to 3", ErrCorrupt, tables>>4, tables&15)
		}
		if err := d.latchQuant(c); err != nil {
			return nil, err
		}
		s.parts = append(s.parts, scanPart{c: c, dc: d.dc[tables>>4], ac: d.ac[tables&15]})
	}
	h = h[1+2*n:]
	s.first, s.last = int(h[0]), int(h[1])
	s.high, s.low = int(h[2]>>4), int(h[2]&15)
	return s, nil
}

// component finds a component by its identifier.
func (d *decoder) component(id byte) *component {
	for i := range d.image.components {
		if c := &d.image.components[i]; c.id == id {
			return c
		}
	}
	return nil
}

// blockDecoder returns what reads a block in this kind of scan.
func (s *scan) blockDecoder() (func(p *scanPart, bx, by int) error, error) {
	if !s.progressive {
		// Files exist that give other limits; they mean all coefficients, too.
		s.first, s.last, s.high, s.low = 0, blockSize-1, 0, 0
		return s.sequentialBlock, s.needTables(true, true)
	}
	ok := s.last < blockSize && s.low <= 13 && (s.high == 0 || s.high == s.low+1)
	if s.first == 0 {
		ok = ok && s.last == 0
	} else {
		ok = ok && s.first <= s.last && len(s.parts) == 1 && s.parts[0].c.seen
	}
	if !ok {
		return nil, fmt.Errorf("%w: a progressive scan of %d components has coefficients %d to %d, bits %d to %d",
			ErrCorrupt, len(s.parts), s.first, s.last, s.high, s.low)
	}
	switch {
	case s.first == 0 && s.high == 0:
		return s.firstDC, s.needTables(true, false)
	case s.first == 0:
		return s.refineDC, nil
	case s.high == 0:
		return s.firstAC, s.needTables(false, true)
	default:
		return s.refineAC, s.needTables(false, true)
	}
}

// needTables checks that the Huffman tables are there.
func (s *scan) needTables(dc, ac bool) error {
	for _, p := range s.parts {
		if dc && p.dc == nil || ac && p.ac == nil {
			return fmt.Errorf("%w: component %d refers to a Huffman table that is missing", ErrCorrupt, p.c.id)
		}
	}
	return nil
}

// decodeBlocks goes over the scan's blocks: those of one component row by row, those
// of several in MCUs that have some blocks of each.
func (s *scan) decodeBlocks(ctx context.Context, decode func(p *scanPart, bx, by int) error) error {
	across, down := s.mcusAcross, s.mcusDown
	alone := len(s.parts) == 1
	if alone {
		c := s.parts[0].c
		across, down = ceilDiv(c.width, 8), ceilDiv(c.height, 8)
	}
	for mcu := range across * down {
		if s.interval > 0 && mcu > 0 && mcu%s.interval == 0 {
			if err := s.restart(mcu / s.interval); err != nil {
				return err
			}
		}
		mx, my := mcu%across, mcu/across
		if mx == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		for i := range s.parts {
			p := &s.parts[i]
			h, v := p.c.h, p.c.v
			if alone {
				h, v = 1, 1
			}
			for y := range v {
				for x := range h {
					if err := decode(p, mx*h+x, my*v+y); err != nil {
						return err
					}
				}
			}
		}
		if err := s.bits.check(); err != nil {
			return err
		}
	}
	s.bits.skip()
	return nil
}

// restart reads the n-th restart marker, counted from 1, and begins anew.
func (s *scan) restart(n int) error {
	if err := s.bits.restart(n - 1); err != nil {
		return err
	}
	for i := range s.parts {
		s.parts[i].before = 0
	}
	s.blocksLeft = 0
	return nil
}

// dcDifference reads how much a DC coefficient differs from the one before.
func (s *scan) dcDifference(p *scanPart) (int32, error) {
	n, err := s.bits.decode(p.dc)
	if err != nil {
		return 0, err
	}
	if n > 15 {
		return 0, fmt.Errorf("%w: a DC coefficient of %d bits, allowed are 15", ErrCorrupt, n)
	}
	return s.bits.signed(int(n)), nil
}

// sequentialBlock reads all coefficients of a block, and transforms it, T.81 annex
// F.2.2.
func (s *scan) sequentialBlock(p *scanPart, bx, by int) error {
	diff, err := s.dcDifference(p)
	if err != nil {
		return err
	}
	p.before += diff
	block := [blockSize]int32{p.before * p.c.quant[0]}
	for k := 1; k < blockSize; k++ {
		symbol, err := s.bits.decode(p.ac)
		if err != nil {
			return err
		}
		zeros, size := int(symbol>>4), int(symbol&15)
		if size == 0 {
			if zeros != 15 {
				break // the rest is 0
			}
			k += 15
			continue
		}
		if k += zeros; k >= blockSize {
			return fmt.Errorf("%w: a block has more than %d coefficients, near byte %d", ErrCorrupt, blockSize, s.bits.at)
		}
		at := zigzag[k]
		block[at] = s.bits.signed(size) * p.c.quant[at]
	}
	p.c.put(&block, bx, by)
	return nil
}
