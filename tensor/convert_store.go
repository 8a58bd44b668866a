package tensor

import (
	"math"
	"math/bits"
)

type (
	integer interface {
		int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
	}
	// native is every element type that Go computes with.
	native interface {
		float32 | float64 | integer
	}
)

// store converts s into the elements of a contiguous dst from the at-th on.
func store[S native](dst *Tensor, at int, s []S, opts ConvertOptions) {
	switch dst.dtype {
	case Float32:
		toFloat(Elements[float32](dst)[at:], s)
	case Float64:
		toFloat(Elements[float64](dst)[at:], s)
	case Int8:
		toInt(Elements[int8](dst)[at:], s)
	case Int16:
		toInt(Elements[int16](dst)[at:], s)
	case Int32:
		toInt(Elements[int32](dst)[at:], s)
	case Uint8:
		toInt(Elements[uint8](dst)[at:], s)
	case Uint16:
		toInt(Elements[uint16](dst)[at:], s)
	case Int64:
		toWideInt(Elements[int64](dst)[at:], s)
	case Uint32:
		toWideInt(Elements[uint32](dst)[at:], s)
	case Uint64:
		toUint64(Elements[uint64](dst)[at:], s)
	case Bool:
		toBool(dst.data[dst.offset+at:], s)
	case Float16:
		if f, ok := any(s).([]float32); ok {
			d := Elements[F16](dst)[at:][:len(f)]
			for i, v := range f {
				d[i] = F16From(v)
			}
			return
		}
		encodeBlocks(dst, at, s, opts)
	case BFloat16:
		if f, ok := any(s).([]float32); ok {
			d := Elements[BF16](dst)[at:][:len(f)]
			for i, v := range f {
				d[i] = BF16From(v)
			}
			return
		}
		encodeBlocks(dst, at, s, opts)
	case Uint4, Int4, Uint2, Int2:
		toPackedInt(dst, at, s)
	default:
		encodeBlocks(dst, at, s, opts)
	}
}

func isFloat[S native]() bool {
	var z S
	switch any(z).(type) {
	case float32, float64:
		return true
	}
	return false
}

func toFloat[D float32 | float64, S native](d []D, s []S) {
	d = d[:len(s)]
	if bits.UintSize == 32 && !isFloat[S]() {
		// There Go takes a 64-bit integer to float32 by way of float64, rounding
		// twice; what widen gives rounds as the integer itself would.
		if f, ok := any(d).([]float32); ok {
			var buf [blockLen]float64
			for len(s) > 0 {
				b := buf[:min(blockLen, len(s))]
				widen(b, s[:len(b)])
				for i, v := range b {
					f[i] = float32(v)
				}
				s, f = s[len(b):], f[len(b):]
			}
			return
		}
	}
	for i, v := range s {
		d[i] = D(v)
	}
}

// toInt is for the types of which every number fits an int32 or that keep its
// low bits. The comparison is what makes a float out of range the same on every
// architecture: Go leaves the plain conversion open.
func toInt[D integer, S native](d []D, s []S) {
	d = d[:len(s)]
	if !isFloat[S]() {
		for i, v := range s {
			d[i] = D(v)
		}
		return
	}
	for i, v := range s {
		x := int32(math.MinInt32)
		if f := float64(v); f > math.MinInt32-1 && f < math.MaxInt32+1 {
			x = int32(f)
		}
		d[i] = D(x)
	}
}

// toWideInt is toInt by way of an int64.
func toWideInt[D integer, S native](d []D, s []S) {
	d = d[:len(s)]
	if !isFloat[S]() {
		for i, v := range s {
			d[i] = D(v)
		}
		return
	}
	for i, v := range s {
		d[i] = D(truncate(float64(v)))
	}
}

func toUint64[S native](d []uint64, s []S) {
	d = d[:len(s)]
	if !isFloat[S]() {
		for i, v := range s {
			d[i] = uint64(v)
		}
		return
	}
	for i, v := range s {
		switch f := float64(v); {
		case f >= 1<<64:
			d[i] = 0
		case f >= 1<<63:
			d[i] = uint64(int64(f-1<<63)) ^ 1<<63
		default:
			d[i] = uint64(truncate(f))
		}
	}
}

