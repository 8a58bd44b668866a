package op

import "math"

func intNeg(_ *Context, v []Int) Int {
	if n, ok := v[0].Value(); ok && n != math.MinInt64 {
		return KnownInt(-n)
	}
	return Int{}
}

// intAbs leaves symbols alone: as sizes of dimensions they are not negative.
func intAbs(c *Context, v []Int) Int {
	if n, ok := v[0].Value(); ok && n < 0 {
		return intNeg(c, v)
	}
	return v[0]
}
