package reduce

import (
	"math"
	"math/rand/v2"
	"testing"

	"gort/internal/parallel"
)

// naive applies f to the elements that fall together, in row-major order.
func naive(src []float64, shape []int, marked []bool, f func(x []float64) float64) []float64 {
	n := 1
	for i, d := range shape {
		if !marked[i] {
			n *= d
		}
	}
	groups := make([][]float64, n)
	for i, v := range src {
		at, stride := 0, 1
		for k := len(shape) - 1; k >= 0; k-- {
			c := i % shape[k]
			i /= shape[k]
			if !marked[k] {
				at += c * stride
				stride *= shape[k]
			}
		}
		groups[at] = append(groups[at], v)
	}
	out := make([]float64, n)
	for i, g := range groups {
		out[i] = f(g)
	}
	return out
}

func sum(x []float64, f func(float64) float64) float64 {
	s := 0.0
	for _, v := range x {
		s += f(v)
	}
	return s
}

func id(x float64) float64     { return x }
func square(x float64) float64 { return x * x }

var formulas = map[string]func(x []float64) float64{
	"Sum":       func(x []float64) float64 { return sum(x, id) },
	"Mean":      func(x []float64) float64 { return sum(x, id) / float64(len(x)) },
	"L1":        func(x []float64) float64 { return sum(x, math.Abs) },
	"L2":        func(x []float64) float64 { return math.Sqrt(sum(x, square)) },
	"SumSquare": func(x []float64) float64 { return sum(x, square) },
	"LogSum":    func(x []float64) float64 { return math.Log(sum(x, id)) },
	"LogSumExp": func(x []float64) float64 { return math.Log(sum(x, math.Exp)) },
	"Max": func(x []float64) float64 {
		m := math.Inf(-1)
		for _, v := range x {
			m = math.Max(m, v)
		}
		return m
	},
	"Min": func(x []float64) float64 {
		m := math.Inf(1)
		for _, v := range x {
			m = math.Min(m, v)
		}
		return m
	},
	"Prod": func(x []float64) float64 {
		p := 1.0
		for _, v := range x {
			p *= v
		}
		return p
	},
}

// shapes and which of their axes are reduced.
var cases = []struct {
	shape  []int
	marked []bool
}{
	{[]int{}, []bool{}},
	{[]int{1}, []bool{true}},
	{[]int{7}, []bool{true}},
	{[]int{7}, []bool{false}},
	{[]int{3, 5}, []bool{false, true}},
	{[]int{3, 5}, []bool{true, false}},
	{[]int{3, 5}, []bool{true, true}},
	{[]int{2, 3, 4}, []bool{false, true, false}},
	{[]int{2, 3, 4}, []bool{true, false, true}},
	{[]int{2, 1, 3, 1, 4}, []bool{false, true, true, false, false}},
	{[]int{2, 3, 2, 3, 2}, []bool{true, false, true, false, true}},
	{[]int{2, 3, 2, 3, 2}, []bool{false, true, false, true, false}},
	{[]int{3, 2500}, []bool{true, false}},
	{[]int{2, 3, 1030}, []bool{false, true, false}},
	{[]int{0, 3}, []bool{false, true}},
}

func run[T Number, A any](t *testing.T, name string, r *Reduction[T, A], tol float64) {
	t.Helper()
	pool := parallel.New(3)
	defer pool.Close()
	rnd := rand.New(rand.NewPCG(7, 8))
	for _, c := range cases {
		n := 1
		for _, d := range c.shape {
			n *= d
		}
		src, wide := make([]T, n), make([]float64, n)
		for i := range src {
			if src[i] = T(rnd.IntN(5) + 1); tol > 0 {
				src[i] = T(rnd.Float64() + 0.5) // keeps products and sums of logarithms tame
			}
			wide[i] = float64(src[i])
		}
		want := naive(wide, c.shape, c.marked, formulas[name])
		got := make([]T, len(want))
		if err := Run(t.Context(), pool, r, got, src, c.shape, c.marked); err != nil {
			t.Fatal(err)
		}
		for i, w := range want {
			if tol == 0 {
				w = math.Trunc(w)
				if math.Abs(w) > 100 && name == "Prod" {
					continue // wraps in small types
				}
			}
			if g := float64(got[i]); math.Abs(g-w) > tol*(1+math.Abs(w)) {
				t.Fatalf("%s %T %v %v: element %d is %v, want %v", name, src, c.shape, c.marked, i, g, w)
			}
		}
	}
}

