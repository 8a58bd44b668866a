package tensor

import "math"

// The float8 types and their conversions follow the tables of the ONNX Cast
// operator and of the technical page "Float stored in 8 bits": round to nearest,
// ties to even; beyond the largest number either saturate or become NaN or,
// where the format has it, infinity.

// float8Format is what tells one 8-bit format with a sign from another.
type float8Format struct {
	mantissa, bias int
	max            uint8 // code of the largest finite number
	overflow       uint8 // code of what lies beyond it when not saturating
	nan            uint8 // code of NaN
	oneZero        bool  // no negative zero: that code is the NaN, which has no sign
}

var (
	e4m3fn   = float8Format{mantissa: 3, bias: 7, max: 0x7e, overflow: 0x7f, nan: 0x7f}
	e4m3fnuz = float8Format{mantissa: 3, bias: 8, max: 0x7f, overflow: 0x80, nan: 0x80, oneZero: true}
	e5m2     = float8Format{mantissa: 2, bias: 15, max: 0x7b, overflow: 0x7c, nan: 0x7e}
	e5m2fnuz = float8Format{mantissa: 2, bias: 16, max: 0x7f, overflow: 0x80, nan: 0x80, oneZero: true}
)

func (f *float8Format) encode(v float64, saturate bool) uint8 {
	sign := uint8(math.Float64bits(v)>>56) & 0x80
	code := f.nan
	if v == v {
		code = uint8(min(roundCode(v, f.mantissa, f.bias), 0xff))
		if code > f.max {
			code = f.overflow
			if saturate {
				code = f.max
			}
		}
	}
	if f.oneZero && code&0x7f == 0 { // NaN and zero have no sign
		return code
	}
	return sign | code
}

func (f *float8Format) decode(code uint8) float32 {
	low := code & 0x7f
	sign := 1.0
	if code >= 0x80 {
		sign = -1
	}
	switch {
	case f.oneZero && code == f.nan, !f.oneZero && low > f.max && low != f.overflow, low == f.nan:
		return math.Float32frombits(uint32(code&0x80)<<24 | 0x7fc00000)
	case low > f.max: // infinity, which only e5m2 has
		return float32(math.Inf(int(sign)))
	}
	exp, frac := int(low)>>f.mantissa, int(low)&(1<<f.mantissa-1)
	if exp == 0 {
		exp = 1
	} else {
		frac |= 1 << f.mantissa
	}
	return float32(math.Copysign(math.Ldexp(float64(frac), exp-f.bias-f.mantissa), sign))
}

func (f *float8Format) table() *[256]float32 {
	t := new([256]float32)
	for code := range t {
		t[code] = f.decode(uint8(code))
	}
	return t
}

var (
	e4m3fnTable   = e4m3fn.table()
	e4m3fnuzTable = e4m3fnuz.table()
	e5m2Table     = e5m2.table()
	e5m2fnuzTable = e5m2fnuz.table()
)

// F8E4M3FNFrom rounds v to the nearest float8e4m3fn. Beyond ±448 the result is
// ±448 when saturating and NaN otherwise.
func F8E4M3FNFrom(v float32, saturate bool) F8E4M3FN {
	return F8E4M3FN(e4m3fn.encode(float64(v), saturate))
}

// F8E4M3FNFromFloat64 is F8E4M3FNFrom for a float64, in one rounding.
func F8E4M3FNFromFloat64(v float64, saturate bool) F8E4M3FN {
	return F8E4M3FN(e4m3fn.encode(v, saturate))
}

// Float32 is the number f stands for, exactly.
func (f F8E4M3FN) Float32() float32 { return e4m3fnTable[f] }

// F8E4M3FNUZFrom rounds v to the nearest float8e4m3fnuz. Beyond ±240 the result
// is ±240 when saturating and NaN otherwise; negative zero becomes zero.
func F8E4M3FNUZFrom(v float32, saturate bool) F8E4M3FNUZ {
	return F8E4M3FNUZ(e4m3fnuz.encode(float64(v), saturate))
}

// F8E4M3FNUZFromFloat64 is F8E4M3FNUZFrom for a float64, in one rounding.
func F8E4M3FNUZFromFloat64(v float64, saturate bool) F8E4M3FNUZ {
	return F8E4M3FNUZ(e4m3fnuz.encode(v, saturate))
}

// Float32 is the number f stands for, exactly.
func (f F8E4M3FNUZ) Float32() float32 { return e4m3fnuzTable[f] }

// F8E5M2From rounds v to the nearest float8e5m2. Beyond ±57344 the result is
// ±57344 when saturating and infinite otherwise.
func F8E5M2From(v float32, saturate bool) F8E5M2 {
	return F8E5M2(e5m2.encode(float64(v), saturate))
}

// F8E5M2FromFloat64 is F8E5M2From for a float64, in one rounding.
func F8E5M2FromFloat64(v float64, saturate bool) F8E5M2 {
	return F8E5M2(e5m2.encode(v, saturate))
}

// Float32 is the number f stands for, exactly.
func (f F8E5M2) Float32() float32 { return e5m2Table[f] }

// F8E5M2FNUZFrom rounds v to the nearest float8e5m2fnuz. Beyond ±57344 the result
// is ±57344 when saturating and NaN otherwise; negative zero becomes zero.
func F8E5M2FNUZFrom(v float32, saturate bool) F8E5M2FNUZ {
	return F8E5M2FNUZ(e5m2fnuz.encode(float64(v), saturate))
}

// F8E5M2FNUZFromFloat64 is F8E5M2FNUZFrom for a float64, in one rounding.
func F8E5M2FNUZFromFloat64(v float64, saturate bool) F8E5M2FNUZ {
	return F8E5M2FNUZ(e5m2fnuz.encode(v, saturate))
}

// Float32 is the number f stands for, exactly.
func (f F8E5M2FNUZ) Float32() float32 { return e5m2fnuzTable[f] }
