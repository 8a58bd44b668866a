package resize

import (
	"context"
	"math"

	"gort/internal/parallel"
)

// Sampling describes ONNX GridSample.
type Sampling struct {
	Mode         string // nearest, linear or cubic
	Padding      string // zeros, border or reflection
	AlignCorners bool
	// ElementsOnly has border repeat elements around the image and leaves positions
	// where they are, as ONNX Runtime's own GridSample does; else positions beyond the
	// outermost elements' edges move to the border first. Cubic tells the two apart.
	ElementsOnly bool

	Batch, Channels int
	Input, Output   []int // spatial dimensions
}

// Sample computes the elements of images at the positions of a grid: y[n,c,o] is
// x[n,c] at grid[n,o], whose coordinates run from -1 to 1 over each dimension,
// the last dimension first. sum adds up the elements of an image at so many places,
// each with its weight; a place of -1 is outside, where the image is zero.
func Sample[T any, G Float](ctx context.Context, pool *parallel.Pool, s *Sampling, x []T, grid []G, y []T, sum func(image []T, at []int, weight []float64) T) error {
	rank := len(s.Input)
	plane, points := product(s.Input), product(s.Output)
	taps := map[string]int{"nearest": 1, "linear": 2, "cubic": 4}[s.Mode]
	all := 1
	for range rank {
		all *= taps
	}
	return pool.For(ctx, s.Batch*points, max(1, inlineWork/(all*max(1, s.Channels)*4)), func(lo, hi int) {
		at, weight := make([]int, all), make([]float64, all)
		index, factor := make([]int, rank*taps), make([]float64, rank*taps)
		for p := lo; p < hi; p++ {
			n, o := p/points, p%points
			for d := range rank {
				v := denormalized(grid[p*rank+rank-1-d], s.Input[d], s.AlignCorners)
				s.neighbours(float64(v), s.Input[d], index[d*taps:][:taps], factor[d*taps:][:taps])
			}
			s.combine(index, factor, taps, at, weight)
			for c := range s.Channels {
				y[(n*s.Channels+c)*points+o] = sum(x[(n*s.Channels+c)*plane:][:plane], at, weight)
			}
		}
	})
}

// combine multiplies out the neighbours along each dimension; an index of -1 is
// outside.
func (s *Sampling) combine(index []int, factor []float64, taps int, at []int, weight []float64) {
	for t := range at {
		rest, i, w, inside := t, 0, 1.0, true
		stride := 1
		for d := len(s.Input) - 1; d >= 0; d-- {
			k := d*taps + rest%taps
			rest /= taps
			inside = inside && index[k] >= 0
			i += index[k] * stride
			w *= factor[k]
			stride *= s.Input[d]
		}
		if !inside {
			i = -1
		}
		at[t], weight[t] = i, w
	}
}

// denormalized maps [-1, 1] to elements, in the precision of the grid: where the
// nearest element changes depends on it.
func denormalized[G Float](v G, n int, alignCorners bool) G {
	if alignCorners {
		return (v + 1) / 2 * G(n-1)
	}
	return ((v+1)*G(n) - 1) / 2
}

// neighbours finds the elements around a coordinate and their weights.
func (s *Sampling) neighbours(v float64, n int, index []int, factor []float64) {
	lo, hi := -0.5, float64(n)-0.5
	if s.AlignCorners {
		lo, hi = 0, float64(n-1)
	}
	if s.Mode == "nearest" {
		v = math.RoundToEven(v)
	}
	if v < lo || v > hi {
		switch {
		case s.Padding == "border" && !s.ElementsOnly:
			v = min(max(v, 0), float64(n-1))
		case s.Padding == "reflection":
			v = reflect(v, lo, hi)
		}
	}
	if !(math.Abs(v) < 1<<31) { // also NaN: outside of everything
		for t := range index {
			index[t], factor[t] = s.pad(-1, n, lo, hi), 0
		}
		if s.Padding == "zeros" {
			return
		}
		factor[0] = 1
		return
	}
	floor := math.Floor(v)
	ratio, first := v-floor, int(floor)
	switch s.Mode {
	case "nearest":
		factor[0] = 1
	case "linear":
		factor[0], factor[1] = 1-ratio, ratio
	default:
		first--
		o := Options{CubicA: -0.75}
		for t := range factor {
			factor[t] = o.cubic(float64(t-1) - ratio)
		}
	}
	for t := range index {
		index[t] = s.pad(first+t, n, lo, hi)
	}
}

// pad maps an element's index into the image, -1 where it counts as 0.
func (s *Sampling) pad(i, n int, lo, hi float64) int {
	if i >= 0 && i < n {
		return i
	}
	switch s.Padding {
	case "border":
		return min(max(i, 0), n-1)
	case "reflection":
		return min(max(int(reflect(float64(i), lo, hi)), 0), n-1)
	}
	return -1
}

// reflect folds a coordinate at lo and hi until it lies between them.
func reflect(v, lo, hi float64) float64 {
	span := hi - lo
	if span <= 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return lo
	}
	v = math.Mod(math.Abs(v-lo), 2*span)
	if v > span {
		v = 2*span - v
	}
	return lo + v
}

// Affine computes ONNX AffineGrid: position o of image n is theta[n] times the
// normalised coordinates of o, the last dimension first, and 1.
func Affine[T Float](size []int, alignCorners bool, theta, y []T) {
	rank, points := len(size), product(size)
	if points == 0 {
		return
	}
	at := make([]float64, rank+1)
	at[rank] = 1
	for p := range len(y) / (points * rank) * points {
		rest := p % points
		for d := rank - 1; d >= 0; d-- {
			at[rank-1-d] = normalized(rest%size[d], size[d], alignCorners)
			rest /= size[d]
		}
		for r := range rank {
			sum := 0.0
			for k, v := range at {
				sum += float64(theta[(p/points*rank+r)*(rank+1)+k]) * v
			}
			y[p*rank+r] = T(sum)
		}
	}
}

// normalized maps element i of n to [-1, 1]: the ends are the centres of the
// outermost elements when corners are aligned, else their outer edges.
func normalized(i, n int, alignCorners bool) float64 {
	switch {
	case !alignCorners:
		return (2*float64(i)+1)/float64(n) - 1
	case n == 1:
		return -1
	}
	return 2*float64(i)/float64(n-1) - 1
}
