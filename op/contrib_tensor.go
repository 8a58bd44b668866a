package op

import (
	"fmt"
	"math"
	"strings"
)

// Operators of com.microsoft that rearrange and sample tensors, and withdrawn ones of
// ai.onnx. Their bodies say what they are in terms of later operators of ai.onnx.
var contribTensorDefs = []Def{
	{Domain: "com.microsoft", Name: "ExpandDims", Since: 1,
		Inputs:  "X: T; axis: tensor(int32)",
		Outputs: "Y: T",
		Types:   "T = @all",
		Infer:   inferByBody,
		Body: text(`
			none = Constant <value_ints = [1]> ()
			wide = Cast <to = 7> (axis)
			axes = Reshape (wide, none)
			Y = Unsqueeze (X, axes)`)},
	{Domain: "com.microsoft", Name: "GatherND", Since: 1,
		Inputs:  "data: T; indices: Tind",
		Outputs: "output: T",
		Types:   "T = @all; Tind = int32 int64",
		Infer:   inferByBody,
		Body: text(`
			wide = Cast <to = 7> (indices)
			output = GatherND (data, wide)`)},
	{Domain: "com.microsoft", Name: "Pad", Since: 1,
		Inputs:  "data: T; pads: tensor(int64); value?: T",
		Outputs: "output: T",
		Attrs:   "mode: string = constant",
		Types:   "T = @float",
		Infer:   inferByBody,
		Body:    contribPadBody},
	{Domain: "com.microsoft", Name: "Range", Since: 1,
		Inputs:  "start: T; limit: T; delta?: T",
		Outputs: "Y: T",
		Types:   "T = float double int16 int32 int64",
		Infer:   inferByBody,
		Body:    contribRangeBody},
	{Domain: "com.microsoft", Name: "Trilu", Since: 1,
		Inputs:  "X: T; k?: tensor(int64)",
		Outputs: "Y: T",
		Attrs:   "upper: int = 1",
		Types:   "T = @numericbf bool",
		Infer:   inferByBody,
		Body:    text(`Y = Trilu <upper = @upper> (X, k)`)},
	{Domain: "com.microsoft", Name: "GridSample", Since: 1,
		Inputs:  "X: T1; Grid: T1",
		Outputs: "Y: T2",
		Attrs:   "align_corners: int = 0; mode: string = bilinear; padding_mode: string = zeros",
		Types:   "T1 = @float; T2 = @float",
		Infer:   inferByBody,
		Body:    textAt(16, `Y = GridSample <align_corners = @align_corners, mode = @mode, padding_mode = @padding_mode> (X, Grid)`)},
	{Name: "DynamicSlice", Since: 1,
		Inputs:  "data: T; starts: Tind; ends: Tind; axes?: Tind",
		Outputs: "output: T",
		Types:   "T = @numericbf bool string; Tind = int32 int64",
		Infer:   inferByBody,
		Body:    text(`output = Slice (data, starts, ends, axes)`)},
	{Name: "ImageScaler", Since: 1,
		Inputs:  "input: T",
		Outputs: "output: T",
		Attrs:   "bias!: floats; scale: float = 1",
		Types:   "T = @float",
		Infer:   inferImageScaler,
		Body:    imageScalerBody},
	{Name: "Crop", Since: 1,
		Inputs:  "input: T",
		Outputs: "output: T",
		Attrs:   "border!: ints; scale: ints",
		Types:   "T = @float",
		Infer:   inferByBody,
		Body:    cropBody},
	{Domain: "com.microsoft", Name: "ComplexMul", Since: 1,
		Inputs:  "A: T; B: T",
		Outputs: "C: T",
		Types:   "T = @float",
		Infer:   inferByBody,
		Body:    complexMulBody("Sub", "Add")},
	{Domain: "com.microsoft", Name: "ComplexMulConj", Since: 1,
		Inputs:  "A: T; B: T",
		Outputs: "C: T",
		Types:   "T = @float",
		Infer:   inferByBody,
		Body:    complexMulBody("Add", "Sub")},
	{Domain: "com.microsoft", Name: "IsAllFinite", Since: 1,
		Inputs:  "input+~: V",
		Outputs: "output: T",
		Attrs:   "isinf_only: int = 0; isnan_only: int = 0",
		Types:   "V = @floatbf; T = bool",
		Infer:   inferByBody,
		Body:    isAllFiniteBody},
}

// bodyOpset is the version of ai.onnx in which the bodies of these operators are written.
const bodyOpset = 21

// text is a body that does not depend on the node.
func text(body string) func(c *Context) (Body, error) { return textAt(bodyOpset, body) }

// textAt is a text in an older version of ai.onnx, for an operator that changed.
func textAt(opset int, body string) func(c *Context) (Body, error) {
	return func(*Context) (Body, error) { return Body{Opset: opset, Text: body}, nil }
}

// contribPadBody takes pads that may be one row, and a value that may be a vector of one.
func contribPadBody(c *Context) (Body, error) {
	value, list := "", "(data, list)"
	if c.HasInput(2) {
		value, list = "one = Squeeze (value)", "(data, list, one)"
	}
	return Body{Opset: bodyOpset, Text: `
		flat = Constant <value_ints = [-1]> ()
		list = Reshape (pads, flat)
		` + value + `
		output = Pad <mode = @mode> ` + list}, nil
}

