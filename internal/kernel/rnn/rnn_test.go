package rnn

import (
	"fmt"
	"math"
	"math/rand"
	"testing"

	"gort/internal/parallel"
)

func draw[T Float](rng *rand.Rand, n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = T(rng.NormFloat64())
	}
	return out
}

// problem is a layer with everything in plain float64.
type problem struct {
	kind                        Kind
	steps, batch, input, hidden int
	reverse                     []bool
	clip                        float64
	coupled, linear, batchFirst bool
	lens                        []int32
	x, w, r, b, h0, c0, p       []float64
}

func newProblem(rng *rand.Rand, kind Kind) *problem {
	q := &problem{kind: kind, steps: 1 + rng.Intn(5), batch: 1 + rng.Intn(4), input: 1 + rng.Intn(6), hidden: 1 + rng.Intn(9)}
	q.reverse = [][]bool{{false}, {true}, {false, true}}[rng.Intn(3)]
	d, g := len(q.reverse), kind.Gates()
	some := func() bool { return rng.Intn(2) == 0 }
	if some() {
		q.clip = 0.3 + rng.Float64()
	}
	q.coupled, q.linear, q.batchFirst = some(), some(), some()
	q.x, q.w, q.r = draw[float64](rng, q.steps*q.batch*q.input), draw[float64](rng, d*g*q.hidden*q.input), draw[float64](rng, d*g*q.hidden*q.hidden)
	if some() {
		q.b = draw[float64](rng, d*2*g*q.hidden)
	}
	if some() {
		q.h0 = draw[float64](rng, d*q.batch*q.hidden)
	}
	if some() {
		q.c0 = draw[float64](rng, d*q.batch*q.hidden)
	}
	if some() && kind == LSTM {
		q.p = draw[float64](rng, d*3*q.hidden)
	}
	if some() {
		for range q.batch {
			q.lens = append(q.lens, int32(rng.Intn(q.steps+1)))
		}
	}
	return q
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// naive follows the equations of the RNN, GRU and LSTM pages element by element.
func (q *problem) naive() (y, yh, yc []float64) {
	d, h, g := len(q.reverse), q.hidden, q.kind.Gates()
	y, yh, yc = make([]float64, q.steps*d*q.batch*h), make([]float64, d*q.batch*h), make([]float64, d*q.batch*h)
	clipped := func(v float64) float64 {
		if q.clip > 0 {
			return math.Min(math.Max(v, -q.clip), q.clip)
		}
		return v
	}
	for dir := range d {
		for b := range q.batch {
			state := func(list []float64, i int) *float64 {
				if q.batchFirst {
					return &list[(b*d+dir)*h+i]
				}
				return &list[(dir*q.batch+b)*h+i]
			}
			hs, cs := make([]float64, h), make([]float64, h)
			for i := range h {
				if q.h0 != nil {
					hs[i] = *state(q.h0, i)
				}
				if q.c0 != nil && q.kind == LSTM {
					cs[i] = *state(q.c0, i)
				}
			}
			n := q.steps
			if q.lens != nil {
				n = int(q.lens[b])
			}
			for s := range n {
				t := s
				if q.reverse[dir] {
					t = n - 1 - s
				}
				at := t*q.batch + b
				if q.batchFirst {
					at = b*q.steps + t
				}
				// in and rec are the parts of gate k's element i from the input and from a state.
				in := func(k, i int) float64 {
					sum := 0.0
					for j := range q.input {
						sum += q.x[at*q.input+j] * q.w[((dir*g+k)*h+i)*q.input+j]
					}
					if q.b != nil {
						sum += q.b[(dir*2*g+k)*h+i]
					}
					return sum
				}
				rec := func(k, i int, from []float64) float64 {
					sum := 0.0
					for j := range h {
						sum += from[j] * q.r[((dir*g+k)*h+i)*h+j]
					}
					if q.b != nil {
						sum += q.b[(dir*2*g+g+k)*h+i]
					}
					return sum
				}
				next, nextC := make([]float64, h), make([]float64, h)
				reset := make([]float64, h)
				for i := range h {
					switch q.kind {
					case RNN:
						next[i] = math.Tanh(clipped(in(0, i) + rec(0, i, hs)))
					case GRU:
						reset[i] = sigmoid(clipped(in(1, i)+rec(1, i, hs))) * hs[i]
					case LSTM:
						pi, po, pf := 0.0, 0.0, 0.0
						if q.p != nil {
							pi, po, pf = q.p[dir*3*h+i], q.p[dir*3*h+h+i], q.p[dir*3*h+2*h+i]
						}
						ig := sigmoid(clipped(in(0, i) + rec(0, i, hs) + pi*cs[i]))
						fg := sigmoid(clipped(in(2, i) + rec(2, i, hs) + pf*cs[i]))
						if q.coupled {
							fg = 1 - ig
						}
						nextC[i] = fg*cs[i] + ig*math.Tanh(clipped(in(3, i)+rec(3, i, hs)))
						next[i] = sigmoid(clipped(in(1, i)+rec(1, i, hs)+po*nextC[i])) * math.Tanh(nextC[i])
					}
				}
				if q.kind == GRU {
					for i := range h {
						z := sigmoid(clipped(in(0, i) + rec(0, i, hs)))
						v := in(2, i) + rec(2, i, reset)
						if q.linear {
							v = in(2, i) + sigmoid(clipped(in(1, i)+rec(1, i, hs)))*rec(2, i, hs)
						}
						next[i] = (1-z)*math.Tanh(clipped(v)) + z*hs[i]
					}
				}
				hs, cs = next, nextC
				at = (t*d+dir)*q.batch + b
				if q.batchFirst {
					at = (b*q.steps+t)*d + dir
				}
				copy(y[at*h:], hs)
			}
			for i := range h {
				if n > 0 {
					*state(yh, i), *state(yc, i) = hs[i], cs[i]
				}
			}
		}
	}
	return y, yh, yc
}

func (q *problem) String() string {
	return fmt.Sprintf("kind %d, %d steps, batch %d, input %d, hidden %d, reverse %v, clip %v, coupled %v, linear %v, batch first %v, lens %v, bias %v, h0 %v, c0 %v, peepholes %v",
		q.kind, q.steps, q.batch, q.input, q.hidden, q.reverse, q.clip, q.coupled, q.linear, q.batchFirst, q.lens, q.b != nil, q.h0 != nil, q.c0 != nil, q.p != nil)
}

func convert[T Float](x []float64) []T {
	if x == nil {
		return nil
	}
	out := make([]T, len(x))
	for i, v := range x {
		out[i] = T(v)
	}
	return out
}

func run[T Float](t *testing.T, pool *parallel.Pool, q *problem, pack bool) (y, yh, yc []T) {
	t.Helper()
	l := &Layer[T]{Kind: q.kind, Reverse: q.reverse, Clip: T(q.clip), InputForget: q.coupled, LinearBeforeReset: q.linear, BatchFirst: q.batchFirst}
	d, g := len(q.reverse), q.kind.Gates()
	c := &Call[T]{Steps: q.steps, Batch: q.batch, Input: q.input, Hidden: q.hidden, X: convert[T](q.x), Lens: q.lens, H0: convert[T](q.h0)}
	if q.kind == LSTM {
		c.C0 = convert[T](q.c0)
	}
	names := map[Kind][]string{RNN: {"Tanh"}, GRU: {"Sigmoid", "Tanh"}, LSTM: {"Sigmoid", "Tanh", "Tanh"}}[q.kind]
	w, r, b, p := convert[T](q.w), convert[T](q.r), convert[T](q.b), convert[T](q.p)
	for i := range d {
		var acts []Activation[T]
		for _, n := range names {
			acts = append(acts, NewActivation[T](n, nil, nil))
		}
		l.Activations = append(l.Activations, acts)
		rows := g * q.hidden
		dir := Direction[T]{W: NewWeight(w[i*rows*q.input:(i+1)*rows*q.input], rows, q.input), R: l.SplitR(r[i*rows*q.hidden:(i+1)*rows*q.hidden], q.hidden)}
		if b != nil {
			dir.B = b[i*2*rows : (i+1)*2*rows]
		}
		if p != nil {
			dir.P = p[i*3*q.hidden : (i+1)*3*q.hidden]
		}
		if pack {
			dir.W.Pack()
			for _, m := range dir.R {
				m.Pack()
			}
		}
		c.Directions = append(c.Directions, dir)
	}
	nan := func(n int) []T {
		out := make([]T, n)
		for i := range out {
			out[i] = T(math.NaN())
		}
		return out
	}
	c.Y, c.YH, c.YC = nan(q.steps*d*q.batch*q.hidden), nan(d*q.batch*q.hidden), nan(d*q.batch*q.hidden)
	c.Scratch = nan(l.ScratchSize(q.steps, q.batch, q.hidden))
	if err := l.Run(t.Context(), pool, c); err != nil {
		t.Fatalf("%v: %v", q, err)
	}
	return c.Y, c.YH, c.YC
}

func compare[T Float](t *testing.T, q *problem, name string, got []T, want []float64, tol float64) {
	t.Helper()
	for i := range want {
		if !(math.Abs(float64(got[i])-want[i]) <= tol) {
			t.Fatalf("%v: %s element %d is %v, want %v", q, name, i, got[i], want[i])
		}
	}
}

func TestLayers(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	rng := rand.New(rand.NewSource(1))
	for i := range 150 {
		q := newProblem(rng, Kind(i%3))
		y, yh, yc := q.naive()
		gy, gh, gc := run[float32](t, pool, q, i%2 == 0)
		compare(t, q, "Y", gy, y, 2e-5)
		compare(t, q, "Y_h", gh, yh, 2e-5)
		dy, dh, dc := run[float64](t, nil, q, i%2 == 0)
		compare(t, q, "Y in double", dy, y, 1e-12)
		compare(t, q, "Y_h in double", dh, yh, 1e-12)
		if q.kind == LSTM {
			compare(t, q, "Y_c", gc, yc, 2e-5)
			compare(t, q, "Y_c in double", dc, yc, 1e-12)
		}
	}
}

func TestLensOutOfRange(t *testing.T) {
	l := &Layer[float32]{Kind: RNN, Reverse: []bool{false}}
	for _, n := range []int32{-1, 4} {
		if err := l.Run(t.Context(), nil, &Call[float32]{Steps: 3, Batch: 1, Hidden: 1, Lens: []int32{n}}); err == nil {
			t.Errorf("a length of %d of 3 steps gives no error", n)
		}
	}
}

// The functions of the specification's list, at points on both sides of their bends.
func TestActivations(t *testing.T) {
	a, b := float32(0.25), float32(0.75)
	for _, c := range []struct {
		name        string
		alpha, beta *float32
		x, want     float64
	}{
		{"Relu", nil, nil, -2, 0}, {"relu", nil, nil, 2, 2},
		{"Tanh", nil, nil, 0.5, 0.46211715726}, {"Sigmoid", nil, nil, -1, 0.2689414213},
		{"Affine", &a, &b, 2, 1.25}, {"LeakyRelu", nil, nil, -2, -0.02}, {"LeakyRelu", &a, nil, -2, -0.5},
		{"ThresholdedRelu", nil, nil, 1, 0}, {"ThresholdedRelu", &a, nil, 0.5, 0.5},
		{"ScaledTanh", &a, &b, 2, 0.25 * 0.90514825364}, {"HardSigmoid", nil, nil, 1, 0.7}, {"HardSigmoid", nil, nil, -3, 0},
		{"Elu", nil, nil, -1, -0.6321205588}, {"Softsign", nil, nil, -3, -0.75}, {"Softplus", nil, nil, 1, 1.3132616875}, {"Softplus", nil, nil, 1000, 1000},
	} {
		x, y := []float32{float32(c.x)}, []float64{c.x}
		NewActivation[float32](c.name, c.alpha, c.beta)(x)
		NewActivation[float64](c.name, c.alpha, c.beta)(y)
		if math.Abs(float64(x[0])-c.want) > 1e-6*(1+math.Abs(c.want)) || math.Abs(y[0]-c.want) > 1e-8*(1+math.Abs(c.want)) {
			t.Errorf("%s(%v) is %v and %v, want %v", c.name, c.x, x[0], y[0], c.want)
		}
	}
}

var raceEnabled bool

// Steps do not allocate: only the call itself may.
func TestStepsDoNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes sync.Pool forget")
	}
	for kind := RNN; kind <= LSTM; kind++ {
		count := func(steps int) float64 {
			const batch, input, hidden = 2, 3, 8
			l := &Layer[float32]{Kind: kind, Reverse: []bool{false}, Activations: [][]Activation[float32]{nil}}
			for range kind.Activations() {
				l.Activations[0] = append(l.Activations[0], NewActivation[float32]("Tanh", nil, nil))
			}
			rows := kind.Gates() * hidden
			d := Direction[float32]{W: NewWeight(make([]float32, rows*input), rows, input), R: l.SplitR(make([]float32, rows*hidden), hidden)}
			d.W.Pack()
			for _, r := range d.R {
				r.Pack()
			}
			c := &Call[float32]{Steps: steps, Batch: batch, Input: input, Hidden: hidden, Directions: []Direction[float32]{d}, X: make([]float32, steps*batch*input)}
			c.Y, c.Scratch = make([]float32, steps*batch*hidden), make([]float32, l.ScratchSize(steps, batch, hidden))
			return testing.AllocsPerRun(20, func() {
				if err := l.Run(t.Context(), nil, c); err != nil {
					t.Fatal(err)
				}
			})
		}
		if few, many := count(2), count(40); many > few+1 {
			t.Errorf("kind %d allocates %v times for 2 steps, %v times for 40", kind, few, many)
		}
	}
}
