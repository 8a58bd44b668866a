package op

import (
	"fmt"
	"strings"

	"gort/tensor"
)

// Operators on linearly quantized tensors that ONNX Runtime adds (com.microsoft): each
// is the operator of ai.onnx between DequantizeLinear and QuantizeLinear.
var contribQuantDefs = []Def{
	{Domain: "com.microsoft", Name: "QuantizeLinear", Since: 1,
		Inputs:  "x: T1; y_scale: T1; y_zero_point?: T2",
		Outputs: "y: T2",
		Attrs:   "axis: int = 1",
		Types:   "T1 = float16 float; T2 = int8 uint8 int16 uint16 int4 uint4",
		Infer:   inferByBody,
		Body:    body(bodyOpset, "y = QuantizeLinear <axis = @axis> (x, y_scale, y_zero_point)")},
	{Domain: "com.microsoft", Name: "DequantizeLinear", Since: 1,
		Inputs:  "x: T1; x_scale: T2; x_zero_point?: T1",
		Outputs: "y: T2",
		Attrs:   "axis: int = 1",
		Types:   "T1 = int8 uint8 int16 uint16 int32 int4 uint4; T2 = float16 float",
		Infer:   inferByBody,
		Body:    body(bodyOpset, "y = DequantizeLinear <axis = @axis> (x, x_scale, x_zero_point)")},
	{Domain: "com.microsoft", Name: "QLinearAdd", Since: 1,
		Inputs:  "A: T; A_scale: tensor(float); A_zero_point?: T; B: T; B_scale: tensor(float); B_zero_point?: T; C_scale: tensor(float); C_zero_point?: T",
		Outputs: "C: T",
		Types:   "T = uint8 int8",
		Infer:   inferByBody,
		Body:    qlinearArithmeticBody("Add")},
	{Domain: "com.microsoft", Name: "QLinearMul", Since: 1,
		Inputs:  "A: T; A_scale: tensor(float); A_zero_point?: T; B: T; B_scale: tensor(float); B_zero_point?: T; C_scale: tensor(float); C_zero_point?: T",
		Outputs: "C: T",
		Types:   "T = uint8 int8",
		Infer:   inferByBody,
		Body:    qlinearArithmeticBody("Mul")},
	{Domain: "com.microsoft", Name: "QLinearSigmoid", Since: 1,
		Inputs:  "X: T; X_scale: tensor(float); X_zero_point?: T; Y_scale: tensor(float); Y_zero_point?: T",
		Outputs: "Y: T",
		Types:   "T = uint8 int8",
		Infer:   inferByBody,
		Body:    qlinearUnaryBody("Sigmoid (x)")},
	{Domain: "com.microsoft", Name: "QLinearLeakyRelu", Since: 1,
		Inputs:  "X: T; X_scale: tensor(float); X_zero_point?: T; Y_scale: tensor(float); Y_zero_point?: T",
		Outputs: "Y: T",
		Attrs:   "alpha: float = 0.01",
		Types:   "T = uint8 int8",
		Infer:   inferByBody,
		Body:    qlinearUnaryBody("LeakyRelu <alpha = @alpha> (x)")},
	{Domain: "com.microsoft", Name: "QLinearSoftmax", Since: 1,
		Inputs:  "X: T; X_scale: tensor(float); x_zero_point?: T; y_scale: tensor(float); y_zero_point: T",
		Outputs: "Y: T",
		Attrs:   "axis: int = -1; opset!: int",
		Types:   "T = uint8 int8",
		Infer:   inferByBody,
		Body:    qlinearSoftmaxBody},
	{Domain: "com.microsoft", Name: "QLinearAveragePool", Since: 1,
		Inputs:  "X: T; x_scale: tensor(float); x_zero_point?: T; y_scale: tensor(float); y_zero_point?: T",
		Outputs: "Y: T",
		Attrs:   "auto_pad: string = NOTSET; ceil_mode: int = 0; channels_last: int = 0; count_include_pad: int = 0; kernel_shape!: ints; pads: ints; strides: ints",
		Types:   "T = uint8 int8",
		Infer:   inferByBody,
		Body:    qlinearPoolBody("AveragePool <auto_pad = @auto_pad, ceil_mode = @ceil_mode, count_include_pad = @count_include_pad, kernel_shape = @kernel_shape, pads = @pads, strides = @strides>")},
	{Domain: "com.microsoft", Name: "QLinearGlobalAveragePool", Since: 1,
		Inputs:  "X: T; x_scale: tensor(float); x_zero_point: T; y_scale: tensor(float); y_zero_point: T",
		Outputs: "Y: T",
		Attrs:   "channels_last: int = 0",
		Types:   "T = uint8 int8",
		Infer:   inferByBody,
		Body: func(c *Context) (Body, error) { // here it rounds before it adds the zero point
			return c.nhwcBody("X", "Y", "QuantizeLinear (GlobalAveragePool (DequantizeLinear ($, x_scale, x_zero_point)), y_scale, y_zero_point)")
		}},
	{Domain: "com.microsoft", Name: "QLinearConcat", Since: 1,
		Inputs:  "Y_scale: TF; Y_zero_point: T8; inputs+~: TV",
		Outputs: "Y: T8",
		Attrs:   "axis!: int",
		Types:   "T8 = uint8 int8; TF = float; TV = uint8 int8 float",
		Infer:   inferByBody,
		Body:    qlinearConcatBody},
	{Domain: "com.microsoft", Name: "QLinearWhere", Since: 1,
		Inputs:  "condition: B; X: T; x_scale: TF; x_zero_point: T; Y: T; y_scale: TF; y_zero_point: T; z_scale: TF; z_zero_point: T",
		Outputs: "Z: T",
		Types:   "B = bool; TF = float; T = uint8 int8",
		Infer:   inferByBody,
		Body: body(bodyOpset, `
			x = DequantizeLinear (X, x_scale, x_zero_point)
			y = DequantizeLinear (Y, y_scale, y_zero_point)
			Z = QuantizeLinear (Where (condition, x, y), z_scale, z_zero_point)`)},
	{Domain: "com.microsoft", Name: "NhwcMaxPool", Since: 1,
		Inputs:  "x: T",
		Outputs: "y: T",
		Attrs:   "auto_pad: string = NOTSET; ceil_mode: int = 0; dilations: ints; kernel_shape!: ints; pads: ints; strides: ints",
		Types:   "T = int8 uint8",
		Infer:   inferByBody,
		Body: func(c *Context) (Body, error) {
			first, last, err := c.channelsLast(0)
			return Body{bodyOpset, `
				pooled = MaxPool <auto_pad = @auto_pad, ceil_mode = @ceil_mode, dilations = @dilations, kernel_shape = @kernel_shape, pads = @pads, strides = @strides> (Transpose <perm = ` + first + `> (x))
				y = Transpose <perm = ` + last + `> (pooled)`}, err
		}},
	{Domain: "com.microsoft", Name: "QLinearConv", Since: 1,
		Inputs:  "x: T1; x_scale: tensor(float); x_zero_point: T1; w: T2; w_scale: tensor(float); w_zero_point: T2; y_scale: tensor(float); y_zero_point: T3; B?: T4",
		Outputs: "y: T3",
		Attrs:   "auto_pad: string = NOTSET; channels_last: int = 0; dilations: ints; group: int = 1; kernel_shape: ints; pads: ints; strides: ints",
		Types:   "T1 = int8 uint8; T2 = int8 uint8; T3 = int8 uint8; T4 = int32",
		Infer:   inferByBody,
		Body: func(c *Context) (Body, error) {
			conv := "QLinearConv <auto_pad = @auto_pad, dilations = @dilations, group = @group, kernel_shape = @kernel_shape, pads = @pads, strides = @strides> ($, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point, B)"
			return c.nhwcBody("x", "y", conv)
		}},
	{Domain: "com.microsoft", Name: "QGemm", Since: 1,
		Inputs:  "A: TA; a_scale: T; a_zero_point: TA; B: TB; b_scale: T; b_zero_point: TB; C?: TC; y_scale?: T; y_zero_point?: TYZ",
		Outputs: "Y: TY",
		Attrs:   "alpha: float = 1; transA: int = 0; transB: int = 0",
		Types:   "T = float; TA = uint8 int8; TB = uint8 int8; TC = int32; TYZ = uint8 int8; TY = float uint8 int8",
		Infer:   inferByBody,
		Body:    qgemmBody},
	{Domain: "com.microsoft", Name: "QEmbedLayerNormalization", Since: 1,
		Inputs:  "input_ids: T1; segment_ids?: T1; word_embedding_quant: T2; position_embedding_quant: T2; segment_embedding?: T2; gamma_quant: T2; beta_quant: T2; mask?: T1; word_embedding_scale: T; position_embedding_scale: T; segment_embedding_scale?: T; gamma_scale: T; beta_scale: T; word_embedding_zero_point: T2; position_embedding_zero_point: T2; segment_embedding_zero_point?: T2; gamma_zero_point: T2; beta_zero_point: T2",
		Outputs: "layernorm_out: T; mask_index_out: T1",
		Attrs:   "epsilon: float = 1e-12",
		Types:   "T1 = int32; T2 = int8 uint8; T = float",
		Infer:   inferQEmbedLayerNorm,
		Body:    qembedLayerNormBody},
}

