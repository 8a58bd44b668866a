package matmul

import (
	"context"
	"fmt"
	"math"
	"math/rand"
	"testing"

	"gort/internal/kernel/gemm"
	"gort/internal/parallel"
	"gort/tensor"
)

// draw fills a slice with small whole numbers, whose sums of products every
// element type holds exactly.
func draw[T Number](rng *rand.Rand, n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = T(rng.Intn(9))
	}
	return out
}

// naive is numpy.matmul by its definition.
func naive[T Number](a []T, as tensor.Shape, b []T, bs tensor.Shape) []T {
	pad := func(s tensor.Shape, rank int) tensor.Shape {
		out := tensor.Shape{}
		for range rank - len(s) {
			out = append(out, 1)
		}
		return append(out, s...)
	}
	if len(as) == 1 {
		as = tensor.Shape{1, as[0]}
	}
	if len(bs) == 1 {
		bs = tensor.Shape{bs[0], 1}
	}
	rank := max(len(as), len(bs))
	as, bs = pad(as, rank), pad(bs, rank)
	m, k, n := as[rank-2], as[rank-1], bs[rank-1]
	var out []T
	var walk func(d, ia, ib int)
	walk = func(d, ia, ib int) {
		if d == rank-2 {
			for i := range m {
				for j := range n {
					var sum T
					for p := range k {
						sum += a[(ia*m+i)*k+p] * b[(ib*k+p)*n+j]
					}
					out = append(out, sum)
				}
			}
			return
		}
		for i := range max(as[d], bs[d]) * min(as[d], bs[d], 1) {
			walk(d+1, ia*as[d]+min(i, as[d]-1), ib*bs[d]+min(i, bs[d]-1))
		}
	}
	walk(0, 0, 0)
	return out
}

var matmulShapes = [][2]tensor.Shape{
	{{2, 3}, {3, 4}}, {{3}, {3}}, {{3}, {3, 4}}, {{2, 3}, {3}}, {{5, 2, 3}, {3, 4}}, {{5, 2, 3}, {5, 3, 4}},
	{{2, 3}, {5, 3, 4}}, {{6, 1, 2, 3}, {4, 3, 5}}, {{1, 4, 2, 3}, {6, 1, 3, 5}}, {{3}, {2, 4, 3, 5}}, {{2, 4, 5, 3}, {3}},
	{{0, 3}, {3, 4}}, {{2, 0}, {0, 4}}, {{2, 3}, {3, 0}}, {{0, 2, 3}, {3, 4}}, {{1, 1}, {1, 1}},
	{{7, 33, 17}, {7, 17, 9}}, {{40, 1, 16}, {40, 16, 21}}, {{1, 65, 130}, {3, 130, 70}}, {{9, 3, 1, 65, 33}, {3, 33, 20}},
}

func TestMatMul(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	t.Run("float32", func(t *testing.T) { testMatMul[float32](t, pool) })
	t.Run("float64", func(t *testing.T) { testMatMul[float64](t, pool) })
	t.Run("int32", func(t *testing.T) { testMatMul[int32](t, pool) })
	t.Run("int64", func(t *testing.T) { testMatMul[int64](t, pool) })
	t.Run("uint32", func(t *testing.T) { testMatMul[uint32](t, pool) })
	t.Run("uint64", func(t *testing.T) { testMatMul[uint64](t, nil) })
}

func testMatMul[T Number](t *testing.T, pool *parallel.Pool) {
	rng := rand.New(rand.NewSource(1))
	m := NewMatMul[T]()
	for _, s := range matmulShapes {
		a, b := draw[T](rng, s[0].Size()), draw[T](rng, s[1].Size())
		want := naive(a, s[0], b, s[1])
		got := make([]T, len(want))
		for i := range got {
			got[i] = T(7) // outputs are not zeroed beforehand
		}
		if err := m.Run(t.Context(), pool, a, s[0], b, s[1], got); err != nil {
			t.Errorf("%v times %v: %v", s[0], s[1], err)
			continue
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%v times %v: element %d is %v, want %v", s[0], s[1], i, got[i], want[i])
				break
			}
		}
	}
}

