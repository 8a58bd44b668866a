package attention

import (
	"context"
	"fmt"
	"math"
	"math/rand"
	"slices"
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

func contiguous[T Float](data []T, heads, rows, size int) Heads[T] {
	return Heads[T]{Data: data, Batch: heads * rows * size, Head: rows * size, Row: size}
}

func packed[T Float](data []T, heads, rows, size int) Heads[T] {
	return Heads[T]{Data: data, Batch: heads * rows * size, Head: size, Row: heads * size}
}

// naive computes one output row and its four captures in float64, from the
// definition: what a key contributes is decided for each pair of positions.
func naive[T Float](c *Config, k *Call[T], b, head, row int) (y []float64, captures [4][]float64) {
	kv := head / (k.QHeads / k.KVHeads)
	scale := c.Scale
	if scale == 0 {
		scale = 1 / math.Sqrt(float64(k.Size))
	}
	offset := k.Past
	if k.Valid != nil && k.Past == 0 {
		offset = int(k.Valid[b]) - k.Q
	}
	weights := make([]float64, k.Total)
	top, sum := math.Inf(-1), 0.0
	for j := range k.Total {
		s := 0.0
		for d := range k.Size {
			s += float64(k.Query.at(b, head)[row*k.Query.Row+d]) * float64(k.Key.at(b, kv)[j*k.Key.Row+d])
		}
		s *= scale
		captures[CaptureScores] = append(captures[CaptureScores], s)
		if c.Softcap > 0 {
			s = c.Softcap * math.Tanh(s/c.Softcap)
		}
		captures[CaptureCapped] = append(captures[CaptureCapped], s)
		p := row + offset
		out := c.Causal && j > p || c.Left >= 0 && j < p-c.Left || c.Right >= 0 && j > p+c.Right || k.Valid != nil && j >= int(k.Valid[b])
		if m := k.Mask; m != nil {
			switch at := b*m.stride[0] + head*m.stride[1] + row*m.stride[2] + j; {
			case j >= m.Columns:
				out = true
			case m.Bool != nil:
				out = out || !m.Bool[at]
			default:
				s += float64(m.Float[at])
			}
		}
		if out {
			s = math.Inf(-1)
		}
		captures[CaptureBiased] = append(captures[CaptureBiased], s)
		weights[j] = s
		top = math.Max(top, s)
	}
	for j, s := range weights {
		weights[j] = 0
		if !math.IsInf(top, -1) {
			weights[j] = math.Exp(s - top)
		}
		sum += weights[j]
	}
	y = make([]float64, k.VSize)
	for j := range weights {
		if sum > 0 {
			weights[j] /= sum
		}
		for d := range y {
			y[d] += weights[j] * float64(k.Value.at(b, kv)[j*k.Value.Row+d])
		}
	}
	captures[CaptureWeights] = weights
	return y, captures
}

func TestAttention(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	t.Run("float32", func(t *testing.T) { testAttention[float32](t, pool, 2e-5) })
	t.Run("float64", func(t *testing.T) { testAttention[float64](t, nil, 1e-12) })
}

func testAttention[T Float](t *testing.T, pool *parallel.Pool, tol float64) {
	rng := rand.New(rand.NewSource(1))
	some := func() bool { return rng.Intn(2) == 0 }
	for range 200 {
		k := &Call[T]{Batch: 1 + rng.Intn(2), KVHeads: 1 + rng.Intn(2), Q: 1 + rng.Intn(5), Total: 1 + rng.Intn(7), Size: 1 + rng.Intn(5), VSize: 1 + rng.Intn(5)}
		k.QHeads = k.KVHeads * (1 + rng.Intn(2))
		if rng.Intn(20) == 0 {
			k.Q, k.Total = 70, 130 // more than one block of rows
		}
		c := Config{Causal: some(), Left: rng.Intn(4) - 1, Right: rng.Intn(4) - 1, Capture: Capture(rng.Intn(4))}
		if some() {
			c.Softcap = 0.5 + rng.Float64()
		}
		if some() {
			c.Scale = 0.1 + rng.Float64()
		}
		if some() {
			k.Past = rng.Intn(k.Total)
		} else if some() {
			for range k.Batch {
				k.Valid = append(k.Valid, int64(rng.Intn(k.Total+1)))
			}
		}
		lay := contiguous[T]
		if some() {
			lay = packed[T]
		}
		k.Query = lay(draw[T](rng, k.Batch*k.QHeads*k.Q*k.Size), k.QHeads, k.Q, k.Size)
		k.Key = lay(draw[T](rng, k.Batch*k.KVHeads*k.Total*k.Size), k.KVHeads, k.Total, k.Size)
		k.Value = lay(draw[T](rng, k.Batch*k.KVHeads*k.Total*k.VSize), k.KVHeads, k.Total, k.VSize)
		k.Y = lay(draw[T](rng, k.Batch*k.QHeads*k.Q*k.VSize), k.QHeads, k.Q, k.VSize)
		if some() {
			shape := []int{[]int{1, k.Batch}[rng.Intn(2)], []int{1, k.QHeads}[rng.Intn(2)], []int{1, k.Q}[rng.Intn(2)], 1 + rng.Intn(k.Total)}[rng.Intn(4):]
			m, err := NewMask[T](shape, k.Batch, k.QHeads, k.Q, k.Total)
			if err != nil {
				t.Fatal(err)
			}
			n := 1
			for _, d := range shape {
				n *= d
			}
			if some() {
				for range n {
					m.Bool = append(m.Bool, some())
				}
			} else {
				m.Float = draw[T](rng, n)
				for i := range m.Float {
					if rng.Intn(4) == 0 {
						m.Float[i] = T(math.Inf(-1))
					}
				}
			}
			k.Mask = m
		}
		if some() {
			k.Scores = draw[T](rng, k.Batch*k.QHeads*k.Q*k.Total)
		}
		if err := New[T](c).Run(t.Context(), pool, k); err != nil {
			t.Fatal(err)
		}
		for b := range k.Batch {
			for h := range k.QHeads {
				for row := range k.Q {
					want, captures := naive(&c, k, b, h, row)
					name := fmt.Sprintf("%+v of %d keys, past %d, valid %v, mask %v: row %d of head %d", c, k.Total, k.Past, k.Valid, k.Mask != nil, row, h)
					near(t, name, k.Y.at(b, h)[row*k.Y.Row:][:k.VSize], want, tol)
					if k.Scores != nil {
						near(t, name+" capture", k.Scores[((b*k.QHeads+h)*k.Q+row)*k.Total:][:k.Total], captures[c.Capture], tol)
					}
				}
			}
		}
	}
}

func near[T Float](t *testing.T, name string, got []T, want []float64, tol float64) {
	t.Helper()
	for i, w := range want {
		if g := float64(got[i]); !(math.Abs(g-w) <= tol*(1+math.Abs(w))) && g != w {
			t.Fatalf("%s: element %d is %v, want %v", name, i, g, w)
		}
	}
}

// What a mask excludes has no effect, not even NaN.
func TestMaskedNaN(t *testing.T) {
	nan := float32(math.NaN())
	k := &Call[float32]{Batch: 1, QHeads: 1, KVHeads: 1, Q: 1, Total: 2, Size: 1, VSize: 1}
	k.Query = contiguous([]float32{1}, 1, 1, 1)
	k.Key = contiguous([]float32{1, nan}, 1, 2, 1)
	k.Value = contiguous([]float32{5, 7}, 1, 2, 1)
	k.Y = contiguous(make([]float32, 1), 1, 1, 1)
	k.Mask = &Mask[float32]{Bool: []bool{true, false}, Columns: 2}
	if err := New[float32](Config{Left: -1, Right: -1}).Run(t.Context(), nil, k); err != nil || k.Y.Data[0] != 5 {
		t.Errorf("got %v, %v; want 5", k.Y.Data, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := New[float32](Config{}).Run(ctx, nil, k); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

func TestNewMaskErrors(t *testing.T) {
	for _, shape := range [][]int{{}, {1, 1, 1, 1, 1}, {3, 6}, {2, 5}, {3, 3, 5}} {
		if _, err := NewMask[float32](shape, 2, 4, 3, 5); err == nil {
			t.Errorf("a mask %v for 2 batches, 4 heads, 3 rows and 5 keys gives no error", shape)
		}
	}
}

func TestAppend(t *testing.T) {
	got := make([]float32, 12)
	add := packed([]float32{10, 11, 20, 21}, 2, 1, 2) // one row, two heads
	if err := Append(t.Context(), nil, 1, 2, 2, 1, 2, []float32{1, 2, 3, 4, 5, 6, 7, 8}, add, got); err != nil {
		t.Fatal(err)
	}
	if want := "[1 2 3 4 10 11 5 6 7 8 20 21]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A rotation by angle a of the pair (x, y) is that of the complex number x+iy.
func TestRotary(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	const batch, heads, rows, size, rotate, positions = 2, 3, 4, 10, 6, 9
	angles := draw[float64](rng, positions*rotate/2)
	var cos, sin []float64
	for _, a := range angles {
		cos, sin = append(cos, math.Cos(a)), append(sin, math.Sin(a))
	}
	ids := make([]int64, batch*rows)
	for i := range ids {
		ids[i] = int64(rng.Intn(positions))
	}
	for _, interleaved := range []bool{false, true} {
		x := draw[float64](rng, batch*heads*rows*size)
		r := Rotary[float64]{Batch: batch, Heads: heads, Rows: rows, Size: size, Rotate: rotate, Interleaved: interleaved, Cos: cos, Sin: sin, Positions: ids}
		r.X, r.Y = packed(x, heads, rows, size), packed(make([]float64, len(x)), heads, rows, size)
		if err := r.Run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		for b := range batch {
			for h := range heads {
				for row := range rows {
					in, out := r.X.at(b, h)[row*r.X.Row:][:size], r.Y.at(b, h)[row*r.Y.Row:][:size]
					for j := range rotate / 2 {
						p, q := j, j+rotate/2
						if interleaved {
							p, q = 2*j, 2*j+1
						}
						a := angles[int(ids[b*rows+row])*rotate/2+j]
						z := complex(in[p], in[q]) * complex(math.Cos(a), math.Sin(a))
						if math.Abs(out[p]-real(z)) > 1e-12 || math.Abs(out[q]-imag(z)) > 1e-12 {
							t.Fatalf("interleaved %v: pair %d is %v, %v; want %v", interleaved, j, out[p], out[q], z)
						}
					}
					for j := rotate; j < size; j++ {
						if out[j] != in[j] {
							t.Fatalf("element %d beyond the rotation changed from %v to %v", j, in[j], out[j])
						}
					}
				}
			}
		}
	}
	r := Rotary[float64]{Batch: 1, Heads: 1, Rows: 1, Size: 2, Rotate: 2, Cos: cos[:3], Sin: sin[:3], Positions: []int64{3}}
	if err := r.Run(t.Context(), nil); err == nil {
		t.Error("position 3 of 3 gives no error")
	}
}

func TestLinear(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	const batch, rows, kv, group, size, vsize = 2, 5, 2, 3, 4, 3
	for variant := range 12 {
		l := Linear{Batch: batch, Rows: rows, QHeads: kv * group, KVHeads: kv, Size: size, VSize: vsize, Scale: 0.7, DecaySize: 1, BetaHeads: 1}
		l.Query, l.Key, l.Value = draw[float32](rng, batch*rows*kv*group*size), draw[float32](rng, batch*rows*kv*size), draw[float32](rng, batch*rows*kv*vsize)
		l.State, l.Y = draw[float32](rng, batch*kv*size*vsize), make([]float32, batch*rows*kv*group*vsize)
		if variant%3 == 1 {
			l.Decay = draw[float32](rng, batch*rows*kv)
		} else if variant%3 == 2 {
			l.DecaySize, l.Decay = size, draw[float32](rng, batch*rows*kv*size)
		}
		if variant >= 6 {
			l.BetaHeads = []int{1, kv}[variant%2]
			l.Beta = draw[float32](rng, batch*rows*l.BetaHeads)
		}
		state := make([]float64, len(l.State))
		for i, v := range l.State {
			state[i] = float64(v)
		}
		if err := l.Run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		for b := range batch {
			for h := range kv {
				s := func(d, m int) *float64 { return &state[((b*kv+h)*size+d)*vsize+m] }
				for row := range rows {
					at := b*rows + row
					if l.Decay != nil {
						for d := range size {
							for m := range vsize {
								*s(d, m) *= math.Exp(float64(l.Decay[(at*kv+h)*l.DecaySize+d%l.DecaySize]))
							}
						}
					}
					write := make([]float64, vsize)
					for m := range vsize {
						write[m] = float64(l.Value[(at*kv+h)*vsize+m])
						if l.Beta != nil {
							for d := range size {
								write[m] -= *s(d, m) * float64(l.Key[(at*kv+h)*size+d])
							}
							write[m] *= float64(l.Beta[at*l.BetaHeads+h%l.BetaHeads])
						}
					}
					for d := range size {
						for m := range vsize {
							*s(d, m) += float64(l.Key[(at*kv+h)*size+d]) * write[m]
						}
					}
					for q := h * group; q < (h+1)*group; q++ {
						want := make([]float64, vsize)
						for m := range vsize {
							for d := range size {
								want[m] += 0.7 * float64(l.Query[(at*kv*group+q)*size+d]) * *s(d, m)
							}
						}
						near(t, fmt.Sprintf("variant %d row %d head %d", variant, row, q), l.Y[(at*kv*group+q)*vsize:][:vsize], want, 1e-4)
					}
				}
			}
		}
		near(t, "state", l.State, state, 1e-4)
	}
}

// Flex without anything in between is plain attention.
func TestFlex(t *testing.T) {
	rng := rand.New(rand.NewSource(4))
	f := NewFlex[float32]()
	f.Batch, f.QHeads, f.KVHeads, f.Q, f.Total, f.Size, f.VSize = 2, 6, 3, 4, 5, 7, 3
	q, k, v := draw[float32](rng, 2*6*4*7), draw[float32](rng, 2*3*5*7), draw[float32](rng, 2*3*5*3)
	scores, y := make([]float32, 2*6*4*5), make([]float32, 2*6*4*3)
	if err := f.Scores(t.Context(), nil, 0, q, k, scores); err != nil {
		t.Fatal(err)
	}
	if err := f.Softmax(t.Context(), nil, scores); err != nil {
		t.Fatal(err)
	}
	if err := f.Weighted(t.Context(), nil, scores, v, y); err != nil {
		t.Fatal(err)
	}
	call := &Call[float32]{Batch: 2, QHeads: 6, KVHeads: 3, Q: 4, Total: 5, Size: 7, VSize: 3, Query: contiguous(q, 6, 4, 7), Key: contiguous(k, 3, 5, 7), Value: contiguous(v, 3, 5, 3)}
	for b := range 2 {
		for h := range 6 {
			for row := range 4 {
				want, _ := naive(&Config{Left: -1, Right: -1}, call, b, h, row)
				near(t, fmt.Sprint(b, h, row), y[((b*6+h)*4+row)*3:][:3], want, 2e-5)
			}
		}
	}
}

// A sink takes its share of the softmax: exp(x) / (sum of exp(x) + exp(sink)).
func TestSoftmaxSink(t *testing.T) {
	for _, sink := range []float64{-3, 0, 2, 50} {
		x := []float64{1, -2, 0.5, math.Inf(-1)}
		got := slices.Clone(x)
		softmaxSink(got, sink)
		sum := math.Exp(sink)
		for _, v := range x {
			sum += math.Exp(v)
		}
		for i, v := range x {
			if want := math.Exp(v) / sum; math.Abs(got[i]-want) > 1e-12 {
				t.Errorf("sink %v: element %d is %v, want %v", sink, i, got[i], want)
			}
		}
	}
}

// Rows go where each batch's first ones end, and the rest is zero.
func TestPlace(t *testing.T) {
	old := []float32{1, 2, 3, 4, 5, 6} // [2, 1, 3, 1]
	add := Heads[float32]{Data: []float32{7, 8}, Batch: 1, Head: 1, Row: 1}
	out := []float32{-1, -1, -1, -1, -1, -1, -1, -1}
	if err := Place(t.Context(), nil, 2, 1, 1, 3, 4, []int64{2, 0}, old, add, 1, out); err != nil {
		t.Fatal(err)
	}
	if want := []float32{1, 2, 7, 0, 8, 0, 0, 0}; !slices.Equal(out, want) {
		t.Errorf("got %v, want %v", out, want)
	}
}
