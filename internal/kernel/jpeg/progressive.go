package jpeg

import "fmt"

// The four kinds of progressive scan, T.81 annex G.1.2: the first one of a
// coefficient brings its upper bits, each later one a bit more.

// firstDC reads the upper bits of a DC coefficient.
func (s *scan) firstDC(p *scanPart, bx, by int) error {
	diff, err := s.dcDifference(p)
	if err != nil {
		return err
	}
	p.before += diff
	p.c.block(bx, by)[0] = int16(p.before << s.low)
	return nil
}

// refineDC reads one more bit of a DC coefficient.
func (s *scan) refineDC(p *scanPart, bx, by int) error {
	p.c.block(bx, by)[0] |= int16(s.bits.take(1) << s.low)
	return nil
}

// firstAC reads the upper bits of some AC coefficients.
func (s *scan) firstAC(p *scanPart, bx, by int) error {
	if s.blocksLeft > 0 {
		s.blocksLeft--
		return nil
	}
	block := p.c.block(bx, by)
	for k := s.first; k <= s.last; k++ {
		symbol, err := s.bits.decode(p.ac)
		if err != nil {
			return err
		}
		zeros, size := int(symbol>>4), int(symbol&15)
		if size == 0 {
			if zeros != 15 {
				s.blocksLeft = s.blockRun(zeros) - 1
				return nil
			}
			k += 15
			continue
		}
		if k += zeros; k > s.last {
			return s.tooMany()
		}
		block[zigzag[k]] = int16(s.bits.signed(size) << s.low)
	}
	return nil
}

// blockRun reads how many blocks, this one included, have no further coefficients.
func (s *scan) blockRun(bits int) int { return 1<<bits + int(s.bits.take(bits)) }

func (s *scan) tooMany() error {
	return fmt.Errorf("%w: a block has coefficients after number %d, the scan's last, near byte %d", ErrCorrupt, s.last, s.bits.at)
}

// refineAC reads one more bit of some AC coefficients. Those that are not 0 so far
// have theirs in passing; between them stand the codes of new ones.
func (s *scan) refineAC(p *scanPart, bx, by int) error {
	block := p.c.block(bx, by)
	k := s.first
	if s.blocksLeft == 0 {
		for ; k <= s.last; k++ {
			symbol, err := s.bits.decode(p.ac)
			if err != nil {
				return err
			}
			zeros, size := int(symbol>>4), symbol&15
			var fresh int16
			switch {
			case size == 1:
				fresh = -1 << s.low
				if s.bits.take(1) == 1 {
					fresh = 1 << s.low
				}
			case size > 1:
				return fmt.Errorf("%w: a new coefficient of %d bits in a refining scan, near byte %d", ErrCorrupt, size, s.bits.at)
			case zeros != 15:
				s.blocksLeft = s.blockRun(zeros)
			}
			if s.blocksLeft > 0 {
				break
			}
			// A run of 16 zeros ends on the last of them, which stays 0.
			if k = s.refine(block, k, zeros); k > s.last {
				if fresh != 0 {
					return s.tooMany()
				}
				break
			}
			if fresh != 0 {
				block[zigzag[k]] = fresh
			}
		}
	}
	if s.blocksLeft > 0 {
		s.refine(block, k, blockSize)
		s.blocksLeft--
	}
	return nil
}

// refine reads a bit of every coefficient from k that is not 0, up to the one that
// is and follows the given number of zeros. It returns where that stands.
func (s *scan) refine(block []int16, k, zeros int) int {
	for ; k <= s.last; k++ {
		c := &block[zigzag[k]]
		if *c == 0 {
			if zeros == 0 {
				return k
			}
			zeros--
			continue
		}
		if s.bits.take(1) == 0 {
			continue
		}
		if *c > 0 {
			*c += 1 << s.low
		} else {
			*c -= 1 << s.low
		}
	}
	return k
}
