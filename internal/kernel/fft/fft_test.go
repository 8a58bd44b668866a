package fft

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"
)

func TestTransform(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := 1; n < 70; n++ {
		p := NewPlan(n)
		x := make([]complex128, n)
		for i := range x {
			x[i] = complex(r.NormFloat64(), r.NormFloat64())
		}
		got, scratch := append([]complex128(nil), x...), make([]complex128, p.Scratch())
		p.Forward(got, scratch)
		for k := range got {
			want := complex128(0)
			for j, v := range x {
				want += v * cmplx.Exp(complex(0, -2*math.Pi*float64(j*k%n)/float64(n)))
			}
			if cmplx.Abs(got[k]-want) > 1e-12*float64(n) {
				t.Fatalf("length %d: element %d is %v, want %v", n, k, got[k], want)
			}
		}
		p.Inverse(got, scratch)
		for k := range got {
			if cmplx.Abs(got[k]-x[k]) > 1e-13*float64(n) {
				t.Fatalf("length %d: element %d comes back as %v, want %v", n, k, got[k], x[k])
			}
		}
	}
}

// A real signal goes through one side of its spectrum and back, along the middle
// axis of a tensor, filled up with zeros.
func TestOneSide(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for _, n := range []int{6, 7} {
		const outer, in, inner = 2, 5, 3
		x := make([]float64, outer*in*inner)
		for i := range x {
			x[i] = r.NormFloat64()
		}
		p := NewPlan(n)
		bins := n/2 + 1
		spectrum := make([]float64, outer*bins*inner*2)
		if err := DFT(t.Context(), nil, p, &Lines{Outer: outer, In: in, Out: bins, Inner: inner, PartsIn: 1, PartsOut: 2, OneSided: true}, x, spectrum); err != nil {
			t.Fatal(err)
		}
		back := make([]float64, outer*n*inner)
		if err := DFT(t.Context(), nil, p, &Lines{Outer: outer, In: bins, Out: n, Inner: inner, PartsIn: 2, PartsOut: 1, Inverse: true, OneSided: true, Real: true}, spectrum, back); err != nil {
			t.Fatal(err)
		}
		for o := range outer {
			for j := range n {
				for i := range inner {
					want := 0.0
					if j < in {
						want = x[(o*in+j)*inner+i]
					}
					if got := back[(o*n+j)*inner+i]; math.Abs(got-want) > 1e-13 {
						t.Fatalf("length %d: element %d,%d,%d is %g, want %g", n, o, j, i, got, want)
					}
				}
			}
		}
	}
}

func TestFrames(t *testing.T) {
	x := []float32{1, 2, 3, 4, 5, 6}
	f := &Frames{Batch: 1, Length: 6, Parts: 1, Count: 2, Step: 2, Bins: 3}
	y := make([]float32, 12)
	if err := STFT(t.Context(), nil, NewPlan(4), f, x, []float32{1, 1, 1, 0}, y); err != nil {
		t.Fatal(err)
	}
	// The transforms of (1 2 3 0) and (3 4 5 0).
	for i, want := range []float32{6, 0, -2, -2, 2, 0, 12, 0, -2, -4, 4, 0} {
		if math.Abs(float64(y[i]-want)) > 1e-6 {
			t.Errorf("element %d is %g, want %g", i, y[i], want)
		}
	}
}

func TestWindows(t *testing.T) {
	for _, c := range []struct {
		name     string
		window   Cosines
		periodic bool
		want     []float64
	}{
		{"Hann", Hann, true, []float64{0, 0.5, 1, 0.5}},
		{"Hann", Hann, false, []float64{0, 0.75, 0.75, 0}},
		{"Hamming", Hamming, true, []float64{4. / 46, 25. / 46, 1, 25. / 46}},
		{"Blackman", Blackman, true, []float64{0, 0.34, 1, 0.34}},
		{"Hann", Hann, false, []float64{1}},
	} {
		w := make([]float64, len(c.want))
		c.window.Fill(w, c.periodic)
		for i := range w {
			if math.Abs(w[i]-c.want[i]) > 1e-15 {
				t.Errorf("%s periodic %v: element %d is %g, want %g", c.name, c.periodic, i, w[i], c.want[i])
			}
		}
	}
}

func TestMelErrors(t *testing.T) {
	w := make([]float64, 9*8)
	if err := Mel(8, 16, 8192, 0, 4096, w); err != nil {
		t.Error(err)
	}
	for _, edges := range [][2]float64{{0, 1e9}, {-1e4, 100}, {0, math.NaN()}} {
		if err := Mel(8, 16, 8192, edges[0], edges[1], w); err == nil {
			t.Errorf("edges %v: no error", edges)
		}
	}
	if err := Mel(8, 16, 0, 0, 100, w); err == nil {
		t.Error("sample rate 0: no error")
	}
}
