package blockquant

import (
	"context"
	"fmt"

	"gort/internal/parallel"
)

// Codes are elements of 2, 4 or 8 bits, packed from the low bits of each byte up, and
// the number that each code stands for.
type Codes struct {
	Bits   int
	Packed []uint8
	Value  []float32 // 1 << Bits
}

// At returns element i.
func (c *Codes) At(i int) float32 {
	bit := i * c.Bits
	return c.Value[c.Packed[bit>>3]>>(bit&7)&uint8(1<<c.Bits-1)]
}

// Gather is GatherBlockQuantized: rows, picked from data along one axis, made numbers.
// Data has Dims; along Axis a scale is for Block elements in a row, along the other
// dimensions for one element, or for all where ScaleStrides is 0.
type Gather struct {
	Data         Codes
	Dims         []int
	Pick         int // the axis of the indices
	Axis, Block  int
	Scales       []float32
	ScaleStrides []int
	// Zeros are the zero points, nil for none, in the order of the scales: a line of
	// ScaleLine scales has ZeroLine of them, the rest of which is padding.
	Zeros               *Codes
	ScaleLine, ZeroLine int
	// Middle is the zero point where Zeros is nil.
	Middle float32
}

// GatherRows writes to out the elements that the indices pick: for each position
// before the axis, all indices, and for each of them the positions after it. Negative
// indices count from the end.
func GatherRows[I int32 | int64](ctx context.Context, pool *parallel.Pool, g *Gather, indices []I, out []float32) error {
	size, outer, inner := g.Dims[g.Pick], 1, 1
	for i, d := range g.Dims {
		switch {
		case i < g.Pick:
			outer *= d
		case i > g.Pick:
			inner *= d
		}
	}
	for i, v := range indices {
		if int64(v) < -int64(size) || int64(v) >= int64(size) {
			return fmt.Errorf("indices has %d in element %d, allowed are %d to %d", v, i, -size, size-1)
		}
	}
	if inner == 0 {
		return nil
	}
	return pool.For(ctx, outer*len(indices), max(1, (8<<10)/inner), func(lo, hi int) {
		at := make([]int, len(g.Dims))
		for r := lo; r < hi; r++ {
			i := int(indices[r%len(indices)])
			if i < 0 {
				i += size
			}
			g.dequantize(out[r*inner:][:inner], (r/len(indices)*size+i)*inner, at)
		}
	})
}

// dequantize writes the elements from a position on; at is memory for a position.
func (g *Gather) dequantize(dst []float32, from int, at []int) {
	last := len(g.Dims) - 1
	rest := from
	for i := last; i >= 0; i-- {
		at[i] = rest % g.Dims[i]
		rest /= g.Dims[i]
	}
	for len(dst) > 0 {
		n := min(g.Dims[last]-at[last], len(dst))
		if last == g.Axis {
			n = min(n, g.Block-at[last]%g.Block)
		}
		scale := 0
		for i, a := range at {
			if i == g.Axis {
				a /= g.Block
			}
			scale += a * g.ScaleStrides[i]
		}
		if last == g.Axis || g.ScaleStrides[last] == 0 {
			scale, zero := g.Scales[scale], g.zero(scale)
			for i := range dst[:n] {
				dst[i] = (g.Data.At(from+i) - zero) * scale
			}
		} else {
			for i := range dst[:n] {
				dst[i] = (g.Data.At(from+i) - g.zero(scale)) * g.Scales[scale]
				scale += g.ScaleStrides[last]
			}
		}
		dst, from = dst[n:], from+n
		at[last] += n
		for i := last; i > 0 && at[i] == g.Dims[i]; i-- {
			at[i] = 0
			at[i-1]++
		}
	}
}

// zero is the zero point that goes with a scale.
func (g *Gather) zero(scale int) float32 {
	if g.Zeros == nil {
		return g.Middle
	}
	return g.Zeros.At(scale/g.ScaleLine*g.ZeroLine + scale%g.ScaleLine)
}
