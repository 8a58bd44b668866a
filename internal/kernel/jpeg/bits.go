package jpeg

import "fmt"

// bitReader reads entropy-coded data: bytes up to a marker, with 0x00 stuffed behind
// every 0xFF. Beyond the marker it gives 0s, and counts them: how far a decoder
// looked ahead is no matter, but what it used must have been there.
type bitReader struct {
	data   []byte
	at     int
	bits   uint64
	count  int // of bits that are unread
	beyond int // how many of those ever read lay beyond the end
}

// fill makes at least 48 bits available.
func (r *bitReader) fill() {
	for r.count <= 48 {
		c, ok := r.nextByte()
		if !ok {
			r.beyond += 8
		}
		r.bits = r.bits<<8 | uint64(c)
		r.count += 8
	}
}

// nextByte takes a byte, if no marker is next.
func (r *bitReader) nextByte() (c byte, ok bool) {
	if r.at >= len(r.data) {
		return 0, false
	}
	c = r.data[r.at]
	if c != 0xFF {
		r.at++
		return c, true
	}
	if r.at+1 < len(r.data) && r.data[r.at+1] == 0 {
		r.at += 2
		return c, true
	}
	return 0, false
}

// peek looks at the next n bits, which must be available.
func (r *bitReader) peek(n int) uint32 {
	return uint32(r.bits>>(r.count-n)) & (1<<n - 1)
}

// take reads n bits, at most 16.
func (r *bitReader) take(n int) int32 {
	if r.count < n {
		r.fill()
	}
	v := r.peek(n)
	r.count -= n
	return int32(v)
}

// signed reads a number of n bits in JPEG's form: without a leading 1 it is negative,
// T.81 figure F.12.
func (r *bitReader) signed(n int) int32 {
	if n == 0 {
		return 0
	}
	v := r.take(n)
	if v < 1<<(n-1) {
		v += -1<<n + 1
	}
	return v
}

// check returns an error if bits were used that were not there.
func (r *bitReader) check() error {
	if r.count < r.beyond {
		return fmt.Errorf("%w: a scan's data ends at byte %d, too early", ErrCorrupt, r.at)
	}
	return nil
}

// restart skips what is left before the restart marker n, and the marker.
func (r *bitReader) restart(n int) error {
	r.bits, r.count, r.beyond = 0, 0, 0
	r.skip()
	want := byte(markerRST0 + n%8)
	if r.at+1 >= len(r.data) || r.data[r.at+1] != want {
		return fmt.Errorf("%w: no restart marker %#x at byte %d", ErrCorrupt, want, r.at)
	}
	r.at += 2
	return nil
}

// skip goes to the next marker, past data and fill bytes.
func (r *bitReader) skip() {
	for r.at < len(r.data) {
		if r.data[r.at] == 0xFF && r.at+1 < len(r.data) && r.data[r.at+1] != 0 && r.data[r.at+1] != 0xFF {
			return
		}
		r.at++
	}
}
