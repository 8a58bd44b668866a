package moe

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand"
	"testing"

	"gort/internal/kernel/blockquant"
	"gort/internal/parallel"
)

func numbers(r *rand.Rand, n int) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = r.Float32()*4 - 2
	}
	return s
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

var activations = map[string]func(x float64) float64{
	"identity": func(x float64) float64 { return x },
	"relu":     func(x float64) float64 { return max(x, 0) },
	"silu":     func(x float64) float64 { return x * sigmoid(x) },
	"gelu": func(x float64) float64 {
		return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
	},
}

func TestActivations(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	h, other := numbers(r, 13), numbers(r, 13)
	for name, f := range activations {
		for _, o := range [][]float32{nil, other} {
			dst := make([]float32, 13)
			NewActivation(name)(dst, h, o, make([]float32, 13))
			for i, got := range dst {
				want := f(float64(h[i]))
				if o != nil {
					want *= float64(o[i])
				}
				if math.Abs(float64(got)-want) > 1e-5 {
					t.Errorf("%s of %v (other %v) is %v, want %v", name, h[i], o != nil, got, want)
				}
			}
		}
	}
	if NewActivation("swish") != nil {
		t.Error("swish is an activation")
	}
}

func TestSwiGLU(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	s := SwiGLU{Alpha: 1.7, Beta: 0.5, Limit: 1.25}
	gate, linear := numbers(r, 9), numbers(r, 9)
	gate[0], linear[0], linear[1] = 2, 2, -2 // beyond the limit
	var alternating, halves []float32
	for i := range gate {
		alternating = append(alternating, gate[i], linear[i])
	}
	halves = append(append(halves, gate...), linear...)
	for layout, operands := range [][2][]float32{Apart: {gate, linear}, Alternating: {alternating}, Halves: {halves}} {
		dst := make([]float32, len(gate))
		s.Activation(layout)(dst, operands[0], operands[1], make([]float32, len(gate)))
		for i, got := range dst {
			g, l := min(float64(gate[i]), 1.25), max(min(float64(linear[i]), 1.25), -1.25)
			if want := g * sigmoid(1.7*g) * (l + 0.5); math.Abs(float64(got)-want) > 1e-6 {
				t.Errorf("layout %d: element %d is %v, want %v", layout, i, got, want)
			}
		}
	}
	s.Activation(Alternating)(nil, nil, nil, nil) // no elements at all
}

func TestPick(t *testing.T) {
	logits := []float32{1, 3, 3, -2, 2}
	e := func(x float64) float64 { return math.Exp(x) }
	all := e(1) + 2*e(3) + e(-2) + e(2)
	for _, c := range []struct {
		Router
		given []float32
		want  []float64
	}{
		{Router{K: 3}, nil, []float64{e(3) / all, e(3) / all, e(2) / all}},
		{Router{K: 3, Normalize: true}, nil, []float64{e(3) / (2*e(3) + e(2)), e(3) / (2*e(3) + e(2)), e(2) / (2*e(3) + e(2))}},
		{Router{K: 2, AmongPicked: true}, nil, []float64{0.5, 0.5}},
		{Router{K: 2, AmongPicked: true, Normalize: true}, nil, []float64{0.5, 0.5}},
		{Router{K: 3}, []float32{9, 4, 2, 9, -1}, []float64{2, 4, -1}},
		{Router{K: 3, Normalize: true}, []float32{9, 4, 2, 9, 2}, []float64{0.25, 0.5, 0.25}},
		{Router{K: 2, Normalize: true}, make([]float32, 5), []float64{0, 0}},
	} {
		experts, weights := make([]int, c.K), make([]float32, c.K)
		c.Pick(logits, c.given, experts, weights)
		if want := []int{2, 1, 4}[:c.K]; fmt.Sprint(experts) != fmt.Sprint(want) {
			t.Errorf("%+v picks %v, want %v", c.Router, experts, want)
		}
		for i, w := range weights {
			if math.Abs(float64(w)-c.want[i]) > 1e-6 {
				t.Errorf("%+v, given %v: weight %d is %v, want %v", c.Router, c.given, i, w, c.want[i])
			}
		}
	}
	nan := float32(math.NaN())
	experts := make([]int, 2)
	(&Router{K: 2}).Pick([]float32{nan, nan}, nil, experts, make([]float32, 2))
	if experts[0] == experts[1] {
		t.Errorf("of logits that are not numbers it picks %v", experts)
	}
}

