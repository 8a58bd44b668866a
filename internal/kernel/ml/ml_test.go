package ml

import (
	"fmt"
	"math"
	"math/rand"
	"testing"
)

func near(got []float32, want ...float64) bool {
	if len(got) != len(want) {
		return false
	}
	for i, w := range want {
		if g := float64(got[i]); !(math.Abs(g-w) <= 1e-6*(1+math.Abs(w))) && g != w && (g == g || w == w) {
			return false
		}
	}
	return true
}

func TestApply(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		t        Transform
		in, want []float64
	}{
		{None, []float64{3, -1}, []float64{3, -1}},
		{Logistic, []float64{0, 1, -1, 1000, -1000}, []float64{0.5, 0.7310585786300049, 0.2689414213699951, 1, 0}},
		{Softmax, []float64{0, math.Log(3)}, []float64{0.25, 0.75}},
		{Softmax, []float64{1000, 1000}, []float64{0.5, 0.5}},
		{SoftmaxZero, []float64{0, math.Log(3), math.Log(1)}, []float64{0, 1, 0}},
		{SoftmaxZero, []float64{1, 0, 1}, []float64{0.5, 0, 0.5}},
		{Logistic, []float64{1}, []float64{1}}, // a lone score stays
		{Softmax, []float64{1}, []float64{1}},
		{Probit, []float64{0.5}, []float64{0}},
		{Probit, []float64{0, 1}, []float64{-inf, inf}},
		{Probit, []float64{2, -1}, []float64{nan, nan}},
	} {
		got := make([]float32, len(c.in))
		for i, v := range c.in {
			got[i] = float32(v)
		}
		Apply(c.t, got)
		if !near(got, c.want...) {
			t.Errorf("%s of %v is %v, want %v", transformNames[c.t], c.in, got, c.want)
		}
	}
	// The approximation is within 0.004 of the quantiles of the normal distribution.
	for p, q := range map[float64]float64{0.8413447460685429: 1, 0.9772498680518208: 2, 0.15865525393145707: -1} {
		if got := probit(p); math.Abs(got-q) > 0.004 {
			t.Errorf("probit(%v) is %v, want %v", p, got, q)
		}
	}
	if _, err := ParseTransform("SOFT"); err == nil {
		t.Error("an unknown transform gives no error")
	}
}

func TestPair(t *testing.T) {
	for _, c := range []struct {
		t           Transform
		probability bool
		score       float64
		want        [2]float64
	}{
		{None, true, 0.75, [2]float64{0.25, 0.75}}, {None, false, -2, [2]float64{2, -2}}, {Softmax, true, 0.75, [2]float64{0.25, 0.75}},
		{Logistic, true, 1, [2]float64{0.2689414213699951, 0.7310585786300049}}, {Logistic, false, 1, [2]float64{0.2689414213699951, 0.7310585786300049}},
		{Probit, true, 0.5, [2]float64{0, 0}},
	} {
		out := make([]float32, 2)
		Pair(c.t, c.probability, float32(c.score), out)
		if !near(out, c.want[:]...) {
			t.Errorf("%s, probability %v, %v is %v, want %v", transformNames[c.t], c.probability, c.score, out, c.want)
		}
	}
}

func TestLinear(t *testing.T) {
	w, b, x := []float32{1, 2, 3, -1, 0, 1}, []float32{0.5, -0.5}, []float32{1, 1, 1, 0, 2, 0}
	y := make([]float32, 4)
	if err := NewLinear(w, b, 2, 3).Run(t.Context(), nil, x, 2, y); err != nil || !near(y, 6.5, -0.5, 4.5, -0.5) {
		t.Errorf("two targets: %v, %v", y, err)
	}
	y = []float32{float32(math.NaN()), 9}
	if err := NewLinear(w[:3], nil, 1, 3).Run(t.Context(), nil, x, 2, y); err != nil || !near(y, 6, 4) {
		t.Errorf("one target: %v, %v", y, err)
	}
	if Best([]float32{1, 3, 3, 2}) != 1 {
		t.Error("the first of equals is not the best")
	}
}