func TestFloats(t *testing.T) {
	for _, tol := range []float64{1e-5} {
		run(t, "Sum", Sum[float32](), tol)
		run(t, "Mean", Mean[float32](), tol)
		run(t, "L1", L1[float32](), tol)
		run(t, "L2", L2[float32](), tol)
		run(t, "SumSquare", SumSquare[float32](), tol)
		run(t, "LogSum", LogSum[float32](), tol)
		run(t, "LogSumExp", LogSumExp[float32](), tol)
		run(t, "Max", Max[float32](), tol)
		run(t, "Min", Min[float32](), tol)
		run(t, "Prod", Prod[float32](), tol)
	}
	for _, tol := range []float64{1e-12} {
		run(t, "Sum", Sum[float64](), tol)
		run(t, "Mean", Mean[float64](), tol)
		run(t, "L1", L1[float64](), tol)
		run(t, "L2", L2[float64](), tol)
		run(t, "SumSquare", SumSquare[float64](), tol)
		run(t, "LogSum", LogSum[float64](), tol)
		run(t, "LogSumExp", LogSumExp[float64](), tol)
		run(t, "Max", Max[float64](), tol)
		run(t, "Min", Min[float64](), tol)
		run(t, "Prod", Prod[float64](), tol)
	}
}

func TestIntegers(t *testing.T) {
	run(t, "Sum", Sum[int32](), 0)
	run(t, "Mean", IntMean[int32, int64](), 0)
	run(t, "Mean", IntMean[uint64, uint64](), 0)
	run(t, "L1", L1[int64](), 0)
	run(t, "L2", IntL2[uint32](), 0)
	run(t, "SumSquare", SumSquare[int64](), 0)
	run(t, "LogSum", IntLogSum[int32](), 0)
	run(t, "LogSumExp", LogSumExp[int32](), 0)
	run(t, "Max", Max[int8](), 0)
	run(t, "Min", Min[uint8](), 0)
	run(t, "Prod", Prod[uint32](), 0)
}

func TestSigns(t *testing.T) {
	src := []int32{-4, 3, -2, 1}
	for _, c := range []struct {
		name string
		r    *Reduction[int32, int32]
		want int32
	}{
		{"Sum", Sum[int32](), -2}, {"L1", L1[int32](), 10}, {"SumSquare", SumSquare[int32](), 30},
		{"Max", Max[int32](), 3}, {"Min", Min[int32](), -4}, {"Prod", Prod[int32](), 24},
	} {
		var got [1]int32
		if err := Run(t.Context(), nil, c.r, got[:], src, []int{4}, []bool{true}); err != nil {
			t.Fatal(err)
		}
		if got[0] != c.want {
			t.Errorf("%s of %v is %d, want %d", c.name, src, got[0], c.want)
		}
	}
	var mean [1]int32
	if err := Run(t.Context(), nil, IntMean[int32, int64](), mean[:], []int32{-3, -2}, []int{2}, []bool{true}); err != nil || mean[0] != -2 {
		t.Errorf("the mean of -3 and -2 is %d, %v; truncated it is -2", mean[0], err)
	}
}

func empty[T Number, A any](t *testing.T, r *Reduction[T, A]) T {
	t.Helper()
	got := []T{77}
	if err := Run(t.Context(), nil, r, got, nil, []int{0}, []bool{true}); err != nil {
		t.Fatal(err)
	}
	return got[0]
}

func TestEmptyGivesTheIdentity(t *testing.T) {
	inf := math.Inf(1)
	for name, c := range map[string][2]float64{
		"Sum": {float64(empty(t, Sum[float32]())), 0}, "Prod": {float64(empty(t, Prod[float32]())), 1},
		"Max": {float64(empty(t, Max[float32]())), -inf}, "Min": {float64(empty(t, Min[float32]())), inf},
		"L1": {empty(t, L1[float64]()), 0}, "L2": {empty(t, L2[float64]()), 0}, "SumSquare": {empty(t, SumSquare[float64]()), 0},
		"LogSum": {empty(t, LogSum[float64]()), -inf}, "LogSumExp": {empty(t, LogSumExp[float64]()), -inf},
		"int Max": {float64(empty(t, Max[int8]())), -128}, "int Min": {float64(empty(t, Min[int8]())), 127},
		"uint Max": {float64(empty(t, Max[uint8]())), 0}, "int Mean": {float64(empty(t, IntMean[int32, int64]())), 0},
		"any": {float64(empty(t, Any())), 0}, "all": {float64(empty(t, All())), 1},
	} {
		if c[0] != c[1] {
			t.Errorf("%s of nothing is %v, want %v", name, c[0], c[1])
		}
	}
	if m := empty(t, Mean[float32]()); m == m {
		t.Errorf("the mean of nothing is %v, want NaN", m)
	}
}