// Whole mixtures against sums in float64, dense and quantized, with and without a third layer.
func TestRun(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	pool := parallel.New(2)
	defer pool.Close()
	for _, quantized := range []bool{false, true} {
		for _, third := range []bool{false, true} {
			for _, rows := range []int{0, 1, 19} {
				const experts, hidden, inner = 5, 8, 24
				e := &Experts{Router: Router{Experts: experts, K: 2}, Hidden: hidden, Inner: inner, Activation: NewActivation("silu")}
				var weights, biases [3][]float32
				layer := func(i, out, in int) Layer {
					biases[i] = numbers(r, experts*out)
					if !quantized {
						weights[i] = numbers(r, experts*out*in)
						return &Dense{In: in, Out: out, Weights: weights[i], Bias: biases[i]}
					}
					q := &Quantized{Out: out, Bias: biases[i]}
					for range experts {
						w := &blockquant.Weights{N: out, K: in, Bits: 4, Block: in, Packed: make([]uint8, out*in/2), Scales: numbers(r, out)}
						r.Read(w.Packed)
						p, err := blockquant.NewPanels(t.Context(), pool, w)
						if err != nil {
							t.Fatal(err)
						}
						q.Panels = append(q.Panels, p)
						numbers := make([]float32, out*in)
						if err := w.Dequantize(t.Context(), nil, numbers); err != nil {
							t.Fatal(err)
						}
						weights[i] = append(weights[i], numbers...)
					}
					return q
				}
				e.First, e.Second = layer(0, inner, hidden), layer(1, hidden, inner)
				if third {
					e.Third = layer(2, inner, hidden)
				}
				x, logits, y := numbers(r, rows*hidden), numbers(r, rows*experts), numbers(r, rows*hidden)
				if err := e.Run(t.Context(), pool, x, logits, nil, y); err != nil {
					t.Fatal(err)
				}
				apply := func(i, expert int, in []float64, out int) []float64 {
					res := make([]float64, out)
					for o := range res {
						res[o] = float64(biases[i][expert*out+o])
						for c, v := range in {
							res[o] += v * float64(weights[i][(expert*out+o)*len(in)+c])
						}
					}
					return res
				}
				for row := range rows {
					in, want := make([]float64, hidden), make([]float64, hidden)
					for c := range in {
						in[c] = float64(x[row*hidden+c])
					}
					picked, scales := make([]int, 2), make([]float32, 2)
					e.Pick(logits[row*experts:][:experts], nil, picked, scales)
					for p, expert := range picked {
						h := apply(0, expert, in, inner)
						var o []float64
						if third {
							o = apply(2, expert, in, inner)
						}
						for i := range h {
							h[i] *= sigmoid(h[i])
							if third {
								h[i] *= o[i]
							}
						}
						for c, v := range apply(1, expert, h, hidden) {
							want[c] += float64(scales[p]) * v
						}
					}
					for c, w := range want {
						if got := y[row*hidden+c]; math.Abs(float64(got)-w) > 1e-5*(1+math.Abs(w))*200 {
							t.Fatalf("quantized %v, third layer %v: row %d element %d is %v, want %v", quantized, third, row, c, got, w)
						}
					}
				}
			}
		}
	}
}

func TestRunCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e := &Experts{Router: Router{Experts: 1, K: 1}, Hidden: 2, Inner: 2, Activation: NewActivation("relu"),
		First: &Dense{In: 2, Out: 2, Weights: make([]float32, 4)}, Second: &Dense{In: 2, Out: 2, Weights: make([]float32, 4)}}
	if err := e.Run(ctx, nil, make([]float32, 2), make([]float32, 1), nil, make([]float32, 2)); !errors.Is(err, context.Canceled) {
		t.Errorf("on a cancelled context: %v", err)
	}
}
