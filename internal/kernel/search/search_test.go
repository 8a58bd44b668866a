package search

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"gort/internal/parallel"
	"gort/tensor"
)

var (
	bg  = context.Background()
	nan = math.NaN()
	inf = math.Inf(1)
)

// random returns small whole numbers, so that there are many equal ones; floats
// also hold NaN and infinities.
func random(r *rand.Rand, d tensor.DType, shape ...int) *tensor.Tensor {
	list := make([]float64, tensor.Shape(shape).Size())
	for i := range list {
		list[i] = float64(r.IntN(7))
		if d.Class() != tensor.ClassUint {
			list[i] -= 3
		}
		if d.Class() == tensor.ClassFloat && r.IntN(8) == 0 {
			list[i] = []float64{nan, inf, -inf, math.Copysign(0, -1)}[r.IntN(4)]
		}
	}
	return tensor.Must(tensor.Convert(tensor.Must(tensor.FromSlice(list, shape...)), d, tensor.ConvertOptions{}))
}

// larger is the order that TopK and Arg follow: NaN beyond infinity.
func larger(a, b float64) bool { return a > b || a != a && b == b }

func line(f []float64, shape []int, axis, o, j int) []float64 {
	inner := 1
	for _, n := range shape[axis+1:] {
		inner *= n
	}
	out := make([]float64, shape[axis])
	for i := range out {
		out[i] = f[(o*shape[axis]+i)*inner+j]
	}
	return out
}

func TestArg(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	r := rand.New(rand.NewPCG(1, 9))
	for _, d := range ArgTypes() {
		for _, shape := range [][]int{{1}, {9}, {4, 5}, {2, 7, 3}, {3, 1, 4}, {100, 30}} {
			for axis := range shape {
				x := random(r, d, shape...)
				f, _ := tensor.Float64s(x)
				for _, e := range []Extreme{{}, {Min: true}, {Last: true}, {Min: true, Last: true}} {
					n := x.Size() / shape[axis]
					got := make([]int64, n)
					if err := Arg(bg, pool, got, x, axis, e); err != nil {
						t.Fatal(err)
					}
					inner := 1
					for _, k := range shape[axis+1:] {
						inner *= k
					}
					for i := range got {
						l := line(f, shape, axis, i/inner, i%inner)
						want := 0
						for k, v := range l {
							better := larger(v, l[want])
							if e.Min {
								better = v < l[want] || v != v && l[want] == l[want]
							}
							same := v == l[want] || v != v && l[want] != l[want]
							if better || e.Last && same {
								want = k
							}
						}
						if got[i] != int64(want) {
							t.Fatalf("%v %v axis %d %+v: line %v gives %d, want %d", d, shape, axis, e, l, got[i], want)
						}
					}
				}
			}
		}
	}
}

func TestTopK(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	r := rand.New(rand.NewPCG(5, 9))
	for _, d := range ArgTypes() {
		for _, c := range []struct {
			shape []int
			axis  int
		}{{[]int{1}, 0}, {[]int{40}, 0}, {[]int{3, 50}, 1}, {[]int{50, 3}, 0}, {[]int{2, 33, 4}, 1}} {
			n := c.shape[c.axis]
			for _, k := range []int{0, 1, 2, 5, n / 2, n} {
				if k > n {
					continue
				}
				for _, smallest := range []bool{false, true} {
					x := random(r, d, c.shape...)
					f, _ := tensor.Float64s(x)
					os := slices.Clone(c.shape)
					os[c.axis] = k
					values, at := tensor.Must(tensor.New(d, os...)), make([]int64, tensor.Shape(os).Size())
					if err := TopK(bg, pool, values, at, x, c.axis, k, smallest); err != nil {
						t.Fatal(err)
					}
					v, _ := tensor.Float64s(values)
					inner := 1
					for _, q := range c.shape[c.axis+1:] {
						inner *= q
					}
					if k == 0 {
						continue
					}
					for i := range x.Size() / n {
						o, j := i/inner, i%inner
						l := line(f, c.shape, c.axis, o, j)
						order := make([]int, n)
						for i := range order {
							order[i] = i
						}
						sort.SliceStable(order, func(a, b int) bool {
							if smallest {
								return larger(l[order[b]], l[order[a]])
							}
							return larger(l[order[a]], l[order[b]])
						})
						for q := range k {
							p := (o*k+q)*inner + j
							if at[p] != int64(order[q]) || v[p] != l[order[q]] && v[p] == v[p] {
								t.Fatalf("%v %+v k %d smallest %v: line %v: place %d is %d (%v), want %d", d, c, k, smallest, l, q, at[p], v[p], order[q])
							}
						}
					}
				}
			}
		}
	}
	x := random(r, tensor.Float32, 4)
	for _, k := range []int{-1, 5} {
		if err := TopK(bg, nil, nil, nil, x, 0, k, false); err == nil {
			t.Errorf("no error for k %d of 4", k)
		}
	}
}

