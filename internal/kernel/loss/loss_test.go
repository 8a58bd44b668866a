package loss

import (
	"math"
	"strings"
	"testing"
)

// The specification's examples of NegativeLogLikelihoodLoss.
var (
	logp   = []float64{1, 2, 2, 2, 3, 2, 0, 1, 2, 2, 1, 2}
	labels = []int64{2, 1, 0, 2}
	weight = []float64{0.2, 0.3, 0.1}
)

func compute(t *testing.T, n int, weight []float64, o Options) []float64 {
	t.Helper()
	got := make([]float64, n)
	if err := NegativeLogLikelihood(got, logp, labels, weight, 2, 3, 2, o); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestExamples(t *testing.T) {
	got := compute(t, 4, nil, Options{Reduction: None})
	for i, w := range []float64{-3, -2, 0, -2} {
		if got[i] != w {
			t.Errorf("losses are %v", got)
			break
		}
	}
	for _, c := range []struct {
		name   string
		weight []float64
		o      Options
		want   float64
	}{
		{"sum, weighted", weight, Options{Reduction: Sum}, -1.1},
		{"mean, weighted", weight, Options{Reduction: Mean}, -1.1 / 0.7},
		{"mean", nil, Options{Reduction: Mean}, -7.0 / 4},
		{"mean without class 2", nil, Options{Reduction: Mean, Ignore: true, Index: 2}, -1},
		{"weighted mean without class 2", weight, Options{Reduction: Mean, Ignore: true, Index: 2}, -0.6 / 0.5},
	} {
		if got := compute(t, 1, c.weight, c.o); math.Abs(got[0]-c.want) > 1e-12 {
			t.Errorf("%s is %v, want %v", c.name, got[0], c.want)
		}
	}
}

func TestLabelsOutOfRange(t *testing.T) {
	dst := make([]float32, 2)
	in := []float32{1, 2, 3, 4, 5, 6}
	for _, l := range [][]int32{{0, 3}, {-1, 0}} {
		err := NegativeLogLikelihood(dst, in, l, nil, 2, 3, 1, Options{Reduction: None})
		if err == nil || !strings.Contains(err.Error(), "allowed are 0 to 2") {
			t.Errorf("labels %v give %v", l, err)
		}
	}
	if err := NegativeLogLikelihood(dst, in, []int32{-1, 2}, nil, 2, 3, 1, Options{Reduction: None, Ignore: true, Index: -1}); err != nil || dst[0] != 0 || dst[1] != -6 {
		t.Errorf("losses are %v, %v", dst, err)
	}
}
