package op

// Running sums and products.
var cumulativeDefs = []Def{
	{Name: "CumSum", Since: 11,
		Inputs:  "x: T; axis: T2",
		Outputs: "y: T",
		Attrs:   "exclusive: int = 0; reverse: int = 0",
		Types:   "T = float int32 int64 double uint32 uint64; T2 = @index",
		Infer:   inferCumulative},
	{Name: "CumSum", Since: 14,
		Inputs:  "x: T; axis: T2",
		Outputs: "y: T",
		Attrs:   "exclusive: int = 0; reverse: int = 0",
		Types:   "T = @widebf; T2 = @index",
		Infer:   inferCumulative},
	{Name: "CumProd", Since: 26,
		Inputs:  "x: T; axis: T2",
		Outputs: "y: T",
		Attrs:   "exclusive: int = 0; reverse: int = 0",
		Types:   "T = @widebf; T2 = @index",
		Infer:   inferCumulative},
}