// truncate drops the fraction; out of an int64's range and for NaN it is the
// least int64.
func truncate(f float64) int64 {
	if f >= -1<<63 && f < 1<<63 {
		return int64(f)
	}
	return math.MinInt64
}

func toBool[S native](d []byte, s []S) {
	d = d[:len(s)]
	for i, v := range s {
		d[i] = 0
		if v != 0 {
			d[i] = 1
		}
	}
}

func toPackedInt[S native](dst *Tensor, at int, s []S) {
	var buf [blockLen]int8
	for len(s) > 0 {
		b := buf[:min(blockLen, len(s))]
		if isFloat[S]() {
			for i, v := range s[:len(b)] {
				b[i] = int8(truncate(math.RoundToEven(float64(v))))
			}
		} else {
			toInt(b, s[:len(b)])
		}
		pack(dst, dst.offset+at, b)
		s, at = s[len(b):], at+len(b)
	}
}

// encodeBlocks stores into float types narrower than float32 by way of float64.
func encodeBlocks[S native](dst *Tensor, at int, s []S, opts ConvertOptions) {
	var buf [blockLen]float64
	for len(s) > 0 {
		b := buf[:min(blockLen, len(s))]
		widen(b, s[:len(b)])
		encodeFloats(dst, at, b, opts)
		s, at = s[len(b):], at+len(b)
	}
}

// widen converts to float64 such that one more rounding, to at most 51 bits,
// gives what a single rounding would: integers of more than 53 bits are rounded
// to odd (S. Boldo, G. Melquiond: When double rounding is odd, 2005).
func widen[S native](d []float64, s []S) {
	var z S
	switch any(z).(type) {
	case int64:
		for i, v := range s {
			x := int64(v)
			if x < 0 {
				d[i] = -oddFloat64(-uint64(x))
			} else {
				d[i] = oddFloat64(uint64(x))
			}
		}
	case uint64:
		for i, v := range s {
			d[i] = oddFloat64(uint64(v))
		}
	default:
		for i, v := range s {
			d[i] = float64(v)
		}
	}
}

func oddFloat64(x uint64) float64 {
	if drop := bits.Len64(x) - 53; drop > 0 {
		kept := x >> drop
		if kept<<drop != x {
			kept |= 1
		}
		x = kept << drop
	}
	return float64(x)
}

func encodeFloats(dst *Tensor, at int, s []float64, opts ConvertOptions) {
	saturate := !opts.NoSaturate
	switch dst.dtype {
	case Float16:
		d := Elements[F16](dst)[at:][:len(s)]
		for i, v := range s {
			d[i] = F16FromFloat64(v)
		}
	case BFloat16:
		d := Elements[BF16](dst)[at:][:len(s)]
		for i, v := range s {
			d[i] = BF16FromFloat64(v)
		}
	case Float8E4M3FN:
		encodeFloat8(dst, at, s, &e4m3fn, saturate)
	case Float8E4M3FNUZ:
		encodeFloat8(dst, at, s, &e4m3fnuz, saturate)
	case Float8E5M2:
		encodeFloat8(dst, at, s, &e5m2, saturate)
	case Float8E5M2FNUZ:
		encodeFloat8(dst, at, s, &e5m2fnuz, saturate)
	case Float8E8M0:
		d := Elements[F8E8M0](dst)[at:][:len(s)]
		for i, v := range s {
			d[i] = F8E8M0FromFloat64(v, saturate, opts.Round)
		}
	case Float4E2M1:
		for i, v := range s {
			setPacked(dst.data, 4, dst.offset+at+i, F4E2M1FromFloat64(v))
		}
	}
}

func encodeFloat8(dst *Tensor, at int, s []float64, f *float8Format, saturate bool) {
	d := dst.data[dst.offset+at:][:len(s)]
	for i, v := range s {
		d[i] = f.encode(v, saturate)
	}
}
