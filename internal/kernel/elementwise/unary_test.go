package elementwise

import (
	"math"
	"testing"

	"gort/tensor"
)

// points are arguments in the range where functions vary, and special ones.
func points() []float64 {
	out := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1e-30, -1e-30, 1e30, -1e30}
	for i := range 403 {
		out = append(out, float64(i-201)*0.0517)
	}
	return out
}

// formulas restate the operators as the specification writes them.
var formulas = map[string]func(x float64) float64{
	"Acos": math.Acos, "Acosh": math.Acosh, "Asin": math.Asin, "Asinh": math.Asinh, "Atan": math.Atan, "Atanh": math.Atanh,
	"Ceil": math.Ceil, "Cos": math.Cos, "Cosh": math.Cosh, "Erf": math.Erf, "Exp": math.Exp, "Floor": math.Floor, "Log": math.Log,
	"Sin": math.Sin, "Sinh": math.Sinh, "Sqrt": math.Sqrt, "Tan": math.Tan, "Tanh": math.Tanh,
	"Reciprocal": func(x float64) float64 { return 1 / x },
	"Round": func(x float64) float64 {
		f := math.Floor(x)
		if d := x - f; d > 0.5 || d == 0.5 && math.Mod(f, 2) != 0 {
			f++
		}
		return f
	},
	"Sigmoid":  func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
	"Softplus": func(x float64) float64 { return math.Log(math.Exp(x) + 1) },
	"Softsign": func(x float64) float64 { return x / (1 + math.Abs(x)) },
	"Mish":     func(x float64) float64 { return x * math.Tanh(math.Log1p(math.Exp(x))) },
	"HardSwish": func(x float64) float64 {
		return x * math.Max(0, math.Min(1, x/6+0.5))
	},
}

// overflowing are formulas whose naive form fails where the function does not.
var overflowing = map[string]float64{"Softplus": 100, "Softsign": math.MaxFloat64}

func check[T Float](t *testing.T, name string, loop Loop1[T, T], f func(float64) float64, rel, abs float64) {
	t.Helper()
	var in []T
	for _, x := range points() {
		in = append(in, T(x))
	}
	got := make([]T, len(in))
	loop(got, in)
	for i, x := range in {
		if lim, ok := overflowing[name]; ok && math.Abs(float64(x)) > lim {
			continue
		}
		want := float64(T(f(float64(x))))
		if g := float64(got[i]); !near(g, want, rel) && !(math.Abs(g-want) <= abs) {
			t.Errorf("%s(%T %v) is %v, want %v", name, x, x, g, want)
		}
	}
	loop(in, in)
	for i := range in {
		if !sameNumber(in[i], got[i]) {
			t.Errorf("%s in place differs at element %d: %v, want %v", name, i, in[i], got[i])
			break
		}
	}
}

func TestFunctions(t *testing.T) {
	for name, f := range formulas {
		check(t, name, Function[float64](name), f, 1e-12, 1e-14)
		check(t, name, Function[float32](name), f, 1e-6, 1e-7)
	}
}

func TestActivations(t *testing.T) {
	const a, b = 0.7, 0.3
	p := Params{Alpha: a, Beta: b}
	for name, f := range map[string]func(x float64) float64{
		"LeakyRelu": func(x float64) float64 {
			if x < 0 {
				return a * x
			}
			return x
		},
		"ThresholdedRelu": func(x float64) float64 {
			if x <= a {
				return 0
			}
			return x
		},
		"Elu": func(x float64) float64 {
			if x < 0 {
				return a * (math.Exp(x) - 1)
			}
			return x
		},
		"Selu": func(x float64) float64 {
			if x <= 0 {
				return b * (a*math.Exp(x) - a)
			}
			return b * x
		},
		"Celu":        func(x float64) float64 { return math.Max(0, x) + math.Min(0, a*(math.Exp(x/a)-1)) },
		"HardSigmoid": func(x float64) float64 { return math.Max(0, math.Min(1, a*x+b)) },
		"Swish":       func(x float64) float64 { return x / (1 + math.Exp(-a*x)) },
		"Gelu":        func(x float64) float64 { return 0.5 * x * (1 + math.Erf(x/math.Sqrt(2))) },
		"GeluTanh": func(x float64) float64 {
			return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
		},
	} {
		check(t, name, Activation[float64](name, p), f, 1e-12, 1e-14)
		check(t, name, Activation[float32](name, p), f, 1e-5, 1e-6)
	}
	if Activation[float32]("Nothing", p) != nil || Function[float64]("Nothing") != nil || Numeric[int8]("Nothing") != nil {
		t.Error("a loop for an unknown name")
	}
}

