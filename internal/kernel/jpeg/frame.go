package jpeg

import (
	"context"
	"fmt"

	"gort/internal/parallel"
)

// blockSize is how many samples a block has: 8 rows of 8.
const blockSize = 64

// zigzag[i] is where the i-th coefficient in coding order stands in a block.
var zigzag = [blockSize]uint8{
	0, 1, 8, 16, 9, 2, 3, 10,
	17, 24, 32, 25, 18, 11, 4, 5,
	12, 19, 26, 33, 40, 48, 41, 34,
	27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36,
	29, 22, 15, 23, 30, 37, 44, 51,
	58, 59, 52, 45, 38, 31, 39, 46,
	53, 60, 61, 54, 47, 55, 62, 63,
}

// component is one plane of an image.
type component struct {
	id     byte
	h, v   int // sampling factors
	table  int // of quantization
	width  int // in samples that are part of the image
	height int

	wider, taller int // than it, by how many times, the image is

	across, down int        // blocks, including those that fill up an MCU
	samples      []uint8    // rows of 8*across
	coefficients []int16    // blocks, of a progressive image only
	quant        *[64]int32 // in natural order, as it was when the component first came
	seen         bool
}

// readFrame reads the image's size and components.
func (d *decoder) readFrame(s []byte, maxPixels int) error {
	if d.image != nil {
		return fmt.Errorf("%w: it has more than one frame", ErrCorrupt)
	}
	if len(s) < 6 || len(s) != 6+3*int(s[5]) {
		return fmt.Errorf("%w: the frame header has %d bytes", ErrCorrupt, len(s))
	}
	if s[0] != 8 {
		return fmt.Errorf("%w: %d bits a sample, allowed are 8", ErrUnsupported, s[0])
	}
	m := &Image{Height: int(s[1])<<8 | int(s[2]), Width: int(s[3])<<8 | int(s[4])}
	if m.Height == 0 || m.Width == 0 || m.Width > maxPixels/m.Height {
		return fmt.Errorf("%w: %d x %d pixels, allowed are 1 to %d", ErrUnsupported, m.Width, m.Height, maxPixels)
	}
	switch s[5] {
	case 1, 3, 4:
	default:
		return fmt.Errorf("%w: %d components, allowed are 1, 3 and 4", ErrUnsupported, s[5])
	}
	m.components = make([]component, s[5])
	for i := range m.components {
		p := s[6+3*i:]
		c := component{id: p[0], h: int(p[1] >> 4), v: int(p[1] & 15), table: int(p[2])}
		if c.h < 1 || c.h > 4 || c.v < 1 || c.v > 4 {
			return fmt.Errorf("%w: component %d has the sampling factors %d x %d, allowed are 1 to 4", ErrCorrupt, i+1, c.h, c.v)
		}
		if c.table > 3 {
			return fmt.Errorf("%w: component %d has quantization table %d, allowed are 0 to 3", ErrCorrupt, i+1, c.table)
		}
		d.maxH, d.maxV = max(d.maxH, c.h), max(d.maxV, c.v)
		m.components[i] = c
	}
	d.mcusAcross = ceilDiv(m.Width, 8*d.maxH)
	d.mcusDown = ceilDiv(m.Height, 8*d.maxV)
	d.image = m
	return d.allocate()
}

// allocate makes the planes. A block takes a bit at least, one for its first
// coefficient, and in a sequential image another one for the others.
func (d *decoder) allocate() error {
	bits, blocks := 2, 0
	if d.progressive {
		bits = 1
	}
	for i := range d.image.components {
		c := &d.image.components[i]
		if d.maxH%c.h != 0 || d.maxV%c.v != 0 {
			return fmt.Errorf("%w: component %d has the sampling factors %d x %d, which do not divide the largest, %d x %d",
				ErrUnsupported, i+1, c.h, c.v, d.maxH, d.maxV)
		}
		c.width = ceilDiv(d.image.Width*c.h, d.maxH)
		c.height = ceilDiv(d.image.Height*c.v, d.maxV)
		c.wider, c.taller = d.maxH/c.h, d.maxV/c.v
		c.across, c.down = d.mcusAcross*c.h, d.mcusDown*c.v
		// Those that fill up an MCU need not be coded.
		blocks += ceilDiv(c.width, 8) * ceilDiv(c.height, 8)
	}
	if blocks*bits > 8*len(d.data) {
		return fmt.Errorf("%w: %d bytes are too few for %d x %d pixels", ErrCorrupt, len(d.data), d.image.Width, d.image.Height)
	}
	for i := range d.image.components {
		c := &d.image.components[i]
		n := c.across * c.down * blockSize
		c.samples = make([]uint8, n)
		if d.progressive {
			c.coefficients = make([]int16, n)
		}
	}
	return nil
}

// readQuant reads quantization tables.
func (d *decoder) readQuant(s []byte) error {
	for len(s) > 0 {
		wide, id := s[0]>>4, s[0]&15
		size := blockSize * (1 + int(wide))
		if wide > 1 || id > 3 || len(s) < 1+size {
			return fmt.Errorf("%w: a quantization table of kind %d, number %d, %d bytes", ErrCorrupt, wide, id, len(s)-1)
		}
		t := new([blockSize]uint16)
		for i := range t {
			if wide == 0 {
				t[i] = uint16(s[1+i])
			} else {
				t[i] = uint16(s[1+2*i])<<8 | uint16(s[2+2*i])
			}
		}
		d.quant[id] = t
		s = s[1+size:]
	}
	return nil
}

// latchQuant fixes a component's quantization table at its first scan: later tables
// of the same number are for other components.
func (d *decoder) latchQuant(c *component) error {
	if c.quant != nil {
		return nil
	}
	t := d.quant[c.table]
	if t == nil {
		return fmt.Errorf("%w: quantization table %d is missing", ErrCorrupt, c.table)
	}
	c.quant = new([blockSize]int32)
	for i, q := range t {
		c.quant[zigzag[i]] = int32(q)
	}
	return nil
}

// transform turns a progressive component's coefficients into samples.
func (c *component) transform(ctx context.Context, pool *parallel.Pool) error {
	return pool.For(ctx, c.down, 1+blocksGrain/c.across, func(lo, hi int) {
		var block [blockSize]int32
		for by := lo; by < hi; by++ {
			for bx := range c.across {
				for i, v := range c.block(bx, by) {
					block[i] = int32(v) * c.quant[i]
				}
				c.put(&block, bx, by)
			}
		}
	})
}

// blocksGrain is how many blocks are worth a thread's attention.
const blocksGrain = 256

// block returns the coefficients of a block, in natural order.
func (c *component) block(bx, by int) []int16 {
	return c.coefficients[(by*c.across+bx)*blockSize:][:blockSize]
}

// put transforms a block into its samples.
func (c *component) put(block *[blockSize]int32, bx, by int) {
	inverseDCT(block, c.samples[(by*c.across*8+bx)*8:], c.across*8)
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
