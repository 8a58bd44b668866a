package pool

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gort/internal/parallel"
)

// randomWindow makes a small pooling of one to three dimensions.
func randomWindow(r *rand.Rand) *Window {
	w := &Window{Planes: 1 + r.IntN(4)}
	rank := 1 + r.IntN(3)
	for range rank {
		k, s, d := 1+r.IntN(4), 1+r.IntN(3), 1+r.IntN(2)
		in := 1 + r.IntN([]int{40, 12, 6}[rank-1])
		begin, end := r.IntN(k), r.IntN(k)
		room := in + begin + end - (k-1)*d - 1
		if room < 0 {
			in, room = in-room, 0
		}
		out := room/s + 1
		if r.IntN(2) == 0 && out*s < in+begin { // as with ceil_mode
			out++
		}
		w.Input, w.Output, w.Kernel = append(w.Input, in), append(w.Output, out), append(w.Kernel, k)
		w.Strides, w.Dilations = append(w.Strides, s), append(w.Dilations, d)
		w.Begin, w.End = append(w.Begin, begin), append(w.End, end)
	}
	return w
}

// visit calls f for each tap of each output: at is the element's position within
// the plane, -1 outside; padded says whether it is inside the padding.
func (w *Window) visit(f func(plane, out, at int, padded bool)) {
	for n := range w.Planes {
		for o := range product(w.Output) {
			for t := range product(w.Kernel) {
				at, padded, ro, rt := 0, true, o, t
				stride := 1
				for d := len(w.Input) - 1; d >= 0; d-- {
					p := ro%w.Output[d]*w.Strides[d] - w.Begin[d] + rt%w.Kernel[d]*w.Dilations[d]
					ro, rt = ro/w.Output[d], rt/w.Kernel[d]
					if p < 0 || p >= w.Input[d] {
						padded = padded && p < w.Input[d]+w.End[d]
						at = math.MinInt32
					}
					at += p * stride
					stride *= w.Input[d]
				}
				if at < 0 {
					at = -1
				}
				f(n, o, at, padded)
			}
		}
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-5*(1+math.Abs(want)) && !(math.IsNaN(got) && math.IsNaN(want)) && got != want {
		t.Fatalf("%s: got %g, want %g", what, got, want)
	}
}

func check(t *testing.T, seed uint64, pool *parallel.Pool) {
	r := rand.New(rand.NewPCG(seed, 2))
	w := randomWindow(r)
	in, out := product(w.Input), product(w.Output)
	x := make([]float32, w.Planes*in)
	wide := make([]float64, len(x))
	for i := range x {
		x[i] = float32(r.IntN(21) - 10)
		wide[i] = float64(x[i])
	}
	n := w.Planes * out
	best, where := make([]float64, n), make([]int64, n)
	sum, inside, padded, squares := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range best {
		best[i], where[i] = math.Inf(-1), -1
	}
	w.visit(func(p, o, at int, pad bool) {
		i := p*out + o
		if pad || at >= 0 {
			padded[i]++
		}
		if at < 0 {
			return
		}
		v := wide[p*in+at]
		inside[i]++
		sum[i] += v
		squares[i] += v * v
		if v > best[i] {
			best[i], where[i] = v, int64(p*in+at)
		}
	})
	name := func(what string, i int) string { return fmt.Sprintf("seed %d %+v: %s, element %d", seed, *w, what, i) }
	y, idx := make([]float32, n), make([]int64, n)
	if err := Max(t.Context(), pool, w, float32(math.Inf(-1)), x, y, idx, false); err != nil {
		t.Fatal(err)
	}
	for i := range y {
		near(t, name("Max", i), float64(y[i]), best[i])
		if idx[i] != where[i] {
			t.Fatalf("%s: index %d, want %d", name("Max", i), idx[i], where[i])
		}
	}
	clear(y)
	if err := MaxFloat32(t.Context(), pool, w, x, y); err != nil {
		t.Fatal(err)
	}
	for i := range y {
		near(t, name("MaxFloat32", i), float64(y[i]), best[i])
	}
	y64 := make([]float64, n)
	for _, pad := range []bool{false, true} {
		count := inside
		if pad {
			count = padded
		}
		if err := AverageFloat32(t.Context(), pool, w, pad, x, y); err != nil {
			t.Fatal(err)
		}
		if err := Average(t.Context(), pool, w, pad, wide, y64); err != nil {
			t.Fatal(err)
		}
		for i := range y {
			want := 0.0
			if count[i] > 0 {
				want = sum[i] / count[i]
			}
			near(t, name(fmt.Sprintf("AverageFloat32 padding %v", pad), i), float64(y[i]), want)
			near(t, name(fmt.Sprintf("Average padding %v", pad), i), y64[i], want)
		}
	}
	if err := Lp(t.Context(), pool, w, 2, wide, y64); err != nil {
		t.Fatal(err)
	}
	for i := range y64 {
		near(t, name("Lp", i), y64[i], math.Sqrt(squares[i]))
	}
}

func TestAgainstDefinition(t *testing.T) {
	pool := parallel.New(3)
	defer pool.Close()
	for seed := range uint64(150) {
		check(t, seed, pool)
	}
}

func FuzzPool(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { check(t, seed, nil) })
}

