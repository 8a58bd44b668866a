package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// lengths are the sizes every loop is tried with: all around one and several
// vectors, and some beyond the limit of one call into assembly.
func lengths() []int {
	var n []int
	for i := range 68 {
		n = append(n, i)
	}
	return append(n, 100, 255, 1000, maxCall-1, maxCall, maxCall+1, 2*maxCall+37)
}

const guardBits = 0x7fa5a5a5 // a NaN that no operation produces

// guarded returns n elements at an odd offset in a larger slice, and a check
// that the surroundings are untouched.
func guarded(n int) (s []float32, check func(t *testing.T)) {
	const before, after = 3, 9
	all := make([]float32, before+n+after)
	for i := range all {
		all[i] = math.Float32frombits(guardBits)
	}
	check = func(t *testing.T) {
		t.Helper()
		for i, x := range all {
			if (i < before || i >= before+n) && math.Float32bits(x) != guardBits {
				t.Fatalf("length %d: wrote to index %d", n, i-before)
			}
		}
	}
	return all[before : before+n : before+n], check
}

var specials = []float32{
	0, float32(math.Copysign(0, -1)), 1, -1, 0.5, 88.72, 88.73, -87.4, -103.9, -104.1, 0x1p-149, -0x1p-149, 0x1p-126, 0x1p-127,
	math.MaxFloat32, -math.MaxFloat32, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()),
}

// draw fills s with numbers of all magnitudes and the special ones.
func draw(rng *rand.Rand, s []float32) {
	for i := range s {
		switch rng.IntN(8) {
		case 0:
			s[i] = specials[rng.IntN(len(specials))]
		case 1:
			s[i] = math.Float32frombits(rng.Uint32())
		default:
			s[i] = float32(rng.NormFloat64() * 4)
		}
	}
}

// same reports whether x and y are the same bits; all NaN are the same.
func same(x, y float32) bool {
	return math.Float32bits(x) == math.Float32bits(y) || x != x && y != y
}

func requireSame(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for i := range want {
		if !same(got[i], want[i]) {
			t.Fatalf("%s: element %d is %g (%#x), want %g (%#x)", what, i, got[i], math.Float32bits(got[i]), want[i], math.Float32bits(want[i]))
		}
	}
}

// function is one of the element-wise functions, whatever its parameters.
type function struct {
	name string
	call func(dst, a, b []float32, s, t float32)
	def  func(a, b, s, t float32) float32 // nil: only compared with the twin
}

func isNaN(x float32) bool { return x != x }

var functions = []function{
	{"Add", func(d, a, b []float32, _, _ float32) { Add(d, a, b) }, func(a, b, _, _ float32) float32 { return a + b }},
	{"Sub", func(d, a, b []float32, _, _ float32) { Sub(d, a, b) }, func(a, b, _, _ float32) float32 { return a - b }},
	{"Mul", func(d, a, b []float32, _, _ float32) { Mul(d, a, b) }, func(a, b, _, _ float32) float32 { return a * b }},
	{"Div", func(d, a, b []float32, _, _ float32) { Div(d, a, b) }, func(a, b, _, _ float32) float32 { return a / b }},
	{"Max", func(d, a, b []float32, _, _ float32) { Max(d, a, b) }, func(a, b, _, _ float32) float32 {
		if a > b || isNaN(a) {
			return a
		}
		return b
	}},
	{"Min", func(d, a, b []float32, _, _ float32) { Min(d, a, b) }, func(a, b, _, _ float32) float32 {
		if a < b || isNaN(a) {
			return a
		}
		return b
	}},
	{"AddScalar", func(d, a, _ []float32, s, _ float32) { AddScalar(d, a, s) }, func(a, _, s, _ float32) float32 { return a + s }},
	{"SubScalar", func(d, a, _ []float32, s, _ float32) { SubScalar(d, a, s) }, func(a, _, s, _ float32) float32 { return a - s }},
	{"ScalarSub", func(d, a, _ []float32, s, _ float32) { ScalarSub(d, a, s) }, func(a, _, s, _ float32) float32 { return s - a }},
	{"MulScalar", func(d, a, _ []float32, s, _ float32) { MulScalar(d, a, s) }, func(a, _, s, _ float32) float32 { return a * s }},
	{"DivScalar", func(d, a, _ []float32, s, _ float32) { DivScalar(d, a, s) }, func(a, _, s, _ float32) float32 { return a / s }},
	{"ScalarDiv", func(d, a, _ []float32, s, _ float32) { ScalarDiv(d, a, s) }, func(a, _, s, _ float32) float32 { return s / a }},
	{"MaxScalar", func(d, a, _ []float32, s, _ float32) { MaxScalar(d, a, s) }, func(a, _, s, _ float32) float32 {
		if s > a || isNaN(s) {
			return s
		}
		return a
	}},
	{"MinScalar", func(d, a, _ []float32, s, _ float32) { MinScalar(d, a, s) }, func(a, _, s, _ float32) float32 {
		if s < a || isNaN(s) {
			return s
		}
		return a
	}},
	{"Relu", func(d, a, _ []float32, _, _ float32) { Relu(d, a) }, func(a, _, _, _ float32) float32 {
		if a < 0 {
			return 0
		}
		return a
	}},
	{"Clamp", func(d, a, _ []float32, s, u float32) { Clamp(d, a, noNaN(s), noNaN(u)) }, func(a, _, s, u float32) float32 {
		if noNaN(s) > a {
			a = noNaN(s)
		}
		if noNaN(u) < a {
			a = noNaN(u)
		}
		return a
	}},
	{"ScaleShift", func(d, a, _ []float32, s, u float32) { ScaleShift(d, a, s, u) }, nil},
	{"Exp", func(d, a, _ []float32, _, _ float32) { Exp(d, a) }, nil},
	{"Tanh", func(d, a, _ []float32, _, _ float32) { Tanh(d, a) }, nil},
	{"Sigmoid", func(d, a, _ []float32, _, _ float32) { Sigmoid(d, a) }, nil},
	{"Erf", func(d, a, _ []float32, _, _ float32) { Erf(d, a) }, nil},
}

