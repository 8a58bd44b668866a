package op

// Optimisers of the preview training domain.
var trainingDefs = []Def{
	{Domain: "ai.onnx.preview.training", Name: "Adagrad", Since: 1,
		Inputs:  "R: T1; T: T2; inputs+~: T3",
		Outputs: "outputs+~: T3",
		Attrs:   "decay_factor: float = 0.0; epsilon: float = 0.0; norm_coefficient: float = 0.0",
		Types:   "T1 = float double; T2 = int64; T3 = float double",
		Infer:   inferOptimizer(3)},
	{Domain: "ai.onnx.preview.training", Name: "Adam", Since: 1,
		Inputs:  "R: T1; T: T2; inputs+~: T3",
		Outputs: "outputs+~: T3",
		Attrs:   "alpha: float = 0.9; beta: float = 0.999; epsilon: float = 0.0; norm_coefficient: float = 0.0; norm_coefficient_post: float = 0.0",
		Types:   "T1 = float double; T2 = int64; T3 = float double",
		Infer:   inferOptimizer(4)},
	{Domain: "ai.onnx.preview.training", Name: "Gradient", Since: 1,
		Inputs:  "Inputs+~: T1",
		Outputs: "Outputs+~: T2",
		Attrs:   "xs!: strings; y!: string; zs: strings",
		Types:   "T1 = @all; T2 = @float",
		Infer:   inferGradient},
	{Domain: "ai.onnx.preview.training", Name: "Momentum", Since: 1,
		Inputs:  "R: T1; T: T2; inputs+~: T3",
		Outputs: "outputs+~: T3",
		Attrs:   "alpha!: float; beta!: float; mode!: string; norm_coefficient!: float",
		Types:   "T1 = float double; T2 = int64; T3 = float double",
		Infer:   inferMomentum},
}
