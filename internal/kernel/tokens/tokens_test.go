package tokens

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gort/internal/parallel"
)

func newPool(t *testing.T) *parallel.Pool {
	t.Helper()
	p := parallel.New(2)
	t.Cleanup(p.Close)
	return p
}

func draw[T ID](r *rand.Rand, n, limit int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = T(r.IntN(limit))
	}
	return out
}

// A token is blocked when the n-gram that it would end stands somewhere before.
func TestBlockRepeats(t *testing.T) {
	r, pool := rand.New(rand.NewPCG(1, 1)), newPool(t)
	for range 200 {
		n, rows, length, vocabulary := 1+r.IntN(4), r.IntN(4), r.IntN(12), 1+r.IntN(3)
		ids, scores := draw[int64](r, rows*length, vocabulary), make([]float32, rows*vocabulary)
		if err := BlockRepeats(t.Context(), pool, n, rows, ids, scores); err != nil {
			t.Fatal(err)
		}
		for b := range rows {
			row := ids[b*length:][:length]
			for id := range int64(vocabulary) {
				said := append(slices.Clone(row), id)
				found := false
				for i := 0; length >= n && i+n <= length; i++ {
					found = found || slices.Equal(row[i:][:n], said[len(said)-n:])
				}
				if got := math.IsInf(float64(scores[b*vocabulary+int(id)]), -1); got != found {
					t.Errorf("n %d, %v: token %d blocked %v, want %v", n, row, id, got, found)
				}
			}
		}
	}
	if err := BlockRepeats(t.Context(), pool, 1, 1, []int64{1, 7}, make([]float32, 3)); err == nil {
		t.Error("token 7 of 3: no error")
	}
	if err := BlockRepeats(t.Context(), pool, 1, 1, []int64{-1}, make([]float32, 3)); err == nil {
		t.Error("token -1: no error")
	}
}

func TestAgreement(t *testing.T) {
	for _, c := range []struct {
		source, predicted []int64
		want              int
	}{
		{nil, []int64{5}, 1}, {[]int64{1, 2}, []int64{1, 2, 3}, 3}, {[]int64{1, 2}, []int64{1, 3, 3}, 2}, {[]int64{1, 2}, []int64{2, 2, 3}, 1},
	} {
		if got := Agreement(c.source, c.predicted); got != c.want {
			t.Errorf("%v and %v: %d, want %d", c.source, c.predicted, got, c.want)
		}
	}
}

func TestSuffix(t *testing.T) {
	for _, c := range []struct {
		source, tokens []int64
		lo, hi         int
		want           int64
	}{
		{[]int64{1, 2, 3, 4}, []int64{9, 2}, 1, 3, 2},     // once; [9 2] does not occur
		{[]int64{1, 2, 3, 2, 4}, []int64{3, 2}, 1, 3, 4},  // twice, but [3 2] once
		{[]int64{1, 2, 3, 2, 4}, []int64{9, 2}, 1, 3, -1}, // twice, [9 2] never
		{[]int64{1, 2, 3, 4}, []int64{9}, 1, 3, -1},       // never
		{[]int64{1, 2, 3, 4}, []int64{4}, 1, 3, 4},        // at the end
		{[]int64{5, 5, 5}, []int64{5, 5}, 1, 2, -1},       // [5 5] twice, overlapping
		{[]int64{5, 5, 5}, []int64{5, 5, 5}, 1, 3, 3},     // [5 5 5] once
		{[]int64{1, 2, 3}, []int64{1, 2}, 3, 4, -1},       // shorter than the shortest n-gram
		{nil, []int64{1}, 1, 3, -1}, {[]int64{1}, nil, 1, 3, -1},
	} {
		if got := Suffix(c.source, c.tokens, c.lo, c.hi); got != c.want {
			t.Errorf("%v after %v, %d to %d: %d, want %d", c.source, c.tokens, c.lo, c.hi, got, c.want)
		}
	}
}

