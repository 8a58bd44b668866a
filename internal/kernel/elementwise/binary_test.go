package elementwise

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gort/internal/parallel"
	"gort/tensor"
)

// shapes are triples of a result shape and two operands that broadcast to it.
var shapes = []struct{ out, a, b []int }{
	{[]int{}, []int{}, []int{}},
	{[]int{1}, []int{1}, []int{}},
	{[]int{7}, []int{7}, []int{7}},
	{[]int{7}, []int{}, []int{7}},
	{[]int{7}, []int{7}, []int{1}},
	{[]int{3, 5}, []int{3, 5}, []int{5}},
	{[]int{3, 5}, []int{3, 1}, []int{3, 5}},
	{[]int{3, 5}, []int{3, 1}, []int{5}},
	{[]int{2, 3, 4, 5}, []int{2, 3, 4, 5}, []int{3, 1, 1}},
	{[]int{2, 3, 4, 5}, []int{1, 3, 1, 5}, []int{2, 1, 4, 1}},
	{[]int{2, 3, 4, 5}, []int{4, 1}, []int{2, 3, 1, 5}},
	{[]int{2, 1, 3, 1, 2}, []int{1, 1, 3, 1, 1}, []int{2, 1, 1, 1, 2}},
	{[]int{2, 0, 3}, []int{2, 1, 3}, []int{1, 0, 1}},
	{[]int{0}, []int{0}, []int{1}},
	{[]int{500, 3}, []int{500, 3}, []int{3}},
	{[]int{500, 3}, []int{500, 1}, []int{500, 3}},
	{[]int{20, 1, 30}, []int{20, 1, 1}, []int{30}},
}

// at reads an operand at the place of the result's i-th element, the slow way.
func at[T any](x []T, shape, out []int, i int) T {
	index, stride := 0, 1
	for k := 1; k <= len(out); k++ {
		d := out[len(out)-k]
		c := i % d
		i /= d
		if k <= len(shape) {
			if e := shape[len(shape)-k]; e != 1 {
				index += c * stride
				stride *= e
			}
		}
	}
	return x[index]
}

func size(shape []int) int { return tensor.Shape(shape).Size() }

// numbers fills a slice with small numbers of either sign; integers are never 0.
func numbers[T Number](r *rand.Rand, n int) []T {
	out := make([]T, n)
	for i := range out {
		if isFloat[T]() {
			out[i] = T(r.NormFloat64() * 3)
		} else {
			out[i] = T(r.IntN(9) + 1)
			if r.IntN(2) == 0 {
				out[i] = -out[i] // wraps for unsigned types, as it should
			}
		}
	}
	return out
}

// sameNumber compares with NaN equal to NaN.
func sameNumber[T Number](a, b T) bool { return a == b || a != a && b != b }

func testArithmetic[T Number](t *testing.T) {
	formulas := map[string]func(a, b T) T{
		"Add": func(a, b T) T { return a + b },
		"Sub": func(a, b T) T { return a - b },
		"Mul": func(a, b T) T { return a * b },
		"Div": func(a, b T) T { return a / b },
		"Max": func(a, b T) T { return max(a, b) },
		"Min": func(a, b T) T { return min(a, b) },
		"Fmod": func(a, b T) T {
			if isFloat[T]() {
				return T(math.Mod(float64(a), float64(b)))
			}
			return a - a/b*b
		},
		"Mod": func(a, b T) T {
			q := math.Floor(float64(a) / float64(b))
			return T(float64(a) - q*float64(b))
		},
	}
	r := rand.New(rand.NewPCG(1, 2))
	for name, f := range formulas {
		if name == "Mod" && (isFloat[T]() || T(0)-1 > 0) {
			continue // floats have no Mod; unsigned ones are in TestModSigns
		}
		loop := Arithmetic[T](name)
		for _, s := range shapes {
			a, b := numbers[T](r, size(s.a)), numbers[T](r, size(s.b))
			got := make([]T, size(s.out))
			if err := Binary(t.Context(), nil, 1, loop, got, s.out, a, s.a, b, s.b); err != nil {
				t.Fatal(err)
			}
			for i, g := range got {
				want := f(at(a, s.a, s.out, i), at(b, s.b, s.out, i))
				if !sameNumber(g, want) {
					t.Fatalf("%s %T %v and %v: element %d is %v, want %v", name, g, s.a, s.b, i, g, want)
				}
			}
		}
	}
}

