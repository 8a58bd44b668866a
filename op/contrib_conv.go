package op

import (
	"math"
	"strconv"
	"strings"
)

// Convolutions that ONNX Runtime adds (com.microsoft).
var contribConvDefs = []Def{
	{Domain: "com.microsoft", Name: "FusedConv", Since: 1,
		Inputs:  "X: T; W: T; B?: T; Z?: T",
		Outputs: "Y: T",
		Attrs:   "activation: string; activation_params: floats; auto_pad: string = NOTSET; dilations: ints; group: int = 1; kernel_shape: ints; pads: ints; strides: ints",
		Types:   "T = @float",
		Infer:   inferByBody,
		Body:    fusedConvBody},
}

// fusedConvBody is Conv, plus Z where it is given, and then the activation, whose
// parameters are a list in the order of fusedActivations.
func fusedConvBody(c *Context) (Body, error) {
	name, given := c.String("activation"), c.Floats("activation_params")
	f, ok := fusedActivations[name]
	if !ok {
		return Body{}, c.AttrErrorf("activation", "is %q, which is no activation that follows a convolution", name)
	}
	if len(given) < len(f.params) {
		return Body{}, c.AttrErrorf("activation_params", "has %d elements, %s needs %d", len(given), name, len(f.params))
	}
	end := f.text
	for _, v := range given[:len(f.params)] {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return Body{}, c.AttrErrorf("activation_params", "has %v, must be finite", v)
		}
		end = strings.Replace(end, "%s", strconv.FormatFloat(float64(v), 'e', -1, 32), 1)
	}
	sum := "Identity (conv)"
	if c.HasInput(3) {
		sum = "Add (conv, Z)"
	}
	return Body{bodyOpset, `
		conv = Conv <auto_pad = @auto_pad, dilations = @dilations, group = @group, kernel_shape = @kernel_shape, pads = @pads, strides = @strides> (X, W, B)
		sum = ` + sum + `
		Y = ` + strings.ReplaceAll(end, "$", "sum")}, nil
}
