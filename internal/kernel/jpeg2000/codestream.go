package jpeg2000

import (
	"encoding/binary"
	"fmt"
)

// Markers, annex A.
const (
	markerSIZ = 0xFF51
	markerCAP = 0xFF50
	markerCOD = 0xFF52
	markerCOC = 0xFF53
	markerQCD = 0xFF5C
	markerQCC = 0xFF5D
	markerRGN = 0xFF5E
	markerPOC = 0xFF5F
	markerPPM = 0xFF60
	markerPPT = 0xFF61
	markerSOT = 0xFF90
	markerSOP = 0xFF91
	markerEPH = 0xFF92
	markerSOD = 0xFF93
	markerEOC = 0xFFD9
)

const (
	// maxSide bounds coordinates, so that sums of them can not overflow.
	maxSide = 1 << 29
	// freeSamples is the number of samples that any image may have; one with more
	// may have so many for each byte of its data. Blank images have thousands.
	freeSamples    = 1 << 24
	samplesPerByte = 1 << 12
	maxComponents  = 16
)

// codestream is the state while a codestream is read.
type codestream struct {
	data []byte
	at   int

	image        *Image
	x1, y1       int // of the image's lower right corner on the reference grid
	tileX, tileY int // where the first tile begins
	tileW, tileH int
	tilesAcross  int
	tiles        []*tileData
	main         *parameters
}

// tileData is what the codestream has of a tile.
type tileData struct {
	*parameters
	body    []byte // packets; without their headers if those are packed
	headers []byte // packed packet headers
	packed  bool
}

// uint16At reads a number.
func uint16At(b []byte, at int) int { return int(binary.BigEndian.Uint16(b[at:])) }

// uint32At reads a number, of which those that are too large become maxSide + 1.
func uint32At(b []byte, at int) int {
	return int(min(binary.BigEndian.Uint32(b[at:]), maxSide+1))
}

// segment reads a marker and the bytes that belong to it.
func (c *codestream) segment() (marker int, body []byte, err error) {
	rest := c.data[c.at:]
	if len(rest) < 2 {
		return 0, nil, fmt.Errorf("%w: it ends at byte %d, where a marker is wanted", ErrCorrupt, c.at)
	}
	marker = uint16At(rest, 0)
	if marker < 0xFF00 {
		return 0, nil, fmt.Errorf("%w: %#x at byte %d is no marker", ErrCorrupt, marker, c.at)
	}
	if marker == markerSOD || marker == markerEOC || marker >= 0xFF30 && marker <= 0xFF3F {
		c.at += 2
		return marker, nil, nil
	}
	if len(rest) < 4 || uint16At(rest, 2) < 2 || uint16At(rest, 2) > len(rest)-2 {
		return 0, nil, fmt.Errorf("%w: segment %#x at byte %d has a wrong length", ErrCorrupt, marker, c.at)
	}
	n := 2 + uint16At(rest, 2)
	c.at += n
	return marker, rest[4:n], nil
}

// readSize reads the size of the image, its tiles and its components, annex A.5.1.
func (c *codestream) readSize(maxPixels int) error {
	_, s, err := c.segment()
	if err != nil {
		return err
	}
	if len(s) < 36 || len(s) != 36+3*uint16At(s, 34) || len(s) == 36 {
		return fmt.Errorf("%w: the image size has %d bytes", ErrCorrupt, len(s))
	}
	m := c.image
	c.x1, c.y1 = uint32At(s, 2), uint32At(s, 6)
	m.x0, m.y0 = uint32At(s, 10), uint32At(s, 14)
	c.tileW, c.tileH = uint32At(s, 18), uint32At(s, 22)
	c.tileX, c.tileY = uint32At(s, 26), uint32At(s, 30)
	m.Width, m.Height = c.x1-m.x0, c.y1-m.y0
	if c.x1 > maxSide || c.y1 > maxSide || m.Width <= 0 || m.Height <= 0 || m.Width > maxPixels/m.Height {
		return fmt.Errorf("%w: %d x %d pixels, allowed are 1 to %d", ErrUnsupported, m.Width, m.Height, maxPixels)
	}
	if c.tileW < 1 || c.tileH < 1 || c.tileX > m.x0 || c.tileY > m.y0 || c.tileX+c.tileW <= m.x0 || c.tileY+c.tileH <= m.y0 {
		return fmt.Errorf("%w: tiles of %d x %d from (%d, %d) in an image from (%d, %d)", ErrCorrupt, c.tileW, c.tileH, c.tileX, c.tileY, m.x0, m.y0)
	}
	c.tilesAcross = ceilDiv(c.x1-c.tileX, c.tileW)
	down := ceilDiv(c.y1-c.tileY, c.tileH)
	if down > 65535/c.tilesAcross {
		return fmt.Errorf("%w: %d x %d tiles, allowed are 65535", ErrCorrupt, c.tilesAcross, down)
	}
	c.tiles = make([]*tileData, c.tilesAcross*down)
	return c.readComponents(s[36:])
}