func TestArithmetic(t *testing.T) {
	testArithmetic[float32](t)
	testArithmetic[float64](t)
	testArithmetic[int8](t)
	testArithmetic[int16](t)
	testArithmetic[int32](t)
	testArithmetic[int64](t)
	testArithmetic[uint8](t)
	testArithmetic[uint16](t)
	testArithmetic[uint32](t)
	testArithmetic[uint64](t)
}

func TestMaxMinKeepNaN(t *testing.T) {
	nan := float32(math.NaN())
	a, b := []float32{nan, 1, nan, 2}, []float32{1, nan, nan, 3}
	for _, name := range []string{"Max", "Min"} {
		got := make([]float32, 4)
		Arithmetic[float32](name)(got, a, b, -1, -1)
		wide := make([]float64, 4)
		Arithmetic[float64](name)(wide, []float64{math.NaN(), 1, math.NaN(), 2}, []float64{1, math.NaN(), math.NaN(), 3}, -1, -1)
		for i := range 3 {
			if got[i] == got[i] || wide[i] == wide[i] {
				t.Errorf("%s of %v and %v is %v, want NaN", name, a[i], b[i], got[i])
			}
		}
	}
}

func TestModSigns(t *testing.T) {
	for _, c := range []struct{ a, b, mod, fmod int32 }{
		{7, 3, 1, 1}, {-7, 3, 2, -1}, {7, -3, -2, 1}, {-7, -3, -1, -1}, {6, -3, 0, 0}, {math.MinInt32, -1, 0, 0},
	} {
		var mod, fmod [1]int32
		Arithmetic[int32]("Mod")(mod[:], []int32{c.a}, []int32{c.b}, -1, -1)
		Arithmetic[int32]("Fmod")(fmod[:], []int32{c.a}, []int32{c.b}, -1, -1)
		if mod[0] != c.mod || fmod[0] != c.fmod {
			t.Errorf("%d by %d: mod %d, fmod %d; want %d, %d", c.a, c.b, mod[0], fmod[0], c.mod, c.fmod)
		}
	}
	var u [1]uint8
	Arithmetic[uint8]("Mod")(u[:], []uint8{250}, []uint8{7}, -1, -1)
	if u[0] != 5 {
		t.Errorf("250 mod 7 is %d, want 5", u[0])
	}
}

func TestPow(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	bases := []float64{0, math.Copysign(0, -1), 1, -1, 2, -2.5, 0.1, inf, -inf, nan, 1e30}
	for _, e := range []float64{0, 1, -1, 2, 3, 0.5, -0.5, 1.7, inf, -inf, nan} {
		got := make([]float64, len(bases))
		Pow[float64, float64]()(got, bases, []float64{e}, -1, 0)
		low := make([]float32, len(bases))
		in := make([]float32, len(bases))
		for i, b := range bases {
			in[i] = float32(b)
		}
		Pow[float32, float64]()(low, in, []float64{e}, -1, 0)
		for i, b := range bases {
			want := math.Pow(b, e)
			if !near(got[i], want, 1e-15) {
				t.Errorf("%v**%v is %v, want %v", b, e, got[i], want)
			}
			if want32 := float32(math.Pow(float64(in[i]), e)); !near(float64(low[i]), float64(want32), 1e-7) {
				t.Errorf("float32 %v**%v is %v, want %v", in[i], e, low[i], want32)
			}
		}
	}
	for _, c := range []struct{ base, exp, want int64 }{
		{2, 10, 1024}, {-3, 3, -27}, {5, 0, 1}, {0, 0, 1}, {2, 63, math.MinInt64}, {2, 64, 0}, {2, -1, 0}, {1, -5, 1}, {-1, -3, -1},
		{3, 39, 4052555153018976267},
	} {
		var got [1]int64
		Pow[int64, int64]()(got[:], []int64{c.base}, []int64{c.exp}, -1, -1)
		if got[0] != c.want {
			t.Errorf("%d**%d is %d, want %d", c.base, c.exp, got[0], c.want)
		}
	}
	var got [1]int32
	Pow[int32, float32]()(got[:], []int32{9}, []float32{0.5}, -1, -1)
	if got[0] != 3 {
		t.Errorf("9**0.5 is %d, want 3", got[0])
	}
}

