package conv

import (
	"context"
	"sync"
	"sync/atomic"

	"gort/internal/parallel"
	"gort/internal/simd"
)

// Tiles of the product: mBlock filters by tilePixels output positions. A block
// of filters (192 KiB) and the gathered patches (128 KiB) stay in the second-
// level cache. With too few tiles for the threads they shrink to the minima.
const (
	mBlock        = 192
	tilePixels    = 128
	minTilePixels = 48
	minFilters    = 48
)

// inlineWork is the number of multiplications below which a convolution is not
// worth waking a worker.
const inlineWork = 32 << 10

// call is one convolution on its way through the pool.
type call struct {
	*Plan
	x, w, bias, y []float32
	packed        *Weights // instead of w

	tile, tiles int // output positions a tile, tiles of a plane
	mb, mTiles  int // filters a tile, tiles of a group
	done        <-chan struct{}
	stopped     atomic.Bool
	body        func(lo, hi int) // units, bound once
	plane       func(lo, hi int) // planes, bound once
}

var callPool = sync.Pool{New: func() any {
	c := &call{}
	c.body, c.plane = c.units, c.planes
	return c
}}

// Float32 computes, for each image, group and filter,
//
//	y[o] = bias + sum over channels c and taps t of w[c,t] * x[c, o*stride - begin + t*dilation]
//
// where positions outside the input count as 0 (ONNX Conv). Filters come packed
// when packed is not nil, else as they are in w. A nil bias is zero.
func (p *Plan) Float32(ctx context.Context, pool *parallel.Pool, x, w []float32, packed *Weights, bias, y []float32) error {
	if p.Batch*p.Groups*p.Out*p.pixels == 0 {
		return nil
	}
	c := callPool.Get().(*call)
	defer c.recycle()
	c.Plan, c.x, c.w, c.packed, c.bias, c.y = p, x, w, packed, bias, y
	if ctx != nil {
		c.done = ctx.Done()
	}
	work := float64(p.Batch*p.Groups) * float64(p.Out) * float64(p.k) * float64(p.pixels)
	if work < inlineWork {
		pool = nil
	}
	body, units, grain := c.body, 0, 1
	if p.depthwise() && w != nil {
		body, units = c.plane, p.Batch*p.Groups
		grain = max(1, int(inlineWork*float64(units)/work))
	} else {
		c.cut(pool.Threads())
		units = p.Batch * p.Groups * c.tiles * c.mTiles
	}
	err := pool.For(ctx, units, grain, body)
	if err == nil && c.stopped.Load() {
		err = ctx.Err()
	}
	return err
}

func (c *call) recycle() {
	*c = call{body: c.body, plane: c.plane}
	callPool.Put(c)
}

// cut chooses the tiles.
func (c *call) cut(threads int) {
	const mr, nr = simd.GemmMR, simd.GemmNR
	c.tile, c.mb = min(tilePixels, roundUp(c.pixels, nr)), roundUp(c.Out, mr)
	count := func() int {
		c.tiles, c.mTiles = ceilDiv(c.pixels, c.tile), ceilDiv(c.Out, c.mb)
		return c.Batch * c.Groups * c.tiles * c.mTiles
	}
	for count() < 4*threads && threads > 1 {
		switch {
		case c.tile >= 2*minTilePixels:
			c.tile = roundUp(c.tile/2, nr)
		case c.mb >= 2*minFilters:
			c.mb = roundUp(c.mb/2, mr)
		default:
			return
		}
	}
}

// patches is the working memory of one thread.
type patches struct {
	b    []float32
	runs []run
	edge [simd.GemmMR * simd.GemmNR]float32

	b16  []int16 // of the integer product
	sums []int32
}

var patchPool = sync.Pool{New: func() any { return &patches{} }}

// units computes the tiles [lo, hi), numbered by image, group, positions, filters.
func (c *call) units(lo, hi int) {
	s := patchPool.Get().(*patches)
	defer patchPool.Put(s)
	for u := lo; u < hi; u++ {
		m, t := u%c.mTiles, u/c.mTiles
		if !c.unit(s, t/c.tiles, t%c.tiles*c.tile, m*c.mb) {
			c.stopped.Store(true)
			return
		}
	}
}

// unit computes one tile of the plane group gi (counted over images and groups).
func (c *call) unit(s *patches, gi, pixel, m0 int) bool {
	const nr = simd.GemmNR
	m1, cols := min(m0+c.mb, c.Out), min(c.tile, c.pixels-pixel)
	x := c.x[gi*c.In*c.Plan.plane:]
	g := gi % c.Groups
	y := c.y[gi*c.Out*c.pixels+pixel:]
	if c.bias != nil {
		for m := m0; m < m1; m++ {
			fill(y[m*c.pixels:][:cols], c.bias[g*c.Out+m])
		}
	}
	if c.k == 0 && c.bias == nil {
		for m := m0; m < m1; m++ {
			clear(y[m*c.pixels:][:cols])
		}
	}
	for k0 := 0; k0 < c.k; k0 += kBlock {
		kc := min(kBlock, c.k-k0)
		s.b = grow(s.b, roundUp(cols, nr)*kc)
		for j := 0; j < cols; j += nr {
			s.runs = c.runs(s.runs, pixel+j, min(nr, cols-j))
			c.gather(s.b[j*kc:], x, s.runs, k0, k0+kc)
		}
		for m := m0; m < m1; m += mBlock {
			if !c.macro(s, g, m, min(m+mBlock, m1), k0, kc, cols, y) {
				return false
			}
		}
	}
	return true
}

// macro multiplies the filters [m0, m1) with the gathered patches.
func (c *call) macro(s *patches, g, m0, m1, k0, kc, cols int, y []float32) bool {
	const mr, nr = simd.GemmMR, simd.GemmNR
	accumulate := k0 > 0 || c.bias != nil
	for j := 0; j < cols; j += nr {
		if isDone(c.done) {
			return false
		}
		b, n := s.b[j*kc:], min(nr, cols-j)
		for m := m0; m < m1; m += mr {
			rows := min(mr, m1-m)
			a, ars, acs := c.filters(g, m, k0, kc)
			out := y[m*c.pixels+j:]
			if n == nr {
				simd.GemmKernel6x16(rows, kc, a, ars, acs, b, nr, out, c.pixels, 1, accumulate)
				continue
			}
			simd.GemmKernel6x16(rows, kc, a, ars, acs, b, nr, s.edge[:], nr, 1, false)
			for q := range rows {
				row, sums := out[q*c.pixels:][:n], s.edge[q*nr:]
				for i := range row {
					if accumulate {
						row[i] += sums[i]
					} else {
						row[i] = sums[i]
					}
				}
			}
		}
	}
	return true
}

// filters returns the terms [k0, k0+kc) of the filters from m on and their strides.
func (c *call) filters(g, m, k0, kc int) (a []float32, ars, acs int) {
	if c.packed != nil {
		return c.packed.panel(g, k0, kc, m), 1, simd.GemmMR
	}
	return c.w[(g*c.Out+m)*c.k+k0:], c.k, 1
}

func fill[T any](s []T, v T) {
	for i := range s {
		s[i] = v
	}
}
