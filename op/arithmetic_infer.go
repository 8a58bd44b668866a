package op

import (
	"fmt"
	"math"
	"math/bits"

	"gort/graph"
	"gort/tensor"
)

// inferBroadcast is the shape function of operators on two or more operands that
// broadcast. ints, when not nil, computes elements of small integer results.
func inferBroadcast(ints func(c *Context, args []Int) Int) func(c *Context) error {
	return func(c *Context) error {
		s, err := c.broadcastShape()
		if err != nil {
			return err
		}
		c.SetShape(0, s)
		if ints != nil {
			c.mapInts(s, ints)
		}
		return nil
	}
}

// broadcastShape is the shape of an elementwise result by the rules of the
// definition's version: NumPy's since opset 7 (8 for repeated operands), before
// that those of the attributes axis and broadcast.
func (c *Context) broadcastShape() (graph.Shape, error) {
	if c.sig.Attr("broadcast") != nil {
		return c.Shape(0), c.checkLegacyBroadcast()
	}
	if c.Def.Since < 7 {
		return c.sameShapes()
	}
	var buf [3]graph.Shape
	shapes := buf[:0]
	for i := range c.NumInputs() {
		shapes = append(shapes, c.Shape(i))
	}
	return c.Broadcast(shapes...)
}

// sameShapes checks that all inputs have one shape and returns it.
func (c *Context) sameShapes() (graph.Shape, error) {
	s := c.Shape(0)
	for i := 1; i < c.NumInputs(); i++ {
		m, ok := graph.Merge(s, c.Shape(i))
		if !ok {
			return s, c.InputErrorf(i, "shape %v differs from %v, version %d of the operator does not broadcast", c.Shape(i), s, c.Def.Since)
		}
		s = m
	}
	return s, nil
}

func (c *Context) checkLegacyBroadcast() error {
	a, aok := c.Shape(0).Concrete()
	b, bok := c.Shape(1).Concrete()
	if !aok || !bok {
		return nil
	}
	if !c.Bool("broadcast") {
		if !a.Equal(b) {
			return c.InputErrorf(1, "shape %v differs from %v, and the attribute broadcast is 0", b, a)
		}
		return nil
	}
	if _, err := LegacyBroadcast(c.Attrs, a, b); err != nil {
		return c.InputErrorf(1, "%v", err)
	}
	return nil
}

// LegacyBroadcast returns the shape of the second operand, padded with ones so
// that it broadcasts by NumPy's rules, of an operator before opset 7: its
// dimensions stand from the attribute axis on among the first operand's, at the
// end when there is no such attribute.
func LegacyBroadcast(a Attrs, first, second tensor.Shape) (tensor.Shape, error) {
	at := a.IntOr("axis", len(first)-len(second))
	if a.Has("axis") && at < 0 {
		at += len(first)
	}
	fail := func() (tensor.Shape, error) {
		return nil, fmt.Errorf("shape %v does not stand within %v from axis %d on", second, first, at)
	}
	if !manyElements(graph.Fixed(second...)) {
		return tensor.Shape{}, nil
	}
	if at < 0 || at > len(first)-len(second) {
		return fail()
	}
	out := make(tensor.Shape, len(first)-at)
	for i := range out {
		out[i] = 1
		if i < len(second) {
			out[i] = second[i]
			if second[i] != 1 && second[i] != first[at+i] {
				return fail()
			}
		}
	}
	return out, nil
}

// mapInts sets the first output, of shape s, element by element from small
// integer inputs that broadcast.
func (c *Context) mapInts(s graph.Shape, f func(c *Context, args []Int) Int) {
	r, ranked := s.Rank()
	if !ranked || r > 1 || !wholeNumbers(c.outDType(0)) {
		return
	}
	n := 1
	if r == 1 {
		var ok bool
		if n, ok = s.Dim(0).Size(); !ok || n > maxInts {
			return
		}
	}
	ins := make([]*Ints, c.NumInputs())
	for i := range ins {
		if !wholeNumbers(c.DType(i)) {
			return
		}
		if ins[i] = c.Ints(i); ins[i] == nil || len(ins[i].Elems) != 1 && len(ins[i].Elems) != n {
			return
		}
	}
	out := &Ints{Scalar: r == 0, Elems: make([]Int, n)}
	args := make([]Int, len(ins))
	for i := range out.Elems {
		for j, in := range ins {
			if len(in.Elems) == 1 {
				args[j] = in.Elems[0]
			} else {
				args[j] = in.Elems[i]
			}
		}
		out.Elems[i] = fitInt(c.outDType(0), f(c, args))
	}
	c.SetInts(0, out)
}

// manyElements reports whether a tensor of this shape certainly does not hold
// exactly one element.
func manyElements(s graph.Shape) bool {
	for _, d := range s.Dims() {
		if d.IsKnown() && !d.Is(1) {
			return true
		}
	}
	return false
}

func (c *Context) outDType(i int) tensor.DType {
	if i >= len(c.out) {
		return tensor.Undefined
	}
	return c.out[i].Type.DType
}

