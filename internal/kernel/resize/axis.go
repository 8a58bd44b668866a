package resize

import (
	"math"
	"slices"
)

// Options are the attributes of ONNX Resize.
type Options struct {
	Mode           string // nearest, linear or cubic
	Coordinates    string // coordinate_transformation_mode
	Nearest        string // nearest_mode; "legacy" is what was usual before it existed
	CubicA         float64
	ExcludeOutside bool
	Antialias      bool
	Extrapolation  float64
}

// Span is the part of a dimension that tf_crop_and_resize takes, as fractions.
type Span struct{ Start, End float64 }

// Axis tells how the positions along one dimension are made of those of the
// input: position o is the sum of Weights[o*Taps+t] times input Index[o*Taps+t].
type Axis struct {
	In, Out int
	Taps    int
	Index   []int
	Weights []float64
	Outside []bool // positions that are the extrapolation value; nil if none is
}

// NewAxis resamples in elements to out. scale is out/in before out was rounded.
func NewAxis(o *Options, in, out int, scale float64, roi Span) *Axis {
	a := &Axis{In: in, Out: out}
	for i := range out {
		x := o.source(i, in, out, scale, roi)
		if o.Coordinates == "tf_crop_and_resize" && !(x >= 0 && x <= float64(in-1)) {
			if a.Outside == nil {
				a.Outside = make([]bool, out)
			}
			a.Outside[i] = true
			x = 0
		}
		first, weights := o.taps(x, scale)
		if a.Taps == 0 {
			a.Taps = len(weights)
			a.Index, a.Weights = make([]int, 0, out*a.Taps), make([]float64, 0, out*a.Taps)
		}
		if o.ExcludeOutside && o.Mode != "nearest" {
			exclude(weights, first, in)
		}
		for t := range weights {
			a.Index = append(a.Index, min(max(first+t, 0), in-1))
		}
		a.Weights = append(a.Weights, weights...)
	}
	return a
}

// Identity reports whether the positions are those of the input.
func (a *Axis) Identity() bool {
	if a.In != a.Out || a.Outside != nil {
		return false
	}
	for o := range a.Out {
		for t := range a.Taps {
			if w := a.Weights[o*a.Taps+t]; w != 0 && (w != 1 || a.Index[o*a.Taps+t] != o) {
				return false
			}
		}
	}
	return true
}

// source maps output position i to a position in the input. The length of the
// output that counts is in*scale, not the whole number out.
func (o *Options) source(i, in, out int, scale float64, roi Span) float64 {
	x, length := float64(i), scale*float64(in)
	switch o.Coordinates {
	case "align_corners":
		if length == 1 {
			return 0
		}
		return x * float64(in-1) / (length - 1)
	case "asymmetric":
		return x / scale
	case "tf_half_pixel_for_nn":
		return (x + 0.5) / scale
	case "tf_crop_and_resize":
		if length == 1 {
			return (roi.Start + roi.End) * float64(in-1) / 2
		}
		return x*(roi.End-roi.Start)*float64(in-1)/(length-1) + roi.Start*float64(in-1)
	case "pytorch_half_pixel":
		if length == 1 {
			return 0
		}
	case "half_pixel_symmetric":
		center := float64(in) / 2
		return center*(1-float64(out)/length) + (x+0.5)/scale - 0.5
	}
	return (x+0.5)/scale - 0.5
}

// taps returns the input positions that make up position x, from first on.
func (o *Options) taps(x, scale float64) (first int, weights []float64) {
	floor := math.Floor(x)
	ratio := x - floor
	if !(math.Abs(floor) <= math.MaxInt32) {
		floor, ratio = 0, 0
	}
	at := int(floor)
	reach := map[string]float64{"linear": 1, "cubic": 2}[o.Mode]
	kernel := o.cubic
	switch o.Mode {
	case "nearest":
		return at + o.round(ratio, scale), []float64{1}
	case "linear":
		kernel = triangle
	}
	shrink := 1.0
	if o.Antialias {
		shrink = min(scale, 1)
	}
	first = int(math.Floor(-reach/shrink)) + 1
	weights = make([]float64, 2-2*first)
	sum := 0.0
	for t := range weights {
		weights[t] = kernel((float64(first+t) - ratio) * shrink)
		sum += weights[t]
	}
	if o.Antialias {
		for t := range weights {
			weights[t] /= sum
		}
	}
	return at + first, weights
}

// round returns whether the nearest position is the lower (0) or upper (1)
// neighbour of one that lies ratio beyond the lower.
func (o *Options) round(ratio, scale float64) int {
	up := false
	switch o.Nearest {
	case "floor":
	case "ceil":
		up = ratio > 0
	case "round_prefer_ceil":
		up = ratio >= 0.5
	case "legacy":
		up = scale < 1 && ratio > 0
	default:
		up = ratio > 0.5
	}
	if up {
		return 1
	}
	return 0
}

func triangle(d float64) float64 { return max(0, 1-math.Abs(d)) }

// cubic is the interpolation kernel of Keys (1981).
func (o *Options) cubic(d float64) float64 {
	a, d := o.CubicA, math.Abs(d)
	switch {
	case d <= 1:
		return ((a+2)*d-(a+3))*d*d + 1
	case d < 2:
		return ((a*d-5*a)*d+8*a)*d - 4*a
	}
	return 0
}

// exclude drops what is outside and spreads its weight over the rest.
func exclude(weights []float64, first, in int) {
	sum := 0.0
	for t := range weights {
		if i := first + t; i < 0 || i >= in {
			weights[t] = 0
		}
		sum += weights[t]
	}
	if sum == 0 || !slices.ContainsFunc(weights, func(w float64) bool { return w != 0 }) {
		return
	}
	for t := range weights {
		weights[t] /= sum
	}
}
