package resize

import (
	"math"
	"math/rand/v2"
	"testing"

	"gort/internal/parallel"
)

// tent is the weight of a pixel at a distance.
func tent(d float64) float64 { return math.Max(0, 1-math.Abs(d)) }

// Each element of a crop is the mean of all pixels of its image, weighted by distance.
func TestCrop(t *testing.T) {
	r, pool := rand.New(rand.NewPCG(5, 5)), parallel.New(2)
	defer pool.Close()
	for range 100 {
		s := Crops{Outside: -7, Images: 1 + r.IntN(3), Channels: r.IntN(3), Height: 1 + r.IntN(6), Width: 1 + r.IntN(6), Rows: 1 + r.IntN(4), Columns: 1 + r.IntN(4), Nearest: r.IntN(2) == 0}
		x := make([]float64, s.Images*s.Channels*s.Height*s.Width)
		for i := range x {
			x[i] = r.Float64()
		}
		boxes, at := make([]float64, 4*r.IntN(4)), []int32(nil)
		for i := range boxes {
			boxes[i] = r.Float64()*1.5 - 0.25
			if i%4 == 0 {
				at = append(at, int32(r.IntN(s.Images)))
			}
		}
		size := s.Rows * s.Columns
		y := make([]float64, len(at)*s.Channels*size)
		if err := Crop(t.Context(), pool, &s, x, boxes, at, y); err != nil {
			t.Fatal(err)
		}
		along := func(from, to float64, i, n, length int) float64 {
			f := 0.5
			if n > 1 {
				f = float64(i) / float64(n-1)
			}
			return (from + (to-from)*f) * float64(length-1)
		}
		for i, got := range y {
			b, c := i/size/s.Channels, i/size%s.Channels
			v := along(boxes[4*b], boxes[4*b+2], i/s.Columns%s.Rows, s.Rows, s.Height)
			u := along(boxes[4*b+1], boxes[4*b+3], i%s.Columns, s.Columns, s.Width)
			want := 0.0
			switch image := x[(int(at[b])*s.Channels+c)*s.Height*s.Width:]; {
			case v < 0 || v > float64(s.Height-1) || u < 0 || u > float64(s.Width-1):
				want = s.Outside
			case s.Nearest:
				want = image[int(v+0.5)*s.Width+int(u+0.5)]
			default:
				for k := range s.Height * s.Width {
					want += image[k] * tent(v-float64(k/s.Width)) * tent(u-float64(k%s.Width))
				}
			}
			if math.Abs(got-want) > 1e-9 {
				t.Errorf("%+v: element %d of crop %d at %v, %v is %v, want %v", s, i, b, v, u, got, want)
			}
		}
	}
	s := Crops{Images: 1, Channels: 1, Height: 2, Width: 2, Rows: 1, Columns: 1, Outside: 3}
	x, y := []float32{1, 2, 3, 4}, make([]float32, 1)
	nan := float32(math.NaN())
	if err := Crop(t.Context(), pool, &s, x, []float32{nan, 0, 1, 1}, []int32{0}, y); err != nil || y[0] != 3 {
		t.Errorf("a region at NaN is %v, %v; want what is outside", y[0], err)
	}
	for _, image := range []int32{-1, 1} {
		if err := Crop(t.Context(), pool, &s, x, []float32{0, 0, 1, 1}, []int32{image}, y); err == nil {
			t.Errorf("image %d of 1: no error", image)
		}
	}
}

// Positions beyond the border repeat elements, or move to the border first: a cubic
// tells them apart. The weights are Keys' with a = -0.75.
func TestSampleElementsOnly(t *testing.T) {
	s := Sampling{Mode: "cubic", Padding: "border", Batch: 1, Channels: 1, Input: []int{1, 3}, Output: []int{1, 1}}
	x, y := []float64{1, 2, 5}, make([]float64, 1)
	grid := []float64{(2*-0.75+1)/3 - 1, 0} // element -0.75 of the row
	sum := func(image []float64, at []int, weight []float64) (v float64) {
		for i, k := range at {
			v += weight[i] * image[k]
		}
		return v
	}
	for only, want := range map[bool]float64{false: 1, true: 1 + cubicAt(1.75)*(2-1)} {
		s.ElementsOnly = only
		if err := Sample(t.Context(), nil, &s, x, grid, y, sum); err != nil || math.Abs(y[0]-want) > 1e-12 {
			t.Errorf("ElementsOnly %v: %v, %v; want %v", only, y[0], err, want)
		}
	}
}

// cubicAt is Keys' kernel at a distance from 1 to 2.
func cubicAt(d float64) float64 { return -0.75 * (d*d*d - 5*d*d + 8*d - 4) }
