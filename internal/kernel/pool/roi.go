package pool

import (
	"context"
	"fmt"
	"math"

	"gort/internal/parallel"
)

var infinity = math.Inf(1)

// Regions describes a pooling over regions of interest of images.
type Regions struct {
	Batch, Channels, Height, Width int
	OutHeight, OutWidth            int
	Scale                          float64 // from a region's coordinates to the image's
	// SamplingRatio is the number of samples along each side of a bin, 0 for as
	// many as the bin covers elements.
	SamplingRatio int
	HalfPixel     bool // elements have their centres at half coordinates
	Max           bool // the largest sample instead of the mean
}

// maxSamples bounds the samples of a bin.
const maxSamples = 1 << 24

// Align computes ONNX RoiAlign (He et al. 2017, Mask R-CNN): each region, a row
// x1 y1 x2 y2 on image batches[i], is cut into bins; a bin's samples lie on a
// regular grid and are interpolated between four neighbours. With Max, the largest
// of the neighbours times their weights counts.
func Align[T Float](ctx context.Context, pool *parallel.Pool, g *Regions, x, rois []T, batches []int64, y []T) error {
	for i, n := range batches {
		if n < 0 || n >= int64(g.Batch) {
			return fmt.Errorf("input 2 (batch_indices): element %d is %d, allowed are 0 to %d", i, n, g.Batch-1)
		}
		b := binsOf(g, rois[4*i:])
		if !(b.gridH*b.gridW <= maxSamples) {
			return fmt.Errorf("input 1 (rois): region %d (%v) has %g x %g samples a bin, allowed are %d in all", i, rois[4*i:4*i+4], b.gridH, b.gridW, maxSamples)
		}
	}
	plane, out := g.Height*g.Width, g.OutHeight*g.OutWidth
	return pool.For(ctx, len(batches)*g.Channels, max(1, inlineWork/(64*out)), func(lo, hi int) {
		for u := lo; u < hi; u++ {
			roi, c := u/g.Channels, u%g.Channels
			image := x[(int(batches[roi])*g.Channels+c)*plane:][:plane]
			alignPlane(g, binsOf(g, rois[4*roi:]), image, y[u*out:][:out])
		}
	})
}

// bins is a region's grid.
type bins struct {
	top, left     float64
	height, width float64 // of a bin
	gridH, gridW  float64 // samples of a bin
}

func binsOf[T Float](g *Regions, roi []T) bins {
	offset := 0.0
	if g.HalfPixel {
		offset = 0.5
	}
	at := func(i int) float64 { return float64(roi[i])*g.Scale - offset }
	b := bins{top: at(1), left: at(0)}
	h, w := at(3)-b.top, at(2)-b.left
	if !g.HalfPixel {
		h, w = max(h, 1), max(w, 1)
	}
	b.height, b.width = h/float64(g.OutHeight), w/float64(g.OutWidth)
	b.gridH, b.gridW = float64(g.SamplingRatio), float64(g.SamplingRatio)
	if g.SamplingRatio == 0 {
		b.gridH, b.gridW = max(0, math.Ceil(b.height)), max(0, math.Ceil(b.width))
	}
	return b
}

func alignPlane[T Float](g *Regions, b bins, image, out []T) {
	nh, nw := int(b.gridH), int(b.gridW)
	for i := range out {
		ph, pw := float64(i/g.OutWidth), float64(i%g.OutWidth)
		sum, best := 0.0, -infinity
		for sy := range nh {
			y := b.top + ph*b.height + (float64(sy)+0.5)*b.height/b.gridH
			for sx := range nw {
				v := sampleAt(g, image, y, b.left+pw*b.width+(float64(sx)+0.5)*b.width/b.gridW)
				sum += v
				best = max(best, v)
			}
		}
		switch {
		case nh*nw == 0:
			out[i] = 0
		case g.Max:
			out[i] = T(best)
		default:
			out[i] = T(sum / float64(nh*nw))
		}
	}
}

// sampleAt interpolates; up to one element outside the border repeats, beyond is 0.
func sampleAt[T Float](g *Regions, image []T, y, x float64) float64 {
	if !(y >= -1 && y <= float64(g.Height) && x >= -1 && x <= float64(g.Width)) || len(image) == 0 {
		return 0
	}
	y0, y1, wy := neighbours(y, g.Height)
	x0, x1, wx := neighbours(x, g.Width)
	a := (1 - wy) * (1 - wx) * float64(image[y0*g.Width+x0])
	b := (1 - wy) * wx * float64(image[y0*g.Width+x1])
	c := wy * (1 - wx) * float64(image[y1*g.Width+x0])
	d := wy * wx * float64(image[y1*g.Width+x1])
	if g.Max {
		return max(a, b, c, d)
	}
	return a + b + c + d
}

// neighbours returns the elements on both sides of a position, and the weight of
// the second.
func neighbours(v float64, n int) (lo, hi int, weight float64) {
	v = max(v, 0)
	lo = int(v)
	if lo >= n-1 {
		return n - 1, n - 1, 0
	}
	return lo, lo + 1, v - float64(lo)
}

// MaxRegions computes ONNX MaxRoiPool (Girshick 2015, Fast R-CNN): a region, a
// row image x1 y1 x2 y2, is rounded to elements and cut into bins that may
// overlap by one element; a bin outside the image gives 0.
func MaxRegions[T Float](ctx context.Context, pool *parallel.Pool, g *Regions, x, rois, y []T) error {
	count := len(rois) / 5
	for i := range count {
		if n := float64(rois[5*i]); !(n >= 0 && n < float64(g.Batch)) {
			return fmt.Errorf("input 1 (rois): region %d is on image %g, allowed are 0 to %d", i, n, g.Batch-1)
		}
	}
	plane, out := g.Height*g.Width, g.OutHeight*g.OutWidth
	return pool.For(ctx, count*g.Channels, max(1, inlineWork/(64*out)), func(lo, hi int) {
		for u := lo; u < hi; u++ {
			roi, c := rois[u/g.Channels*5:][:5], u%g.Channels
			image := x[(int(roi[0])*g.Channels+c)*plane:][:plane]
			at := func(i int) float64 { return math.Round(float64(roi[i]) * g.Scale) }
			left, top := at(1), at(2)
			w, h := max(at(3)-left+1, 1), max(at(4)-top+1, 1)
			for i := range y[u*out:][:out] {
				y0, y1 := bin(i/g.OutWidth, g.OutHeight, top, h, g.Height)
				x0, x1 := bin(i%g.OutWidth, g.OutWidth, left, w, g.Width)
				best := T(0)
				for r := y0; r < y1; r++ {
					for k := x0; k < x1; k++ {
						if v := image[r*g.Width+k]; v > best || v != v || r == y0 && k == x0 {
							best = v
						}
					}
				}
				y[u*out+i] = best
			}
		}
	})
}

// bin returns the elements of bin i of n of a region of size elements, clipped
// to the image.
func bin(i, n int, start, size float64, limit int) (lo, hi int) {
	step := size / float64(n)
	clip := func(v float64) int { return int(min(max(v, 0), float64(limit))) }
	lo = clip(math.Floor(float64(i)*step) + start)
	hi = clip(math.Ceil(float64(i+1)*step) + start)
	if math.IsNaN(start + size) {
		return 0, 0
	}
	return lo, hi
}