// readComponents reads the components' precision and distance of samples.
func (c *codestream) readComponents(s []byte) error {
	m := c.image
	if len(s)/3 > maxComponents {
		return fmt.Errorf("%w: %d components, allowed are 1 to %d", ErrUnsupported, len(s)/3, maxComponents)
	}
	m.components = make([]component, len(s)/3)
	samples := 0
	for i := range m.components {
		p := component{precision: int(s[3*i]&0x7F) + 1, dx: int(s[3*i+1]), dy: int(s[3*i+2])}
		if p.dx == 0 || p.dy == 0 {
			return fmt.Errorf("%w: samples of component %d are %d x %d apart", ErrCorrupt, i, p.dx, p.dy)
		}
		if p.precision > 16 {
			return fmt.Errorf("%w: samples of %d bits, allowed are 1 to 16", ErrUnsupported, p.precision)
		}
		p.x0, p.y0 = ceilDiv(m.x0, p.dx), ceilDiv(m.y0, p.dy)
		p.width, p.height = ceilDiv(c.x1, p.dx)-p.x0, ceilDiv(c.y1, p.dy)-p.y0
		if p.width < 1 || p.height < 1 {
			return fmt.Errorf("%w: component %d has no samples", ErrUnsupported, i)
		}
		samples += p.width * p.height
		m.components[i] = p
	}
	if limit := max(freeSamples, samplesPerByte*len(c.data)); samples > limit {
		return fmt.Errorf("%w: %d bytes are too few for %d samples, allowed are %d", ErrUnsupported, len(c.data), samples, limit)
	}
	return nil
}

// readTileParts reads the main header and the tile-parts.
func (c *codestream) readTileParts() error {
	c.main = newParameters(len(c.image.components))
	ppm := new(packedHeaders)
	for {
		start := c.at
		marker, s, err := c.segment()
		if err != nil {
			return err
		}
		switch marker {
		case markerEOC:
			return nil
		case markerSOT:
			if err := c.readTilePart(start, s, ppm); err != nil {
				return err
			}
			// Some writers leave the end marker away.
			if c.at == len(c.data) {
				return nil
			}
		case markerPPM:
			err = ppm.add(s)
		case markerCAP:
			err = fmt.Errorf("%w: it has capabilities of other parts of the standard", ErrUnsupported)
		default:
			err = c.main.read(marker, s)
		}
		if err != nil {
			return err
		}
	}
}

// readTilePart reads a tile-part, annex A.4.2. It begins at byte start.
func (c *codestream) readTilePart(start int, s []byte, ppm *packedHeaders) error {
	if len(s) != 8 {
		return fmt.Errorf("%w: a tile-part's header has %d bytes, want 8", ErrCorrupt, len(s))
	}
	number, length := uint16At(s, 0), int(binary.BigEndian.Uint32(s[2:]))
	if number >= len(c.tiles) {
		return fmt.Errorf("%w: a tile-part is of tile %d, there are %d", ErrCorrupt, number, len(c.tiles))
	}
	end := start + length
	if length == 0 { // up to the end marker
		end = len(c.data)
		if end >= 2 && uint16At(c.data, end-2) == markerEOC {
			end -= 2
		}
	}
	if end < c.at || end > len(c.data) {
		return fmt.Errorf("%w: a tile-part of %d bytes begins at byte %d of %d", ErrCorrupt, length, start, len(c.data))
	}
	t := c.tiles[number]
	if t == nil {
		t = &tileData{parameters: c.main}
		c.tiles[number] = t
	}
	ppt := new(packedHeaders)
	for {
		marker, body, err := c.segment()
		if err != nil {
			return err
		}
		if c.at > end {
			return fmt.Errorf("%w: the headers of a tile-part at byte %d are longer than it is", ErrCorrupt, start)
		}
		switch marker {
		case markerSOD:
			if err := t.addHeaders(ppm, ppt); err != nil {
				return err
			}
			if t.body == nil {
				t.body = c.data[c.at:end:end]
			} else {
				t.body = append(t.body, c.data[c.at:end]...)
			}
			c.at = end
			return nil
		case markerPPT:
			err = ppt.add(body)
		case markerSOT, markerEOC:
			err = fmt.Errorf("%w: the tile-part at byte %d has no data", ErrCorrupt, start)
		default:
			if t.parameters == c.main {
				t.parameters = c.main.clone()
			}
			err = t.read(marker, body)
		}
		if err != nil {
			return err
		}
	}
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
