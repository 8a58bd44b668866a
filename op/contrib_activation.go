package op

// Activation functions that ONNX Runtime adds: those of com.microsoft, and the ones
// of ai.onnx that were withdrawn before its version 1.2.
var contribActivationDefs = []Def{
	{Domain: "com.microsoft", Name: "Gelu", Since: 1,
		Inputs:  "X: T",
		Outputs: "Y: T",
		Types:   "T = @floatbf",
		Infer:   inferSame},
	{Domain: "com.microsoft", Name: "FastGelu", Since: 1,
		Inputs:  "X: T; bias?: T",
		Outputs: "Y: T",
		Types:   "T = @floatbf",
		Infer:   inferBiasedActivation},
	{Domain: "com.microsoft", Name: "BiasGelu", Since: 1,
		Inputs:  "A: T; B: T",
		Outputs: "C: T",
		Types:   "T = @floatbf",
		Infer:   inferBiasedActivation},
	{Domain: "com.microsoft", Name: "QuickGelu", Since: 1,
		Inputs:  "X: T",
		Outputs: "Y: T",
		Attrs:   "alpha: float = 1.702",
		Types:   "T = @floatbf",
		Infer:   inferSame},
	{Name: "ParametricSoftplus", Since: 1,
		Inputs:  "X: T",
		Outputs: "Y: T",
		Attrs:   "alpha!: float; beta!: float",
		Types:   "T = @float",
		Infer:   inferSame,
		Body:    body(bodyOpset, "Y = Mul (Softplus (Mul (X, @beta:X)), @alpha:X)")},
	{Name: "ScaledTanh", Since: 1,
		Inputs:  "input: T",
		Outputs: "output: T",
		Attrs:   "alpha!: float; beta!: float",
		Types:   "T = @float",
		Infer:   inferSame,
		Body:    body(bodyOpset, "output = Mul (Tanh (Mul (input, @beta:input)), @alpha:input)")},
	{Name: "Affine", Since: 1,
		Inputs:  "X: T",
		Outputs: "Y: T",
		Attrs:   "alpha: float = 1; beta: float = 0",
		Types:   "T = @float",
		Infer:   inferSame,
		Body:    body(bodyOpset, "Y = Add (Mul (X, @alpha:X), @beta:X)")},
	{Name: "ThresholdedRelu", Since: 1,
		Inputs:  "X: T",
		Outputs: "Y: T",
		Attrs:   "alpha: float = 1",
		Types:   "T = @float",
		Infer:   inferSame},
}

// inferBiasedActivation has a bias of the last dimension's size.
func inferBiasedActivation(c *Context) error {
	if c.HasInput(1) {
		if err := c.wantRankFrom(1); err != nil {
			return err
		}
		if err := c.wantVector(1, c.Shape(0).Dim(-1), "elements of the last dimension"); err != nil {
			return err
		}
	}
	return inferSame(c)
}
