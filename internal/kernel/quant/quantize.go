package quant

import (
	"context"

	"gort/internal/parallel"
	"gort/internal/simd"
)

// Code lists the Go types of codes: 4- and 2-bit codes are in a byte each.
type Code interface {
	int8 | uint8 | int16 | uint16 | int32
}

// Round rounds quotients to the precision that the division has, in place; nil
// leaves them in single precision.
type Round func(quotients []float32)

// roundEven adds and subtracts 1.5*2**23: what is left is the whole number
// nearest to a float below 2**22, ties to even.
const roundEven = 3 << 22

// Quantize computes codes in [lo, hi]:
//
//	y = clamp(round(x/scale) + zero, lo, hi)
//
// with ties to even. zero is nil when all zero points are 0.
func Quantize[T Code](ctx context.Context, pool *parallel.Pool, l *Layout, x, scale []float32, round Round, zero []int32, lo, hi int32, y []T) error {
	return pool.For(ctx, l.rows, l.grain(), func(r0, r1 int) {
		var buf [512]float32
		for r := r0; r < r1; r++ {
			at, n, s := l.row(r)
			for n > 0 {
				q := buf[:min(n, len(buf))]
				l.divide(q, x[at:], scale[s:])
				if round != nil {
					round(q)
				}
				var z []int32
				if zero != nil {
					z = zero[s:]
				}
				l.store(q, z, lo, hi)
				for i, v := range q {
					y[at+i] = T(int32(v))
				}
				at, n = at+len(q), n-len(q)
				if l.own {
					s += len(q)
				}
			}
		}
	})
}

// divide computes q = x/scale for a part of one row.
func (l *Layout) divide(q, x, scale []float32) {
	if l.own {
		simd.Div(q, x[:len(q)], scale[:len(q)])
	} else {
		simd.DivScalar(q, x[:len(q)], scale[0])
	}
}

// store turns quotients into codes, still as floats: whole numbers below 2**17.
func (l *Layout) store(q []float32, zero []int32, lo, hi int32) {
	if l.own && zero != nil {
		for i, v := range q {
			z := zero[i]
			v = min(max(v, float32(lo-z)), float32(hi-z))
			v += roundEven
			v -= roundEven
			q[i] = v + float32(z)
		}
		return
	}
	z := int32(0)
	if zero != nil {
		z = zero[0]
	}
	simd.Clamp(q, q, float32(lo-z), float32(hi-z))
	simd.AddScalar(q, q, roundEven)
	simd.SubScalar(q, q, roundEven)
	if z != 0 {
		simd.AddScalar(q, q, float32(z))
	}
}

// Quotients computes y = x/scale + zero, for codes that are floats themselves.
func Quotients(ctx context.Context, pool *parallel.Pool, l *Layout, x, scale []float32, round Round, zero, y []float32) error {
	return pool.For(ctx, l.rows, l.grain(), func(r0, r1 int) {
		for r := r0; r < r1; r++ {
			at, n, s := l.row(r)
			q := y[at:][:n]
			l.divide(q, x[at:], scale[s:])
			if round != nil {
				round(q)
			}
			for i := range q {
				if zero == nil {
					break
				}
				if l.own {
					q[i] += zero[s+i]
				} else {
					q[i] += zero[s]
				}
			}
		}
	})
}

// Dequantize computes y = (x - zero) * scale. zero is nil when all zero points
// are 0.
func Dequantize[T Code](ctx context.Context, pool *parallel.Pool, l *Layout, x []T, scale []float32, zero []int32, y []float32) error {
	return pool.For(ctx, l.rows, l.grain(), func(r0, r1 int) {
		for r := r0; r < r1; r++ {
			at, n, s := l.row(r)
			in, out := x[at:][:n], y[at:][:n]
			if l.own {
				for i, v := range in {
					z := int64(0)
					if zero != nil {
						z = int64(zero[s+i])
					}
					out[i] = float32(int64(v)-z) * scale[s+i]
				}
				continue
			}
			z, f := int64(0), scale[s]
			if zero != nil {
				z = int64(zero[s])
			}
			for i, v := range in {
				out[i] = float32(int64(v)-z) * f
			}
		}
	})
}

// DequantizeFloat is [Dequantize] for codes that are floats, widened already.
// y may be x.
func DequantizeFloat(ctx context.Context, pool *parallel.Pool, l *Layout, x, scale, zero, y []float32) error {
	return pool.For(ctx, l.rows, l.grain(), func(r0, r1 int) {
		for r := r0; r < r1; r++ {
			at, n, s := l.row(r)
			for i, v := range x[at:][:n] {
				k := s
				if l.own {
					k += i
				}
				if zero != nil {
					v -= zero[k]
				}
				y[at+i] = v * scale[k]
			}
		}
	})
}
