package conv

import (
	"context"
	"math"
	"sync"

	"gort/internal/parallel"
)

// deformElems bounds the sampled patches of one thread.
const deformElems = 128 << 10

// deformScratch is the working memory of one thread.
type deformScratch[T Float] struct{ patches []T }

var deformPools = [2]sync.Pool{
	{New: func() any { return &deformScratch[float32]{} }},
	{New: func() any { return &deformScratch[float64]{} }},
}

func deformPool[T Float]() *sync.Pool {
	var zero T
	if _, double := any(zero).(float64); double {
		return &deformPools[1]
	}
	return &deformPools[0]
}

// Deform is a convolution of images whose taps are moved by offsets and scaled
// by a mask (ONNX DeformConv; Dai et al. 2017, Zhu et al. 2019): tap t of output
// o reads the image at
//
//	o*stride - begin + t*dilation + offset[n, group, t, dimension, o]
//
// interpolated linearly between the four neighbours, of which those outside
// count as 0. mask and bias may be nil. p comes from [NewDeformPlan].
func Deform[T Float](ctx context.Context, pool *parallel.Pool, p *Plan, offsetGroups int, x, w, offset, bias, mask, y []T) error {
	if len(y) == 0 {
		return nil
	}
	tile := min(p.pixels, max(16, deformElems/max(1, p.k)))
	tiles := ceilDiv(p.pixels, tile)
	d := deform[T]{p: p, groups: offsetGroups, x: x, offset: offset, mask: mask}
	var failed parallelError
	err := pool.For(ctx, p.Batch*tiles, 1, func(lo, hi int) {
		dp := deformPool[T]()
		s := dp.Get().(*deformScratch[T])
		defer dp.Put(s)
		for u := lo; u < hi; u++ {
			n, pixel := u/tiles, u%tiles*tile
			cols := min(tile, p.pixels-pixel)
			for g := range p.Groups {
				s.patches = grow(s.patches, p.k*cols)
				d.sample(s.patches, n, g, pixel, cols)
				out := y[(n*p.Groups+g)*p.Out*p.pixels+pixel:]
				if err := multiply(ctx, false, p.Out, cols, p.k, w[g*p.Out*p.k:], p.k, s.patches, cols, out, p.pixels); err != nil {
					failed.set(err)
					return
				}
				if bias == nil {
					continue
				}
				for m := range p.Out {
					row := out[m*p.pixels:][:cols]
					for i := range row {
						row[i] += bias[g*p.Out+m]
					}
				}
			}
		}
	})
	if err == nil {
		err = failed.get()
	}
	return err
}

type deform[T Float] struct {
	p               *Plan
	groups          int
	x, offset, mask []T
}

// sample fills the patches of cols output positions: one row for each channel of
// the group and tap.
func (d *deform[T]) sample(dst []T, n, g, pixel, cols int) {
	p := d.p
	perOffset := p.Groups * p.In / d.groups // channels that share offsets
	width := p.Output[1]
	for c := range p.In {
		channel := g*p.In + c
		og := n*d.groups + channel/perOffset
		image := d.x[(n*p.Groups*p.In+channel)*p.plane:][:p.plane]
		for t := range p.taps {
			row := dst[(c*p.taps+t)*cols:][:cols]
			at := (og*p.taps + t) * 2 * p.pixels
			dy, dx := d.offset[at:][:p.pixels], d.offset[at+p.pixels:][:p.pixels]
			for j := range row {
				o := pixel + j
				y := T(o/width*p.Strides[0]-p.Begin[0]+p.reach[2*t]) + dy[o]
				x := T(o%width*p.Strides[1]-p.Begin[1]+p.reach[2*t+1]) + dx[o]
				row[j] = bilinear(image, p.Input[0], p.Input[1], y, x)
				if d.mask != nil {
					row[j] *= d.mask[(og*p.taps+t)*p.pixels+o]
				}
			}
		}
	}
}

// bilinear samples an image, zero outside.
func bilinear[T Float](image []T, h, w int, y, x T) T {
	if !(y > -1 && y < T(h) && x > -1 && x < T(w)) { // also NaN
		return 0
	}
	fy, fx := math.Floor(float64(y)), math.Floor(float64(x))
	y0, x0 := int(fy), int(fx)
	wy, wx := y-T(fy), x-T(fx)
	at := func(y, x int, weight T) T {
		if uint(y) >= uint(h) || uint(x) >= uint(w) {
			return 0
		}
		return weight * image[y*w+x]
	}
	return at(y0, x0, (1-wy)*(1-wx)) + at(y0, x0+1, (1-wy)*wx) + at(y0+1, x0, wy*(1-wx)) + at(y0+1, x0+1, wy*wx)
}