func TestSpecialFloats(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	rows := []struct {
		x         []float64
		most, lse float64
	}{
		{x: []float64{1, nan, 2}, most: nan, lse: nan},
		{x: []float64{-inf, -inf, -inf}, most: -inf, lse: -inf},
		{x: []float64{-inf, 3, -inf}, most: 3, lse: 3},
		{x: []float64{inf, 3, 5}, most: inf, lse: inf},
		{x: []float64{1000, 1000, 0}, most: 1000, lse: 1000 + math.Log(2)},
		{x: []float64{-1000, -1000, -2000}, most: -1000, lse: -1000 + math.Log(2)},
	}
	same := func(a, b float64) bool { return a == b || a != a && b != b || math.Abs(a-b) < 1e-9 }
	for _, c := range rows {
		// Once as a row, once as a column beside another.
		col := make([]float64, 0, 6)
		for _, v := range c.x {
			col = append(col, v, 0)
		}
		var a, b [1]float64
		var ac, bc [2]float64
		for _, err := range []error{
			Run(t.Context(), nil, Max[float64](), a[:], c.x, []int{3}, []bool{true}),
			Run(t.Context(), nil, LogSumExp[float64](), b[:], c.x, []int{3}, []bool{true}),
			Run(t.Context(), nil, Max[float64](), ac[:], col, []int{3, 2}, []bool{true, false}),
			Run(t.Context(), nil, LogSumExp[float64](), bc[:], col, []int{3, 2}, []bool{true, false}),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if !same(a[0], c.most) || !same(ac[0], c.most) {
			t.Errorf("Max of %v is %v as a row and %v as a column, want %v", c.x, a[0], ac[0], c.most)
		}
		if !same(b[0], c.lse) || !same(bc[0], c.lse) {
			t.Errorf("LogSumExp of %v is %v as a row and %v as a column, want %v", c.x, b[0], bc[0], c.lse)
		}
	}
}

func TestTruth(t *testing.T) {
	src := []uint8{0, 0, 0, 4, 255, 1}
	var all, some [3]uint8
	if err := Run(t.Context(), nil, All(), all[:], src, []int{3, 2}, []bool{false, true}); err != nil {
		t.Fatal(err)
	}
	if err := Run(t.Context(), nil, Any(), some[:], src, []int{3, 2}, []bool{false, true}); err != nil {
		t.Fatal(err)
	}
	if all != [3]uint8{0, 0, 1} || some != [3]uint8{0, 1, 1} {
		t.Errorf("All %v, Any %v", all, some)
	}
}

func TestLongRowsDoNotDependOnThreads(t *testing.T) {
	pool := parallel.New(4)
	defer pool.Close()
	n := 5*piece + 17
	src := make([]float32, n)
	exact := 0.0
	r := rand.New(rand.NewPCG(9, 10))
	for i := range src {
		src[i] = float32(r.NormFloat64())
		exact += float64(src[i])
	}
	var one, many, row [1]float32
	for _, err := range []error{
		Run(t.Context(), nil, Sum[float32](), one[:], src, []int{n}, []bool{true}),
		Run(t.Context(), pool, Sum[float32](), many[:], src, []int{n}, []bool{true}),
		Run(t.Context(), nil, Max[float32](), row[:], src, []int{n}, []bool{true}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if one != many {
		t.Errorf("the sum is %v on one thread, %v on four", one[0], many[0])
	}
	if math.Abs(float64(one[0])-exact) > 0.05 {
		t.Errorf("the sum is %v, want %v", one[0], exact)
	}
	for _, v := range src {
		if v > row[0] {
			t.Fatalf("the largest is %v, but there is %v", row[0], v)
		}
	}
}
