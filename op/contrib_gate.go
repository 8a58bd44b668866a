package op

import (
	"fmt"

	"gort/graph"
)

// Gates and states of recurrent decoders as ONNX Runtime writes them (com.microsoft).
var contribGateDefs = []Def{
	{Domain: "com.microsoft", Name: "GatedAdd", Since: 1,
		Inputs:  "X: T; Y: T; gate: T",
		Outputs: "output: T",
		Types:   "T = float float16 bfloat16",
		Infer:   inferGatedAdd,
		Body:    body(bodyOpset, "output = Add (X, Mul (Y, gate))")},
	{Domain: "com.microsoft", Name: "GatedRMSNorm", Since: 1,
		Inputs:  "X: T; scale: T; gate: T",
		Outputs: "Y: T",
		Attrs:   "epsilon: float = 1e-5",
		Types:   "T = float float16 bfloat16",
		Infer:   inferGatedRMSNorm,
		// Rows of as many elements as scale has are divided by their root mean square.
		Body: body(bodyOpset, `
			rows = Reshape (Cast <to = 1> (X), Concat <axis = 0> ([-1], Shape (scale)))
			square = ReduceMean (Mul (rows, rows), [-1])
			normed = Mul (Div (rows, Sqrt (Add (square, @epsilon))), Cast <to = 1> (scale))
			z = Cast <to = 1> (gate)
			Y = CastLike (Mul (Reshape (normed, Shape (X)), Mul (z, Sigmoid (z))), X)`)},
	{Domain: "com.microsoft", Name: "LinearAttentionGate", Since: 1,
		Inputs:  "a: T; dt_bias: TF; decay_scale: TF; b?: T",
		Outputs: "decay: T; beta?: T",
		Types:   "T = float float16 bfloat16; TF = float",
		Infer:   inferLinearAttentionGate,
		Body:    linearAttentionGateBody},
	{Domain: "com.microsoft", Name: "EngramGate", Since: 1,
		Inputs:  "key: T; query: T; value: T; key_norm_scale: T; query_norm_scale: T; conv_norm_scale?: T",
		Outputs: "output: T; gated_value_normed?: T",
		Attrs:   "epsilon: float = 1e-5",
		Types:   "T = float float16 bfloat16",
		Infer:   inferEngramGate,
		Body:    engramGateBody},
	{Domain: "com.microsoft", Name: "LinearAttention", Since: 1,
		Inputs:  "query: T; key: T; value: T; past_state?: S; decay?: T; beta?: T",
		Outputs: "output: T; present_state: S",
		Attrs:   "chunk_size: int = 64; kv_num_heads!: int; q_num_heads!: int; scale: float = 0.0; state_window: int = 0; update_rule: string = gated_delta",
		Types:   "T = float float16 bfloat16; S = float float16 bfloat16",
		Infer:   inferContribLinearAttention,
		Body:    linearAttentionBody},
	{Domain: "com.microsoft", Name: "CausalConvWithState", Since: 1,
		Inputs:  "input: T; weight: T; bias?: T; past_state?: T",
		Outputs: "output: T; present_state: T",
		Attrs:   "activation: string = none; channels_last: int = 0; dilation: int = 1; ndim: int = 1; state_window: int = 0",
		Types:   "T = float float16 bfloat16",
		Infer:   inferContribCausalConv,
		Body:    causalConvBody},
}

// inferGatedAdd: a gate is one number for each row.
func inferGatedAdd(c *Context) error {
	x := c.Shape(0)
	if err := c.wantRankFrom(1); err != nil {
		return err
	}
	rows, ok := graph.Merge(x, c.Shape(1))
	if !ok {
		return c.InputErrorf(1, "shape %v differs from that of X, %v", c.Shape(1), x)
	}
	if rank, ok := rows.Rank(); ok {
		if rank == 0 {
			return c.InputErrorf(1, "is a scalar, must have at least one dimension")
		}
		dims := append(append([]graph.Dim{}, rows.Dims()[:rank-1]...), graph.Known(1))
		if err := c.wantDims(2, dims...); err != nil {
			return err
		}
	} else if g := c.Shape(2); g.HasRank(0) || g.IsRanked() && g.Dim(-1).IsKnown() && !g.Dim(-1).Is(1) {
		return c.InputErrorf(2, "shape %v must end in 1", g)
	}
	return inferSame(c)
}

func inferGatedRMSNorm(c *Context) error {
	x := c.Shape(0)
	if err := c.wantRankFrom(1); err != nil {
		return err
	}
	if _, ok := graph.Merge(x, c.Shape(2)); !ok {
		return c.InputErrorf(2, "shape %v differs from that of X, %v", c.Shape(2), x)
	}
	if err := c.WantRank(1, 1); err != nil {
		return err
	}
	if n, ok := c.Shape(1).Dim(0).Size(); ok {
		for _, i := range []int{0, 2} {
			if s := c.Shape(i); s.HasRank(0) {
				return c.InputErrorf(i, "is a scalar, must have at least one dimension")
			} else if last, known := s.Dim(-1).Size(); n == 0 || s.IsRanked() && known && last%n != 0 {
				return c.InputErrorf(1, "has %d elements, must be a divisor of the rows of input %d, %v", n, i, s)
			}
		}
	}
	return inferSame(c)
}

