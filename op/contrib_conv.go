package op

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gort/graph"
)

// Convolutions that ONNX Runtime adds (com.microsoft).
var contribConvDefs = []Def{
	{Domain: "com.microsoft", Name: "ConvTransposeWithDynamicPads", Since: 1,
		Inputs:  "X: T; W: T; Pads?: tensor(int64); B?: T",
		Outputs: "Y: T",
		Attrs:   "auto_pad: string = NOTSET; dilations: ints; group: int = 1; kernel_shape: ints; output_padding: ints; strides: ints",
		Types:   "T = float16 float double",
		Infer:   inferByBody,
		Body:    dynamicPadsBody},
	{Domain: "com.microsoft", Name: "MaxpoolWithMask", Since: 1,
		Inputs:  "X: T; M: tensor(int32)",
		Outputs: "Y: T",
		Attrs:   "auto_pad: string = NOTSET; kernel_shape!: ints; pads: ints; storage_order: int = 0; strides: ints",
		Types:   "T = float",
		Infer:   inferMaxpoolWithMask},
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

// dynamicPadsBody cuts off what the pads say after a ConvTranspose that has none.
func dynamicPadsBody(c *Context) (Body, error) {
	attrs := ""
	for _, name := range []string{"auto_pad", "dilations", "group", "kernel_shape", "output_padding", "strides"} {
		attrs += fmt.Sprintf(", %[1]s = @%[1]s", name)
	}
	whole := "ConvTranspose <" + attrs[2:] + "> (X, W, B)"
	if !c.HasInput(2) {
		return Body{bodyOpset, "Y = " + whole}, nil
	}
	if a := c.String("auto_pad"); a != "NOTSET" {
		return Body{}, c.AttrErrorf("auto_pad", "is %q, but Pads are given; it must be NOTSET with them", a)
	}
	if pads, ok := c.KnownInts(2); ok && slices.ContainsFunc(pads, func(v int64) bool { return v < 0 }) {
		return Body{}, c.InputErrorf(2, "is %v, must not be negative", pads)
	}
	rank, ok := c.Shape(0).Rank()
	if !ok || rank < 3 {
		return Body{}, nil
	}
	axes := make([]string, rank-2)
	for i := range axes {
		axes[i] = fmt.Sprint(i + 2)
	}
	return Body{bodyOpset, fmt.Sprintf(`
		whole = %s
		begin, end = Split <axis = 0, num_outputs = 2> (Pads)
		Y = Slice (whole, begin, Sub (Shape <start = 2> (whole), end), [%s])`, whole, strings.Join(axes, ", "))}, nil
}

// inferMaxpoolWithMask: the mask is as large as the planes of the input.
func inferMaxpoolWithMask(c *Context) error {
	x, m := c.Shape(0), c.Shape(1)
	if rank, ok := x.Rank(); ok && m.IsRanked() {
		dims := append([]graph.Dim{m.Dim(0), m.Dim(1)}, x.Dims()[min(2, rank):]...)
		if err := c.wantDims(1, dims...); err != nil {
			return err
		}
	}
	return inferPool(c)
}