// near allows a relative error.
func near(got, want, rel float64) bool {
	if want != want {
		return got != got
	}
	return got == want || math.Abs(got-want) <= rel*math.Abs(want)
}

func TestCompare(t *testing.T) {
	nan := math.NaN()
	a, b := []float64{1, 2, 2, nan, 1, nan}, []float64{2, 1, 2, 1, nan, nan}
	for name, want := range map[string][]bool{
		"Equal":          {false, false, true, false, false, false},
		"Less":           {true, false, false, false, false, false},
		"LessOrEqual":    {true, false, true, false, false, false},
		"Greater":        {false, true, false, false, false, false},
		"GreaterOrEqual": {false, true, true, false, false, false},
	} {
		got := make([]bool, len(a))
		Compare[float64](name)(got, a, b, -1, -1)
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%v %s %v is %v", a[i], name, b[i], got[i])
			}
		}
	}
	got := make([]bool, 3)
	Compare[string]("Equal")(got, []string{"a", "b", ""}, []string{"b"}, -1, 0)
	if got[0] || !got[1] || got[2] {
		t.Errorf("string Equal is %v", got)
	}
	Compare[int8]("GreaterOrEqual")(got, []int8{3}, []int8{2, 3, 4}, 0, -1)
	if !got[0] || !got[1] || got[2] {
		t.Errorf("a repeated first operand of GreaterOrEqual gives %v", got)
	}
}

func TestLogicReadsAnyByte(t *testing.T) {
	a, b := []uint8{0, 0, 1, 7, 255}, []uint8{0, 2, 0, 1, 254}
	for name, want := range map[string][]bool{
		"And":   {false, false, false, true, true},
		"Or":    {false, true, true, true, true},
		"Xor":   {false, true, true, false, false},
		"Equal": {true, false, false, true, true},
	} {
		got := make([]bool, len(a))
		Logic(name)(got, a, b, -1, -1)
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%d %s %d is %v", a[i], name, b[i], got[i])
			}
		}
	}
	got := make([]bool, 3)
	Not(got, []uint8{0, 1, 200})
	if !got[0] || got[1] || got[2] {
		t.Errorf("Not is %v", got)
	}
}

func TestBitwise(t *testing.T) {
	for _, c := range []struct {
		op         string
		a, b, want uint8
	}{
		{"BitwiseAnd", 0b1100, 0b1010, 0b1000}, {"BitwiseOr", 0b1100, 0b1010, 0b1110}, {"BitwiseXor", 0b1100, 0b1010, 0b0110},
		{"ShiftLeft", 0b1001_0001, 3, 0b1000_1000}, {"ShiftRight", 0b1001_0001, 3, 0b1_0010}, {"ShiftLeft", 1, 8, 0}, {"ShiftRight", 255, 200, 0},
	} {
		var got [1]uint8
		Bitwise[uint8](c.op)(got[:], []uint8{c.a}, []uint8{c.b}, -1, -1)
		if got[0] != c.want {
			t.Errorf("%b %s %b is %b, want %b", c.a, c.op, c.b, got[0], c.want)
		}
	}
	var s [2]int16
	BitwiseNot(s[:], []int16{0, 5})
	if s != [2]int16{-1, -6} {
		t.Errorf("BitwiseNot is %v", s)
	}
}