// inferLinearAttentionGate: bias and scale are one number a head, the last dimension.
func inferLinearAttentionGate(c *Context) error {
	if err := c.wantRankFrom(1); err != nil {
		return err
	}
	a := c.Shape(0)
	for _, i := range []int{1, 2} {
		if err := c.wantVector(i, a.Dim(-1), "heads"); err != nil {
			return err
		}
	}
	if _, ok := graph.Merge(a, c.Shape(3)); c.HasInput(3) && !ok {
		return c.InputErrorf(3, "shape %v differs from that of a, %v", c.Shape(3), a)
	}
	if c.HasOutput(1) && !c.HasInput(3) {
		return c.InputErrorf(3, "is missing; output 1 (beta) is made of it")
	}
	c.SetShape(0, a)
	c.SetShape(1, a)
	c.SetDType(1, c.DType(0))
	return nil
}

func linearAttentionGateBody(c *Context) (Body, error) {
	text := "decay = CastLike (Mul (decay_scale, Softplus (Add (Cast <to = 1> (a), dt_bias))), a)"
	if c.HasInput(3) {
		text += "\nbeta = CastLike (Sigmoid (Cast <to = 1> (b)), b)"
	}
	return Body{bodyOpset, text}, nil
}

// inferEngramGate: key and query are [batch, rows, groups, size], value is
// [batch, rows, size], and scales are [groups, size].
func inferEngramGate(c *Context) error {
	const batch, rows, groups, size = 0, 1, 2, 3
	var dims [4]graph.Dim
	all := []int{batch, rows, groups, size}
	scale := []int{groups, size}
	for i, at := range [][]int{all, all, {batch, rows, size}, scale, scale, scale} {
		if !c.HasInput(i) {
			continue
		}
		if err := c.WantRank(i, len(at)); err != nil {
			return err
		}
		for k, d := range at {
			merged, ok := graph.MergeDim(dims[d], c.Shape(i).Dim(k))
			if c.Shape(i).IsRanked() && !ok {
				return c.InputErrorf(i, "shape %v has %v in dimension %d, an earlier input has %v", c.Shape(i), c.Shape(i).Dim(k), k, dims[d])
			} else if c.Shape(i).IsRanked() {
				dims[d] = merged
			}
		}
	}
	if c.HasOutput(1) && !c.HasInput(5) {
		return c.InputErrorf(5, "is missing; output 1 (gated_value_normed) is scaled by it")
	}
	for i := range 2 {
		c.SetDims(i, dims[:]...)
		c.SetDType(i, c.DType(0))
	}
	return nil
}

// engramGateBody scales the value of each group by a gate, the sigmoid of the signed
// root of the product of key and query, each divided by its root mean square.
func engramGateBody(c *Context) (Body, error) {
	rms := "Mul (Div (%[1]s, Sqrt (Add (ReduceMean (Mul (%[1]s, %[1]s), [-1]), @epsilon))), Cast <to = 1> (%[2]s))"
	text := fmt.Sprintf(`
		k = Cast <to = 1> (key)
		q = Cast <to = 1> (query)
		product = ReduceSum (Mul (%s, %s), [-1])
		dot = Div (product, Sqrt (Cast <to = 1> (Shape <start = 3, end = 4> (query))))
		gate = Sigmoid (Mul (Sign (dot), Sqrt (Max (Abs (dot), 0.000001))))
		gated = Mul (gate, Unsqueeze (Cast <to = 1> (value), [2]))
		output = CastLike (gated, key)`, fmt.Sprintf(rms, "k", "key_norm_scale"), fmt.Sprintf(rms, "q", "query_norm_scale"))
	if c.HasInput(5) {
		text += "\ngated_value_normed = CastLike (" + fmt.Sprintf(rms, "gated", "conv_norm_scale") + ", key)"
	}
	return Body{bodyOpset, text}, nil
}

func inferContribLinearAttention(c *Context) error {
	if v := c.Int("state_window"); v != 0 {
		return c.AttrErrorf("state_window", "is %d: states of several rows are not kept; export the model with 0", v)
	}
	return inferLinearAttention(c)
}

func inferContribCausalConv(c *Context) error {
	for name, want := range map[string]int{"channels_last": 0, "dilation": 1, "ndim": 1, "state_window": 0} {
		if v := c.Int(name); v != want {
			return c.AttrErrorf(name, "is %d, only %d is computed; export the model with that", v, want)
		}
	}
	return inferCausalConv(c)
}
