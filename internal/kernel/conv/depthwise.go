package conv

import (
	"sync"

	"gort/internal/simd"
)

// depthRows bounds the sums of a block of output rows, so that they and the
// input rows stay in the first-level cache.
const depthRows = 2048

// depthwise reports whether each filter sees a single channel of an image: then
// there is no product of matrices, and patches would be pure copying.
func (p *Plan) depthwise() bool { return Depthwise(p.Groups, p.In, p.Out, len(p.Input)) }

// Depthwise reports whether [Plan.Float32] reads the filters of such a
// convolution as they are, so that packing them is of no use.
func Depthwise(groups, in, out, dims int) bool {
	return in == 1 && dims <= 2 && (out < simd.GemmMR || groups > 1)
}

// depthScratch is the working memory of one thread.
type depthScratch struct {
	phases []float32
	sums   []float32
}

var depthPool = sync.Pool{New: func() any { return &depthScratch{} }}

// plane2 is the geometry of one channel as an image.
type plane2 struct {
	h, w, oh, ow   int // input and output
	kh, kw         int
	sh, sw, dh, dw int
	top, left      int

	ph, pw int // phases
	qw     int // width of a row of a phase
}

func (p *Plan) plane2() plane2 {
	last := len(p.Input) - 1
	i := plane2{h: 1, oh: 1, kh: 1, sh: 1, dh: 1,
		w: p.Input[last], ow: p.Output[last], kw: p.Kernel[last], sw: p.Strides[last], dw: p.Dilations[last], left: p.Begin[last]}
	if last > 0 {
		i.h, i.oh, i.kh, i.sh, i.dh, i.top = p.Input[0], p.Output[0], p.Kernel[0], p.Strides[0], p.Dilations[0], p.Begin[0]
	}
	i.ph, i.pw = min(i.sh, (i.kh-1)*i.dh+1), min(i.sw, (i.kw-1)*i.dw+1)
	i.qw = i.ow + (i.kw-1)*i.dw/i.sw
	return i
}

// planes computes the filters of the channels [lo, hi), counted over images and groups.
//
// The padded input is split into phases: the elements whose coordinates leave
// the same remainders when divided by the strides. Within a phase, neighbouring
// outputs read neighbouring elements, so a tap adds a whole block of rows, laid
// end to end, in one vector operation. What falls between the rows is dropped.
func (c *call) planes(lo, hi int) {
	s := depthPool.Get().(*depthScratch)
	defer depthPool.Put(s)
	g := c.plane2()
	rows := min(max(1, depthRows/g.qw), g.oh)
	for gi := lo; gi < hi; gi++ {
		x := c.x[gi*c.Plan.plane:][:c.Plan.plane]
		for y := 0; y < g.oh; y += rows {
			if isDone(c.done) {
				c.stopped.Store(true)
				return
			}
			n := min(rows, g.oh-y)
			g.split(s, x, y, n)
			for m := range c.Out {
				filter := gi%c.Groups*c.Out + m
				bias := float32(0)
				if c.bias != nil {
					bias = c.bias[filter]
				}
				out := c.y[(gi*c.Out+m)*c.pixels+y*g.ow:][:n*g.ow]
				g.filter(s, out, c.w[filter*c.taps:], bias, n)
			}
		}
	}
}

// phaseRows is how many rows of a phase n rows of output read.
func (g *plane2) phaseRows(n int) int { return n + (g.kh-1)*g.dh/g.sh }

// split fills the phases that n output rows from y on read.
func (g *plane2) split(s *depthScratch, x []float32, y, n int) {
	rows := g.phaseRows(n)
	// The last tap of the last row reaches past its row: room for one more tap.
	size := rows*g.qw + g.qw
	s.phases = grow(s.phases, g.ph*g.pw*size)
	for py := range g.ph {
		for px := range g.pw {
			phase := s.phases[(py*g.pw+px)*size:][:size]
			clear(phase[rows*g.qw:])
			for r := range rows {
				row := phase[r*g.qw:][:g.qw]
				iy := (y+r)*g.sh + py - g.top
				if uint(iy) >= uint(g.h) {
					clear(row)
					continue
				}
				g.splitRow(row, x[iy*g.w:][:g.w], px-g.left)
			}
		}
	}
}

// splitRow takes every sw-th element of a row from x on, zero outside of it.
func (g *plane2) splitRow(dst, src []float32, x int) {
	lo := 0
	if x < 0 {
		lo = min((-x+g.sw-1)/g.sw, len(dst))
	}
	hi := lo
	if x < g.w {
		hi = max(lo, min((g.w-x+g.sw-1)/g.sw, len(dst)))
	}
	clear(dst[:lo])
	clear(dst[hi:])
	if g.sw == 1 {
		if hi > lo {
			copy(dst[lo:hi], src[x+lo:])
		}
		return
	}
	for j := lo; j < hi; j++ {
		dst[j] = src[x+j*g.sw]
	}
}

// filter computes n rows of one filter's output.
func (g *plane2) filter(s *depthScratch, out, w []float32, bias float32, n int) {
	size := g.phaseRows(n)*g.qw + g.qw
	sums := out
	if g.qw != g.ow {
		s.sums = grow(s.sums, n*g.qw)
		sums = s.sums
	}
	fill(sums, bias)
	for ky := range g.kh {
		y := ky * g.dh
		for kx := range g.kw {
			x := kx * g.dw
			phase := s.phases[(y%g.sh*g.pw+x%g.sw)*size:][:size]
			simd.AXPY(sums, phase[y/g.sh*g.qw+x/g.sw:], w[ky*g.kw+kx])
		}
	}
	if g.qw != g.ow {
		for r := range n {
			copy(out[r*g.ow:(r+1)*g.ow], sums[r*g.qw:])
		}
	}
}
