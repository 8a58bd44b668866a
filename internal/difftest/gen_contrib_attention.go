package difftest

import "gort/tensor"

// contribAttentionGenerators call attention and position embedding as ONNX Runtime
// writes them.
var contribAttentionGenerators = []Generator{
	{Domain: microsoft, Op: "MultiHeadAttention", Make: multiHeadAttention},
	{Domain: microsoft, Op: "RotaryEmbedding", Make: contribRotary},
}

func multiHeadAttention(g *G) {
	d := g.DType("T")
	batch, heads, rows, keys := g.Between(1, 3), g.Between(1, 3), g.Between(1, 5), g.Between(1, 5)
	size, vsize := g.Between(1, 6), g.Between(1, 6)
	past, layout := 0, g.IntN(3)
	if layout == 0 && g.Maybe() {
		past = g.Between(1, 4)
		vsize = size // the two caches have one shape
	}
	value := func(shape ...int) *tensor.Tensor { return g.Range(d, -2, 2, shape...) }
	g.In(value(batch, rows, heads*size))
	if layout == 1 { // a cache of keys and values in their final layout
		g.In(value(batch, heads, keys, size))
		g.In(value(batch, heads, keys, vsize))
	} else {
		g.In(value(batch, keys, heads*size))
		g.In(value(batch, keys, heads*vsize))
	}
	total := past + keys
	bias := layout != 1 && g.Maybe()
	padding, scores := g.IntN(4), g.Maybe()
	optional := func(has bool, v func() *tensor.Tensor) {
		if has {
			g.In(v())
		} else {
			g.Omit()
		}
	}
	optional(bias, func() *tensor.Tensor { return value(heads * (2*size + vsize)) })
	switch padding {
	case 1:
		g.In(g.Range(tensor.Int32, 1, float64(total), batch))
	case 2:
		g.In(g.Range(tensor.Int32, 0, 1, batch, total))
	default:
		g.Omit()
	}
	optional(scores, func() *tensor.Tensor {
		return value(Pick(g, 1, batch), Pick(g, 1, heads), rows, total)
	})
	if past > 0 {
		g.In(value(batch, heads, past, size))
		g.In(value(batch, heads, past, vsize))
	}
	g.Attr("num_heads", heads)
	g.MaybeAttr("scale", float32(0.5))
	causal := rows == keys && g.OneIn(3)
	if causal {
		g.Attr("unidirectional", 1)
	}
	switch {
	case g.Forces("QK"):
		g.OutputCount(4)
	case layout == 0 && !causal && g.OneIn(3): // a hidden score is the lowest number there, and -Inf here
		g.Outputs(true, past > 0, past > 0, true)
	case layout == 0 && (past > 0 || g.Maybe()):
		g.OutputCount(3)
	}
}

func contribRotary(g *G) {
	d := g.DType("T")
	batch, heads, rows, half := g.Between(1, 3), g.Between(1, 3), g.Between(1, 5), g.Between(1, 4)
	size := 2 * half
	if g.OneIn(3) {
		size = 2*half + 2*g.Between(1, 3)
		g.Attr("rotary_embedding_dim", 2*half)
		g.Attr("num_heads", heads)
	} else if g.Maybe() {
		g.Attr("num_heads", heads)
	}
	g.MaybeAttr("interleaved", g.IntN(2))
	limit := rows + 4
	if g.Maybe() {
		g.In(g.Tensor(d, batch, rows, heads*size))
	} else {
		g.In(g.Tensor(d, batch, heads, rows, size))
	}
	if g.Maybe() {
		g.In(g.Range(tensor.Int64, 0, 4, 1))
	} else {
		g.In(g.Range(tensor.Int64, 0, float64(limit-1), batch, rows))
	}
	g.Const(g.Range(d, -1, 1, limit, half))
	g.Const(g.Range(d, -1, 1, limit, half))
}