func TestMaxNaN(t *testing.T) {
	w := &Window{Planes: 1, Input: []int{5}, Output: []int{4}, Kernel: []int{2}, Strides: []int{1}, Dilations: []int{1}, Begin: []int{0}, End: []int{0}}
	x := []float32{1, 2, float32(math.NaN()), 3, 4}
	for _, f := range []func(y []float32) error{
		func(y []float32) error { return MaxFloat32(t.Context(), nil, w, x, y) },
		func(y []float32) error { return Max(t.Context(), nil, w, 0, x, y, nil, false) },
	} {
		y := make([]float32, 4)
		if err := f(y); err != nil {
			t.Fatal(err)
		}
		if y[0] != 2 || y[1] == y[1] || y[2] == y[2] || y[3] != 4 {
			t.Errorf("got %v, want [2 NaN NaN 4]", y)
		}
	}
}

// An index counts the first dimension fastest when the order is column-major.
func TestMaxColumnMajor(t *testing.T) {
	w := &Window{Planes: 2, Input: []int{2, 3}, Output: []int{1, 1}, Kernel: []int{2, 3}, Strides: []int{1, 1}, Dilations: []int{1, 1}, Begin: []int{0, 0}, End: []int{0, 0}}
	y, idx := make([]int8, 2), make([]int64, 2)
	if err := Max(t.Context(), nil, w, -128, []int8{0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9}, y, idx, true); err != nil {
		t.Fatal(err)
	}
	if idx[0] != 2 || idx[1] != 6+5 {
		t.Errorf("indices %v, want [2 11]", idx)
	}
}

// A window may be declared as large as it likes.
func TestHugeWindow(t *testing.T) {
	const huge = math.MaxInt32
	w := &Window{Planes: 1, Input: []int{3, 3}, Output: []int{1, 1}, Kernel: []int{huge, huge}, Strides: []int{1, 1}, Dilations: []int{1, 1},
		Begin: []int{huge - 3, huge - 3}, End: []int{0, 0}}
	y := make([]float32, 1)
	x := []float32{1, 2, 3, 4, 5, 6, 7, 8, 9}
	if err := MaxFloat32(t.Context(), nil, w, x, y); err != nil || y[0] != 9 {
		t.Errorf("got %v, %v, want 9", y[0], err)
	}
	if err := AverageFloat32(t.Context(), nil, w, false, x, y); err != nil || y[0] != 5 {
		t.Errorf("got %v, %v, want 5", y[0], err)
	}
}

func TestUnpool(t *testing.T) {
	y := []float32{9, 9, 9, 9, 9, 9, 9, 9, 9}
	if err := Unpool([]float32{1, 2}, []int64{0, 3}, []int{2, 2}, []int{3, 3}, y); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float32{1, 0, 0, 0, 2, 0, 0, 0, 0} {
		if y[i] != want {
			t.Errorf("element %d is %g, want %g", i, y[i], want)
		}
	}
	if err := Unpool([]float32{1}, []int64{4}, []int{2, 2}, []int{2, 2}, y[:4]); err == nil {
		t.Error("index 4 of 4 elements: no error")
	}
	if err := Unpool([]float32{1}, []int64{0}, []int{2, 2}, []int{1, 2}, y[:2]); err == nil {
		t.Error("a smaller output: no error")
	}
}

func TestRegions(t *testing.T) {
	// A plane whose elements are 10*row + column is linear: interpolation is exact.
	g := &Regions{Batch: 1, Channels: 1, Height: 8, Width: 8, OutHeight: 2, OutWidth: 2, Scale: 1, SamplingRatio: 2}
	x := make([]float64, 64)
	for i := range x {
		x[i] = float64(10*(i/8) + i%8)
	}
	y := make([]float64, 4)
	if err := Align(t.Context(), nil, g, x, []float64{1, 2, 5, 6}, []int64{0}, y); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{32, 34, 52, 54} { // bins of 2 x 2 centred at rows 3, 5 and columns 2, 4
		near(t, "Align", y[i], want)
	}
	if err := Align(t.Context(), nil, g, x, []float64{1, 2, 5, 6}, []int64{1}, y); err == nil {
		t.Error("image 1 of 1: no error")
	}
	if err := Align(t.Context(), nil, &Regions{Batch: 1, Channels: 1, Height: 8, Width: 8, OutHeight: 1, OutWidth: 1, Scale: 1}, x, []float64{0, 0, 1e30, 1e30}, []int64{0}, y[:1]); err == nil {
		t.Error("an endless region: no error")
	}
	if err := MaxRegions(t.Context(), nil, g, x, []float64{0, 1, 2, 4, 5}, y); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{32, 34, 52, 54} { // 4 x 4 elements from row 2, column 1
		near(t, "MaxRegions", y[i], want)
	}
}
