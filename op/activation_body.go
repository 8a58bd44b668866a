package op

import "gort/tensor"

// viaFloat is a body for 16-bit floats, which computes the operator itself in
// float: its intermediate results would lose what one rounding at the end keeps.
// Other types have the body of wide.
func viaFloat(call string, wide func(*Context) (Body, error)) func(*Context) (Body, error) {
	return func(c *Context) (Body, error) {
		if d := c.DType(0); d == tensor.Float16 || d == tensor.BFloat16 {
			in, out := c.sig.Inputs[0].Name, c.sig.Outputs[0].Name
			return Body{max(c.Opset(), 18), out + " = CastLike (" + call + ", " + in + ")"}, nil
		}
		return wide(c)
	}
}

var (
	reluBody        = body(18, `Y = Max (X, 0:X)`)
	leakyReluBody   = body(18, `Y = Where (Less (X, 0:X), Mul (X, @alpha:X), X)`)
	preluBody       = body(18, `Y = Where (Less (X, 0:X), Mul (X, slope), X)`)
	hardSigmoidBody = viaFloat(`HardSigmoid <alpha = @alpha, beta = @beta> (Cast <to = 1> (X))`,
		body(18, `Y = Max (Min (Add (Mul (X, @alpha:X), @beta:X), 1:X), 0:X)`))
	hardSwishBody = viaFloat(`HardSwish (Cast <to = 1> (X))`,
		body(18, `Y = Mul (X, HardSigmoid <alpha = 0.1666666667, beta = 0.5> (X))`))
	thresholdedReluBody = body(18, `Y = Where (Greater (X, @alpha:X), X, 0:X)`)
	softsignBody        = viaFloat(`Softsign (Cast <to = 1> (input))`,
		body(18, `output = Div (input, Add (Abs (input), 1:input))`))
	eluBody = viaFloat(`Elu <alpha = @alpha> (Cast <to = 1> (X))`,
		body(18, `Y = Where (Less (X, 0:X), Mul (Sub (Exp (X), 1:X), @alpha:X), X)`))
	seluBody = viaFloat(`Selu <alpha = @alpha, gamma = @gamma> (Cast <to = 1> (X))`, body(18, `
		negative = Mul (Sub (Exp (X), 1:X), @alpha:X)
		Y = Mul (Where (Less (X, 0:X), negative, X), @gamma:X)`))
	celuBody = viaFloat(`Celu <alpha = @alpha> (Cast <to = 1> (X))`,
		body(18, `Y = Mul (Elu <alpha = 1.0> (Div (X, @alpha:X)), @alpha:X)`))
	// log(1 + exp(x)) as max(x, 0) + log(1 + exp(-|x|)), which does not overflow.
	softplusBody = viaFloat(`Softplus (Cast <to = 1> (X))`,
		body(18, `Y = Add (Max (X, 0:X), Log (Add (Exp (Neg (Abs (X))), 1:X)))`))
	mishBody = viaFloat(`Mish (Cast <to = 1> (X))`,
		body(22, `Y = Mul (X, Tanh (Softplus (X)))`))
	swishBody = viaFloat(`Swish <alpha = @alpha> (Cast <to = 1> (X))`,
		body(24, `Y = Mul (X, Sigmoid (Mul (X, @alpha:X)))`))
	swigluBody = body(28, `Y = Mul (Swish <alpha = @alpha> (A), B)`)
)

// geluBody is x Φ(x), with the distribution function exact or, of "tanh", by
// (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2.
func geluBody(c *Context) (Body, error) {
	wide := body(20, `Y = Mul (Mul (X, 0.5:X), Add (Erf (Div (X, 1.4142135623730951:X)), 1:X))`)
	if c.String("approximate") == "tanh" {
		wide = body(20, `
			cubed = Mul (Mul (Mul (X, X), X), 0.044715:X)
			at = Mul (Add (X, cubed), 0.7978845608028654:X)
			Y = Mul (Mul (X, 0.5:X), Add (Tanh (at), 1:X))`)
	}
	return viaFloat(`Gelu <approximate = @approximate> (Cast <to = 1> (X))`, wide)(c)
}

// shrinkBody compares and shifts integers as doubles, so that neither bias nor
// threshold lose their fractions before.
func shrinkBody(c *Context) (Body, error) {
	x := "x = Identity (input)"
	if c.DType(0).Class() != tensor.ClassFloat {
		x = "x = Cast <to = 11> (input)"
	}
	return Body{18, x + `
		threshold = Identity (@lambd:x)
		shifted = Where (Less (x, Neg (threshold)), Add (x, @bias:x), Where (Less (threshold, x), Sub (x, @bias:x), 0:x))
		output = CastLike (shifted, input)`}, nil
}

// clipBody keeps an input that is not a number: no comparison holds for it.
func clipBody(c *Context) (Body, error) {
	text := "low = Identity (input)\n"
	if c.HasInput(1) {
		text = "least = Reshape (min, [])\nlow = Where (Less (input, least), least, input)\n"
	}
	if c.HasInput(2) {
		return Body{18, text + "most = Reshape (max, [])\noutput = Where (Less (most, low), most, low)"}, nil
	}
	return Body{18, text + "output = Identity (low)"}, nil
}
