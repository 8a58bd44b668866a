package tensor

import (
	"math"
	"testing"
)

// f8Spec is a column of the tables on ONNX's page "Float stored in 8 bits".
type f8Spec struct {
	name    string
	exp     int // exponent bits
	bias    int
	uz      bool
	max     float64
	maxCode int
	nan     func(code int) bool
	inf     int // code of infinity, 0 for none
	from    func(v float64, saturate bool) int
	from32  func(v float32, saturate bool) int
	to      func(code int) float32
}

var f8Specs = []f8Spec{
	{
		name: "e4m3fn", exp: 4, bias: 7, max: 448, maxCode: 0x7e,
		nan:    func(c int) bool { return c&0x7f == 0x7f },
		from:   func(v float64, s bool) int { return int(F8E4M3FNFromFloat64(v, s)) },
		from32: func(v float32, s bool) int { return int(F8E4M3FNFrom(v, s)) },
		to:     func(c int) float32 { return F8E4M3FN(c).Float32() },
	},
	{
		name: "e4m3fnuz", exp: 4, bias: 8, uz: true, max: 240, maxCode: 0x7f,
		nan:    func(c int) bool { return c == 0x80 },
		from:   func(v float64, s bool) int { return int(F8E4M3FNUZFromFloat64(v, s)) },
		from32: func(v float32, s bool) int { return int(F8E4M3FNUZFrom(v, s)) },
		to:     func(c int) float32 { return F8E4M3FNUZ(c).Float32() },
	},
	{
		name: "e5m2", exp: 5, bias: 15, max: 57344, maxCode: 0x7b, inf: 0x7c,
		nan:    func(c int) bool { return c&0x7f > 0x7c },
		from:   func(v float64, s bool) int { return int(F8E5M2FromFloat64(v, s)) },
		from32: func(v float32, s bool) int { return int(F8E5M2From(v, s)) },
		to:     func(c int) float32 { return F8E5M2(c).Float32() },
	},
	{
		name: "e5m2fnuz", exp: 5, bias: 16, uz: true, max: 57344, maxCode: 0x7f,
		nan:    func(c int) bool { return c == 0x80 },
		from:   func(v float64, s bool) int { return int(F8E5M2FNUZFromFloat64(v, s)) },
		from32: func(v float32, s bool) int { return int(F8E5M2FNUZFrom(v, s)) },
		to:     func(c int) float32 { return F8E5M2FNUZ(c).Float32() },
	},
}

// value is the page's formula, with its sums of single bits.
func (f *f8Spec) value(code int) float64 {
	mant := 7 - f.exp
	bit := func(i int) float64 { return float64(code >> i & 1) }
	exp, frac := 0.0, 0.0
	for i := mant; i < 7; i++ {
		exp += bit(i) * math.Pow(2, float64(i-mant))
	}
	for i := range mant {
		frac += bit(i) * math.Pow(2, float64(i-mant))
	}
	v := math.Pow(2, exp-float64(f.bias)) * (1 + frac)
	if exp == 0 {
		v = math.Pow(2, float64(1-f.bias)) * frac
	}
	if code&0x80 != 0 {
		v = -v
	}
	return v
}

func TestFloat8DecodeExhaustive(t *testing.T) {
	for _, f := range f8Specs {
		for code := range 256 {
			got := float64(f.to(code))
			want := f.value(code)
			switch {
			case f.nan(code):
				want = math.NaN()
			case f.inf != 0 && code&0x7f == f.inf:
				want = math.Inf(1 - code>>7*2)
			}
			if !sameBits(got, want) {
				t.Errorf("%s code %#02x is %v, want %v", f.name, code, got, want)
			}
		}
		if got := float64(f.to(f.maxCode)); got != f.max {
			t.Errorf("%s: largest number %v, want %v", f.name, got, f.max)
		}
	}
}

func TestFloat8RoundTripExhaustive(t *testing.T) {
	for _, f := range f8Specs {
		for code := range 256 {
			for _, saturate := range []bool{true, false} {
				want := code
				if saturate && f.inf != 0 && code&0x7f == f.inf {
					want = code&0x80 | f.maxCode
				}
				got := f.from32(f.to(code), saturate)
				if got != want && !(f.nan(code) && f.nan(got) && got&0x80 == code&0x80) {
					t.Errorf("%s (saturate %v): code %#02x comes back as %#02x, want %#02x", f.name, saturate, code, got, want)
				}
			}
		}
	}
}

