package tensor

import (
	"math"
	"math/rand/v2"
	"testing"
)

// ieee is the value of a binary interchange code: sign, exp exponent bits, mant
// mantissa bits (IEEE 754-2019, 3.4), computed in float64, in which it is exact.
func ieee(code uint64, exp, mant int) float64 {
	sign := 1.0
	if code>>(exp+mant)&1 == 1 {
		sign = -1
	}
	e := int(code>>mant) & (1<<exp - 1)
	f := float64(code & (1<<mant - 1))
	bias := 1<<(exp-1) - 1
	switch {
	case e == 1<<exp-1 && f == 0:
		return math.Inf(int(sign))
	case e == 1<<exp-1:
		return math.NaN()
	case e == 0:
		return math.Copysign(f*math.Pow(2, float64(1-bias-mant)), sign)
	}
	return sign * (1 + f/float64(int(1)<<mant)) * math.Pow(2, float64(e-bias))
}

func sameBits(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}

func TestF16ToFloat32Exhaustive(t *testing.T) {
	for code := range 1 << 16 {
		h := F16(code)
		got, want := float64(h.Float32()), ieee(uint64(code), 5, 10)
		if !sameBits(got, want) {
			t.Fatalf("F16(%#04x).Float32() = %v, want %v", code, got, want)
		}
		if math.Signbit(got) != (code >= 0x8000) {
			t.Fatalf("F16(%#04x).Float32() = %v: wrong sign", code, got)
		}
	}
}

func TestF16RoundTripExhaustive(t *testing.T) {
	for code := range 1 << 16 {
		h := F16(code)
		want := h
		if code&0x7c00 == 0x7c00 && code&0x3ff != 0 {
			want |= 0x200 // quiet, payload kept
		}
		if got := F16From(h.Float32()); got != want {
			t.Fatalf("F16From of code %#04x = %#04x, want %#04x", code, got, want)
		}
		if got := F16FromFloat64(float64(h.Float32())); got != want {
			t.Fatalf("F16FromFloat64 of code %#04x = %#04x, want %#04x", code, got, want)
		}
	}
}

// roundingPoints calls check around each boundary between neighbouring codes of a
// format whose finite non-negative codes are 0…last: exactly between, one float64
// to either side, and at the codes themselves.
func roundingPoints(last int, value func(code int) float64, check func(v float64, want int)) {
	for c := range last {
		lo, hi := value(c), value(c+1)
		mid := (lo + hi) / 2 // exact: one bit more than either
		even := c + c&1
		check(lo, c)
		check(math.Nextafter(lo, math.Inf(1)), c)
		check(math.Nextafter(mid, 0), c)
		check(mid, even)
		check(math.Nextafter(mid, math.Inf(1)), c+1)
		check(math.Nextafter(hi, 0), c+1)
	}
	check(value(last), last)
}

func TestF16Rounding(t *testing.T) {
	value := func(c int) float64 {
		if c == 0x7c00 {
			return 65536 // where infinity stands for rounding
		}
		return ieee(uint64(c), 5, 10)
	}
	roundingPoints(0x7c00, value, func(v float64, want int) {
		for _, sign := range []float64{1, -1} {
			w := F16(want)
			if sign < 0 {
				w |= 0x8000
			}
			if got := F16FromFloat64(sign * v); got != w {
				t.Fatalf("F16FromFloat64(%x) = %#04x, want %#04x", sign*v, got, w)
			}
			if f := float32(sign * v); float64(f) == sign*v {
				if got := F16From(f); got != w {
					t.Fatalf("F16From(%x) = %#04x, want %#04x", f, got, w)
				}
			}
		}
	})
}

