package conv

import (
	"context"

	"gort/internal/parallel"
)

// Float64 is [Plan.Float32] in double precision, as plain loops.
func (p *Plan) Float64(ctx context.Context, pool *parallel.Pool, x, w, bias, y []float64) error {
	if p.Batch*p.Groups*p.Out*p.pixels == 0 {
		return nil
	}
	last := len(p.Output) - 1
	width := p.Output[last]
	rows := p.pixels / width
	grain := max(1, inlineWork/max(1, width*p.k))
	return pool.For(ctx, p.Batch*p.Groups*p.Out*rows, grain, func(lo, hi int) {
		var runs []run
		for u := lo; u < hi; u++ {
			r, f := u%rows, u/rows // row, filter over all images
			gi, filter := f/p.Out, f%(p.Groups*p.Out)
			out := y[f*p.pixels+r*width:][:width]
			b := 0.0
			if bias != nil {
				b = bias[filter]
			}
			fill(out, b)
			runs = p.runs(runs, r*width, width)
			for c := range p.In {
				in := x[(gi*p.In+c)*p.plane:][:p.plane]
				for t := range p.taps {
					at, lo, hi := p.source(&runs[0], t)
					v := w[(filter*p.In+c)*p.taps+t]
					for j := lo; j < hi; j++ {
						out[j] += v * in[at]
						at += p.Strides[last]
					}
				}
			}
		}
	})
}
