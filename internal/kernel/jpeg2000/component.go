package jpeg2000

import (
	"context"
	"fmt"
	"math"

	"gort/internal/parallel"
)

// plane has a tile-component's coefficients, then its samples: integers if it is
// coded reversibly, else floating-point numbers.
type plane struct {
	whole []int32
	real  []float32
}

// decodeTiles decodes the tiles into the image's components.
func (c *codestream) decodeTiles(ctx context.Context, pool *parallel.Pool) error {
	for i := range c.image.components {
		if k := &c.image.components[i]; k.used {
			k.samples = make([]uint16, k.width*k.height)
		}
	}
	for n, data := range c.tiles {
		if data == nil {
			return fmt.Errorf("%w: tile %d of %d is missing", ErrCorrupt, n, len(c.tiles))
		}
		if err := c.decodeTile(ctx, pool, n, data); err != nil {
			return fmt.Errorf("tile %d: %w", n, err)
		}
		c.tiles[n] = nil
	}
	return nil
}

// decodeTile decodes one tile.
func (c *codestream) decodeTile(ctx context.Context, pool *parallel.Pool, n int, data *tileData) error {
	if !data.coded {
		return fmt.Errorf("%w: the coding style is missing", ErrCorrupt)
	}
	t, err := c.newTile(n, data.parameters)
	if err != nil {
		return err
	}
	if err := t.checkTransform(data.transform); err != nil {
		return err
	}
	if err := t.readPackets(data); err != nil {
		return err
	}
	planes := make([]plane, len(t.components))
	for i := range planes {
		if c.image.components[i].used || data.transform && i < 3 {
			if planes[i], err = t.components[i].decode(ctx, pool); err != nil {
				return err
			}
		}
	}
	if data.transform {
		if t.components[0].reversible {
			inverseRCT(planes[0].whole, planes[1].whole, planes[2].whole)
		} else {
			inverseICT(planes[0].real, planes[1].real, planes[2].real)
		}
	}
	for i := range planes {
		if k := &c.image.components[i]; k.used {
			k.store(planes[i], t.components[i].rect)
		}
	}
	return nil
}

// checkTransform checks that the first three components can be transformed together.
func (t *tile) checkTransform(transform bool) error {
	if !transform {
		return nil
	}
	if len(t.components) < 3 {
		return fmt.Errorf("%w: a transform of 3 components in an image of %d", ErrCorrupt, len(t.components))
	}
	for _, k := range t.components[1:3] {
		if a := t.components[0]; k.rect != a.rect || k.reversible != a.reversible {
			return fmt.Errorf("%w: a transform of components that differ in size or wavelet", ErrCorrupt)
		}
	}
	return nil
}

// decode decodes the component's code-blocks, and transforms them to samples.
func (c *tileComponent) decode(ctx context.Context, pool *parallel.Pool) (plane, error) {
	var p plane
	if c.empty() {
		return p, nil
	}
	if c.reversible {
		p.whole = make([]int32, c.width()*c.height())
	} else {
		p.real = make([]float32, c.width()*c.height())
	}
	type task struct {
		band  *band
		block *codeBlock
	}
	var tasks []task
	for i := range c.resolutions {
		r := &c.resolutions[i]
		for j := range r.precincts {
			for k, part := range r.precincts[j].parts {
				for n := range part.blocks {
					if len(part.blocks[n].segments) > 0 {
						tasks = append(tasks, task{&r.bands[k], &part.blocks[n]})
					}
				}
			}
		}
		r.precincts = nil
	}
	err := pool.For(ctx, len(tasks), 1, func(lo, hi int) {
		d := new(blockDecoder)
		for _, t := range tasks[lo:hi] {
			c.decodeBlock(d, p, t.band, t.block)
		}
	})
	if err != nil {
		return p, err
	}
	if c.reversible {
		return p, inverseWavelet(ctx, pool, c, p.whole, lift53)
	}
	return p, inverseWavelet(ctx, pool, c, p.real, lift97)
}

// decodeBlock decodes a code-block into its place in the plane.
func (c *tileComponent) decodeBlock(d *blockDecoder, p plane, b *band, k *codeBlock) {
	values := d.decode(k, b.orientation, c.style)
	if c.shift > 0 {
		lower(values, c.shift)
	}
	w := k.width()
	step := 0.5 * b.step // the values have a fractional bit
	for y := range k.height() {
		at := b.at + (k.y0-b.y0+y)*c.width() + k.x0 - b.x0
		in := values[y*w:][:w]
		if c.reversible {
			out := p.whole[at:][:w]
			for x, v := range in {
				out[x] = v / 2
			}
		} else {
			out := p.real[at:][:w]
			for x, v := range in {
				out[x] = float32(v) * step
			}
		}
	}
}

// lower brings the values of a region of interest down to where the others are, annex
// H.1: its values are those with bits above the others' range.
func lower(values []int32, shift int) {
	if shift >= maxPlanes {
		return // no value is that large
	}
	for i, v := range values {
		if m := max(v, -v); m >= 2<<shift {
			m >>= shift
			if v < 0 {
				m = -m
			}
			values[i] = m
		}
	}
}

// inverseRCT is the reversible component transform, annex G.2.
func inverseRCT(y, u, v []int32) {
	for i, l := range y {
		g := l - (u[i]+v[i])>>2
		y[i], u[i], v[i] = v[i]+g, g, u[i]+g
	}
}

// inverseICT is the irreversible component transform, annex G.3.
func inverseICT(y, cb, cr []float32) {
	for i, l := range y {
		u, v := cb[i], cr[i]
		y[i] = l + float32(v*1.402)
		cb[i] = l - float32(u*0.34413) - float32(v*0.71414)
		cr[i] = l + float32(u*1.772)
	}
}

// store puts a tile's samples into the component: rounded, with the middle of their
// range moved from 0, and limited to the range.
func (k *component) store(p plane, r rect) {
	w := r.width()
	middle := 1 << (k.precision - 1)
	limit := 1<<k.precision - 1
	for y := range r.height() {
		out := k.samples[(r.y0-k.y0+y)*k.width+r.x0-k.x0:][:w]
		if p.whole != nil {
			for x, v := range p.whole[y*w:][:w] {
				out[x] = uint16(min(max(int(v)+middle, 0), limit))
			}
			continue
		}
		for x, v := range p.real[y*w:][:w] {
			s := math.RoundToEven(float64(v)) + float64(middle)
			out[x] = uint16(min(max(s, 0), float64(limit)))
		}
	}
}
