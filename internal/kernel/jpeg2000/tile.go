package jpeg2000

import (
	"fmt"
	"math"
)

// rect is a region from (x0, y0) up to, and without, (x1, y1).
type rect struct{ x0, y0, x1, y1 int }

func (r rect) width() int  { return r.x1 - r.x0 }
func (r rect) height() int { return r.y1 - r.y0 }
func (r rect) empty() bool { return r.x1 <= r.x0 || r.y1 <= r.y0 }

// intersect returns what two regions share.
func (r rect) intersect(s rect) rect {
	return rect{max(r.x0, s.x0), max(r.y0, s.y0), min(r.x1, s.x1), min(r.y1, s.y1)}
}

// shrink maps a region to a grid that is coarser by powers of two, and shifted by
// half of its distance where dx or dy is 1 (equation B-15).
func (r rect) shrink(levels, dx, dy int) rect {
	x, y := 0, 0
	if levels > 0 {
		x, y = dx<<(levels-1), dy<<(levels-1)
	}
	return rect{ceilShift(r.x0-x, levels), ceilShift(r.y0-y, levels), ceilShift(r.x1-x, levels), ceilShift(r.y1-y, levels)}
}

func ceilShift(v, n int) int { return (v + 1<<n - 1) >> n }

// tile is a tile's structure, annex B.
type tile struct {
	rect       // on the reference grid
	components []tileComponent
}

// tileComponent is one component of a tile.
type tileComponent struct {
	rect
	*componentParameters
	dx, dy      int
	resolutions []resolution // from the smallest
}

// resolution is a tile-component of reduced size.
type resolution struct {
	rect
	precinctW, precinctH int // exponents
	across, down         int // precincts
	bands                []band
	precincts            []precinct
}

// band is a subband of a resolution: LL of the smallest, HL, LH and HH of others.
type band struct {
	rect
	orientation int
	step        float32 // of quantization
	planes      int     // bit-planes of magnitudes
	at          int     // of its first coefficient in the transform's plane
}

// Orientations: which direction is high-pass filtered.
const (
	bandLL = iota
	bandHL
	bandLH
	bandHH
)

// precinct is a part of a resolution whose code-blocks share packets.
type precinct struct {
	layers int // that have been read
	parts  []precinctBand
}

// precinctBand is what a precinct has of a band.
type precinctBand struct {
	across   int
	blocks   []codeBlock
	included *tagTree // the layer in which a code-block first comes
	zeros    *tagTree // the bit-planes that a code-block has not
}

// codeBlock is a rectangle of coefficients.
type codeBlock struct {
	rect
	planes     int
	passes     int
	lengthBits int // 0 before the block is first included
	segments   []segment
}

// segment is a codeword segment: passes that are coded together.
type segment struct {
	passes, room int // room is for how many more
	data         []byte
}

// newTile lays out tile number n.
func (c *codestream) newTile(n int, p *parameters) (*tile, error) {
	x, y := c.tileX+n%c.tilesAcross*c.tileW, c.tileY+n/c.tilesAcross*c.tileH
	m := c.image
	t := &tile{rect: rect{x, y, x + c.tileW, y + c.tileH}.intersect(rect{m.x0, m.y0, c.x1, c.y1})}
	t.components = make([]tileComponent, len(m.components))
	for i := range t.components {
		k := &m.components[i]
		t.components[i] = tileComponent{
			rect:                rect{ceilDiv(t.x0, k.dx), ceilDiv(t.y0, k.dy), ceilDiv(t.x1, k.dx), ceilDiv(t.y1, k.dy)},
			componentParameters: &p.components[i],
			dx:                  k.dx, dy: k.dy,
		}
		if err := t.components[i].layOut(k.precision); err != nil {
			return nil, fmt.Errorf("component %d: %w", i, err)
		}
	}
	return t, nil
}

