package simd

import (
	"flag"
	"fmt"
	"math"
	"testing"
)

// The default is prime to the powers of two, so that all low bits occur.
var step = flag.Uint64("step", 4099, "check the mathematical functions at every `n`-th float32; 1 takes an hour")

// TestAccuracy compares with the float64 functions over all magnitudes, signs,
// infinities and NaN.
func TestAccuracy(t *testing.T) {
	for _, f := range []struct {
		name  string
		call  func(dst, a []float32)
		exact func(float64) float64
		ulp   float64
	}{
		{"Exp", Exp, math.Exp, 1},
		{"Tanh", Tanh, math.Tanh, 2},
		{"Sigmoid", Sigmoid, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, 3},
		{"Erf", Erf, math.Erf, 2},
	} {
		t.Run(f.name, func(t *testing.T) {
			bothWays(func(mode string) {
				t.Logf("%s: %s", mode, worst(t, f.call, f.exact, f.ulp))
			})
		})
	}
}

// worst runs through the float32 and returns the largest error found.
func worst(t *testing.T, call func(dst, a []float32), exact func(float64) float64, bound float64) string {
	const batch = 1 << 12
	a, dst := make([]float32, batch), make([]float32, batch)
	var largest float64
	var where float32
	for bits := uint64(0); bits < 1<<32; {
		n := 0
		for ; n < batch && bits < 1<<32; n++ {
			a[n] = math.Float32frombits(uint32(bits))
			bits += *step
		}
		n += copy(a[n:], specials)
		call(dst[:n], a[:n])
		for i, x := range a[:n] {
			if e := ulps(dst[i], exact(float64(x))); !(e <= largest) {
				largest, where = e, x
				if !(e <= bound) {
					t.Fatalf("f(%g) = %g, want %g: off by %.3f ULP, bound %g", x, dst[i], exact(float64(x)), e, bound)
				}
			}
		}
	}
	return fmt.Sprintf("at most %.3f ULP, at %g", largest, where)
}

// ulps returns the distance of got from want in units in the last place of
// want as a float32; NaN if only one is NaN.
func ulps(got float32, want float64) float64 {
	if want != want && got != got {
		return 0
	}
	if float32(want) == got {
		// Right to the last bit; infinities and overflow included.
		if math.IsInf(float64(got), 0) {
			return 0
		}
	}
	if math.IsInf(float64(got), 0) {
		got, want = float32(math.Copysign(math.MaxFloat32, float64(got))), want-math.Copysign(0x1p104, want)
	}
	_, exp := math.Frexp(want)
	return math.Abs(float64(got)-want) / math.Ldexp(1, max(exp-24, -149))
}

func TestFMA(t *testing.T) {
	// Against the exact sum in 128 bits where float64 would round twice.
	for _, c := range []struct{ x, y, z, want float32 }{
		{1 + 0x1p-12, 1 + 0x1p-12, 0x1p-60, 1 + 0x1p-11 + 0x1p-23}, // just above half: up
		{1 + 0x1p-12, 1 + 0x1p-12, -0x1p-60, 1 + 0x1p-11},          // just below half: down
		{1 + 0x1p-12, 1 + 0x1p-12, 0, 1 + 0x1p-11},                 // half: to even
		{-1 - 0x1p-12, 1 + 0x1p-12, -0x1p-60, -1 - 0x1p-11 - 0x1p-23},
		{0x1p-75, 0x1p-75, 0x1p-149, 0x1p-148},  // half of the smallest, to even
		{0x1p-100, 0x1p-50, 0, 0},               // half of the smallest, to even
		{0x1p-100, 0x1.000002p-50, 0, 0x1p-149}, // a little more
		{0, 0, 0, 0},
		{math.MaxFloat32, 2, float32(math.Inf(-1)), float32(math.Inf(-1))},
	} {
		if got := fma32(c.x, c.y, c.z); got != c.want {
			t.Errorf("fma32(%g, %g, %g) = %g, want %g", c.x, c.y, c.z, got, c.want)
		}
	}
}

func BenchmarkUnary(b *testing.B) {
	a, dst := make([]float32, 4096), make([]float32, 4096)
	for i := range a {
		a[i] = float32(i%200)/20 - 5
	}
	for _, f := range functions {
		b.Run(f.name, func(b *testing.B) {
			b.SetBytes(int64(4 * len(a)))
			for b.Loop() {
				f.call(dst, a, a, 0.5, 0.25)
			}
		})
	}
	b.Run("Exp/purego", func(b *testing.B) {
		restore := DisableForTest()
		defer restore()
		b.SetBytes(int64(4 * len(a)))
		for b.Loop() {
			Exp(dst, a)
		}
	})
}
