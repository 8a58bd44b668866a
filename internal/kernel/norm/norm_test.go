package norm

import (
	"math"
	"math/rand/v2"
	"testing"
)

func randoms(r *rand.Rand, n int) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = float64(float32(r.NormFloat64()*2 + 1))
	}
	return s
}

func narrow(s []float64) []float32 {
	out := make([]float32, len(s))
	for i, v := range s {
		out[i] = float32(v)
	}
	return out
}

// compare checks both precisions of a function against the same definition.
func compare(t *testing.T, what string, want, got64 []float64, got32 []float32) {
	t.Helper()
	for i, w := range want {
		if math.Abs(got64[i]-w) > 1e-11*(1+math.Abs(w)) {
			t.Fatalf("%s: float64 element %d is %g, want %g", what, i, got64[i], w)
		}
		if math.Abs(float64(got32[i])-w) > 3e-6*(1+math.Abs(w)) {
			t.Fatalf("%s: float32 element %d is %g, want %g", what, i, got32[i], w)
		}
	}
}

func stats(x []float64) (mean, variance float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	return mean, variance
}

func TestRows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 7, 8, 33, 513, 1025} {
		const rows, eps = 3, 1e-3
		x, scale, bias := randoms(r, rows*n), randoms(r, n), randoms(r, n)
		layer, rms := make([]float64, rows*n), make([]float64, rows*n)
		for i := range layer {
			row := x[i/n*n:][:n]
			m, v := stats(row)
			layer[i] = (x[i]-m)/math.Sqrt(v+eps)*scale[i%n] + bias[i%n]
			square := 0.0
			for _, e := range row {
				square += e * e / float64(n)
			}
			rms[i] = x[i] / math.Sqrt(square+eps) * scale[i%n]
		}
		y64, y32 := make([]float64, rows*n), make([]float32, rows*n)
		mean, inv := make([]float64, rows), make([]float64, rows)
		if err := Layer(t.Context(), nil, n, eps, x, scale, bias, y64, mean, inv); err != nil {
			t.Fatal(err)
		}
		if err := Layer[float32](t.Context(), nil, n, eps, narrow(x), narrow(scale), narrow(bias), y32, nil, nil); err != nil {
			t.Fatal(err)
		}
		compare(t, "Layer", layer, y64, y32)
		m, v := stats(x[:n])
		if math.Abs(mean[0]-m) > 1e-12 || math.Abs(inv[0]-1/math.Sqrt(v+eps)) > 1e-9 {
			t.Errorf("statistics of %d elements are %g and %g, want %g and %g", n, mean[0], inv[0], m, 1/math.Sqrt(v+eps))
		}
		if err := RMS(t.Context(), nil, n, eps, x, scale, y64, inv); err != nil {
			t.Fatal(err)
		}
		if want := rms[0] / (x[0] * scale[0]); math.Abs(inv[0]-want) > 1e-9*want {
			t.Errorf("the inverse root mean square of %d elements is %g, want %g", n, inv[0], want)
		}
		if err := RMS[float32](t.Context(), nil, n, eps, narrow(x), narrow(scale), y32, nil); err != nil {
			t.Fatal(err)
		}
		compare(t, "RMS", rms, y64, y32)
	}
}

func TestGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	const batch, channels, n, eps = 2, 6, 35, 1e-5
	x := randoms(r, batch*channels*n)
	for _, groups := range []int{1, 2, 3, 6} {
		for _, parameters := range []int{groups, channels} {
			scale, bias := randoms(r, parameters), randoms(r, parameters)
			want := make([]float64, len(x))
			size := channels / groups * n
			for i := range want {
				m, v := stats(x[i/size*size:][:size])
				p := i / n % channels
				if parameters != channels {
					p = i / size % groups
				}
				want[i] = (x[i]-m)/math.Sqrt(v+eps)*scale[p] + bias[p]
			}
			y64, y32 := make([]float64, len(x)), make([]float32, len(x))
			if err := Groups(t.Context(), nil, batch, channels, n, groups, eps, scale, bias, x, y64); err != nil {
				t.Fatal(err)
			}
			if err := Groups(t.Context(), nil, batch, channels, n, groups, eps, narrow(scale), narrow(bias), narrow(x), y32); err != nil {
				t.Fatal(err)
			}
			compare(t, "Groups", want, y64, y32)
		}
	}
}