// qlinearArithmeticBody applies an operator to two quantized tensors.
func qlinearArithmeticBody(name string) func(*Context) (Body, error) {
	return func(c *Context) (Body, error) {
		return Body{bodyOpset, `
			a = DequantizeLinear (A, A_scale, A_zero_point)
			b = DequantizeLinear (B, B_scale, B_zero_point)
			C = ` + c.requantize(name+" (a, b)", "A", "C_scale", "C_zero_point", 7)}, nil
	}
}

// requantize writes the quantized form of a real value in the element type of like,
// as ONNX Runtime computes it: the zero point (input i) is added before rounding, so
// that halves go to the even result. QuantizeLinear rounds first.
func (c *Context) requantize(real, like, scale, zero string, i int) string {
	lo, hi := "0.0", "255.0"
	if c.DType(0) == tensor.Int8 {
		lo, hi = "-128.0", "127.0"
	}
	sum := "Div (" + real + ", " + scale + ")"
	if c.HasInput(i) {
		sum = "Add (" + sum + ", Cast <to = 1> (" + zero + "))"
	}
	return "CastLike (Clip (Round (" + sum + "), " + lo + ", " + hi + "), " + like + ")"
}

// qlinearUnaryBody applies a function of x; without a zero point the result is of the
// input's type all the same.
func qlinearUnaryBody(function string) func(*Context) (Body, error) {
	return func(c *Context) (Body, error) {
		zero := "Y_zero_point"
		if !c.HasInput(4) {
			zero = "CastLike (0, X)"
		}
		return Body{bodyOpset, `
			x = DequantizeLinear (X, X_scale, X_zero_point)
			y = ` + function + `
			Y = QuantizeLinear (y, Y_scale, ` + zero + `)`}, nil
	}
}

