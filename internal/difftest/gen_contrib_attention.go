package difftest

import "gort/tensor"

// contribAttentionGenerators call attention and position embedding as ONNX Runtime
// writes them.
var contribAttentionGenerators = []Generator{
	{Domain: microsoft, Op: "MultiHeadAttention", Make: multiHeadAttention},
	{Domain: microsoft, Op: "RotaryEmbedding", Make: contribRotary},
	{Domain: microsoft, Op: "GroupQueryAttention", Make: groupQueryAttention},
	{Domain: microsoft, Op: "DecoderMaskedMultiHeadAttention", Make: decoderMasked},
	{Domain: microsoft, Op: "Attention", Make: func(g *G) { projectedAttention(g, false) }},
	{Domain: microsoft, Op: "QAttention", Make: func(g *G) { projectedAttention(g, true) }},
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

// groupQueryAttention leaves out what ONNX Runtime has for other devices only: the
// normalisation of query and key, and attention that is not causal.
func groupQueryAttention(g *G) {
	d := g.DType("T")
	cache := d
	if g.Forces("T_CACHE") {
		cache = g.DType("T_CACHE")
	}
	batch, kv, size := g.Between(1, 3), g.Between(1, 2), 8
	heads, rotary := kv*g.Between(1, 2), g.Maybe()
	if rotary {
		size = 16 // what ONNX Runtime turns
	}
	value := func(shape ...int) *tensor.Tensor { return g.Range(d, -2, 2, shape...) }
	// A first prompt, or rows that follow those of a cache; the cache may have room for
	// more rows than there are.
	rows, before, room := g.Between(1, 4), 0, 0
	if g.Maybe() || g.Forces("T_CACHE") {
		before, room = g.Between(1, 4), Pick(g, 0, 0, 3)
		if rows > 1 {
			batch = 1 // or ONNX Runtime refuses it
		}
	}
	total := before + rows
	if g.Maybe() {
		g.In(value(batch, rows, (heads+2*kv)*size))
		g.Omit()
		g.Omit()
	} else {
		g.In(value(batch, rows, heads*size))
		g.In(value(batch, rows, kv*size))
		g.In(value(batch, rows, kv*size))
	}
	if before > 0 {
		g.In(g.Range(cache, -2, 2, batch, kv, before+room, size))
		g.In(g.Range(cache, -2, 2, batch, kv, before+room, size))
	} else {
		g.Omit()
		g.Omit()
	}
	last := make([]int, batch)
	for i := range last {
		last[i] = total - 1
		if before > 0 && i > 0 {
			last[i] -= g.IntN(before)
		}
	}
	g.In(Ints(tensor.Int32, last...))
	g.Either(tensor.Must(Ints(tensor.Int32, total).Reshape()))
	optional := func(has bool, v func() *tensor.Tensor) {
		if has {
			g.In(v())
		} else {
			g.Omit()
		}
	}
	angles := func() *tensor.Tensor { return g.Range(d, -1, 1, 2*total, size/2) }
	optional(rotary, angles)
	optional(rotary, angles)
	optional(rotary && g.OneIn(3), func() *tensor.Tensor { return g.Range(tensor.Int64, 0, float64(total-1), batch, rows) })
	optional(g.OneIn(3), func() *tensor.Tensor { return value(Pick(g, 1, batch), Pick(g, 1, heads), rows, total) })
	if g.OneIn(3) {
		g.In(value(heads))
	} else if g.OneIn(3) {
		g.Attr("smooth_softmax", 1)
		g.Omit()
	} else {
		g.Omit()
	}
	if rotary {
		g.Attr("do_rotary", 1)
		g.MaybeAttr("rotary_interleaved", g.IntN(2))
	}
	g.Attr("num_heads", heads)
	g.Attr("kv_num_heads", kv)
	g.MaybeAttr("scale", float32(0.5))
	if g.OneIn(3) {
		g.Attr("local_window_size", g.Between(1, total))
	}
	if g.OneIn(3) {
		g.Attr("softcap", float32(g.Between(1, 3)))
	}
	if g.OneIn(4) {
		g.Attr("qk_output", Pick(g, 1, 2))
		g.OutputCount(4)
	} else {
		g.OutputCount(3)
	}
}

// projectedAttention calls Attention or, quantized, QAttention.
func projectedAttention(g *G, quantized bool) {
	variable := "T"
	if quantized {
		variable = "T3"
	}
	d := g.DType(variable)
	batch, heads, rows, in := g.Between(1, 3), g.Between(1, 3), g.Between(1, 4), g.Between(2, 8)
	size := g.Between(1, 4)
	hidden := []int{heads * size, heads * size, heads * size}
	past := 0
	if g.OneIn(3) {
		past = g.Between(1, 3)
	}
	if !quantized && past == 0 && g.OneIn(3) {
		hidden[2] = heads * g.Between(1, 4)
		g.Attr("qkv_hidden_sizes", hidden)
	}
	columns, total := hidden[0]+hidden[1]+hidden[2], past+rows
	value := func(shape ...int) *tensor.Tensor { return g.Range(d, -2, 2, shape...) }
	masked := g.IntN(5)
	mask := func() {
		switch masked {
		case 1:
			g.In(g.Range(tensor.Int32, 1, float64(total), batch))
		case 2: // where the keys end, and where they begin
			list := make([]int, 2*batch)
			for i := range batch {
				list[i] = g.Between(1, total)
				list[batch+i] = g.IntN(list[i])
			}
			g.In(Ints(tensor.Int32, list...))
		case 3:
			g.In(g.Range(tensor.Int32, 0, 1, batch, total))
		case 4:
			g.In(g.Range(tensor.Int32, 0, 1, batch, rows, total))
		default:
			g.Omit()
		}
	}
	cache := func() {
		if past > 0 {
			g.In(value(2, batch, heads, past, size))
		} else {
			g.Omit()
		}
	}
	if quantized {
		dx, dw := g.DType("T1"), g.DType("T2")
		g.In(g.Range(dx, -100, 200, batch, rows, in))
		g.Const(g.Range(dw, -sevenBits, sevenBits, in, columns))
		g.Const(value(columns))
		g.In(Scalar(d, 1.0/64))
		per, zero := []int{}, g.Maybe()
		if g.Maybe() {
			per = []int{columns}
		}
		g.Const(g.Range(d, 1.0/16, 1.0/16, per...))
		mask()
		if zero {
			g.In(g.Range(dx, 0, 9))
			g.Const(g.Range(dw, 0, 0, per...))
		} else {
			g.Omit()
			g.Omit()
		}
		cache()
	} else {
		g.In(value(batch, rows, in))
		g.Either(g.Range(d, -1, 1, in, columns))
		g.Either(value(columns))
		mask()
		cache()
		if g.OneIn(3) {
			g.In(value(Pick(g, 1, batch), Pick(g, 1, heads), rows, total))
		}
	}
	g.Attr("num_heads", heads)
	g.MaybeAttr("scale", float32(0.5))
	if (masked == 0 || masked == 1) && g.OneIn(3) { // each query sees a key
		g.Attr("unidirectional", 1)
	}
	if past > 0 || hidden[0] == hidden[2] && g.OneIn(3) {
		g.OutputCount(2)
	}
}

// decoderMasked calls the operator with a shared buffer, the only one that ONNX Runtime
// takes, or with the keys and values of an encoder.
func decoderMasked(g *G) {
	d := g.DType("T")
	batch, heads, size := g.Between(1, 3), g.Between(1, 3), g.Between(1, 6)
	value := func(shape ...int) *tensor.Tensor { return g.Range(d, -2, 2, shape...) }
	optional := func(has bool, v func() *tensor.Tensor) {
		if has {
			g.In(v())
		} else {
			g.Omit()
		}
	}
	g.In(value(batch, 1, heads*size))
	past, room := g.Between(1, 4), g.Between(1, 3)
	total := past + 1
	cross := g.OneIn(3)
	if cross {
		g.In(value(batch, heads, total, size))
		g.In(value(batch, heads, total, size))
	} else {
		g.In(value(batch, 1, heads*size))
		g.In(value(batch, 1, heads*size))
	}
	optional(g.OneIn(3) || g.Forces("M"), func() *tensor.Tensor { return g.Range(tensor.Int32, 0, 1, batch, total) })
	bias := g.OneIn(3)
	if cross {
		if g.Omit(); bias {
			for range 5 {
				g.Omit()
			}
		}
	} else {
		optional(g.OneIn(3), func() *tensor.Tensor { return value(Pick(g, 1, batch), Pick(g, 1, heads), 1, total) })
		// What lies behind the rows in use is left as it is there, and 0 here.
		cache := func() *tensor.Tensor {
			t := value(batch, heads, past+room, size)
			wide := tensor.Must(tensor.Convert(t, tensor.Float64, tensor.ConvertOptions{}))
			list := tensor.Elements[float64](wide)
			for i := range list {
				if i/size%(past+room) >= past {
					list[i] = 0
				}
			}
			return tensor.Must(tensor.Convert(wide, d, tensor.ConvertOptions{}))
		}
		g.In(cache())
		g.In(cache())
		g.In(Ints(tensor.Int32, past))
		if bias {
			g.Omit()
			g.Omit()
		}
		g.Attr("past_present_share_buffer", 1)
	}
	if bias {
		g.Either(value(3 * heads * size))
	}
	g.Attr("num_heads", heads)
	g.MaybeAttr("scale", float32(0.5))
	switch {
	case g.Forces("QK"):
		g.Attr("output_qk", 1)
		g.Outputs(true, !cross, !cross, true)
	case !cross:
		g.OutputCount(3)
	}
}
