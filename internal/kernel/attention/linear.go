package attention

import (
	"context"
	"math"

	"gort/internal/parallel"
	"gort/internal/simd"
)

// Linear is attention whose state is a matrix for each head, updated row by row
// (LinearAttention-27):
//
//	S = exp(decay)*S + beta*k*(v - S^T*k)^T     y = scale*S^T*q
//
// Without decay the state is kept; without delta, k*v^T is added.
type Linear struct {
	Batch, Rows, QHeads, KVHeads int
	Size, VSize                  int
	Scale                        float32
	Query, Key, Value            []float32 // packed [batch, rows, heads*size]
	State                        []float32 // [batch, kv heads, size, vsize], updated in place
	Decay                        []float32 // [batch, rows, kv heads*(1 or size)], nil for none
	DecaySize                    int       // 1 or Size
	Beta                         []float32 // [batch, rows, 1 or kv heads], nil for no delta
	BetaHeads                    int       // 1 or KVHeads
	Y                            []float32 // packed [batch, rows, q heads*vsize]
}

// Run computes the outputs and the state after the last row.
func (l *Linear) Run(ctx context.Context, p *parallel.Pool) error {
	grain := max(1, chunkWork/(3*l.Rows*l.Size*l.VSize+1))
	return p.For(ctx, l.Batch*l.KVHeads, grain, func(lo, hi int) {
		v := make([]float32, l.VSize)
		for i := lo; i < hi; i++ {
			l.head(i/l.KVHeads, i%l.KVHeads, v)
		}
	})
}

func (l *Linear) head(b, h int, v []float32) {
	n := l.Size * l.VSize
	state := l.State[(b*l.KVHeads+h)*n:][:n]
	group := l.QHeads / l.KVHeads
	for t := range l.Rows {
		at := b*l.Rows + t
		k := l.Key[(at*l.KVHeads+h)*l.Size:][:l.Size]
		copy(v, l.Value[(at*l.KVHeads+h)*l.VSize:])
		if l.Decay != nil {
			g := l.Decay[(at*l.KVHeads+h)*l.DecaySize:][:l.DecaySize]
			f := float32(math.Exp(float64(g[0])))
			for d := range l.Size {
				if l.DecaySize > 1 {
					f = float32(math.Exp(float64(g[d])))
				}
				row := state[d*l.VSize:][:l.VSize]
				simd.MulScalar(row, row, f)
			}
		}
		if l.Beta != nil {
			for d, kd := range k {
				simd.AXPY(v, state[d*l.VSize:][:l.VSize], -kd)
			}
			simd.MulScalar(v, v, l.Beta[at*l.BetaHeads+min(h, l.BetaHeads-1)])
		}
		for d, kd := range k {
			simd.AXPY(state[d*l.VSize:][:l.VSize], v, kd)
		}
		for q := h * group; q < (h+1)*group; q++ {
			y := l.Y[(at*l.QHeads+q)*l.VSize:][:l.VSize]
			clear(y)
			for d, qd := range l.Query[(at*l.QHeads+q)*l.Size:][:l.Size] {
				simd.AXPY(y, state[d*l.VSize:][:l.VSize], l.Scale*qd)
			}
		}
	}
}
