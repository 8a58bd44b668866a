package resize

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gort/internal/parallel"
)

// plain resizes by the definition: the tables' products over all dimensions.
func plain(in, out []int, axes []*Axis, x []float64, outside float64) []float64 {
	y := make([]float64, product(out))
	for o := range y {
		y[o] = at(in, out, axes, x, outside, 0, 0, o, product(out))
	}
	return y
}

func at(in, out []int, axes []*Axis, x []float64, outside float64, d, from, o, size int) float64 {
	if d == len(in) {
		return x[from]
	}
	size /= out[d]
	p, rest := o/size, o%size
	a := axes[d]
	if a == nil {
		return at(in, out, axes, x, outside, d+1, from*in[d]+p, rest, size)
	}
	if a.Outside != nil && a.Outside[p] {
		return outside
	}
	sum := 0.0
	for t := range a.Taps {
		sum += a.Weights[p*a.Taps+t] * at(in, out, axes, x, outside, d+1, from*in[d]+a.Index[p*a.Taps+t], rest, size)
	}
	return sum
}

var coordinateModes = []string{"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"}

func TestAgainstDefinition(t *testing.T) {
	pool := parallel.New(3)
	defer pool.Close()
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 3))
		o := &Options{Mode: []string{"nearest", "linear", "cubic"}[r.IntN(3)], Coordinates: coordinateModes[r.IntN(len(coordinateModes))],
			Nearest: []string{"round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "legacy"}[r.IntN(5)], CubicA: -0.5,
			ExcludeOutside: r.IntN(2) == 0, Antialias: r.IntN(2) == 0, Extrapolation: 7}
		rank := 1 + r.IntN(4)
		in, out, axes := make([]int, rank), make([]int, rank), make([]*Axis, rank)
		for d := range in {
			in[d] = 1 + r.IntN(7)
			out[d] = in[d]
			if r.IntN(3) > 0 {
				out[d] = 1 + r.IntN(9)
				axes[d] = NewAxis(o, in[d], out[d], float64(out[d])/float64(in[d]), Span{0.2, 1.1})
			}
		}
		x := make([]float64, product(in))
		x32 := make([]float32, len(x))
		for i := range x {
			x[i] = float64(r.IntN(100))
			x32[i] = float32(x[i])
		}
		want := plain(in, out, axes, x, 7)
		got := make([]float32, len(want))
		var err error
		if o.Mode == "nearest" {
			err = Nearest(t.Context(), pool, in, out, axes, 7, x32, got)
		} else {
			err = NewInterpolation[float32](in, axes, 7).Run(t.Context(), pool, x32, got)
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if math.Abs(float64(got[i])-want[i]) > 1e-3 {
				t.Fatalf("seed %d %+v %v to %v: element %d is %g, want %g", seed, *o, in, out, i, got[i], want[i])
			}
		}
	}
}

// The weights of a position sum up to one, whatever the mode.
func TestWeightsSumToOne(t *testing.T) {
	for _, mode := range []string{"nearest", "linear", "cubic"} {
		for _, c := range coordinateModes {
			for flags := range 4 {
				o := &Options{Mode: mode, Coordinates: c, CubicA: -0.75, ExcludeOutside: flags&1 > 0, Antialias: flags&2 > 0}
				for _, size := range [][2]int{{5, 5}, {5, 13}, {13, 5}, {1, 4}, {4, 1}, {100, 3}} {
					a := NewAxis(o, size[0], size[1], float64(size[1])/float64(size[0]), Span{0, 1})
					for p := range size[1] {
						sum := 0.0
						for k := range a.Taps {
							sum += a.Weights[p*a.Taps+k]
						}
						if math.Abs(sum-1) > 1e-12 {
							t.Fatalf("%+v %v: the weights of position %d sum up to %g", *o, size, p, sum)
						}
					}
				}
			}
		}
	}
}

// Where positions come from, by the formulas of the specification.
func TestCoordinates(t *testing.T) {
	for _, c := range []struct {
		mode         string
		in, out      int
		scale        float64
		want0, want1 float64
	}{
		{"half_pixel", 4, 8, 2, -0.25, 0.25},
		{"asymmetric", 4, 8, 2, 0, 0.5},
		{"align_corners", 4, 7, 1.75, 0, 0.5},
		{"tf_half_pixel_for_nn", 4, 8, 2, 0.25, 0.75},
		{"pytorch_half_pixel", 4, 2, 0.5, 0.5, 2.5},
		{"half_pixel_symmetric", 4, 2, 0.6, 2*(1-2/2.4) + 0.5/0.6 - 0.5, 2*(1-2/2.4) + 1.5/0.6 - 0.5},
		{"tf_crop_and_resize", 5, 3, 0.6, 1, 2},
	} {
		o := &Options{Coordinates: c.mode}
		for i, want := range []float64{c.want0, c.want1} {
			if got := o.source(i, c.in, c.out, c.scale, Span{0.25, 0.75}); math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: position %d comes from %g, want %g", c.mode, i, got, want)
			}
		}
	}
}

