package resize

import (
	"context"
	"fmt"
	"math"

	"gort/internal/parallel"
)

// Crops describes CropAndResize: regions of images, each resampled to one size.
type Crops struct {
	Nearest bool    // else bilinear
	Outside float64 // what stands for positions outside of the image

	Images, Channels, Height, Width int // of the input
	Rows, Columns                   int // of each crop
}

// Crop computes y[r,c] from image at[r] for region r, whose corners
// (y1, x1, y2, x2) are fractions of height-1 and width-1: the first and last rows and
// columns of a crop lie on them. A crop of one row or column takes the middle.
func Crop[T Float](ctx context.Context, pool *parallel.Pool, s *Crops, x, regions []T, at []int32, y []T) error {
	for r, image := range at {
		if image < 0 || int(image) >= s.Images {
			return fmt.Errorf("batch index %d is %d, allowed are 0 to %d", r, image, s.Images-1)
		}
	}
	plane, size := s.Height*s.Width, s.Rows*s.Columns
	return pool.For(ctx, len(at), max(1, inlineWork/max(1, size*s.Channels*4)), func(lo, hi int) {
		rows, columns := make([]T, s.Rows), make([]T, s.Columns)
		for r := lo; r < hi; r++ {
			box := regions[4*r:][:4]
			positions(rows, box[0], box[2], s.Height)
			positions(columns, box[1], box[3], s.Width)
			for c := range s.Channels {
				image := x[(int(at[r])*s.Channels+c)*plane:][:plane]
				crop := y[(r*s.Channels+c)*size:][:size]
				for i, v := range rows {
					for j, u := range columns {
						crop[i*s.Columns+j] = sampled(s, image, v, u)
					}
				}
			}
		}
	})
}

// positions spreads the coordinates of a crop between two fractions of n-1. Steps are
// taken in the type of the coordinates: where a position is outside depends on it.
func positions[T Float](p []T, from, to T, n int) {
	last := T(n - 1)
	if len(p) == 1 {
		p[0] = T(0.5 * float64(from+to) * float64(last))
		return
	}
	step := (to - from) * last / T(len(p)-1)
	for i := range p {
		p[i] = T(from*last) + T(T(i)*step) // rounded twice on every architecture
	}
	p[len(p)-1] = to * last
}

// sampled is the image at a position, or the value for what is outside.
func sampled[T Float](s *Crops, image []T, v, u T) T {
	if !(v >= 0 && v <= T(s.Height-1) && u >= 0 && u <= T(s.Width-1)) {
		return T(s.Outside)
	}
	if s.Nearest {
		return image[int(math.Round(float64(v)))*s.Width+int(math.Round(float64(u)))]
	}
	top, left := math.Floor(float64(v)), math.Floor(float64(u))
	dv, du := v-T(top), u-T(left)
	above, below := image[int(top)*s.Width:], image[int(math.Ceil(float64(v)))*s.Width:]
	i, k := int(left), int(math.Ceil(float64(u)))
	a := above[i] + (above[k]-above[i])*du
	b := below[i] + (below[k]-below[i])*du
	return a + (b-a)*dv
}
