package op

import "gort/tensor"

// Integer products that ONNX Runtime adds (com.microsoft).
var contribQuantmatmulDefs = []Def{
	{Domain: "com.microsoft", Name: "DynamicQuantizeMatMul", Since: 1,
		Inputs:  "A: T1; B: T2; b_scale: T1; b_zero_point?: T2; bias?: T1",
		Outputs: "Y: T1",
		Types:   "T1 = float; T2 = int8 uint8",
		Infer:   inferByBody,
		Body: func(c *Context) (Body, error) {
			return Body{bodyOpset, `
				a, a_scale, a_zero = DynamicQuantizeLinear (A)
				product = MatMulInteger (a, B, a_zero, b_zero_point)
				real = Mul (Cast <to = 1> (product), Mul (a_scale, b_scale))
				Y = ` + c.plusBias(4)}, nil
		}},
	{Domain: "com.microsoft", Name: "MatMulIntegerToFloat", Since: 1,
		Inputs:  "A: T1; B: T2; a_scale: T3; b_scale: T3; a_zero_point?: T1; b_zero_point?: T2; bias?: T3",
		Outputs: "Y: T3",
		Types:   "T1 = int8 uint8; T2 = int8 uint8; T3 = float float16",
		Infer:   inferByBody,
		Body: func(c *Context) (Body, error) {
			// Sums of products exceed float16, so all is float32 until the end.
			return Body{bodyOpset, `
				product = MatMulInteger (A, B, a_zero_point, b_zero_point)
				unit = Mul (Cast <to = 1> (a_scale), Cast <to = 1> (b_scale))
				real = Mul (Cast <to = 1> (product), unit)
				Y = CastLike (` + c.plusBias(6) + ", a_scale)"}, nil
		}},
	{Domain: "com.microsoft", Name: "MatMulInteger16", Since: 1,
		Inputs:  "A: T1; B: T2",
		Outputs: "Y: T3",
		Types:   "T1 = int16 uint16; T2 = int16 uint16; T3 = int32 uint32",
		Infer:   inferMatMulInteger16,
		Body: func(c *Context) (Body, error) {
			// int32 and uint32 products are the same bits.
			return Body{bodyOpset, "Y = Cast <to = " + map[bool]string{true: "12", false: "6"}[c.unsignedProduct()] + "> (MatMul (Cast <to = 6> (A), Cast <to = 6> (B)))"}, nil
		}},
	{Domain: "com.microsoft", Name: "DynamicQuantizeLSTM", Since: 1,
		Inputs:  "X: T; W: T2; R: T2; B?: T; sequence_lens?: T1; initial_h?: T; initial_c?: T; P?: T; W_scale: T; W_zero_point: T2; R_scale: T; R_zero_point: T2",
		Outputs: "Y?: T; Y_h?: T; Y_c?: T",
		Attrs:   "activation_alpha: floats; activation_beta: floats; activations: strings; clip: float; direction: string = forward; hidden_size: int; input_forget: int = 0",
		Types:   "T = float; T1 = int32; T2 = uint8 int8",
		Infer:   inferDynamicQuantizeLSTM},
}

// plusBias writes the value real, plus the bias where input i gives one.
func (c *Context) plusBias(i int) string {
	if c.HasInput(i) {
		return "Add (real, Cast <to = 1> (bias))"
	}
	return "Identity (real)"
}

// unsignedProduct reports whether both factors of a MatMulInteger16 are unsigned.
func (c *Context) unsignedProduct() bool {
	return c.DType(0) == tensor.Uint16 && c.DType(1) == tensor.Uint16
}