func TestSVMKernels(t *testing.T) {
	x, v := []float32{1, 2, 0, -1}, []float32{3, 1, 1, 1}
	for _, c := range []struct {
		name string
		want func(dot, dist2 float64) float64
	}{
		{"LINEAR", func(d, _ float64) float64 { return d }},
		{"POLY", func(d, _ float64) float64 { return math.Pow(0.5*d+0.25, 4) }},
		{"RBF", func(_, s float64) float64 { return math.Exp(-0.5 * s) }},
		{"SIGMOID", func(d, _ float64) float64 { return math.Tanh(0.5*d + 0.25) }},
	} {
		k, err := ParseSVMKernel(c.name, []float32{0.5, 0.25, 4})
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float32, 4)
		if err := k.Dots(t.Context(), nil, x, 2, 2, v, 2, got); err != nil {
			t.Fatal(err)
		}
		if !near(got, c.want(5, 5), c.want(3, 1), c.want(-1, 13), c.want(-1, 5)) {
			t.Errorf("%s is %v", c.name, got)
		}
	}
	if _, err := ParseSVMKernel("WAVELET", nil); err == nil {
		t.Error("an unknown kernel gives no error")
	}
}

// Coupled probabilities minimise sum over pairs of (r_ji*p_i - r_ij*p_j)^2 with sum
// 1; the answer's gradient along the plane vanishes.
func TestSVCProbabilities(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for _, classes := range []int{2, 3, 5} {
		s := SVC{PerClass: make([]int, classes)}
		pairs := make([]float32, s.Pairs())
		for i := range pairs {
			pairs[i] = float32(rng.NormFloat64())
			s.ProbA, s.ProbB = append(s.ProbA, float32(-1-rng.Float64())), append(s.ProbB, float32(rng.NormFloat64()))
		}
		out := make([]float32, classes)
		s.Probabilities(pairs, out)
		sum, r := 0.0, make([]float64, classes*classes)
		pair := 0
		for i := range classes {
			sum += float64(out[i])
			for j := i + 1; j < classes; j++ {
				p := 1 / (1 + math.Exp(float64(s.ProbA[pair]*pairs[pair]+s.ProbB[pair])))
				r[i*classes+j], r[j*classes+i] = p, 1-p
				pair++
			}
		}
		cost := func(p []float64) (c float64) {
			for i := range classes {
				for j := range classes {
					if i != j {
						d := r[j*classes+i]*p[i] - r[i*classes+j]*p[j]
						c += d * d
					}
				}
			}
			return c
		}
		at := make([]float64, classes)
		for i := range at {
			at[i] = float64(out[i])
		}
		for range 200 {
			near := append([]float64(nil), at...)
			i, j, d := rng.Intn(classes), rng.Intn(classes), 0.02*rng.Float64()
			near[i] += d
			near[j] -= d
			if cost(near) < cost(at)-1e-4 {
				t.Fatalf("%d classes: %v is no minimum, %v is lower", classes, at, near)
			}
		}
		if math.Abs(sum-1) > 1e-5 {
			t.Errorf("%d classes: probabilities %v sum to %v", classes, out, sum)
		}
	}
}

func TestSVCDecide(t *testing.T) {
	// Classes of 1, 2 and 1 vectors; coefficients as libsvm lays them out.
	s := SVC{PerClass: []int{1, 2, 1}, Features: 1, Vectors: make([]float32, 4), Rho: []float32{0.1, 0.2, 0.3}, Coefficients: []float32{1, 2, 3, 4, 5, 6, 7, 8}}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	pairs, votes := make([]float32, 3), make([]int, 3)
	s.Decide([]float32{1, -1, 1, -1}, pairs, votes)
	// (0,1): c[0][0]*k0 + c[0][1]*k1 + c[0][2]*k2   (0,2): c[1][0]*k0 + c[0][3]*k3   (1,2): c[1][1]*k1 + c[1][2]*k2 + c[1][3]*k3
	if !near(pairs, 1-2+3+0.1, 5-4+0.2, -6+7-8+0.3) || fmt.Sprint(votes) != "[2 0 1]" {
		t.Errorf("decisions %v, votes %v", pairs, votes)
	}
	s.Rho = s.Rho[:2]
	if s.Check() == nil {
		t.Error("two rho for three pairs give no error")
	}
}

