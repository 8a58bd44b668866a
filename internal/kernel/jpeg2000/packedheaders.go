package jpeg2000

import (
	"encoding/binary"
	"fmt"
)

// packedHeaders are packet headers that stand apart from the packets: in the main
// header those of all tile-parts, each behind its length, or in a tile-part's header
// those of itself (annexes A.7.4 and A.7.5).
type packedHeaders struct {
	data []byte
	next int // index of the next segment
	any  bool
}

// add appends a segment. They are numbered, up to 255.
func (p *packedHeaders) add(s []byte) error {
	if len(s) < 1 || int(s[0]) != p.next%256 {
		return fmt.Errorf("%w: packed packet headers are not in order", ErrCorrupt)
	}
	p.data = append(p.data, s[1:]...)
	p.next++
	p.any = true
	return nil
}

// addHeaders gives a tile-part its packed headers, if there are any.
func (t *tileData) addHeaders(ppm, ppt *packedHeaders) error {
	if ppt.any {
		t.headers = append(t.headers, ppt.data...)
		t.packed = true
	}
	if !ppm.any {
		return nil
	}
	if len(ppm.data) < 4 || int(binary.BigEndian.Uint32(ppm.data)) > len(ppm.data)-4 {
		return fmt.Errorf("%w: packed packet headers are missing", ErrCorrupt)
	}
	n := 4 + int(binary.BigEndian.Uint32(ppm.data))
	t.headers = append(t.headers, ppm.data[4:n]...)
	ppm.data = ppm.data[n:]
	t.packed = true
	return nil
}
