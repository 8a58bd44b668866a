package jpeg2000

import (
	"context"

	"gort/internal/parallel"
)

// lanes is how many rows or columns are transformed at once.
const lanes = 8

// line is as many samples, one of each row or column.
type line[T int32 | float32] [lanes]T

// inverseWavelet transforms a tile-component's coefficients into samples, annex F.3:
// resolution by resolution, rows first. The coefficients of a resolution stand in
// plane as four quarters, LL, HL, LH and HH. lift transforms interleaved lines of
// which the first is low-pass, or high-pass if odd is 1.
func inverseWavelet[T int32 | float32](ctx context.Context, pool *parallel.Pool, c *tileComponent, plane []T, lift func(l []line[T], odd int)) error {
	stride := c.width()
	for i := 1; i < len(c.resolutions); i++ {
		low, r := c.resolutions[i-1].rect, c.resolutions[i].rect
		if r.empty() {
			continue
		}
		w, h := r.width(), r.height()
		err := pool.For(ctx, ceilDiv(h, lanes), 1+waveletGrain/w, func(lo, hi int) {
			l := make([]line[T], w)
			for y := lo * lanes; y < min(hi*lanes, h); y += lanes {
				moveRows(l, plane[y*stride:], stride, min(lanes, h-y), low.width(), r.x0&1, lift)
			}
		})
		if err != nil {
			return err
		}
		err = pool.For(ctx, ceilDiv(w, lanes), 1+waveletGrain/h, func(lo, hi int) {
			l := make([]line[T], h)
			for x := lo * lanes; x < min(hi*lanes, w); x += lanes {
				moveColumns(l, plane[x:], stride, min(lanes, w-x), low.height(), r.y0&1, lift)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// waveletGrain is how many lines are worth a thread's attention.
const waveletGrain = 1 << 12

// moveRows transforms some rows of which the first samples are low-pass.
func moveRows[T int32 | float32](l []line[T], plane []T, stride, rows, low, odd int, lift func([]line[T], int)) {
	for k := range rows {
		row := plane[k*stride:][:len(l)]
		for i, v := range row[:low] {
			l[2*i+odd][k] = v
		}
		for i, v := range row[low:] {
			l[2*i+1-odd][k] = v
		}
	}
	lift(l, odd)
	for k := range rows {
		row := plane[k*stride:][:len(l)]
		for i := range row {
			row[i] = l[i][k]
		}
	}
}

// moveColumns transforms some columns of which the first samples are low-pass.
func moveColumns[T int32 | float32](l []line[T], plane []T, stride, columns, low, odd int, lift func([]line[T], int)) {
	for i := range l {
		at := 2*i + odd
		if i >= low {
			at = 2*(i-low) + 1 - odd
		}
		copy(l[at][:columns], plane[i*stride:])
	}
	lift(l, odd)
	for i := range l {
		copy(plane[i*stride:][:columns], l[i][:])
	}
}

// neighbours returns the lines beside line i; beyond the ends the line is mirrored.
func neighbours[T int32 | float32](l []line[T], i int) (before, after *line[T]) {
	switch last := len(l) - 1; {
	case i == 0:
		return &l[1], &l[1]
	case i == last:
		return &l[i-1], &l[i-1]
	default:
		return &l[i-1], &l[i+1]
	}
}

// lift53 is the reversible transform 5/3 in one direction, annex F.3.8.2.1.
func lift53(l []line[int32], odd int) {
	if len(l) == 1 {
		if odd == 1 {
			for k := range l[0] {
				l[0][k] /= 2
			}
		}
		return
	}
	for i := odd; i < len(l); i += 2 {
		a, b := neighbours(l, i)
		for k := range l[i] {
			l[i][k] -= (a[k] + b[k] + 2) >> 2
		}
	}
	for i := 1 - odd; i < len(l); i += 2 {
		a, b := neighbours(l, i)
		for k := range l[i] {
			l[i][k] += (a[k] + b[k]) >> 1
		}
	}
}

// Constants of the transform 9/7, table F.4, with as many digits as OpenJPEG has. The
// high-pass scale should be 2/1.230174105 = 1.6257861; OpenJPEG's is 13318/2^13.
const (
	alpha97 = -1.586134342
	beta97  = -0.052980118
	gamma97 = 0.882911075
	delta97 = 0.443506852
	low97   = 1.230174105
	high97  = 1.625732422
)

// lift97 is the irreversible transform 9/7 in one direction, annex F.3.8.2.2. The
// range of high-pass coefficients, twice that of the low-pass ones, is part of their
// scale here and not of their quantization.
func lift97(l []line[float32], odd int) {
	if len(l) == 1 {
		return
	}
	for i := range l {
		scale := float32(low97)
		if i&1 != odd {
			scale = high97
		}
		for k := range l[i] {
			l[i][k] *= scale
		}
	}
	addNeighbours(l, odd, -delta97)
	addNeighbours(l, 1-odd, -gamma97)
	addNeighbours(l, odd, -beta97)
	addNeighbours(l, 1-odd, -alpha97)
}

// addNeighbours adds the weighted sum of both neighbours to every other line. The
// conversion keeps the product from being fused with the sum.
func addNeighbours(l []line[float32], first int, weight float32) {
	for i := first; i < len(l); i += 2 {
		a, b := neighbours(l, i)
		for k := range l[i] {
			l[i][k] += float32((a[k] + b[k]) * weight)
		}
	}
}