// contribRangeBody takes scalars that may be vectors of one element; the step is 1
// when it is left out.
func contribRangeBody(c *Context) (Body, error) {
	delta := "step = Squeeze (delta)"
	if !c.HasInput(2) {
		delta = `
			one = Constant <value_int = 1> ()
			step = CastLike (one, start)`
	}
	return Body{Opset: bodyOpset, Text: `
		first = Squeeze (start)
		last = Squeeze (limit)
		` + delta + `
		Y = Range (first, last, step)`}, nil
}

func inferImageScaler(c *Context) error {
	if err := c.WantRank(0, 4); err != nil {
		return err
	}
	bias := c.Floats("bias")
	if n, ok := c.Shape(0).Dim(1).Size(); ok && n != len(bias) {
		return c.AttrErrorf("bias", "has %d elements, must have one for each of the %d channels", len(bias), n)
	}
	return inferSame(c)
}

// imageScalerBody is input * scale + bias of the channel.
func imageScalerBody(c *Context) (Body, error) {
	return Body{Opset: bodyOpset, Text: `
		b = Constant <value_floats: floats = @bias> ()
		s = Constant <value_float: float = @scale> ()
		shape = Constant <value_ints = [-1, 1, 1]> ()
		column = Reshape (b, shape)
		bias = CastLike (column, input)
		scale = CastLike (s, input)
		scaled = Mul (input, scale)
		output = Add (scaled, bias)`}, nil
}

// cropBody takes border (left, top, right, bottom) off the last two dimensions, or
// keeps scale (height, width) from the top left border on.
func cropBody(c *Context) (Body, error) {
	if err := c.WantRank(0, 4); err != nil {
		return Body{}, err
	}
	border, scale := c.Attrs.Ints("border"), c.Attrs.Ints("scale")
	if len(border) != 4 {
		return Body{}, c.AttrErrorf("border", "has %d elements, must have 4: left, top, right and bottom", len(border))
	}
	if len(scale) != 0 && len(scale) != 2 {
		return Body{}, c.AttrErrorf("scale", "has %d elements, must have 2: height and width", len(scale))
	}
	for name, list := range map[string][]int64{"border": border, "scale": scale} {
		for _, v := range list {
			if v < 0 || v > math.MaxInt32 {
				return Body{}, c.AttrErrorf(name, "is %v, allowed are sizes from 0 to %d", list, math.MaxInt32)
			}
		}
	}
	left, top, right, bottom := border[0], border[1], border[2], border[3]
	if len(scale) == 2 {
		return Body{Opset: bodyOpset, Text: fmt.Sprintf(`
			starts = Constant <value_ints = [%d, %d]> ()
			ends = Constant <value_ints = [%d, %d]> ()
			axes = Constant <value_ints = [2, 3]> ()
			output = Slice (input, starts, ends, axes)`, top, left, top+scale[0], left+scale[1])}, nil
	}
	return Body{Opset: bodyOpset, Text: fmt.Sprintf(`
		starts = Constant <value_ints = [%d, %d]> ()
		shape = Shape <start = 2> (input)
		border = Constant <value_ints = [%d, %d]> ()
		ends = Sub (shape, border)
		axes = Constant <value_ints = [2, 3]> ()
		output = Slice (input, starts, ends, axes)`, top, left, bottom, right)}, nil
}

// complexMulBody multiplies pairs (real, imaginary) along the last dimension.
func complexMulBody(realSign, imagSign string) func(*Context) (Body, error) {
	return func(*Context) (Body, error) {
		return Body{Opset: bodyOpset, Text: `
			a, b = Split <axis = -1, num_outputs = 2> (A)
			x, y = Split <axis = -1, num_outputs = 2> (B)
			ax = Mul (a, x)
			by = Mul (b, y)
			ay = Mul (a, y)
			bx = Mul (b, x)
			real = ` + realSign + ` (ax, by)
			imag = ` + imagSign + ` (bx, ay)
			C = Concat <axis = -1> (real, imag)`}, nil
	}
}

// isAllFiniteBody counts what is not finite in each input.
func isAllFiniteBody(c *Context) (Body, error) {
	var b strings.Builder
	var counts []string
	for i := range c.NumInputs() {
		test := "nan = IsNaN (input)\ninf = IsInf (input)\nbad = Or (nan, inf)\n"
		switch {
		case c.Bool("isinf_only"):
			test = "bad = IsInf (input)\n"
		case c.Bool("isnan_only"):
			test = "bad = IsNaN (input)\n"
		}
		test += "number = Cast <to = 1> (bad)\ncount = ReduceSum <keepdims = 0> (number)\n"
		for _, name := range []string{"nan", "inf", "bad", "number", "count"} {
			test = strings.ReplaceAll(test, name+" ", fmt.Sprintf("%s%d ", name, i))
			test = strings.ReplaceAll(test, name+",", fmt.Sprintf("%s%d,", name, i))
			test = strings.ReplaceAll(test, name+")", fmt.Sprintf("%s%d)", name, i))
		}
		b.WriteString(strings.ReplaceAll(test, "(input)", fmt.Sprintf("(input_%d)", i)))
		counts = append(counts, fmt.Sprintf("count%d", i))
	}
	fmt.Fprintf(&b, "total = Sum (%s)\nnone = Constant <value_float = 0.0> ()\noutput = Equal (total, none)", strings.Join(counts, ", "))
	return Body{Opset: bodyOpset, Text: b.String()}, nil
}
