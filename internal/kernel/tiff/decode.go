package tiff

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"gort/internal/parallel"
)

// Photometric interpretations.
const (
	whiteIsZero = 0
	blackIsZero = 1
	photoRGB    = 2
	photoIndex  = 3
	photoCMYK   = 5
	photoYCbCr  = 6
)

// Image is the image of a file whose fields are read.
type Image struct {
	Width, Height int

	file        []byte
	order       binary.ByteOrder
	bits        int // of a sample
	samples     int // of a pixel
	photometric int
	compression int
	lowFirst    bool // a byte's first pixel is in its low bits
	predicted   bool // samples are differences
	apart       bool // each sample has strips or tiles of its own
	multiplied  bool // colours are multiplied by opacity
	palette     [][3]uint8
	tables      []byte // of JPEG

	partWidth  int // of strips or tiles
	partHeight int
	across     int
	down       int
	offsets    []int
	counts     []int
}

// maxSide bounds the sizes in a file, so that products of them do not overflow.
const maxSide = 1 << 24

// Open reads a file's header and fields.
func Open(file []byte) (*Image, error) {
	d, err := readDirectory(file)
	if err != nil {
		return nil, err
	}
	m := &Image{
		file: file, order: d.order,
		Width: d.number(tagWidth, 0), Height: d.number(tagHeight, 0),
		bits: d.number(tagBits, 1), samples: d.number(tagSamples, 1),
		photometric: d.number(tagPhotometric, -1), compression: d.number(tagCompression, compressionNone),
		lowFirst: d.number(tagFillOrder, 1) == 2, predicted: d.number(tagPredictor, 1) == 2,
		apart: d.number(tagPlanar, 1) == 2, tables: d.fields[tagJPEGTables].data,
	}
	if m.Width < 1 || m.Height < 1 || m.Width > maxSide || m.Height > maxSide {
		return nil, fmt.Errorf("%w: %d x %d pixels, each side may have 1 to %d", ErrUnsupported, m.Width, m.Height, maxSide)
	}
	if err := m.checkSamples(d); err != nil {
		return nil, err
	}
	if err := m.checkCompression(d); err != nil {
		return nil, err
	}
	return m, m.layOut(d)
}

// colours is how many samples of a pixel are its colour.
var colours = map[int]int{whiteIsZero: 1, blackIsZero: 1, photoRGB: 3, photoIndex: 1, photoCMYK: 4, photoYCbCr: 3}

// checkSamples checks the kind of samples.
func (m *Image) checkSamples(d *directory) error {
	n, ok := colours[m.photometric]
	if !ok {
		return fmt.Errorf("%w: photometric interpretation %d, allowed are 0 to 3, 5 and 6", ErrUnsupported, m.photometric)
	}
	if m.samples < n || m.samples > 16 {
		return fmt.Errorf("%w: %d samples a pixel, allowed are %d to 16", ErrUnsupported, m.samples, n)
	}
	for _, b := range d.numbers(tagBits) {
		if b != m.bits {
			return fmt.Errorf("%w: samples of %d and of %d bits", ErrUnsupported, m.bits, b)
		}
	}
	if !slices.Contains([]int{1, 2, 4, 8, 16}, m.bits) {
		return fmt.Errorf("%w: samples of %d bits, allowed are 1, 2, 4, 8 and 16", ErrUnsupported, m.bits)
	}
	if f := d.number(tagSampleFormat, 1); f != 1 && f != 4 {
		return fmt.Errorf("%w: samples of format %d, allowed are unsigned integers (1)", ErrUnsupported, f)
	}
	m.multiplied = m.photometric == photoRGB && m.samples > 3 && d.number(tagExtraSamples, 0) == 1
	if m.photometric == photoIndex {
		entries := d.numbers(tagColorMap)
		n := 1 << m.bits
		if m.bits > 8 || len(entries) != 3*n {
			return fmt.Errorf("%w: a palette of %d numbers for samples of %d bits", ErrCorrupt, len(entries), m.bits)
		}
		for i := range n {
			m.palette = append(m.palette, [3]uint8{uint8(entries[i] >> 8), uint8(entries[n+i] >> 8), uint8(entries[2*n+i] >> 8)})
		}
	}
	return nil
}