// qlinearSoftmaxBody: before opset 13 Softmax runs over all dimensions from axis on.
func qlinearSoftmaxBody(c *Context) (Body, error) {
	opset := c.Int("opset")
	if opset < 1 {
		return Body{}, c.AttrErrorf("opset", "is %d, must be a version of ai.onnx", opset)
	}
	soft := "s = Softmax <axis = @axis> (x)"
	if opset < 13 {
		rank, ok := c.Shape(0).Rank()
		if !ok {
			return Body{}, c.InputErrorf(0, "has an unknown number of dimensions, from which the axis counts; declare its shape")
		}
		axis, err := c.Axis("axis", rank)
		if err != nil {
			return Body{}, err
		}
		soft = fmt.Sprintf("s = Reshape (Softmax <axis = -1> (Flatten <axis = %d> (x)), Shape (x))", axis)
	}
	return Body{bodyOpset, `
		x = DequantizeLinear (X, X_scale, x_zero_point)
		` + soft + `
		Y = QuantizeLinear (s, y_scale, y_zero_point)`}, nil
}

// channelsLast returns the permutations that move the channels of input i to the
// second place and back to the last.
func (c *Context) channelsLast(i int) (first, last string, err error) {
	rank, ok := c.Shape(i).Rank()
	if !ok {
		return "", "", c.InputErrorf(i, "has an unknown number of dimensions, which the layout depends on; declare its shape")
	}
	if rank < 3 {
		return "", "", c.InputErrorf(i, "shape %v has rank %d, the operator needs 3 or more", c.Shape(i), rank)
	}
	to, from := []string{"0", fmt.Sprint(rank - 1)}, []string{"0"}
	for d := 1; d < rank-1; d++ {
		to, from = append(to, fmt.Sprint(d)), append(from, fmt.Sprint(d+1))
	}
	from = append(from, "1")
	return "[" + strings.Join(to, ", ") + "]", "[" + strings.Join(from, ", ") + "]", nil
}