func TestF16SpecialValues(t *testing.T) {
	inf := math.Inf(1)
	tests := []struct {
		in   float64
		want F16
	}{
		{0, 0}, {math.Copysign(0, -1), 0x8000}, {1, 0x3c00}, {-2, 0xc000}, {65504, 0x7bff},
		{65519.996, 0x7bff}, {65520, 0x7c00}, {-65520, 0xfc00}, {1e300, 0x7c00}, {inf, 0x7c00}, {-inf, 0xfc00},
		{0x1p-14, 0x0400}, {0x1p-24, 1}, {0x1p-25, 0}, {-0x1p-25, 0x8000}, {0x1.8p-25, 1}, {5e-324, 0}, {1.0 / 3, 0x3555},
	}
	for _, tt := range tests {
		if got := F16FromFloat64(tt.in); got != tt.want {
			t.Errorf("F16FromFloat64(%v) = %#04x, want %#04x", tt.in, got, tt.want)
		}
		if got := F16From(float32(tt.in)); got != tt.want {
			t.Errorf("F16From(%v) = %#04x, want %#04x", tt.in, got, tt.want)
		}
	}
	if h := F16From(float32(math.NaN())); h&0x7c00 != 0x7c00 || h&0x3ff == 0 {
		t.Errorf("F16From(NaN) = %#04x, not a NaN", h)
	}
	// A NaN whose payload lies below the ten bits kept must not become infinity.
	if h := F16From(math.Float32frombits(0xff800001)); h != 0xfe00 {
		t.Errorf("F16From(signalling NaN) = %#04x, want 0xfe00", h)
	}
	if h := F16FromFloat64(math.Float64frombits(0xfff0000000000001)); h != 0xfe00 {
		t.Errorf("F16FromFloat64(signalling NaN) = %#04x, want 0xfe00", h)
	}
}

// A float64 just above halfway between two halves rounds down when it passes
// through float32, which can not hold the excess.
func TestF16RoundsOnce(t *testing.T) {
	v := 1 + 0x1p-11 + 0x1p-40
	if got := F16FromFloat64(v); got != 0x3c01 {
		t.Errorf("F16FromFloat64(%x) = %#04x, want 0x3c01", v, got)
	}
	if got := F16From(float32(v)); got != 0x3c00 {
		t.Errorf("F16From(float32(%x)) = %#04x, want 0x3c00: the test value tests nothing", v, got)
	}
}

// F16From uses tricks of float32, F16FromFloat64 does not: they must agree.
func TestF16FromFloat32AgreesWithFloat64(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2_000_000 {
		v := math.Float32frombits(rng.Uint32())
		if got, want := F16From(v), F16FromFloat64(float64(v)); got != want {
			t.Fatalf("F16From(%x) = %#04x, F16FromFloat64 = %#04x", v, got, want)
		}
	}
}

func TestBF16(t *testing.T) {
	for code := range 1 << 16 {
		b := BF16(code)
		got, want := float64(b.Float32()), ieee(uint64(code), 8, 7)
		if !sameBits(got, want) {
			t.Fatalf("BF16(%#04x).Float32() = %v, want %v", code, got, want)
		}
		back := b
		if want != want {
			back |= 0x40
		}
		if got := BF16From(b.Float32()); got != back {
			t.Fatalf("BF16From of code %#04x = %#04x, want %#04x", code, got, back)
		}
	}
	value := func(c int) float64 {
		if c == 0x7f80 {
			return 0x1p128
		}
		return ieee(uint64(c), 8, 7)
	}
	roundingPoints(0x7f80, value, func(v float64, want int) {
		if got := BF16FromFloat64(v); got != BF16(want) {
			t.Fatalf("BF16FromFloat64(%x) = %#04x, want %#04x", v, got, want)
		}
		if got := BF16FromFloat64(-v); got != BF16(want)|0x8000 {
			t.Fatalf("BF16FromFloat64(%x) = %#04x, want %#04x", -v, got, BF16(want)|0x8000)
		}
		if f := float32(v); float64(f) == v {
			if got := BF16From(f); got != BF16(want) {
				t.Fatalf("BF16From(%x) = %#04x, want %#04x", f, got, want)
			}
		}
	})
	for _, nan := range []uint32{0x7f800001, 0x7fffffff, 0xff800001, 0xffffffff} {
		v := math.Float32frombits(nan)
		for name, got := range map[string]BF16{"BF16From": BF16From(v), "BF16FromFloat64": BF16FromFloat64(float64(v))} {
			if got&0x7fff <= 0x7f80 || got>>15 != BF16(nan>>31) {
				t.Errorf("%s(NaN %#x) = %#04x, not a NaN of that sign", name, nan, got)
			}
		}
	}
}