// layOut finds the strips or tiles.
func (m *Image) layOut(d *directory) error {
	m.partWidth, m.partHeight = d.number(tagTileWidth, 0), d.number(tagTileHeight, 0)
	m.offsets, m.counts = d.numbers(tagTileOffsets), d.numbers(tagTileByteCounts)
	if len(m.offsets) == 0 {
		m.partWidth, m.partHeight = m.Width, min(d.number(tagRowsPerStrip, m.Height), m.Height)
		m.offsets, m.counts = d.numbers(tagStripOffsets), d.numbers(tagStripByteCounts)
	}
	if m.partWidth < 1 || m.partHeight < 1 || m.partWidth > maxSide || m.partHeight > maxSide {
		return fmt.Errorf("%w: strips or tiles of %d x %d", ErrCorrupt, m.partWidth, m.partHeight)
	}
	m.across, m.down = ceilDiv(m.Width, m.partWidth), ceilDiv(m.Height, m.partHeight)
	n := m.across * m.down
	if m.apart {
		n *= m.samples
	}
	if len(m.offsets) == 1 && len(m.counts) == 0 && n == 1 {
		m.counts = []int{len(m.file) - min(m.offsets[0], len(m.file))}
	}
	if len(m.offsets) < n || len(m.counts) < n {
		return fmt.Errorf("%w: %d places and %d sizes of %d strips or tiles", ErrCorrupt, len(m.offsets), len(m.counts), n)
	}
	return nil
}

// Decode decodes the image and calls put for each row. Several threads call it for
// different rows; a row is valid until it returns.
func (m *Image) Decode(ctx context.Context, pool *parallel.Pool, put func(y int, rgb []uint8)) error {
	var mu sync.Mutex
	var first error
	err := pool.For(ctx, m.down, 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if err := m.decodeBand(ctx, i, put); err != nil {
				mu.Lock()
				if first == nil {
					first = err
				}
				mu.Unlock()
				return
			}
		}
	})
	if err != nil {
		return err
	}
	return first
}

// decodeBand decodes the strip or the tiles that stand side by side in one band.
func (m *Image) decodeBand(ctx context.Context, i int, put func(y int, rgb []uint8)) error {
	top := i * m.partHeight
	rows := min(m.partHeight, m.Height-top)
	band := make([]uint8, rows*m.Width*3)
	for k := range m.across {
		left := k * m.partWidth
		width := min(m.partWidth, m.Width-left)
		err := m.decodePart(ctx, i*m.across+k, rows, func(y int, rgb []uint8) {
			copy(band[(y*m.Width+left)*3:], rgb[:3*width])
		})
		if err != nil {
			return err
		}
	}
	for y := range rows {
		put(top+y, band[y*m.Width*3:][:m.Width*3])
	}
	return nil
}

// decodePart decodes the first rows of a strip or tile.
func (m *Image) decodePart(ctx context.Context, i, rows int, put func(y int, rgb []uint8)) error {
	if m.compression == compressionJPEG {
		return m.decodeJPEG(ctx, i, rows, put)
	}
	together := m.samples
	if m.apart {
		together = 1
	}
	n := m.partWidth * together
	size := ceilDiv(n*m.bits, 8)
	var planes [][]byte
	for k := range m.samples / together {
		data, err := m.unpack(i+k*m.across*m.down, rows, size)
		if err != nil {
			return fmt.Errorf("strip or tile %d: %w", i, err)
		}
		planes = append(planes, data)
	}
	values, rgb := make([]uint16, m.partWidth*m.samples), make([]uint8, m.partWidth*3)
	for y := range rows {
		for k, p := range planes {
			m.readRow(values[k:], len(planes), p[y*size:][:size], n, together)
		}
		m.toRGB(rgb, values)
		put(y, rgb)
	}
	return nil
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