func TestChannels(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for _, n := range []int{1, 9} {
		const batch, channels, eps = 2, 3, 1e-5
		x := randoms(r, batch*channels*n)
		scale, bias := randoms(r, channels), randoms(r, channels)
		mean, variance := make([]float64, channels), make([]float64, channels)
		if err := BatchMoments(t.Context(), nil, batch, channels, n, x, mean, variance); err != nil {
			t.Fatal(err)
		}
		for c := range channels {
			var all []float64
			for i, v := range x {
				if i/n%channels == c {
					all = append(all, v)
				}
			}
			if m, v := stats(all); math.Abs(m-mean[c]) > 1e-12 || math.Abs(v-variance[c]) > 1e-12 {
				t.Errorf("channel %d has mean %g and variance %g, want %g and %g", c, mean[c], variance[c], m, v)
			}
		}
		want := make([]float64, len(x))
		for i := range want {
			c := i / n % channels
			want[i] = scale[c]*(x[i]-mean[c])/math.Sqrt(variance[c]+eps) + bias[c]
		}
		a64, b64, a32, b32 := make([]float64, channels), make([]float64, channels), make([]float32, channels), make([]float32, channels)
		Coefficients(a64, b64, scale, bias, mean, variance, eps)
		Coefficients(a32, b32, narrow(scale), narrow(bias), narrow(mean), narrow(variance), eps)
		y64, y32 := make([]float64, len(x)), make([]float32, len(x))
		if err := Channels(t.Context(), nil, n, a64, b64, x, y64); err != nil {
			t.Fatal(err)
		}
		if err := Channels(t.Context(), nil, n, a32, b32, narrow(x), y32); err != nil {
			t.Fatal(err)
		}
		compare(t, "Channels", want, y64, y32)
	}
}

func TestLRN(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	const batch, channels, n = 2, 7, 300
	x := randoms(r, batch*channels*n)
	for _, size := range []int{1, 2, 5, 100} {
		for _, beta := range []float64{0.5, 0.75, 1, 1.3} {
			want := make([]float64, len(x))
			for i := range want {
				c, base := i/n%channels, i/(n*channels)*n*channels+i%n
				sum := 0.0
				for k := range channels {
					if float64(k) >= float64(c)-math.Floor(float64(size-1)/2) && float64(k) <= float64(c)+math.Ceil(float64(size-1)/2) {
						sum += x[base+k*n] * x[base+k*n]
					}
				}
				want[i] = x[i] / math.Pow(2+0.3/float64(size)*sum, beta)
			}
			y64, y32 := make([]float64, len(x)), make([]float32, len(x))
			if err := LRN(t.Context(), nil, batch, channels, n, size, 0.3, beta, 2, x, y64); err != nil {
				t.Fatal(err)
			}
			if err := LRN(t.Context(), nil, batch, channels, n, size, 0.3, beta, 2, narrow(x), y32); err != nil {
				t.Fatal(err)
			}
			compare(t, "LRN", want, y64, y32)
		}
	}
}

func TestLp(t *testing.T) {
	x := []float64{3, 0, -4, 0} // 2 x 2: columns (3, -4) and (0, 0)
	y := make([]float64, 4)
	for p, want := range map[int][]float64{1: {3. / 7, 0, -4. / 7, 0}, 2: {0.6, 0, -0.8, 0}} {
		if err := Lp(t.Context(), nil, 1, 2, 2, p, x, y); err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if math.Abs(y[i]-want[i]) > 1e-15 {
				t.Errorf("p=%d: element %d is %g, want %g", p, i, y[i], want[i])
			}
		}
	}
}

func TestMeanVariance(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	shape := []int{2, 3, 4}
	x := randoms(r, 24)
	for mask := range 8 {
		reduced := []bool{mask&4 > 0, mask&2 > 0, mask&1 > 0}
		y64, y32 := make([]float64, 24), make([]float32, 24)
		MeanVariance(shape, reduced, x, y64)
		MeanVariance(shape, reduced, narrow(x), y32)
		same := func(i, j int) bool {
			return (reduced[0] || i/12 == j/12) && (reduced[1] || i/4%3 == j/4%3) && (reduced[2] || i%4 == j%4)
		}
		want := make([]float64, 24)
		for i := range want {
			var group []float64
			for j, v := range x {
				if same(i, j) {
					group = append(group, v)
				}
			}
			m, v := stats(group)
			want[i] = (x[i] - m) / (math.Sqrt(v) + 1e-9)
		}
		if mask == 0 {
			for i := range want {
				want[i] = 0
			}
		}
		compare(t, "MeanVariance", want, y64, y32)
	}
}

// A large mean does not hide a small variance.
func TestVarianceBesideLargeMean(t *testing.T) {
	x := make([]float32, 1000)
	for i := range x {
		x[i] = 10000 + float32(i%2)
	}
	if m, v := moments(x); math.Abs(m-10000.5) > 1e-3 || math.Abs(v-0.25) > 1e-4 {
		t.Errorf("mean %g and variance %g, want 10000.5 and 0.25", m, v)
	}
}