func TestNearestRounding(t *testing.T) {
	for _, c := range []struct {
		mode string
		want [3]int // for 0.25, 0.5 and 0.75 beyond a position
	}{
		{"round_prefer_floor", [3]int{0, 0, 1}}, {"round_prefer_ceil", [3]int{0, 1, 1}}, {"floor", [3]int{0, 0, 0}}, {"ceil", [3]int{1, 1, 1}},
	} {
		o := &Options{Nearest: c.mode}
		for i, ratio := range []float64{0.25, 0.5, 0.75} {
			if got := o.round(ratio, 1); got != c.want[i] {
				t.Errorf("%s: %g rounds to %d, want %d", c.mode, ratio, got, c.want[i])
			}
		}
	}
}

// Along a ramp, interpolation gives the position itself.
func TestSampleRamp(t *testing.T) {
	const h, w = 5, 7
	x := make([]float64, h*w)
	for i := range x {
		x[i] = 100*float64(i/w) + float64(i%w)
	}
	for _, align := range []bool{false, true} {
		for _, mode := range []string{"nearest", "linear", "cubic"} {
			s := &Sampling{Mode: mode, Padding: "border", AlignCorners: align, Batch: 1, Channels: 1, Input: []int{h, w}, Output: []int{h, w}}
			grid := make([]float64, h*w*2)
			theta := []float64{1, 0, 0, 0, 1, 0}
			Affine([]int{h, w}, align, theta, grid)
			y := make([]float64, h*w)
			if err := Sample(t.Context(), nil, s, x, grid, y, weightedSum); err != nil {
				t.Fatal(err)
			}
			for i := range y {
				if math.Abs(y[i]-x[i]) > 1e-9 {
					t.Fatalf("%s align %v: element %d is %g, want %g", mode, align, i, y[i], x[i])
				}
			}
		}
	}
}

func TestSamplePadding(t *testing.T) {
	x := []float64{1, 2, 3, 4}
	for _, c := range []struct {
		padding string
		at      float64 // position 4.5 of 4, then far away, then no number
		want    float64
	}{
		{"zeros", 1.5, 0}, {"border", 1.5, 4}, {"reflection", 1.5, 3.5},
		{"zeros", 1e30, 0}, {"border", 1e30, 4}, {"zeros", math.NaN(), 0},
	} {
		s := &Sampling{Mode: "linear", Padding: c.padding, Batch: 1, Channels: 1, Input: []int{4}, Output: []int{1}}
		y := make([]float64, 1)
		if err := Sample(t.Context(), nil, s, x, []float64{c.at}, y, weightedSum); err != nil {
			t.Fatal(err)
		}
		if math.Abs(y[0]-c.want) > 1e-12 {
			t.Errorf("%s at %g: %g, want %g", c.padding, c.at, y[0], c.want)
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), -1e300} { // must not panic
		for _, mode := range []string{"nearest", "linear", "cubic"} {
			for _, p := range []string{"zeros", "border", "reflection"} {
				s := &Sampling{Mode: mode, Padding: p, Batch: 1, Channels: 1, Input: []int{4}, Output: []int{1}}
				if err := Sample(t.Context(), nil, s, x, []float64{v}, make([]float64, 1), weightedSum); err != nil {
					t.Fatal(fmt.Errorf("%s %s: %w", mode, p, err))
				}
			}
		}
	}
}

func BenchmarkLinearDouble(b *testing.B) {
	o := &Options{Mode: "linear", Coordinates: "half_pixel"}
	in := []int{1, 64, 64, 64}
	a := NewAxis(o, 64, 128, 2, Span{0, 1})
	p := NewInterpolation[float32](in, []*Axis{nil, nil, a, a}, 0)
	x, y := make([]float32, 64*64*64), make([]float32, 64*128*128)
	b.SetBytes(int64(4 * len(y)))
	for b.Loop() {
		if err := p.Run(b.Context(), nil, x, y); err != nil {
			b.Fatal(err)
		}
	}
}

func weightedSum(image []float64, at []int, weight []float64) float64 {
	sum := 0.0
	for t, i := range at {
		if i >= 0 {
			sum += weight[t] * image[i]
		}
	}
	return sum
}
