package conv

import (
	"context"
	"sync/atomic"

	"gort/internal/parallel"
	"gort/internal/simd"
)

// Byte lists the element types of the integer convolutions.
type Byte interface{ int8 | uint8 }

// Int8Weights are filters less their zero points, in the order in which
// [Int8] reads them: for each group and block of kBlock terms panels of 6
// filters, pairs of terms.
type Int8Weights struct {
	groups, out, k int
	data           []int16
}

// PackInt8 packs groups*out filters of k terms. zero holds no zero point (all
// are 0), one, or one for each filter.
func PackInt8[W Byte](groups, out, k int, w, zero []W) *Int8Weights {
	const mr = simd.GemmMR
	rows, terms := roundUp(out, mr), roundUp(k, 2)
	pw := &Int8Weights{groups, out, k, make([]int16, groups*rows*terms)}
	for g := range groups {
		for k0 := 0; k0 < k; k0 += kBlock {
			kc := min(kBlock, k-k0)
			for m := range out {
				z := int16(0)
				switch len(zero) {
				case 0:
				case 1:
					z = int16(zero[0])
				default:
					z = int16(zero[g*out+m])
				}
				dst := pw.panel(g, k0, kc, m/mr*mr)[2*(m%mr):]
				for q, v := range w[(g*out+m)*k+k0:][:kc] {
					dst[q/2*2*mr+q%2] = int16(v) - z
				}
			}
		}
	}
	return pw
}

func (pw *Int8Weights) panel(g, k0, kc, m int) []int16 {
	rows, terms := roundUp(pw.out, simd.GemmMR), roundUp(pw.k, 2)
	return pw.data[g*rows*terms+k0*rows+m*roundUp(kc, 2):]
}

// Bytes returns the memory the packed filters take.
func (pw *Int8Weights) Bytes() int { return 2 * len(pw.data) }

// Int8 computes the convolution of x less its zero point with packed filters,
// exactly in 32 bits (wrapping); padding stands for the zero point. It hands the
// sums over row by row: emit gets those of a filter, counted over images and
// groups, for the output positions from pixel on, from several threads at once.
func Int8[X Byte](ctx context.Context, pool *parallel.Pool, p *Plan, x []X, zero X, w *Int8Weights, emit func(filter, pixel int, sums []int32)) error {
	const mr, nr = simd.GemmMR, simd.GemmNR
	if p.Batch*p.Groups*p.Out*p.pixels == 0 {
		return nil
	}
	if float64(p.Batch*p.Groups)*float64(p.Out)*float64(p.k)*float64(p.pixels) < inlineWork {
		pool = nil
	}
	c := call{Plan: p}
	if ctx != nil {
		c.done = ctx.Done()
	}
	c.cut(pool.Threads())
	var stopped atomic.Bool
	err := pool.For(ctx, p.Batch*p.Groups*c.tiles*c.mTiles, 1, func(lo, hi int) {
		s := patchPool.Get().(*patches)
		defer patchPool.Put(s)
		for u := lo; u < hi; u++ {
			if isDone(c.done) {
				stopped.Store(true)
				return
			}
			m, t := u%c.mTiles*c.mb, u/c.mTiles
			gi, pixel := t/c.tiles, t%c.tiles*c.tile
			cols := min(c.tile, p.pixels-pixel)
			m1 := min(m+c.mb, p.Out)
			int8Unit(&c, s, gi, pixel, cols, m, m1, x[gi*p.In*p.plane:], int16(zero), w)
			width := roundUp(cols, nr)
			for q := m; q < m1; q++ {
				emit(gi*p.Out+q, pixel, s.sums[(q-m)*width:][:cols])
			}
		}
	})
	if err == nil && stopped.Load() {
		err = ctx.Err()
	}
	return err
}

// int8Unit computes one tile into s.sums, whose rows are whole panels.
func int8Unit[X Byte](c *call, s *patches, gi, pixel, cols, m0, m1 int, x []X, zero int16, w *Int8Weights) {
	const mr, nr = simd.GemmMR, simd.GemmNR
	width := roundUp(cols, nr)
	s.sums = grow(s.sums, roundUp(m1-m0, mr)*width)
	if c.k == 0 {
		clear(s.sums)
	}
	for k0 := 0; k0 < c.k; k0 += kBlock {
		kc := min(kBlock, c.k-k0)
		pairs := ceilDiv(kc, 2)
		s.b16 = grow(s.b16, width*2*pairs)
		for j := 0; j < cols; j += nr {
			s.runs = c.runs(s.runs, pixel+j, min(nr, cols-j))
			gatherInt(c.Plan, s.b16[j*2*pairs:], x, zero, s.runs, k0, k0+kc)
		}
		for j := 0; j < cols; j += nr {
			for m := m0; m < m1; m += mr {
				simd.Int16Kernel6x16(min(mr, m1-m), pairs, w.panel(gi%c.Groups, k0, kc, m), s.b16[j*2*pairs:], s.sums[(m-m0)*width+j:], width, k0 > 0)
			}
		}
	}
}
