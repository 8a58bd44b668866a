package attention

import (
	"context"
	"fmt"

	"gort/internal/parallel"
)

// Rotary describes a rotary position embedding: pairs of elements of each head
// are rotated by angles whose cosines and sines the caches hold. Pairs are
// neighbours when interleaved, else the i-th of the first half and of the second.
type Rotary[T Float] struct {
	Batch, Heads, Rows, Size int
	Rotate                   int // of Size, how many elements rotate; the rest stays
	Interleaved              bool
	X, Y                     Heads[T]
	Cos, Sin                 []T     // rows of Rotate/2: by position, or without positions one for each row of each batch
	Positions                []int64 // [batch, rows]; nil: the caches are [batch, rows, Rotate/2]
}

// Run computes Y.
func (r *Rotary[T]) Run(ctx context.Context, p *parallel.Pool) error {
	half := r.Rotate / 2
	limit := 0
	if half > 0 {
		limit = len(r.Cos) / half
	}
	for i, v := range r.Positions {
		if half > 0 && (v < 0 || v >= int64(limit)) {
			return fmt.Errorf("position_ids element %d is %d, allowed are 0 to %d", i, v, limit-1)
		}
	}
	rows := r.Batch * r.Rows
	return p.For(ctx, rows, max(1, chunkWork/(r.Heads*r.Size+1)), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			at := i
			if r.Positions != nil {
				at = int(r.Positions[i])
			}
			cos, sin := r.Cos[at*half:(at+1)*half], r.Sin[at*half:(at+1)*half]
			b, row := i/r.Rows, i%r.Rows
			for h := range r.Heads {
				x := r.X.at(b, h)[row*r.X.Row:][:r.Size]
				y := r.Y.at(b, h)[row*r.Y.Row:][:r.Size]
				if r.Interleaved {
					rotatePairs(x, y, cos, sin)
				} else {
					rotateHalves(x[:half], x[half:r.Rotate], y[:half], y[half:r.Rotate], cos, sin)
				}
				copy(y[r.Rotate:], x[r.Rotate:])
			}
		}
	})
}

func rotatePairs[T Float](x, y, cos, sin []T) {
	sin = sin[:len(cos)]
	for j, c := range cos {
		a, b, s := x[2*j], x[2*j+1], sin[j]
		y[2*j], y[2*j+1] = c*a-s*b, s*a+c*b
	}
}

func rotateHalves[T Float](x1, x2, y1, y2, cos, sin []T) {
	x1, x2, y1, y2, sin = x1[:len(cos)], x2[:len(cos)], y1[:len(cos)], y2[:len(cos)], sin[:len(cos)]
	for j, c := range cos {
		a, b, s := x1[j], x2[j], sin[j]
		y1[j], y2[j] = c*a-s*b, s*a+c*b
	}
}