func TestNumeric(t *testing.T) {
	for name, want := range map[string][]int8{
		"Abs":  {-128, 127, 1, 0, 1, 127},
		"Neg":  {-128, 127, 1, 0, -1, -127},
		"Sign": {-1, -1, -1, 0, 1, 1},
		"Relu": {0, 0, 0, 0, 1, 127},
		"Erf":  {-1, -1, 0, 0, 0, 1},
	} {
		got := make([]int8, 6)
		Numeric[int8](name)(got, []int8{-128, -127, -1, 0, 1, 127})
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s is %v, want %v", name, got, want)
				break
			}
		}
	}
	got := make([]float32, 5)
	in := []float32{float32(math.NaN()), float32(math.Copysign(0, -1)), -2.5, float32(math.Inf(-1)), 3}
	Numeric[float32]("Sign")(got, in)
	if got[0] == got[0] || got[1] != 0 || got[2] != -1 || got[3] != -1 || got[4] != 1 {
		t.Errorf("Sign is %v", got)
	}
	Numeric[float32]("Abs")(got, in)
	if got[0] == got[0] || math.Signbit(float64(got[1])) || got[2] != 2.5 || !math.IsInf(float64(got[3]), 1) {
		t.Errorf("Abs is %v", got)
	}
	Numeric[float32]("Relu")(got, in)
	if got[0] == got[0] || got[2] != 0 || got[3] != 0 || got[4] != 3 {
		t.Errorf("Relu is %v", got)
	}
}

func TestClip(t *testing.T) {
	got := make([]int32, 4)
	Clip(got, []int32{-5, 0, 3, 9}, -1, 4)
	if got[0] != -1 || got[1] != 0 || got[2] != 3 || got[3] != 4 {
		t.Errorf("Clip is %v", got)
	}
	Clip(got, []int32{-5, 0, 3, 9}, 5, 2) // the upper bound wins
	for _, v := range got {
		if v != 2 {
			t.Errorf("Clip between 5 and 2 is %v", got)
		}
	}
	f := make([]float32, 2)
	Clip(f, []float32{float32(math.NaN()), 7}, 0, 1)
	if f[0] == f[0] || f[1] != 1 {
		t.Errorf("Clip is %v, want NaN and 1", f)
	}
	lo, hi := Limits[int16]()
	ulo, uhi := Limits[uint64]()
	flo, fhi := Limits[float32]()
	if lo != math.MinInt16 || hi != math.MaxInt16 || ulo != 0 || uhi != math.MaxUint64 || !math.IsInf(float64(flo), -1) || !math.IsInf(float64(fhi), 1) {
		t.Error("Limits", lo, hi, ulo, uhi, flo, fhi)
	}
}

func TestShrinkPReluSwiGLU(t *testing.T) {
	got := make([]float64, 5)
	Shrink[float64](1.5, 1)(got, []float64{-2, -1.5, 0, 1.5, 4})
	for i, w := range []float64{-1, 0, 0, 0, 3} {
		if got[i] != w {
			t.Errorf("Shrink is %v", got)
			break
		}
	}
	u := make([]uint8, 2)
	Shrink[uint8](1, 2.5)(u, []uint8{200, 1})
	if u[0] != 197 || u[1] != 0 {
		t.Errorf("uint8 Shrink is %v", u)
	}
	p := make([]int32, 4)
	PRelu(p, []int32{-2, -1, 0, 3}, []int32{5}, -1, 0)
	for i, w := range []int32{-10, -5, 0, 3} {
		if p[i] != w {
			t.Errorf("PRelu is %v", p)
			break
		}
	}
	n := 2500 // more than two blocks
	a, b, y := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range a {
		a[i], b[i] = float32(i%41-20)/4, float32(i%7-3)
	}
	SwiGLU[float32](1.5)(y, a, b, -1, -1)
	for i := range y {
		x := float64(a[i])
		if want := x / (1 + math.Exp(-1.5*x)) * float64(b[i]); !near(float64(y[i]), want, 2e-6) && math.Abs(float64(y[i])-want) > 1e-7 {
			t.Fatalf("SwiGLU(%v, %v) is %v, want %v", a[i], b[i], y[i], want)
		}
	}
	wide := make([]float64, 2)
	SwiGLU[float64](1)(wide, []float64{1, -1}, []float64{2}, -1, 0)
	if want := 2 / (1 + math.Exp(-1)); wide[0] != want {
		t.Errorf("SwiGLU(1, 2) is %v, want %v", wide[0], want)
	}
}

