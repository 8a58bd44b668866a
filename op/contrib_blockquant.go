package op

// Products with block-quantized weights, and rows picked from such weights
// (com.microsoft).
var contribBlockquantDefs = []Def{
	// accuracy_level allows a kernel to be less accurate; it never has to be.
	{Domain: "com.microsoft", Name: "MatMulNBits", Since: 1,
		Inputs:  "A: T1; B: T2; scales: T1; zero_points?: T3; g_idx?: T4; bias?: T1",
		Outputs: "Y: T1",
		Attrs:   "K!: int; N!: int; accuracy_level: int = 0; bits: int = 4; block_size!: int; weight_prepacked: int = 0",
		Types:   "T1 = float float16 bfloat16; T2 = uint8; T3 = uint8 float16 float bfloat16; T4 = int32",
		Infer:   inferMatMulNBits},
	{Domain: "com.microsoft", Name: "MatMulBnb4", Since: 1,
		Inputs:  "A: T1; B: T2; absmax: T1",
		Outputs: "Y: T1",
		Attrs:   "K!: int; N!: int; block_size!: int; quant_type!: int; training_mode: int = 0; transB: int = 1",
		Types:   "T1 = float float16 bfloat16; T2 = uint8",
		Infer:   inferMatMulBnb4},
	{Domain: "com.microsoft", Name: "MatMulFpQ4", Since: 1,
		Inputs:  "A: T1; B: T2; B_shape: T3",
		Outputs: "Y: T1",
		Attrs:   "blk_quant_type: int = 1",
		Types:   "T1 = float; T2 = uint8; T3 = int64",
		Infer:   inferMatMulFpQ4},
	{Domain: "com.microsoft", Name: "GatherBlockQuantized", Since: 1,
		Inputs:  "data: T1; indices: Tind; scales: T2; zero_points?: T1",
		Outputs: "output: T2",
		Attrs:   "bits: int = 4; block_size: int = 128; gather_axis: int = 0; quantize_axis: int = 1",
		Types:   "T1 = int4 uint4 uint8 float8e4m3fn float8e4m3fnuz float8e5m2 float8e5m2fnuz float4e2m1; T2 = float float16 bfloat16; Tind = int32 int64",
		Infer:   inferGatherBlockQuantized},
}
