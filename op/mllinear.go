package op

// Linear models and support vector machines (ai.onnx.ml).
var mllinearDefs = []Def{
	{Domain: "ai.onnx.ml", Name: "LinearClassifier", Since: 1,
		Inputs:  "X: T1",
		Outputs: "Y: T2; Z: tensor(float)",
		Attrs:   "classlabels_ints: ints; classlabels_strings: strings; coefficients!: floats; intercepts: floats; multi_class: int = 0; post_transform: string = NONE",
		Types:   "T1 = float int32 int64 double; T2 = int64 string",
		Infer:   inferLinearClassifier},
	{Domain: "ai.onnx.ml", Name: "LinearRegressor", Since: 1,
		Inputs:  "X: T",
		Outputs: "Y: tensor(float)",
		Attrs:   "coefficients: floats; intercepts: floats; post_transform: string = NONE; targets: int = 1",
		Types:   "T = float int32 int64 double",
		Infer:   inferLinearRegressor},
	{Domain: "ai.onnx.ml", Name: "SVMClassifier", Since: 1,
		Inputs:  "X: T1",
		Outputs: "Y: T2; Z: tensor(float)",
		Attrs:   "classlabels_ints: ints; classlabels_strings: strings; coefficients: floats; kernel_params: floats; kernel_type: string = LINEAR; post_transform: string = NONE; prob_a: floats; prob_b: floats; rho: floats; support_vectors: floats; vectors_per_class: ints",
		Types:   "T1 = float int32 int64 double; T2 = int64 string",
		Infer:   inferSVMClassifier},
	{Domain: "ai.onnx.ml", Name: "SVMRegressor", Since: 1,
		Inputs:  "X: T",
		Outputs: "Y: tensor(float)",
		Attrs:   "coefficients: floats; kernel_params: floats; kernel_type: string = LINEAR; n_supports: int = 0; one_class: int = 0; post_transform: string = NONE; rho: floats; support_vectors: floats",
		Types:   "T = float int32 int64 double",
		Infer:   inferSVMRegressor},
}
