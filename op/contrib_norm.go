package op

import "fmt"

// Normalizations that ONNX Runtime adds: those of com.microsoft, and the first
// versions of three operators in ai.onnx.
var contribNormDefs = []Def{
	// Withdrawn from ai.onnx before its first release; old models have it.
	{Name: "MeanVarianceNormalization", Since: 1,
		Inputs:  "input: T",
		Outputs: "output: T",
		Attrs:   "across_channels: int = 0; normalize_variance: int = 1",
		Types:   "T = @float",
		Infer:   inferMeanVariance1,
		Body:    meanVariance1Body},
	{Domain: "com.microsoft", Name: "SkipLayerNormalization", Since: 1,
		Inputs:  "input: T; skip: T; gamma: T; beta?: T; bias?: T",
		Outputs: "output: T; mean?: U; inv_std_var?: U; input_skip_bias_sum?: T",
		Attrs:   "epsilon: float = 1e-12",
		Types:   "T = float float16 bfloat16; U = float",
		Infer:   func(c *Context) error { return c.inferSkipNorm(2, 3, 4) }},
	{Domain: "com.microsoft", Name: "SkipSimplifiedLayerNormalization", Since: 1,
		Inputs:  "input: T; skip: T; gamma: T; bias?: T",
		Outputs: "output: T; mean?: U; inv_std_var?: U; input_skip_bias_sum?: T",
		Attrs:   "epsilon: float = 1e-12",
		Types:   "T = float float16 bfloat16; U = float",
		Infer:   func(c *Context) error { return c.inferSkipNorm(2, 3) }},
	{Domain: "com.microsoft", Name: "EmbedLayerNormalization", Since: 1,
		Inputs:  "input_ids: T1; segment_ids?: T1; word_embedding: T; position_embedding: T; segment_embedding?: T; gamma: T; beta: T; mask?: T1; position_ids?: T1",
		Outputs: "output: T; mask_index?: T1; embedding_sum?: T",
		Attrs:   "epsilon: float = 1e-12; mask_index_type: int = 0",
		Types:   "T1 = int32; T = float float16",
		Infer:   inferEmbedLayerNorm},
	{Domain: "com.microsoft", Name: "GroupNorm", Since: 1,
		Inputs:  "X: T; gamma: M; beta: M",
		Outputs: "Y: T",
		Attrs:   "activation!: int; channels_last: int = 1; epsilon: float = 1e-5; groups!: int",
		Types:   "T = float16 float; M = float16 float",
		Infer:   inferContribGroupNorm,
		Body:    contribGroupNormBody},
	{Name: "LayerNormalization", Since: 1,
		Inputs:  "X: T; Scale: T; B?: T",
		Outputs: "Y: T; Mean?: U; InvStdDev?: U",
		Attrs:   "axis: int = -1; epsilon: float = 1e-05; stash_type: int = 1",
		Types:   "T = @floatbf; U = float bfloat16",
		Infer:   inferLayerNorm},
	{Name: "SimplifiedLayerNormalization", Since: 1,
		Inputs:  "X: T; scale: V",
		Outputs: "Y: V; inv_std_var?: U",
		Attrs:   "axis: int = -1; epsilon: float = 1e-05; stash_type: int = 1",
		Types:   "T = @floatbf; V = @floatbf; U = float",
		Infer:   inferSimplifiedLayerNorm},
}

// meanVariance1Body takes the mean of each channel over the batch, or that of all
// elements, and divides by the deviation unless it is told not to.
func meanVariance1Body(c *Context) (Body, error) {
	axes := "[0, 2, 3]"
	if c.Bool("across_channels") {
		axes = "[0, 1, 2, 3]"
	}
	text := fmt.Sprintf(`
		x = Cast <to = 1> (input)
		centered = Sub (x, ReduceMean (x, %s))
	`, axes)
	if !c.Bool("normalize_variance") {
		return Body{bodyOpset, text + "output = CastLike (centered, input)"}, nil
	}
	return Body{bodyOpset, text + fmt.Sprintf("output = CastLike (Div (centered, Sqrt (ReduceMean (Mul (centered, centered), %s))), input)", axes)}, nil
}