func TestFloat8Rounding(t *testing.T) {
	for _, f := range f8Specs {
		roundingPoints(f.maxCode, f.value, func(v float64, want int) {
			neg := want | 0x80
			if f.uz && want == 0 {
				neg = 0
			}
			for _, saturate := range []bool{true, false} {
				if got := f.from(v, saturate); got != want {
					t.Fatalf("%s from %x = %#02x, want %#02x", f.name, v, got, want)
				}
				if got := f.from(-v, saturate); got != neg {
					t.Fatalf("%s from %x = %#02x, want %#02x", f.name, -v, got, neg)
				}
				if w := float32(v); float64(w) == v {
					if got := f.from32(w, saturate); got != want {
						t.Fatalf("%s from32 %x = %#02x, want %#02x", f.name, w, got, want)
					}
				}
			}
		})
	}
}

// The Cast operator's two tables, row by row.
func TestFloat8SpecialValues(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	negNaN := math.Copysign(nan, -1)
	type row struct {
		x                          float64
		e4m3fn, e4m3uz, e5m2, e5uz int
	}
	check := func(saturate bool, rows []row) {
		for _, r := range rows {
			for i, want := range []int{r.e4m3fn, r.e4m3uz, r.e5m2, r.e5uz} {
				f := f8Specs[i]
				if got := f.from(r.x, saturate); got != want {
					t.Errorf("%s(%v, saturate %v) = %#02x, want %#02x", f.name, r.x, saturate, got, want)
				}
				if got := f.from32(float32(r.x), saturate); got != want {
					t.Errorf("%s(float32 %v, saturate %v) = %#02x, want %#02x", f.name, r.x, saturate, got, want)
				}
			}
		}
	}
	check(true, []row{
		{0, 0, 0, 0, 0},
		{zero, 0x80, 0, 0x80, 0},
		{nan, 0x7f, 0x80, 0x7e, 0x80},
		{inf, 0x7e, 0x7f, 0x7b, 0x7f},
		{-inf, 0xfe, 0xff, 0xfb, 0xff},
		{1e6, 0x7e, 0x7f, 0x7b, 0x7f},
		{-1e6, 0xfe, 0xff, 0xfb, 0xff},
		{1e-7, 0, 0, 0, 0},
		{-1e-7, 0x80, 0, 0x80, 0},
	})
	check(false, []row{
		{0, 0, 0, 0, 0},
		{zero, 0x80, 0, 0x80, 0},
		{nan, 0x7f, 0x80, 0x7e, 0x80},
		{negNaN, 0xff, 0x80, 0xfe, 0x80},
		{inf, 0x7f, 0x80, 0x7c, 0x80},
		{-inf, 0xff, 0x80, 0xfc, 0x80},
		{1e6, 0x7f, 0x80, 0x7c, 0x80},
		{-1e6, 0xff, 0x80, 0xfc, 0x80},
	})
}

// What lies up to half a step beyond the largest number still rounds to it.
func TestFloat8OverflowBoundary(t *testing.T) {
	tests := []struct {
		spec     int
		stays    float64 // the largest number that rounds to max
		overflow int     // without saturation, just beyond
	}{
		{0, 464, 0x7f}, // halfway to 480, ties to the even code of 448
		{1, math.Nextafter(248, 0), 0x80},
		{2, math.Nextafter(61440, 0), 0x7c},
		{3, math.Nextafter(61440, 0), 0x80},
	}
	for _, tt := range tests {
		f := f8Specs[tt.spec]
		beyond := math.Nextafter(tt.stays, math.Inf(1))
		if got := f.from(tt.stays, false); got != f.maxCode {
			t.Errorf("%s(%v) = %#02x, want %#02x", f.name, tt.stays, got, f.maxCode)
		}
		if got := f.from(beyond, false); got != tt.overflow {
			t.Errorf("%s(%v) = %#02x, want %#02x", f.name, beyond, got, tt.overflow)
		}
		if got := f.from(beyond, true); got != f.maxCode {
			t.Errorf("%s(%v) saturating = %#02x, want %#02x", f.name, beyond, got, f.maxCode)
		}
	}
}