func TestFeatures(t *testing.T) {
	nan := float32(math.NaN())
	y := make([]float32, 4)
	Normalize(NormMax, []float32{1, -4, 2, 0}, 4, y)
	if !near(y, 0.5, -2, 1, 0) {
		t.Errorf("max: %v", y)
	}
	Normalize(NormL1, []int64{1, -3, 0, 0}, 2, y)
	if !near(y, 0.25, -0.75, 0, 0) {
		t.Errorf("L1: %v", y)
	}
	Normalize(NormL2, []float64{3, -4, 0, 2}, 2, y)
	if !near(y, 0.6, -0.8, 0, 1) {
		t.Errorf("L2: %v", y)
	}
	Normalize(NormMax, []float32{nan, 2, 1, 4}, 4, y)
	if !near(y, math.NaN(), 0.5, 0.25, 1) {
		t.Errorf("max with NaN: %v", y)
	}
	Scale([]int32{1, 2, 3, 4}, []float32{1, 2}, []float32{10, 100}, y)
	if !near(y, 0, 0, 20, 200) {
		t.Errorf("scale: %v", y)
	}
	Scale([]float64{1, 2, 3, 4}, []float32{1}, []float32{0.5}, y)
	if !near(y, 0, 0.5, 1, 1.5) {
		t.Errorf("scale by one: %v", y)
	}
	Impute([]float32{nan, 1, nan, nan}, nan, []float32{8, 9}, y)
	if !near(y, 8, 1, 8, 9) {
		t.Errorf("impute NaN: %v", y)
	}
	ints := make([]int64, 3)
	Impute([]int64{7, 1, 7}, 7, []int64{0}, ints)
	if fmt.Sprint(ints) != "[0 1 0]" {
		t.Errorf("impute: %v", ints)
	}
	Binarize([]int64{-1, 2, 3}, 2, ints)
	if fmt.Sprint(ints) != "[0 0 1]" {
		t.Errorf("binarize: %v", ints)
	}
	y = []float32{9, 9, 9, 9, 9, 9}
	Vectorize([]int64{1, 2, 3, 4}, 2, 1, y, 3)
	Vectorize([]float64{5, 6}, 2, 2, y[1:], 3)
	if !near(y, 1, 5, 0, 3, 6, 0) {
		t.Errorf("vectorize: %v", y)
	}
	names := make([]string, 4)
	if err := Extract([]string{"a", "b", "c", "d", "e", "f"}, 3, []int64{2, 0}, names); err != nil || fmt.Sprint(names) != "[c a f d]" {
		t.Errorf("extract: %v, %v", names, err)
	}
	if Extract(names, 2, []int64{2}, names) == nil || Extract(names, 2, []int64{-1}, names) == nil {
		t.Error("an index outside the features gives no error")
	}
	key := func(v float64) int64 { return int64(v) }
	if err := OneHot([]float64{1.9, 7}, key, map[int64]int{1: 1}, 2, true, y[:4]); err != nil || !near(y[:4], 0, 1, 0, 0) {
		t.Errorf("one hot: %v, %v", y[:4], err)
	}
	if OneHot([]float64{7}, key, map[int64]int{1: 1}, 2, false, y[:2]) == nil {
		t.Error("an unknown category gives no error though zeros are not wanted")
	}
}

func TestTable(t *testing.T) {
	nan := math.NaN()
	tab := NewTable([]float64{1, nan, 1, 0}, []string{"a", "n", "b", "z"}, "?")
	got := make([]string, 5)
	tab.Encode([]float64{1, nan, 2, math.Copysign(0, -1), 0}, got)
	if fmt.Sprint(got) != "[b n ? z z]" {
		t.Errorf("got %v", got)
	}
}
