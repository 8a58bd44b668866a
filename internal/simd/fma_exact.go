//go:build !arm64

package simd

import "math"

// fma32 returns x*y + z with a single rounding, as the FMA instruction does.
//
// The product is exact in float64. The sum is rounded to 53 bits and then to
// 24, which can go wrong only when the first rounding lands exactly half way
// between two float32.
func fma32(x, y, z float32) float32 {
	xy := float64(x) * float64(y)
	s := xy + float64(z)
	if bits := math.Float64bits(s); bits&0x1fffffff != 0x10000000 && bits<<1 >= smallestNormal<<1 {
		return float32(s)
	}
	return roundOnce(xy, float64(z), s)
}

// smallestNormal is 2^-126, the smallest normal float32, as a float64. Below it
// the spacing of float32 is fixed, so that the trailing bits of a number do not
// tell whether it is half way.
const smallestNormal = (1023 - 126) << 52

// roundOnce rounds xy + zz, whose nearest float64 is s, to float32. If s is not
// exact its last bit is made odd, in the direction of what was lost (round to
// odd): then the second rounding cannot be fooled.
func roundOnce(xy, zz, s float64) float32 {
	if math.IsInf(s, 0) || s != s {
		return float32(s)
	}
	t := s - xy
	lost := (xy - (s - t)) + (zz - t) // the exact error of s
	if bits := math.Float64bits(s); lost != 0 && bits&1 == 0 {
		if (lost > 0) == (s > 0) {
			bits++
		} else {
			bits--
		}
		s = math.Float64frombits(bits)
	}
	return float32(s)
}