// layOut makes the resolutions and bands, not yet the precincts.
func (c *tileComponent) layOut(precision int) error {
	if len(c.steps) == 0 {
		return fmt.Errorf("%w: the quantization is missing", ErrCorrupt)
	}
	c.resolutions = make([]resolution, c.levels+1)
	for i := range c.resolutions {
		r := &c.resolutions[i]
		r.rect = c.shrink(c.levels-i, 0, 0)
		r.precinctW, r.precinctH = int(c.precinctW[i]), int(c.precinctH[i])
		if !r.empty() {
			r.across = ceilShift(r.x1, r.precinctW) - r.x0>>r.precinctW
			r.down = ceilShift(r.y1, r.precinctH) - r.y0>>r.precinctH
		}
		orientations := []int{bandHL, bandLH, bandHH}
		if i == 0 {
			orientations = []int{bandLL}
		}
		for _, o := range orientations {
			b, err := c.newBand(i, o, precision)
			if err != nil {
				return err
			}
			r.bands = append(r.bands, b)
		}
	}
	return nil
}

// newBand makes a band of resolution r.
func (c *tileComponent) newBand(r, orientation, precision int) (band, error) {
	b := band{orientation: orientation}
	index := 0
	if r == 0 {
		b.rect = c.shrink(c.levels, 0, 0)
	} else {
		dx, dy := orientation&1, orientation>>1
		b.rect = c.shrink(c.levels-r+1, dx, dy)
		low := c.resolutions[r-1]
		b.at = dy*low.height()*c.width() + dx*low.width()
		index = 3*(r-1) + orientation
	}
	step, ok := c.band(index)
	if !ok {
		return b, fmt.Errorf("%w: %d quantization steps are too few for %d wavelet transforms", ErrCorrupt, len(c.steps), c.levels)
	}
	b.planes = c.guard + step.exponent - 1
	// The high bands' larger range is left to the wavelet, as OpenJPEG does.
	b.step = float32((1 + float64(step.mantissa)/2048) * math.Pow(2, float64(precision-step.exponent)))
	return b, nil
}

// packets returns how many packets the tile has in one layer.
func (t *tile) packets() int {
	n := 0
	for i := range t.components {
		for j := range t.components[i].resolutions {
			r := &t.components[i].resolutions[j]
			n += r.across * r.down
		}
	}
	return n
}

// addPrecincts makes the precincts and code-blocks.
func (t *tile) addPrecincts() {
	for i := range t.components {
		c := &t.components[i]
		for j := range c.resolutions {
			r := &c.resolutions[j]
			r.precincts = make([]precinct, r.across*r.down)
			for k := range r.precincts {
				r.precincts[k].parts = make([]precinctBand, len(r.bands))
				for l := range r.bands {
					r.precincts[k].parts[l] = c.newPart(j, k, &r.bands[l])
				}
			}
		}
	}
}

// newPart makes what precinct k of resolution r has of a band.
func (c *tileComponent) newPart(r, k int, b *band) precinctBand {
	res := &c.resolutions[r]
	w, h := res.precinctW, res.precinctH
	x, y := res.x0>>w+k%res.across, res.y0>>h+k/res.across
	if r > 0 { // bands are half as large as their resolution
		w, h = w-1, h-1
	}
	area := rect{x << w, y << h, (x + 1) << w, (y + 1) << h}.intersect(b.rect)
	var p precinctBand
	if area.empty() {
		return p
	}
	w, h = min(w, c.blockW), min(h, c.blockH)
	left, top := area.x0>>w, area.y0>>h
	p.across = ceilShift(area.x1, w) - left
	down := ceilShift(area.y1, h) - top
	p.blocks = make([]codeBlock, p.across*down)
	for i := range p.blocks {
		x, y := left+i%p.across, top+i/p.across
		p.blocks[i].rect = rect{x << w, y << h, (x + 1) << w, (y + 1) << h}.intersect(area)
	}
	p.included, p.zeros = newTagTree(p.across, down), newTagTree(p.across, down)
	return p
}