// wholeNumbers reports whether partial values of a type are followed: those of
// integers that fit an int64, and of bool.
func wholeNumbers(d tensor.DType) bool {
	switch d.Class() {
	case tensor.ClassInt, tensor.ClassUint, tensor.ClassBool:
		return !d.Packed() && d != tensor.Uint64
	}
	return false
}

// fitInt forgets a number that the type does not hold: what arithmetic gives
// then is left to the kernel.
func fitInt(d tensor.DType, v Int) Int {
	n, ok := v.Value()
	if !ok {
		return v
	}
	lo, hi := int64(math.MinInt64), int64(math.MaxInt64)
	switch w := d.Bits(); {
	case d.Class() == tensor.ClassBool:
		lo, hi = 0, 1
	case d.Class() == tensor.ClassUint:
		lo, hi = 0, 1<<w-1
	case w < 64:
		lo, hi = -1<<(w-1), 1<<(w-1)-1
	}
	if n < lo || n > hi {
		return Int{}
	}
	return v
}

func intAdd(_ *Context, v []Int) Int {
	a, b := v[0], v[1]
	switch {
	case a.Is(0):
		return b
	case b.Is(0):
		return a
	}
	return known2(a, b, addInt64)
}

func intSub(_ *Context, v []Int) Int {
	a, b := v[0], v[1]
	switch {
	case b.Is(0):
		return a
	case a.Same(b):
		return KnownInt(0)
	}
	return known2(a, b, func(x, y int64) (int64, bool) {
		return x - y, (x-y < x) == (y > 0)
	})
}

func intMul(_ *Context, v []Int) Int {
	a, b := v[0], v[1]
	switch {
	case a.Is(0) || b.Is(0):
		return KnownInt(0)
	case a.Is(1):
		return b
	case b.Is(1):
		return a
	}
	return known2(a, b, mulInt64)
}

func intDiv(_ *Context, v []Int) Int {
	a, b := v[0], v[1]
	if b.Is(1) {
		return a
	}
	return known2(a, b, func(x, y int64) (int64, bool) {
		if y == 0 || x == math.MinInt64 && y == -1 {
			return 0, false
		}
		return x / y, true
	})
}

func intMod(c *Context, v []Int) Int {
	if v[1].Is(1) {
		return KnownInt(0)
	}
	return known2(v[0], v[1], func(x, y int64) (int64, bool) {
		if y == 0 || y == -1 {
			return 0, y != 0
		}
		r := x % y
		if !c.Bool("fmod") && r != 0 && (r < 0) != (y < 0) {
			r += y
		}
		return r, true
	})
}

func intMax(_ *Context, v []Int) Int { return foldInts(v, 1) }
func intMin(_ *Context, v []Int) Int { return foldInts(v, -1) }

// foldInts is the largest (sign 1) or smallest (sign -1) element. Symbols are
// sizes of dimensions, so that what is not positive is never the larger one.
func foldInts(v []Int, sign int) Int {
	acc := v[0]
	for _, e := range v[1:] {
		x, xok := acc.Value()
		y, yok := e.Value()
		switch {
		case acc.Same(e):
		case xok && yok:
			if (y > x) == (sign > 0) {
				acc = e
			}
		case acc.symbol != "" && yok && y <= 0:
			if sign < 0 {
				acc = e
			}
		case e.symbol != "" && xok && x <= 0:
			if sign > 0 {
				acc = e
			}
		default:
			return Int{}
		}
	}
	return acc
}

func intPow(_ *Context, v []Int) Int {
	return known2(v[0], v[1], func(x, e int64) (int64, bool) {
		if e < 0 || e > 64 {
			return 0, false
		}
		r, ok := int64(1), true
		for ; e > 0 && ok; e-- {
			r, ok = mulInt64(r, x)
		}
		return r, ok
	})
}

func known2(a, b Int, f func(x, y int64) (int64, bool)) Int {
	x, xok := a.Value()
	y, yok := b.Value()
	if !xok || !yok {
		return Int{}
	}
	if r, ok := f(x, y); ok {
		return KnownInt(r)
	}
	return Int{}
}

func addInt64(x, y int64) (int64, bool) { return x + y, (x+y > x) == (y > 0) }

func mulInt64(x, y int64) (int64, bool) {
	neg := (x < 0) != (y < 0)
	hi, lo := bits.Mul64(absInt64(x), absInt64(y))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, false
	}
	if neg {
		return -int64(lo), true
	}
	return int64(lo), true
}

func absInt64(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// inferMod also holds integers to fmod as the specification does floats.
func inferMod(c *Context) error {
	if f := c.Int("fmod"); f != 0 && f != 1 {
		return c.AttrErrorf("fmod", "is %d, allowed are 0 and 1", f)
	}
	if c.DType(0).Class() == tensor.ClassFloat && !c.Bool("fmod") {
		return c.AttrErrorf("fmod", "is 0, must be 1 for %v", c.DType(0))
	}
	return inferBroadcast(intMod)(c)
}
