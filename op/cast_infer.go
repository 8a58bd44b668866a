package op

import (
	"fmt"
	"strings"

	"gort/tensor"
)

// CastType reads the target type of a Cast or BitCast: a name in the first
// version of Cast, else a number of TensorProto.DataType.
func CastType(a Attrs) (tensor.DType, bool) {
	if a.Def.Name == "Cast" && a.Def.Since < 6 {
		d, err := tensor.ParseDType(strings.ToLower(a.String("to")))
		return d, err == nil
	}
	to := a.Int64("to")
	d := tensor.DType(to)
	return d, int64(d) == to && d.Valid()
}

// castTarget is CastType checked against the definition.
func (c *Context) castTarget() (tensor.DType, error) {
	d, ok := CastType(c.Attrs)
	if set := c.sig.Types["T2"].Tensor; !ok || !set.Has(d) {
		if c.Def.Name == "Cast" && c.Def.Since < 6 {
			return d, c.AttrErrorf("to", "is %q, allowed are the names of %v", c.String("to"), set)
		}
		return d, c.AttrErrorf("to", "is %d, allowed are the numbers of %v", c.Int64("to"), set)
	}
	return d, nil
}

func inferCast(c *Context) error {
	d, err := c.castTarget()
	if err != nil {
		return err
	}
	c.SetDType(0, d)
	c.SetShape(0, c.Shape(0))
	c.castInts(d)
	return c.checkRoundMode()
}

func inferCastLike(c *Context) error {
	c.SetShape(0, c.Shape(0))
	c.castInts(c.DType(1))
	return c.checkRoundMode()
}

// castInts passes integers through a conversion between integer types.
func (c *Context) castInts(to tensor.DType) {
	if !wholeNumbers(to) || !wholeNumbers(c.DType(0)) {
		return
	}
	in := c.Ints(0)
	if in == nil {
		return
	}
	out := &Ints{Scalar: in.Scalar, Elems: make([]Int, len(in.Elems))}
	for i, e := range in.Elems {
		if n, ok := e.Value(); ok && to == tensor.Bool {
			e = boolInt(n != 0)
		} else if to == tensor.Bool {
			e = Int{}
		}
		out.Elems[i] = fitInt(to, e)
	}
	c.SetInts(0, out)
}

func (c *Context) checkRoundMode() error {
	if c.sig.Attr("round_mode") == nil {
		return nil
	}
	if _, ok := RoundModeOf(c.String("round_mode")); !ok {
		return c.AttrErrorf("round_mode", "is %q, allowed are up, down and nearest", c.String("round_mode"))
	}
	return nil
}

// RoundModeOf reads the attribute round_mode; no name is the default, up.
func RoundModeOf(name string) (tensor.RoundMode, bool) {
	for _, m := range []tensor.RoundMode{tensor.RoundUp, tensor.RoundNearest, tensor.RoundDown} {
		if name == m.String() || name == "" {
			return m, true
		}
	}
	return tensor.RoundUp, false
}

func inferBitCast(c *Context) error {
	d, err := c.castTarget()
	if err != nil {
		return err
	}
	if from := c.DType(0); from != tensor.Undefined && from.Bits() != d.Bits() {
		return c.AttrErrorf("to", "is %v of %d bits, the input is %v of %d", d, d.Bits(), from, from.Bits())
	}
	c.SetDType(0, d)
	c.SetShape(0, c.Shape(0))
	return nil
}

// castLikeBody is the Cast of the same version.
func castLikeBody(c *Context) (Body, error) {
	to := c.DType(1)
	if to == tensor.Undefined {
		return Body{}, nil
	}
	return Body{c.Def.Since, fmt.Sprintf("output = Cast <to = %d, saturate = @saturate, round_mode = @round_mode> (input)", to)}, nil
}
