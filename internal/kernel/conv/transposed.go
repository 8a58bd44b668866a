package conv

import (
	"context"
	"sync"

	"gort/internal/parallel"
	"gort/internal/simd"
)

// Sizes of the products that a transposed convolution scatters: about this many
// rows (filters times taps), at most this many input positions and elements.
const (
	scatterRows   = 64
	scatterPixels = 512
	scatterElems  = 128 << 10
)

// scatterScratch is the working memory of one thread.
type scatterScratch[T Float] struct {
	product []T
	runs    []run
}

var scatterPools = [2]sync.Pool{
	{New: func() any { return &scatterScratch[float32]{} }},
	{New: func() any { return &scatterScratch[float64]{} }},
}

func scatterPool[T Float]() *sync.Pool {
	var zero T
	if _, double := any(zero).(float64); double {
		return &scatterPools[1]
	}
	return &scatterPools[0]
}

// Transposed computes the transpose of the convolution p (ONNX ConvTranspose):
// x has p's outputs, y its inputs, and
//
//	y[c, o*stride - begin + t*dilation] += w[m,c,t] * x[m,o]
//
// for each filter m, channel c, tap t and position o, where positions outside
// of y are dropped; y starts as the bias of its channel, zero if bias is nil.
func Transposed[T Float](ctx context.Context, pool *parallel.Pool, p *Plan, x, w, bias, y []T) error {
	if len(y) == 0 {
		return nil
	}
	block := min(p.In, ceilDiv(scatterRows, p.taps))
	work := float64(p.Out) * float64(p.taps) * float64(p.pixels) * float64(block)
	grain := max(1, int(inlineWork/max(work, 1)))
	blocks := ceilDiv(p.In, block)
	var failed parallelError
	err := pool.For(ctx, p.Batch*p.Groups*blocks, grain, func(lo, hi int) {
		sp := scatterPool[T]()
		s := sp.Get().(*scatterScratch[T])
		defer sp.Put(s)
		for u := lo; u < hi; u++ {
			c := u % blocks * block
			if err := scatter(ctx, s, p, u/blocks, c, min(block, p.In-c), x, w, bias, y); err != nil {
				failed.set(err)
				return
			}
		}
	})
	if err == nil {
		err = failed.get()
	}
	return err
}

// scatter computes channels [c0, c0+n) of the plane group gi.
func scatter[T Float](ctx context.Context, s *scatterScratch[T], p *Plan, gi, c0, n int, x, w, bias, y []T) error {
	g := gi % p.Groups
	y = y[(gi*p.In+c0)*p.plane:][:n*p.plane]
	for c := range n {
		b := T(0)
		if bias != nil {
			b = bias[g*p.In+c0+c]
		}
		fill(y[c*p.plane:][:p.plane], b)
	}
	if p.Out == 0 {
		return nil
	}
	rows := n * p.taps
	tile := min(p.pixels, max(simd.GemmNR, min(scatterPixels, scatterElems/rows)))
	for pixel := 0; pixel < p.pixels; pixel += tile {
		cols := min(tile, p.pixels-pixel)
		s.product = grow(s.product, rows*cols)
		err := multiply(ctx, true, rows, cols, p.Out, w[(g*p.Out*p.In+c0)*p.taps:], p.k, x[gi*p.Out*p.pixels+pixel:], p.pixels, s.product, cols)
		if err != nil {
			return err
		}
		s.runs = p.runs(s.runs, pixel, cols)
		for c := range n {
			addTaps(p, s.runs, s.product[c*p.taps*cols:], cols, y[c*p.plane:][:p.plane])
		}
	}
	return nil
}

// addTaps adds the rows of one channel, one for each tap, where they belong.
func addTaps[T Number](p *Plan, runs []run, rows []T, cols int, y []T) {
	stride := p.Strides[len(p.Strides)-1]
	for t := range p.taps {
		row := rows[t*cols:][:cols]
		for i := range runs {
			r := &runs[i]
			at, lo, hi := p.source(r, t)
			if lo == hi {
				continue
			}
			from := row[r.col+lo : r.col+hi]
			if stride == 1 {
				to := y[at:][:len(from)]
				for j, v := range from {
					to[j] += v
				}
				continue
			}
			to := y[at : at+(len(from)-1)*stride+1]
			for j, v := range from {
				to[j*stride] += v
			}
		}
	}
}