// testPredicates compares with what the codes of a type stand for.
func testPredicates[U Unsigned](t *testing.T, d tensor.DType, codes []U) {
	in, err := tensor.FromSlice(codes)
	if err != nil {
		t.Fatal(err)
	}
	b, err := in.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	typed, err := tensor.FromBytes(d, b, len(codes))
	if err != nil {
		t.Fatal(err)
	}
	values, err := tensor.Float64s(typed)
	if err != nil {
		t.Fatal(err)
	}
	nan, inf, neg := make([]bool, len(codes)), make([]bool, len(codes)), make([]bool, len(codes))
	IsNaN[U](d)(nan, codes)
	IsInf[U](d, true, true)(inf, codes)
	IsInf[U](d, true, false)(neg, codes)
	for i, v := range values {
		if nan[i] != (v != v) || inf[i] != math.IsInf(v, 0) || neg[i] != math.IsInf(v, -1) {
			t.Errorf("%v code %#x (%v): NaN %v, infinite %v, negative infinite %v", d, codes[i], v, nan[i], inf[i], neg[i])
		}
	}
}

func TestIsNaNIsInf(t *testing.T) {
	var all8 []uint8
	for i := range 256 {
		all8 = append(all8, uint8(i))
	}
	for _, d := range []tensor.DType{tensor.Float8E4M3FN, tensor.Float8E4M3FNUZ, tensor.Float8E5M2, tensor.Float8E5M2FNUZ} {
		testPredicates(t, d, all8)
	}
	var all16 []uint16
	for i := 0; i < 1<<16; i += 3 {
		all16 = append(all16, uint16(i))
	}
	all16 = append(all16, 0x7c00, 0xfc00, 0x7c01, 0x7f80, 0xff80, 0x7f81)
	testPredicates(t, tensor.Float16, all16)
	testPredicates(t, tensor.BFloat16, all16)
	testPredicates(t, tensor.Float32, []uint32{0, 1, 0x7f800000, 0xff800000, 0x7f800001, 0xffc00000, 0x3f800000})
	testPredicates(t, tensor.Float64, []uint64{0, 1, 0x7ff << 52, 0xfff << 52, 0x7ff<<52 | 1, 0x3ff << 52})
}

func TestView(t *testing.T) {
	empty := tensor.Must(tensor.New(tensor.Bool, 0))
	if s, err := View[uint8](empty); err != nil || len(s) != 0 {
		t.Errorf("a view of nothing is %v, %v", s, err)
	}
	two := tensor.Must(tensor.FromSlice([]int32{-1, 2}))
	if s, err := View[uint32](two); err != nil || s[0] != math.MaxUint32 || s[1] != 2 {
		t.Errorf("a view is %v, %v", s, err)
	}
	if _, err := View[uint8](tensor.Must(tensor.FromSlice([]string{"a"}))); err == nil {
		t.Error("strings have no bits, no error")
	}
}

// TestLog32 checks the bound in the comment over all exponents.
func TestLog32(t *testing.T) {
	for b := uint32(1); b < 0x7f800000; b += 40009 {
		x := math.Float32frombits(b)
		want := math.Log(float64(x))
		ulp := float64(math.Nextafter32(float32(math.Abs(want)), float32(math.Inf(1)))) - math.Abs(float64(float32(want)))
		if got := float64(log32(x)); math.Abs(got-want) > 2*ulp {
			t.Fatalf("log(%v) is %v, want %v", x, got, want)
		}
	}
}

func TestSoftplusKeepsSmallResults(t *testing.T) {
	for _, x := range []float32{-80, -30, -17.3, -12, -5, -0.1, 0, 0.1, 20, 90} {
		var got [1]float32
		Function[float32]("Softplus")(got[:], []float32{x})
		want := math.Max(float64(x), 0) + math.Log1p(math.Exp(-math.Abs(float64(x))))
		if !near(float64(got[0]), want, 1e-6) {
			t.Errorf("softplus(%v) is %v, want %v", x, got[0], want)
		}
	}
}
