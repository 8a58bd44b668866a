package op

import (
	"fmt"

	"gort/tensor"
)

// Transforms and products of complex numbers, held as pairs in the last dimension, as
// ONNX Runtime adds them (com.microsoft).
var contribFourierDefs = []Def{
	{Domain: "com.microsoft", Name: "Rfft", Since: 1,
		Inputs:  "X: T",
		Outputs: "Y: T",
		Attrs:   "normalized: int = 0; onesided: int = 1; signal_ndim: int = 1",
		Types:   "T = @float",
		Infer:   inferRfft,
		Body:    rfftBody},
	{Domain: "com.microsoft", Name: "Irfft", Since: 1,
		Inputs:  "X: T",
		Outputs: "Y: T",
		Attrs:   "normalized: int = 0; onesided: int = 1; signal_ndim!: int",
		Types:   "T = @float",
		Infer:   inferIrfft,
		Body:    irfftBody},
	{Domain: "com.microsoft", Name: "ComplexMul", Since: 1,
		Inputs:  "A: T; B: T",
		Outputs: "C: T",
		Types:   "T = @float",
		Infer:   inferComplexMul,
		Body:    complexMulBody("Sub", "Add")},
	{Domain: "com.microsoft", Name: "ComplexMulConj", Since: 1,
		Inputs:  "A: T; B: T",
		Outputs: "C: T",
		Types:   "T = @float",
		Infer:   inferComplexMul,
		Body:    complexMulBody("Add", "Sub")},
}

// roundedOnce says how to write an input and a result such that what lies between is
// computed in float32 where the node's type is float16, and rounded once.
func roundedOnce(c *Context) (in, out string) {
	if c.DType(0) == tensor.Float16 {
		return "Cast <to = 1> (%s)", "Cast <to = 10> (%s)"
	}
	return "%s", "Identity (%s)"
}

// rfftBody transforms the last dimension to half of its spectrum, and then the other
// signal dimensions as complex numbers.
func rfftBody(c *Context) (Body, error) {
	n, err := c.signal(0)
	if err != nil {
		return Body{}, err
	}
	in, out := roundedOnce(c)
	value := "DFT <onesided = 1> (Unsqueeze (" + fmt.Sprintf(in, "X") + ", [-1]), , -2)"
	for i := 1; i < n; i++ {
		value = fmt.Sprintf("DFT (%s, , %d)", value, -2-i)
	}
	return Body{bodyOpset, "Y = " + fmt.Sprintf(out, value)}, nil
}

// irfftBody undoes rfftBody, step by step in reverse.
func irfftBody(c *Context) (Body, error) {
	n, err := c.signal(1)
	if err != nil {
		return Body{}, err
	}
	in, out := roundedOnce(c)
	value := fmt.Sprintf(in, "X")
	for i := n - 1; i > 0; i-- {
		value = fmt.Sprintf("DFT <inverse = 1> (%s, , %d)", value, -2-i)
	}
	value = "Squeeze (DFT <inverse = 1, onesided = 1> (" + value + ", , -2), [-1])"
	return Body{bodyOpset, "Y = " + fmt.Sprintf(out, value)}, nil
}

// complexMulBody is (a + bi)(c ± di): the real part is ac ∓ bd, the imaginary one bc ± ad.
func complexMulBody(re, im string) func(*Context) (Body, error) {
	return func(ctx *Context) (Body, error) {
		in, out := roundedOnce(ctx)
		split := "Split <axis = -1, num_outputs = 2> (" + in + ")\n"
		return Body{bodyOpset, "a, b = " + fmt.Sprintf(split, "A") + "c, d = " + fmt.Sprintf(split, "B") +
			"C = " + fmt.Sprintf(out, "Concat <axis = -1> ("+re+" (Mul (a, c), Mul (b, d)), "+im+" (Mul (b, c), Mul (a, d)))")}, nil
	}
}