// nhwcBody writes the body y = call, with $ for the input x, in either layout.
func (c *Context) nhwcBody(x, y, call string) (Body, error) {
	if !c.Bool("channels_last") {
		return Body{bodyOpset, y + " = " + strings.ReplaceAll(call, "$", x)}, nil
	}
	first, last, err := c.channelsLast(0)
	return Body{bodyOpset, y + " = Transpose <perm = " + last + "> (" +
		strings.ReplaceAll(call, "$", "Transpose <perm = "+first+"> ("+x+")") + ")"}, err
}

func qlinearPoolBody(pool string) func(*Context) (Body, error) {
	return func(c *Context) (Body, error) {
		return c.nhwcBody("X", "Y", c.requantize(pool+" (DequantizeLinear ($, x_scale, x_zero_point))", "X", "y_scale", "y_zero_point", 4))
	}
}

// qlinearConcatBody: the inputs come in threes, a tensor with its scale and zero point.
func qlinearConcatBody(c *Context) (Body, error) {
	n := c.NumInputs() - 2
	if n%3 != 0 || n < 3 {
		return Body{}, c.Errorf("has %d inputs after the output's scale and zero point, must have three for each tensor", n)
	}
	var parts []string
	for i := 0; i < n; i += 3 {
		parts = append(parts, fmt.Sprintf("DequantizeLinear (inputs_%d, inputs_%d, inputs_%d)", i, i+1, i+2))
	}
	return Body{bodyOpset, "Y = QuantizeLinear (Concat <axis = @axis> (" + strings.Join(parts, ", ") + "), Y_scale, Y_zero_point)"}, nil
}

// qgemmBody multiplies integers: alpha*(a_scale*b_scale)*((A-a_zero)*(B-b_zero) + C),
// quantized when the output has a scale.
func qgemmBody(c *Context) (Body, error) {
	a, b := "A", "B"
	if c.Bool("transA") {
		a = "Transpose <perm = [1, 0]> (A)"
	}
	if c.Bool("transB") {
		b = "Transpose <perm = [1, 0]> (B)"
	}
	sum := "Identity (product)"
	if c.HasInput(6) {
		sum = "Add (product, C)"
	}
	end := "Y = Identity (real)"
	if c.HasInput(7) {
		end = "Y = QuantizeLinear (real, y_scale, y_zero_point)"
	}
	return Body{bodyOpset, `
		product = MatMulInteger (` + a + ", " + b + `, a_zero_point, b_zero_point)
		sum = ` + sum + `
		unit = Mul (Mul (a_scale, b_scale), @alpha:a_scale)
		real = Mul (Cast <to = 1> (sum), unit)
		` + end}, nil
}

// qembedLayerNormBody normalises the sum of a word's, a position's and a segment's row
// of quantized tables, and counts the ones of each row of the mask.
func qembedLayerNormBody(c *Context) (Body, error) {
	rows := "Add (words, positions)"
	if c.HasInput(1) {
		rows = "Add (" + rows + ", DequantizeLinear (Gather (segment_embedding, segment_ids), Squeeze (segment_embedding_scale), Squeeze (segment_embedding_zero_point)))"
	}
	count := "Expand (Cast <to = 6> (0), Shape <end = 1> (input_ids))"
	if c.HasInput(7) {
		count = "ReduceSum <keepdims = 0> (Cast <to = 6> (Equal (mask, 1:mask)), [1])"
	}
	return Body{bodyOpset, `
		words = DequantizeLinear (Gather (word_embedding_quant, input_ids), Squeeze (word_embedding_scale), Squeeze (word_embedding_zero_point))
		position = Slice (position_embedding_quant, [0], Shape <start = 1> (input_ids), [0])
		positions = DequantizeLinear (position, Squeeze (position_embedding_scale), Squeeze (position_embedding_zero_point))
		gamma = DequantizeLinear (gamma_quant, Squeeze (gamma_scale), Squeeze (gamma_zero_point))
		beta = DequantizeLinear (beta_quant, Squeeze (beta_scale), Squeeze (beta_zero_point))
		layernorm_out = LayerNormalization <axis = -1, epsilon = @epsilon> (` + rows + `, gamma, beta)
		mask_index_out = ` + count}, nil
}
