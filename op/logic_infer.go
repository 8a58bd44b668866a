package op

import "gort/tensor"

func boolInt(b bool) Int {
	if b {
		return KnownInt(1)
	}
	return KnownInt(0)
}

// intCompare returns what a comparison gives for two numbers, and for a symbol,
// which as the size of a dimension is not negative, against a negative one.
func intCompare(f func(sign int) bool) func(*Context, []Int) Int {
	return func(_ *Context, v []Int) Int {
		a, b := v[0], v[1]
		x, xok := a.Value()
		y, yok := b.Value()
		switch {
		case a.Same(b):
			return boolInt(f(0))
		case xok && yok && x < y, b.symbol != "" && xok && x < 0:
			return boolInt(f(-1))
		case xok && yok, a.symbol != "" && yok && y < 0:
			return boolInt(f(1))
		}
		return Int{}
	}
}

var (
	intEqual          = intCompare(func(s int) bool { return s == 0 })
	intLess           = intCompare(func(s int) bool { return s < 0 })
	intLessOrEqual    = intCompare(func(s int) bool { return s <= 0 })
	intGreater        = intCompare(func(s int) bool { return s > 0 })
	intGreaterOrEqual = intCompare(func(s int) bool { return s >= 0 })
)

func intAnd(_ *Context, v []Int) Int {
	switch {
	case v[0].Is(0) || v[1].Is(0):
		return KnownInt(0)
	case v[0].Is(1):
		return v[1]
	case v[1].Is(1):
		return v[0]
	}
	return Int{}
}

func intOr(_ *Context, v []Int) Int {
	switch {
	case v[0].Is(1) || v[1].Is(1):
		return KnownInt(1)
	case v[0].Is(0):
		return v[1]
	case v[1].Is(0):
		return v[0]
	}
	return Int{}
}

func intXor(_ *Context, v []Int) Int {
	return known2(v[0], v[1], func(x, y int64) (int64, bool) { return x ^ y, true })
}

func inferNot(c *Context) error {
	c.SetShape(0, c.Shape(0))
	c.mapInts(c.Shape(0), func(_ *Context, v []Int) Int {
		if x, ok := v[0].Value(); ok {
			return boolInt(x == 0)
		}
		return Int{}
	})
	return nil
}

func inferBitShift(c *Context) error {
	if d := c.String("direction"); d != "LEFT" && d != "RIGHT" {
		return c.AttrErrorf("direction", "is %q, allowed are LEFT and RIGHT", d)
	}
	return inferBroadcast(nil)(c)
}

func inferWhere(c *Context) error {
	if d := c.DType(0); d != tensor.Undefined && d != tensor.Bool {
		return c.InputErrorf(0, "is %v, must be bool", d)
	}
	return inferBroadcast(func(_ *Context, v []Int) Int {
		switch {
		case v[0].Is(1) || v[1].Same(v[2]):
			return v[1]
		case v[0].Is(0):
			return v[2]
		}
		return Int{}
	})(c)
}

var (
	greaterOrEqualBody = body(18, `C = Or (Greater (A, B), Equal (A, B))`)
	lessOrEqualBody    = body(18, `C = Or (Less (A, B), Equal (A, B))`)
)