func TestKeysKeepOrder(t *testing.T) {
	up := []float64{-inf, -math.MaxFloat64, -1.5, -math.SmallestNonzeroFloat64, 0, math.SmallestNonzeroFloat64, 1, 1.5, math.MaxFloat64, inf, nan}
	for i := 1; i < len(up); i++ {
		if keyOf(up[i-1]) >= keyOf(up[i]) {
			t.Errorf("key of %v is not below that of %v", up[i-1], up[i])
		}
	}
	if keyOf(math.Copysign(0, -1)) != keyOf(0.0) {
		t.Error("zeros of both signs differ")
	}
	if keyOf(int8(-1)) >= keyOf(int8(0)) || keyOf(int64(math.MinInt64)) >= keyOf(int64(math.MinInt64+1)) || keyOf(uint64(math.MaxUint64-1)) >= keyOf(uint64(math.MaxUint64)) {
		t.Error("keys of integers do not keep their order")
	}
}

func TestNonzero(t *testing.T) {
	for _, c := range []struct {
		x    *tensor.Tensor
		want string
	}{
		{tensor.Must(tensor.FromSlice([]float32{0, 1, float32(nan), float32(math.Copysign(0, -1)), 0, -2}, 2, 3)), "[0 0 1 1 2 2]"},
		{tensor.Must(tensor.FromSlice([]float64{math.Copysign(0, -1), math.SmallestNonzeroFloat64})), "[1]"},
		{tensor.Must(tensor.FromSlice([]tensor.F16{0, 0x8000, 1})), "[2]"},
		{tensor.Must(tensor.FromSlice([]int8{0, -128}, 1, 2)), "[0 1]"},
		{tensor.Must(tensor.FromSlice([]bool{true, false, true})), "[0 2]"},
		{tensor.Must(tensor.FromSlice([]string{"", "0"})), "[1]"},
		{tensor.Must(tensor.FromSlice([]complex64{0, complex(float32(math.Copysign(0, -1)), 0), 1i})), "[2]"},
		{tensor.Must(tensor.FromSlice([]complex128{complex(0, math.Copysign(0, -1)), 1})), "[1]"},
		{tensor.Must(tensor.FromSlice([]int64{}, 0, 3)), "[]"},
		{tensor.Must(tensor.FromSlice([]uint16{0, 0, 0, 7}, 2, 1, 2)), "[1 0 1]"},
		{tensor.Must(tensor.FromSlice([]int32{0, 0}, 2)), "[]"},
	} {
		n := FindNonzero(c.x)
		got := make([]int64, n.Count()*c.x.Rank())
		if err := n.Coordinates(bg, got, c.x.Shape()); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%v: got %v, want %s", c.x, got, c.want)
		}
	}
}