func noNaN(x float32) float32 {
	if isNaN(x) {
		return 0
	}
	return x
}

// bothWays calls f as it is and with the pure-Go versions.
func bothWays(f func(mode string)) {
	f(fmt.Sprintf("accelerated=%v", Accelerated()))
	restore := DisableForTest()
	defer restore()
	f("pure Go")
}

func TestElementwise(t *testing.T) {
	for _, f := range functions {
		t.Run(f.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			for _, n := range lengths() {
				a, checkA := guarded(n)
				b, checkB := guarded(n)
				draw(rng, a)
				draw(rng, b)
				var scalars [2]float32
				draw(rng, scalars[:])
				s, u := scalars[0], scalars[1]
				var results [][]float32
				bothWays(func(mode string) {
					dst, checkDst := guarded(n)
					f.call(dst, a, b, s, u)
					checkDst(t)
					checkA(t)
					checkB(t)
					if f.def != nil {
						want := make([]float32, n)
						for i := range want {
							want[i] = f.def(a[i], b[i], s, u)
						}
						requireSame(t, fmt.Sprintf("%s length %d s=%g t=%g", mode, n, s, u), dst, want)
					}
					results = append(results, dst)

					alias, checkAlias := guarded(n)
					copy(alias, a)
					f.call(alias, alias, b, s, u)
					checkAlias(t)
					requireSame(t, fmt.Sprintf("%s length %d in place", mode, n), alias, dst)
				})
				requireSame(t, fmt.Sprintf("length %d: assembly against pure Go", n), results[0], results[1])
			}
		})
	}
}

func TestShortInputPanics(t *testing.T) {
	bothWays(func(mode string) {
		for name, call := range map[string]func(){
			"Add":   func() { Add(make([]float32, 9), make([]float32, 9), make([]float32, 8)) },
			"Exp":   func() { Exp(make([]float32, 9), make([]float32, 8)) },
			"Dot":   func() { Dot(make([]float32, 9), make([]float32, 8)) },
			"AXPY4": func() { AXPY4(make([]float32, 9), make([]float32, 38), 10, &[4]float32{}) },
			"Gemm": func() {
				GemmKernel6x16(6, 2, make([]float32, 11), 1, 6, make([]float32, 32), 16, make([]float32, 96), 16, 1, false)
			},
			"Transpose": func() { Transpose8x8(make([]float32, 63), 8, make([]float32, 64), 8) },
			"Float16":   func() { Float16ToFloat32(make([]float32, 9), make([]uint16, 8)) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s %s: no panic for a short slice", mode, name)
					}
				}()
				// Capacity does not count.
				call()
			}()
		}
	})
}

func FuzzElementwise(f *testing.F) {
	f.Add(uint8(0), uint8(9), uint64(1), float32(1), float32(2))
	f.Add(uint8(17), uint8(40), uint64(2), float32(math.Inf(1)), float32(0))
	f.Fuzz(func(t *testing.T, which, n uint8, seed uint64, s, u float32) {
		fn := functions[int(which)%len(functions)]
		rng := rand.New(rand.NewPCG(seed, 0))
		a, b := make([]float32, n), make([]float32, n)
		for i := range a {
			a[i], b[i] = math.Float32frombits(rng.Uint32()), math.Float32frombits(rng.Uint32())
		}
		if n > 0 {
			a[0], b[0] = s, u
		}
		var results [][]float32
		bothWays(func(string) {
			dst, check := guarded(int(n))
			fn.call(dst, a, b, s, u)
			check(t)
			results = append(results, dst)
		})
		requireSame(t, fn.name, results[0], results[1])
	})
}