func TestFloat8E8M0(t *testing.T) {
	for code := range 255 {
		want := math.Ldexp(1, code-127)
		if got := float64(F8E8M0(code).Float32()); got != want {
			t.Errorf("code %d is %v, want %v", code, got, want)
		}
		for _, mode := range []RoundMode{RoundUp, RoundNearest, RoundDown} {
			if got := F8E8M0From(F8E8M0(code).Float32(), false, mode); got != F8E8M0(code) {
				t.Errorf("code %d comes back as %d (%v)", code, got, mode)
			}
		}
	}
	if v := F8E8M0(255).Float32(); v == v {
		t.Errorf("code 255 is %v, want NaN", v)
	}
	inf, nan := math.Inf(1), math.NaN()
	tests := []struct {
		in       float64
		saturate bool
		mode     RoundMode
		want     F8E8M0
	}{
		// The table of the Cast operator: saturate + up, then non-saturate + nearest.
		{0, true, RoundUp, 0}, {0, false, RoundNearest, 255},
		{nan, true, RoundUp, 255}, {nan, false, RoundNearest, 255},
		{inf, true, RoundUp, 254}, {inf, false, RoundNearest, 255},
		{0x1p128, true, RoundUp, 254}, {0x1p128, false, RoundNearest, 255},
		{0x1p-128, true, RoundUp, 0}, {0x1p-128, false, RoundNearest, 255},
		// ONNX's backend test cast_e8m0_FLOAT_to_FLOAT8E8M0.
		{0.124, true, RoundUp, 0x7c}, {0.25, true, RoundUp, 0x7d}, {1.1, true, RoundUp, 0x80}, {8, true, RoundUp, 0x82},
		// The three modes.
		{1.1, true, RoundDown, 127}, {1.1, true, RoundNearest, 127},
		{1.5, true, RoundNearest, 128}, {math.Nextafter(1.5, 0), true, RoundNearest, 127},
		{1.999, true, RoundDown, 127}, {1.999, true, RoundNearest, 128},
		{0x1.8p127, false, RoundUp, 255}, {0x1.8p127, true, RoundUp, 254}, {0x1.8p127, false, RoundDown, 254},
		{0x1.4p-127, true, RoundUp, 1}, {0x1.4p-127, true, RoundNearest, 0},
		{0x1.8p-128, false, RoundUp, 0}, {0x1.8p-128, false, RoundDown, 255},
		{-1, true, RoundUp, 0}, {-1, false, RoundUp, 255}, {-inf, true, RoundUp, 0},
	}
	for _, tt := range tests {
		if got := F8E8M0FromFloat64(tt.in, tt.saturate, tt.mode); got != tt.want {
			t.Errorf("F8E8M0FromFloat64(%v, %v, %v) = %d, want %d", tt.in, tt.saturate, tt.mode, got, tt.want)
		}
	}
}

func TestFloat4(t *testing.T) {
	// The page's table of values, ignoring the sign.
	values := []float64{0, 0.5, 1, 1.5, 2, 3, 4, 6}
	for code, v := range values {
		if got := F4E2M1ToFloat32(uint8(code)); float64(got) != v || math.Signbit(float64(got)) {
			t.Errorf("code %d is %v, want %v", code, got, v)
		}
		if got := F4E2M1ToFloat32(uint8(code) | 8); float64(got) != -v || !math.Signbit(float64(got)) {
			t.Errorf("code %d is %v, want %v", code|8, got, -v)
		}
	}
	roundingPoints(7, func(c int) float64 { return values[c] }, func(v float64, want int) {
		if got := F4E2M1FromFloat64(v); int(got) != want {
			t.Errorf("F4E2M1FromFloat64(%x) = %d, want %d", v, got, want)
		}
		if got := F4E2M1FromFloat64(-v); int(got) != want|8 {
			t.Errorf("F4E2M1FromFloat64(%x) = %d, want %d", -v, got, want|8)
		}
	})
	for _, v := range []float64{6.0001, 7, 8, 1e300, math.Inf(1)} {
		if got := F4E2M1FromFloat64(v); got != 7 {
			t.Errorf("F4E2M1FromFloat64(%v) = %d, want 7", v, got)
		}
		if got := F4E2M1From(float32(-v)); got != 15 {
			t.Errorf("F4E2M1From(%v) = %d, want 15", -v, got)
		}
	}
	// ONNX's backend test cast_FLOAT_to_FLOAT4E2M1.
	in := []float32{0.48, 0.25, 1.05, -3.5, -8, 9, 1e6, 1e-7, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(1)), float32(math.Inf(-1)), -4, 0.01, negativeZero}
	want := []byte{0x01, 0xe2, 0x7f, 0x07, 0x78, 0xf7, 0x0e, 0x08}
	out, err := Convert(Must(FromSlice(in, 3, 5)), Float4E2M1, ConvertOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := out.Bytes(); string(got) != string(want) {
		t.Errorf("cast_FLOAT_to_FLOAT4E2M1 = %x, want %x", got, want)
	}
}