func TestUnique(t *testing.T) {
	for _, c := range []struct {
		x      *tensor.Tensor
		run    int
		sorted bool
		want   string // first, counts, inverse
	}{
		{tensor.Must(tensor.FromSlice([]float32{2, 1, 1, 3, 4, 3})), 1, true, "[1 0 3 4] [2 1 2 1] [1 0 0 2 3 2]"},
		{tensor.Must(tensor.FromSlice([]float32{2, 1, 1, 3, 4, 3})), 1, false, "[0 1 3 4] [1 2 2 1] [0 1 1 2 3 2]"},
		{tensor.Must(tensor.FromSlice([]float64{nan, 0, nan, math.Copysign(0, -1), inf})), 1, true, "[1 4 0] [2 1 2] [2 0 2 0 1]"},
		{tensor.Must(tensor.FromSlice([]string{"b", "a", "b"})), 1, true, "[1 0] [1 2] [1 0 1]"},
		{tensor.Must(tensor.FromSlice([]bool{true, false, true})), 1, true, "[1 0] [1 2] [1 0 1]"},
		{tensor.Must(tensor.FromSlice([]int64{1, 2, 1, 1, 1, 2}, 3, 2)), 2, true, "[1 0] [1 2] [1 0 1]"},
		{tensor.Must(tensor.FromSlice([]complex64{1i, 1, 1i, -1})), 1, true, "[3 0 1] [1 2 1] [1 2 1 0]"},
		{tensor.Must(tensor.FromSlice([]uint8{})), 1, true, "[] [] []"},
	} {
		g, err := Unique(bg, c.x, c.x.Size()/c.run, c.run, c.sorted)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(g.First, g.Counts, g.Inverse); got != c.want {
			t.Errorf("%v sorted %v: got %s, want %s", c.x, c.sorted, got, c.want)
		}
	}
}

// Boxes on a line, as in the specification's examples: 0, 1 and 2 overlap much,
// 3 and 4 too, 5 stands alone.
func TestSuppress(t *testing.T) {
	boxes := []float32{
		0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, -0.1, 1, 0.9,
		0, 10, 1, 11, 0, 10.1, 1, 11.1, 0, 100, 1, 101,
	}
	scores := []float32{0.9, 0.75, 0.6, 0.95, 0.5, 0.3}
	p := Suppression{Most: 3, Overlap: 0.5, NumBoxes: 6, NumClass: 1, NumBatchs: 1}
	run := func(p Suppression, boxes []float32) string {
		out, err := Suppress(bg, nil, boxes, scores, p)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(out)
	}
	if got := run(p, boxes); got != "[0 0 3 0 0 0 0 0 5]" {
		t.Errorf("got %s", got)
	}
	q := p
	q.HasScore, q.Score = true, 0.4
	if got := run(q, boxes); got != "[0 0 3 0 0 0]" {
		t.Errorf("with a score: got %s", got)
	}
	q.Score = 0.9 // scores must exceed it
	if got := run(q, boxes); got != "[0 0 3]" {
		t.Errorf("with the score of a box: got %s", got)
	}
	q = p
	q.Most = 0
	if got := run(q, boxes); got != "[]" {
		t.Errorf("none at most: got %s", got)
	}
	flipped := slices.Clone(boxes)
	for i := 0; i < len(flipped); i += 4 {
		flipped[i], flipped[i+2] = flipped[i+2], flipped[i]
		flipped[i+1], flipped[i+3] = flipped[i+3], flipped[i+1]
	}
	if got := run(p, flipped); got != "[0 0 3 0 0 0 0 0 5]" {
		t.Errorf("corners the other way: got %s", got)
	}
	centred := slices.Clone(boxes)
	for i := 0; i < len(centred); i += 4 {
		b := boxes[i:]
		copy(centred[i:], []float32{(b[1] + b[3]) / 2, (b[0] + b[2]) / 2, b[3] - b[1], b[2] - b[0]})
	}
	q = p
	q.Centre = true
	if got := run(q, centred); got != "[0 0 3 0 0 0 0 0 5]" {
		t.Errorf("by centres: got %s", got)
	}
	// Boxes without area suppress nothing.
	q = Suppression{Most: 9, NumBoxes: 6, NumClass: 1, NumBatchs: 1}
	if got := run(q, make([]float32, 24)); got != "[0 0 3 0 0 0 0 0 1 0 0 2 0 0 4 0 0 5]" {
		t.Errorf("empty boxes: got %s", got)
	}
}