func TestWhere(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, s := range shapes {
		for _, cond := range [][]int{s.a, s.b, s.out, {}} {
			c := make([]uint8, size(cond))
			for i := range c {
				c[i] = uint8(r.IntN(2) * 3)
			}
			x, y := numbers[uint64](r, size(s.a)), numbers[uint64](r, size(s.b))
			got := make([]uint64, size(s.out))
			if err := Ternary(t.Context(), nil, 2, Where[uint64], got, s.out, c, cond, x, s.a, y, s.b); err != nil {
				t.Fatal(err)
			}
			for i, g := range got {
				want := at(y, s.b, s.out, i)
				if at(c, cond, s.out, i) != 0 {
					want = at(x, s.a, s.out, i)
				}
				if g != want {
					t.Fatalf("Where %v ? %v : %v: element %d is %d, want %d", cond, s.a, s.b, i, g, want)
				}
			}
		}
	}
}

func TestThreadsGiveTheSame(t *testing.T) {
	pool := parallel.New(4)
	defer pool.Close()
	r := rand.New(rand.NewPCG(5, 6))
	out, sa, sb := []int{37, 11, 53}, []int{37, 1, 53}, []int{11, 1}
	a, b := numbers[float32](r, size(sa)), numbers[float32](r, size(sb))
	one, many := make([]float32, size(out)), make([]float32, size(out))
	loop := Arithmetic[float32]("Sub")
	if err := Binary(t.Context(), nil, 1<<30, loop, one, out, a, sa, b, sb); err != nil {
		t.Fatal(err)
	}
	if err := Binary(t.Context(), pool, 100, loop, many, out, a, sa, b, sb); err != nil {
		t.Fatal(err)
	}
	for i := range one {
		if one[i] != many[i] {
			t.Fatalf("element %d is %v on one thread, %v on four", i, one[i], many[i])
		}
	}
}

func TestErrors(t *testing.T) {
	err := Binary(t.Context(), nil, 1, Arithmetic[int32]("Add"), make([]int32, 6), []int{2, 3}, make([]int32, 2), []int{2}, make([]int32, 3), []int{3})
	if err == nil {
		t.Error("[2] does not broadcast to [2,3], no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	n := 1 << 16
	if err := Unary(ctx, nil, 1<<10, Numeric[int32]("Abs"), make([]int32, n), make([]int32, n)); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled run gives %v", err)
	}
	if !HasZero([]int8{1, 0}) || HasZero([]int8{1, 2}) || HasZero([]float32{0}) {
		t.Error("HasZero")
	}
}

func TestInPlace(t *testing.T) {
	a, b := []float32{1, 2, 3, 4, 5, 6}, []float32{10, 20, 30}
	if err := Binary(t.Context(), nil, 100, Arithmetic[float32]("Add"), a, []int{2, 3}, a, []int{2, 3}, b, []int{3}); err != nil {
		t.Fatal(err)
	}
	want := []float32{11, 22, 33, 14, 25, 36}
	for i := range a {
		if a[i] != want[i] {
			t.Fatalf("in place %v, want %v", a, want)
		}
	}
}

func TestShortRunsDoNotAllocate(t *testing.T) {
	a, b, dst := make([]float32, 60), make([]float32, 5), make([]float32, 60)
	loop := Arithmetic[float32]("Add")
	shape, row := []int{12, 5}, []int{5}
	if n := testing.AllocsPerRun(20, func() {
		_ = Binary(context.Background(), nil, GrainCheap, loop, dst, shape, a, shape, b, row)
	}); n != 0 {
		t.Errorf("%v allocations a run", n)
	}
}
