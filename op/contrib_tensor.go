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
		Body:    body(bodyOpset, "Y = Unsqueeze (X, Reshape (Cast <to = 7> (axis), [1]))")},
	{Domain: "com.microsoft", Name: "GatherND", Since: 1,
		Inputs:  "data: T; indices: Tind",
		Outputs: "output: T",
		Types:   "T = @all; Tind = int32 int64",
		Infer:   inferByBody,
		Body:    body(bodyOpset, "output = GatherND (data, Cast <to = 7> (indices))")},
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
		Body:    body(bodyOpset, "Y = Trilu <upper = @upper> (X, k)")},
	{Domain: "com.microsoft", Name: "GridSample", Since: 1,
		Inputs:  "X: T1; Grid: T1",
		Outputs: "Y: T2",
		Attrs:   "align_corners: int = 0; mode: string = bilinear; padding_mode: string = zeros",
		Types:   "T1 = @float; T2 = @float",
		Infer:   inferByBody,
		Body:    body(16, "Y = GridSample <align_corners = @align_corners, mode = @mode, padding_mode = @padding_mode> (X, Grid)")},
	{Name: "DynamicSlice", Since: 1,
		Inputs:  "data: T; starts: Tind; ends: Tind; axes?: Tind",
		Outputs: "output: T",
		Types:   "T = @numericbf bool string; Tind = int32 int64",
		Infer:   inferByBody,
		Body:    body(bodyOpset, "output = Slice (data, starts, ends, axes)")},
	{Name: "ImageScaler", Since: 1,
		Inputs:  "input: T",
		Outputs: "output: T",
		Attrs:   "bias!: floats; scale: float = 1",
		Types:   "T = @float",
		Infer:   inferImageScaler,
		Body:    body(bodyOpset, "output = Add (Mul (input, @scale:input), Reshape (@bias:input, [-1, 1, 1]))")},
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

// contribPadBody takes pads that may be one row, and a value that may be a vector of one.
func contribPadBody(c *Context) (Body, error) {
	value := ""
	if c.HasInput(2) {
		value = ", Squeeze (value)"
	}
	return Body{bodyOpset, "output = Pad <mode = @mode> (data, Reshape (pads, [-1])" + value + ")"}, nil
}

// contribRangeBody takes scalars that may be vectors of one element; the step is 1
// when it is left out.
func contribRangeBody(c *Context) (Body, error) {
	step := "1:start"
	if c.HasInput(2) {
		step = "Squeeze (delta)"
	}
	return Body{bodyOpset, "Y = Range (Squeeze (start), Squeeze (limit), " + step + ")"}, nil
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
	from := fmt.Sprintf("[%d, %d]", top, left)
	to := fmt.Sprintf("Sub (Shape <start = 2> (input), [%d, %d])", bottom, right)
	if len(scale) == 2 {
		to = fmt.Sprintf("[%d, %d]", top+scale[0], left+scale[1])
	}
	return Body{bodyOpset, fmt.Sprintf("output = Slice (input, %s, %s, [2, 3])", from, to)}, nil
}

// complexMulBody multiplies pairs (real, imaginary) along the last dimension.
func complexMulBody(realSign, imagSign string) func(*Context) (Body, error) {
	return body(bodyOpset, `
		a, b = Split <axis = -1, num_outputs = 2> (A)
		x, y = Split <axis = -1, num_outputs = 2> (B)
		real = `+realSign+` (Mul (a, x), Mul (b, y))
		imag = `+imagSign+` (Mul (b, x), Mul (a, y))
		C = Concat <axis = -1> (real, imag)`)
}

// isAllFiniteBody counts what is not finite in each input.
func isAllFiniteBody(c *Context) (Body, error) {
	bad := "Or (IsNaN (%[1]s), IsInf (%[1]s))"
	switch {
	case c.Bool("isinf_only"):
		bad = "IsInf (%s)"
	case c.Bool("isnan_only"):
		bad = "IsNaN (%s)"
	}
	counts := make([]string, c.NumInputs())
	for i := range counts {
		counts[i] = fmt.Sprintf("ReduceSum <keepdims = 0> (Cast <to = 1> ("+bad+"))", fmt.Sprintf("input_%d", i))
	}
	return Body{bodyOpset, "output = Equal (Sum (" + strings.Join(counts, ", ") + "), 0.0)"}, nil
}