func TestMatMulErrors(t *testing.T) {
	m := NewMatMul[float32]()
	for _, s := range [][2]tensor.Shape{{{2, 3}, {4, 4}}, {{2, 2, 3}, {3, 3, 4}}, {{}, {3}}, {{3}, {}}} {
		if err := m.Run(t.Context(), nil, make([]float32, 99), s[0], make([]float32, 99), s[1], make([]float32, 8)); err == nil {
			t.Errorf("%v times %v gives no error", s[0], s[1])
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a := make([]float32, 4*64*64)
	if err := m.Run(ctx, nil, a, tensor.Shape{4, 64, 64}, a, tensor.Shape{4, 64, 64}, make([]float32, len(a))); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

func TestPackedMatMul(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	a, b := draw[float32](rng, 2*5*33), draw[float32](rng, 33*18)
	want := naive(a, tensor.Shape{2, 5, 33}, b, tensor.Shape{33, 18})
	got := make([]float32, len(want))
	if err := RunPacked(t.Context(), nil, a, 33, gemm.PackB(false, 33, 18, b, 18), 18, got); err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("element %d is %v, want %v", i, got[i], want[i])
		}
	}
}

func TestGemm(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	const m, n, k, alpha, beta = 5, 7, 9, 2, 3
	for flags := range 4 {
		transA, transB := flags&1 != 0, flags&2 != 0
		for _, shape := range []tensor.Shape{nil, {}, {1}, {n}, {1, n}, {m, 1}, {m, n}, {1, 1}} {
			a, b := draw[int64](rng, m*k), draw[int64](rng, k*n)
			var c []int64
			if shape != nil {
				c = draw[int64](rng, shape.Size())
			}
			y := make([]int64, m*n)
			if err := Gemm(t.Context(), nil, MultiplyOf[int64](), transA, transB, m, n, k, alpha, a, b, beta, c, shape, y); err != nil {
				t.Fatal(err)
			}
			for i := range m {
				for j := range n {
					want := int64(0)
					for p := range k {
						x, w := a[i*k+p], b[p*n+j]
						if transA {
							x = a[p*m+i]
						}
						if transB {
							w = b[j*k+p]
						}
						want += alpha * x * w
					}
					if c != nil {
						rows, cols := 1, 1
						if len(shape) == 2 {
							rows = shape[0]
						}
						if len(shape) > 0 {
							cols = shape[len(shape)-1]
						}
						want += beta * c[i%rows*cols+j%cols]
					}
					if got := y[i*n+j]; got != want {
						t.Fatalf("trans %v %v, bias %v: element %d,%d is %d, want %d", transA, transB, shape, i, j, got, want)
					}
				}
			}
		}
	}
	// A beta of 0 does not read the bias, whatever it holds.
	y := []float32{1}
	nan := []float32{float32(math.NaN())}
	if err := Gemm(t.Context(), nil, MultiplyOf[float32](), false, false, 1, 1, 1, 1, []float32{2}, []float32{3}, 0, nan, tensor.Shape{1}, y); err != nil || y[0] != 6 {
		t.Errorf("beta 0 with a bias of NaN: %v, %v", y, err)
	}
	if err := Bias(make([]float32, 6), 2, 3, make([]float32, 2), tensor.Shape{2}); err == nil {
		t.Error("a bias of 2 over 2x3 gives no error")
	}
}

func TestDet(t *testing.T) {
	for _, c := range []struct {
		n    int
		x    []float64
		want float64
	}{
		{0, nil, 1},
		{1, []float64{-3}, -3},
		{2, []float64{1, 2, 3, 4}, -2},
		{2, []float64{0, 1, 1, 0}, -1},                                    // a pivot of 0
		{3, []float64{2, 0, 0, 0, 3, 0, 0, 0, 4}, 24},                     //
		{3, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, 0},                      // singular
		{3, []float64{6, 1, 1, 4, -2, 5, 2, 8, 7}, -306},                  //
		{4, []float64{0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0}, 1}, // two swaps
	} {
		y := make([]float64, 1)
		if err := Det(t.Context(), nil, c.n, c.x, y); err != nil {
			t.Fatal(err)
		}
		if math.Abs(y[0]-c.want) > 1e-12*(1+math.Abs(c.want)) {
			t.Errorf("det %v is %v, want %v", c.x, y[0], c.want)
		}
	}
}

// reference sums over every assignment of the labels.
func reference(terms []Term[float64], out []int, size map[int]int) []float64 {
	var labels []int
	for l := range size {
		labels = append(labels, l)
	}
	at := map[int]int{}
	index := func(labels, dims []int) int {
		i := 0
		for d, l := range labels {
			i = i*dims[d] + at[l]%dims[d]
		}
		return i
	}
	outDims := make([]int, len(out))
	n := 1
	for i, l := range out {
		outDims[i] = size[l]
		n *= size[l]
	}
	y := make([]float64, n)
	var walk func(d int)
	walk = func(d int) {
		if d < len(labels) {
			for i := range size[labels[d]] {
				at[labels[d]] = i
				walk(d + 1)
			}
			return
		}
		p := 1.0
		for _, t := range terms {
			p *= t.Data[index(t.Labels, t.Dims)]
		}
		y[index(out, outDims)] += p
	}
	walk(0)
	return y
}

func TestEinsum(t *testing.T) {
	size := map[byte]int{'a': 2, 'b': 3, 'c': 4, 'd': 5, 'e': 1, 'z': 0}
	rng := rand.New(rand.NewSource(4))
	for _, c := range []struct {
		in  []string
		out string
	}{
		{[]string{"ab"}, "ba"}, {[]string{"ab"}, ""}, {[]string{"ab"}, "b"}, {[]string{"bb"}, "b"}, {[]string{"bb"}, ""}, {[]string{"abb"}, "ab"},
		{[]string{"ab", "bc"}, "ac"}, {[]string{"ab", "bc"}, "ca"}, {[]string{"ba", "bc"}, "ac"}, {[]string{"ab", "cb"}, "ac"}, {[]string{"ba", "cb"}, "ca"},
		{[]string{"dab", "dbc"}, "dac"}, {[]string{"adb", "bdc"}, "cda"}, {[]string{"ab", "ab"}, "ab"}, {[]string{"ab", "ab"}, ""}, {[]string{"a", "b"}, "ab"},
		{[]string{"ab", "cd"}, "cb"}, {[]string{"aeb", "beec"}, "eac"}, {[]string{"ab", "bc", "cd"}, "da"}, {[]string{"ab", "b", "bc", "c"}, "a"},
		{[]string{"az", "zb"}, "ab"}, {[]string{"az"}, "za"}, {[]string{"abcd", "dbca"}, "bd"}, {[]string{"bb", "bc"}, "c"},
	} {
		var terms []Term[float64]
		sizes := map[int]int{}
		for _, in := range c.in {
			term := Term[float64]{}
			n := 1
			for i := range in {
				term.Labels, term.Dims = append(term.Labels, int(in[i])), append(term.Dims, size[in[i]])
				sizes[int(in[i])] = size[in[i]]
				n *= size[in[i]]
			}
			term.Data = draw[float64](rng, n)
			terms = append(terms, term)
		}
		var out []int
		for i := range c.out {
			out = append(out, int(c.out[i]))
		}
		want := reference(terms, out, sizes)
		got := make([]float64, len(want))
		if err := Einsum(t.Context(), nil, MultiplyOf[float64](), terms, out, got); err != nil {
			t.Errorf("%v -> %q: %v", c.in, c.out, err)
			continue
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v -> %q is %v, want %v", c.in, c.out, got, want)
		}
	}
}

// A dimension of 1 stretches to what another operand has under the same label.
func TestEinsumBroadcasts(t *testing.T) {
	terms := []Term[float64]{{[]float64{1, 2}, []int{1, 2}, []int{2, 1}}, {[]float64{3, 4, 5}, []int{1, 2}, []int{1, 3}}}
	got := make([]float64, 6)
	if err := Einsum(t.Context(), nil, MultiplyOf[float64](), terms, []int{1, 2}, got); err != nil {
		t.Fatal(err)
	}
	if want := []float64{3, 4, 5, 6, 8, 10}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	terms[0].Dims = []int{1, 2}
	if err := Einsum(t.Context(), nil, MultiplyOf[float64](), terms, []int{1, 2}, got[:3]); err == nil {
		t.Error("sizes 2 and 3 under one label give no error")
	}
}