// No path is cheaper than the one found, and it is one. No two of these sums are equal.
func TestWarp(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 60 {
		rows, columns := 1+r.IntN(5), 1+r.IntN(5)
		costs := make([]float32, rows*columns)
		for i := range costs {
			costs[i] = r.Float32() - 0.125
		}
		i, j, err := Warp(t.Context(), costs, rows, columns)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for k := range i {
			sum += float64(costs[int(i[k])*columns+int(j[k])])
			if k == 0 {
				continue
			}
			if di, dj := i[k]-i[k-1], j[k]-j[k-1]; di < 0 || dj < 0 || di > 1 || dj > 1 || di+dj == 0 {
				t.Fatalf("the path steps from %d, %d to %d, %d", i[k-1], j[k-1], i[k], j[k])
			}
		}
		if i[0] != 0 || j[0] != 0 || int(i[len(i)-1]) != rows-1 || int(j[len(j)-1]) != columns-1 {
			t.Errorf("the path through %dx%d is %v, %v", rows, columns, i, j)
		}
		if want := cheapest(costs, rows, columns, rows-1, columns-1); math.Abs(sum-want) > 1e-6 {
			t.Errorf("the path %v, %v costs %v, the cheapest %v", i, j, sum, want)
		}
	}
	// Down and diagonal moves cost nothing up to the last element, right ones 1.
	if i, j, _ := Warp(t.Context(), []float32{0, 0, 1, 0}, 2, 2); !slices.Equal(i, []int32{0, 1, 1}) || !slices.Equal(j, []int32{0, 0, 1}) {
		t.Errorf("of equal moves, the path takes %v, %v", i, j)
	}
	if i, j, err := Warp(t.Context(), nil, 0, 3); err != nil || len(i)+len(j) > 0 {
		t.Errorf("no rows: %v, %v, %v", i, j, err)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Warp(done, make([]float32, 1), 1, 1); err == nil {
		t.Error("the context is done, no error")
	}
}

// cheapest tries all paths to an element.
func cheapest(costs []float32, rows, columns, i, j int) float64 {
	c := float64(costs[i*columns+j])
	if i == 0 && j == 0 {
		return c
	}
	best := math.Inf(1)
	for _, d := range [][2]int{{1, 0}, {0, 1}, {1, 1}} {
		if i >= d[0] && j >= d[1] {
			best = min(best, cheapest(costs, rows, columns, i-d[0], j-d[1]))
		}
	}
	return best + c
}

func TestNGramHash(t *testing.T) {
	testNGramHash[int32](t)
	testNGramHash[int64](t)
}

// testNGramHash hashes token by token, from the tokens that each may see.
func testNGramHash[T ID](t *testing.T) {
	r, pool := rand.New(rand.NewPCG(3, 3)), newPool(t)
	for range 100 {
		batch, length := r.IntN(4), r.IntN(9)
		h := NGramHash[T]{Longest: 2 + r.IntN(3), Each: 1 + r.IntN(3), Missing: 3, Length: length, IDs: draw[T](r, batch*length, 5), Reset: r.IntN(2) == 0}
		n := h.Longest - 1
		heads := n * h.Each
		h.Factors = make([]T, h.Longest)
		for i := range h.Factors {
			h.Factors[i] = T(r.Uint64()) // products wrap
		}
		h.Sizes = draw[T](r, heads, 1000)
		for i := range h.Sizes {
			h.Sizes[i]++
		}
		if r.IntN(2) == 0 {
			h.Past = draw[T](r, batch*n, 5)
		}
		if r.IntN(2) == 0 {
			h.Offsets = draw[T](r, heads, 50)
		}
		if r.IntN(2) == 0 {
			h.Segments = draw[int32](r, batch*length, 2)
		}
		hashes, present := make([]T, batch*length*heads), make([]T, batch*n)
		if err := h.Run(t.Context(), pool, batch, hashes, present); err != nil {
			t.Fatal(err)
		}
		for b := range batch {
			at := func(i int) T { // token i of a row; negative ones are past
				switch {
				case i >= 0:
					return h.IDs[b*length+i]
				case h.Past != nil && i >= -n:
					return h.Past[b*n+n+i]
				}
				return h.Missing
			}
			for i := range n {
				if got := present[b*n+i]; got != at(length-n+i) {
					t.Errorf("present token %d is %d, want %d", i, got, at(length-n+i))
				}
			}
			for i := range length {
				for k := 2; k <= h.Longest; k++ {
					mix, hidden := at(i)*h.Factors[0], false
					for d := 1; d < k; d++ {
						// What a boundary between i-d and the token after it hides, stays hidden.
						hidden = hidden || h.Reset && i-d+1 >= 0 && at(i-d) == h.Missing ||
							h.Segments != nil && i-d >= 0 && h.Segments[b*length+i-d] != h.Segments[b*length+i-d+1]
						id := at(i - d)
						if hidden {
							id = h.Missing
						}
						mix ^= id * h.Factors[d]
					}
					for e := range h.Each {
						j := (k-2)*h.Each + e
						want := (mix%h.Sizes[j] + h.Sizes[j]) % h.Sizes[j]
						if h.Offsets != nil {
							want += h.Offsets[j]
						}
						if got := hashes[(b*length+i)*heads+j]; got != want {
							t.Errorf("%+v: hash %d of token %d is %d, want %d", h, j, i, got, want)
						}
					}
				}
			}
		}
	}
	h := NGramHash[T]{Longest: 2, Each: 1, Factors: []T{1, 1}, Sizes: []T{0}}
	if err := h.Run(t.Context(), pool, 0, nil, nil); err == nil {
		t.Error("a head of size 0: no error")
	}
}

// Each filter's largest tanh over the windows of a word.
func TestWordConv(t *testing.T) {
	r, pool := rand.New(rand.NewPCG(4, 4)), newPool(t)
	floats := func(n int) []float32 {
		out := make([]float32, n)
		for i := range out {
			out[i] = r.Float32()*2 - 1
		}
		return out
	}
	for range 40 {
		count, filters, chars := r.IntN(150), 1+r.IntN(4), 2+r.IntN(5)
		w := WordConv{Length: 1 + r.IntN(6), Size: 1 + r.IntN(4)}
		w.Window = 1 + r.IntN(w.Length)
		w.Filters, w.Bias, w.Chars = floats(filters*w.Window*w.Size), floats(filters), floats(chars*w.Size)
		words := draw[int32](r, count*w.Length, chars)
		y := make([]float32, count*filters)
		for i := range y {
			y[i] = 7
		}
		if err := w.Run(t.Context(), pool, words, y); err != nil {
			t.Fatal(err)
		}
		for i := range count {
			word, n := words[i*w.Length:][:w.Length], 0
			for _, c := range word {
				if c > 0 {
					n++
				}
			}
			for f := range filters {
				want := math.Inf(-1)
				for at := 0; word[0] > 0 && at <= max(n-w.Window, 0); at++ {
					sum := float64(w.Bias[f])
					for k := range w.Window * w.Size {
						c := int(word[at+k/w.Size])
						sum += float64(w.Chars[c*w.Size+k%w.Size]) * float64(w.Filters[f*w.Window*w.Size+k])
					}
					want = math.Max(want, math.Tanh(sum))
				}
				if word[0] <= 0 {
					want = 0
				}
				if got := float64(y[i*filters+f]); math.Abs(got-want) > 1e-5 {
					t.Errorf("%+v: filter %d of word %v is %v, want %v", w, f, word, got, want)
				}
			}
		}
	}
	w := WordConv{Length: 1, Window: 1, Size: 1, Filters: []float32{1}, Bias: []float32{0}, Chars: []float32{1, 2}}
	if err := w.Run(t.Context(), pool, []int32{2}, make([]float32, 1)); err == nil {
		t.Error("character 2 of 2: no error")
	}
}
