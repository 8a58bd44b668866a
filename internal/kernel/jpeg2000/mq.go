package jpeg2000

// mqState is a state of probability estimation, table C.2, with the more probable
// decision in the last bit of its number.
type mqState struct {
	qe       uint32 // the less probable decision's share
	nextMPS  uint8
	nextLPS  uint8
	decision uint8 // the more probable one
}

// mqStates are the states of both decisions.
var mqStates = func() (out [2 * len(mqTable)]mqState) {
	for i, s := range mqTable {
		for d := range uint8(2) {
			t := mqState{s.qe, s.mps<<1 | d, s.lps<<1 | d, d}
			if s.exchange {
				t.nextLPS ^= 1
			}
			out[2*i+int(d)] = t
		}
	}
	return out
}()

// mqTable is table C.2.
var mqTable = [47]struct {
	qe       uint32
	mps, lps uint8
	exchange bool // of the more probable decision
}{
	{0x5601, 1, 1, true}, {0x3401, 2, 6, false}, {0x1801, 3, 9, false}, {0x0AC1, 4, 12, false},
	{0x0521, 5, 29, false}, {0x0221, 38, 33, false}, {0x5601, 7, 6, true}, {0x5401, 8, 14, false},
	{0x4801, 9, 14, false}, {0x3801, 10, 14, false}, {0x3001, 11, 17, false}, {0x2401, 12, 18, false},
	{0x1C01, 13, 20, false}, {0x1601, 29, 21, false}, {0x5601, 15, 14, true}, {0x5401, 16, 14, false},
	{0x5101, 17, 15, false}, {0x4801, 18, 16, false}, {0x3801, 19, 17, false}, {0x3401, 20, 18, false},
	{0x3001, 21, 19, false}, {0x2801, 22, 19, false}, {0x2401, 23, 20, false}, {0x2201, 24, 21, false},
	{0x1C01, 25, 22, false}, {0x1801, 26, 23, false}, {0x1601, 27, 24, false}, {0x1401, 28, 25, false},
	{0x1201, 29, 26, false}, {0x1101, 30, 27, false}, {0x0AC1, 31, 28, false}, {0x09C1, 32, 29, false},
	{0x08A1, 33, 30, false}, {0x0521, 34, 31, false}, {0x0441, 35, 32, false}, {0x02A1, 36, 33, false},
	{0x0221, 37, 34, false}, {0x0141, 38, 35, false}, {0x0111, 39, 36, false}, {0x0085, 40, 37, false},
	{0x0049, 41, 38, false}, {0x0025, 42, 39, false}, {0x0015, 43, 40, false}, {0x0009, 44, 41, false},
	{0x0005, 45, 42, false}, {0x0001, 45, 43, false}, {0x5601, 46, 46, false},
}

// decisions reads the decisions of a codeword segment: arithmetically coded ones,
// annex C, or plain bits (annex D.6). Beyond its end the data goes on with 1s.
type decisions struct {
	data  []byte
	at    int
	plain bool

	a, c     uint32 // the interval, and where in it the code is
	count    int    // of bits before the next byte is needed
	contexts [contexts]uint8
}

// reset puts the contexts into their first states, table D.7.
func (d *decisions) reset() {
	d.contexts = [contexts]uint8{contextZero: 4 << 1, contextRun: 3 << 1, contextUniform: 46 << 1}
}

// begin starts a segment.
func (d *decisions) begin(data []byte, plain bool) {
	d.data, d.at, d.plain = data, 0, plain
	d.c, d.count = 0, 0
	if plain {
		return
	}
	d.c = uint32(d.peek(0)) << 16
	d.nextByte()
	d.c <<= 7
	d.count -= 7
	d.a = 0x8000
}

// peek returns the byte that stands some bytes ahead.
func (d *decisions) peek(ahead int) byte {
	if d.at+ahead < len(d.data) {
		return d.data[d.at+ahead]
	}
	return 0xFF
}

// nextByte is procedure BYTEIN, figure C.19: after 0xFF come 7 bits, or a marker and
// so the end.
func (d *decisions) nextByte() {
	next := d.peek(1)
	switch {
	case d.peek(0) != 0xFF:
		d.at++
		d.c += uint32(next) << 8
		d.count = 8
	case next > 0x8F:
		d.c += 0xFF00
		d.count = 8
	default:
		d.at++
		d.c += uint32(next) << 9
		d.count = 7
	}
}

// decide reads a decision in a context.
func (d *decisions) decide(context uint8) uint8 {
	if d.plain {
		return d.bit()
	}
	s := &mqStates[d.contexts[context]]
	d.a -= s.qe
	decision := s.decision
	if d.c>>16 < s.qe {
		// The lower part of the interval, which is the less probable decision's unless
		// it became the larger one.
		if d.a < s.qe {
			d.contexts[context] = s.nextMPS
		} else {
			d.contexts[context] = s.nextLPS
			decision ^= 1
		}
		d.a = s.qe
	} else {
		d.c -= s.qe << 16
		if d.a&0x8000 != 0 {
			return decision
		}
		if d.a < s.qe {
			d.contexts[context] = s.nextLPS
			decision ^= 1
		} else {
			d.contexts[context] = s.nextMPS
		}
	}
	for {
		if d.count == 0 {
			d.nextByte()
		}
		d.a <<= 1
		d.c <<= 1
		d.count--
		if d.a&0x8000 != 0 {
			return decision
		}
	}
}

// bit reads a plain bit; a byte after 0xFF has 7 of them. c holds the byte.
func (d *decisions) bit() uint8 {
	if d.count == 0 {
		d.count = 8
		if d.c == 0xFF {
			d.count = 7
		}
		d.c = uint32(d.peek(0))
		d.at++
	}
	d.count--
	return uint8(d.c>>d.count) & 1
}
