package difftest

import "gort/tensor"

// attentionGenerators call attention and position embedding.
var attentionGenerators = []Generator{
	{Op: "Attention", Make: attention, Wide: asFloat32},
	{Op: "RotaryEmbedding", Make: rotaryEmbedding, Wide: asFloat32},
	{Op: "LinearAttention", Make: linearAttention, Wide: asFloat32},
	{Op: "CausalConvWithState", Make: causalConv, Wide: asFloat32},
}

func attention(g *G) {
	key, value := g.DType("T1"), tensor.Undefined
	if value = key; g.Forces("T2") { // of two types the body rounds once more
		value = g.DType("T2")
	}
	batch, kv, per := g.Between(1, 2), g.Between(1, 2), g.Between(1, 2)
	rows, keys, size, vsize := g.Between(1, 5), g.Between(1, 5), g.Between(1, 6), g.Between(1, 6)
	past, packed := 0, g.Maybe()
	if g.OneIn(3) {
		past = g.Between(1, 4)
	}
	// Scores stay small: the function body rounds them, and they are exponents.
	operand := func(d tensor.DType, heads, rows, size int) {
		if packed {
			g.In(g.Range(d, -1, 1, batch, rows, heads*size))
		} else {
			g.In(g.Range(d, -1, 1, batch, heads, rows, size))
		}
	}
	operand(key, kv*per, rows, size)
	operand(key, kv, keys, size)
	operand(value, kv, keys, vsize)
	if packed {
		g.Attr("q_num_heads", kv*per)
		g.Attr("kv_num_heads", kv)
	}
	hides := g.mask(key, batch, kv*per, rows, past+keys)
	switch {
	case past > 0:
		g.In(g.Range(key, -1, 1, batch, kv, past, size))
		g.In(g.Range(value, -1, 1, batch, kv, past, vsize))
	case g.Since() >= 24 && g.OneIn(3):
		if len(g.c.Inputs) == 3 {
			g.Omit()
		}
		g.Omit()
		g.Omit()
		g.In(g.Range(tensor.Int64, 1, float64(keys), batch))
		hides = true
	}
	g.MaybeAttr("scale", float32(0.5))
	if g.OneIn(3) {
		g.Attr("softcap", float32(2))
	}
	// With a cache the last query sees all keys; ONNX Runtime lets the first see one.
	if past == 0 && len(g.c.Inputs) < 7 && g.OneIn(3) {
		g.Attr("is_causal", 1)
		hides = true
	}
	if g.OneIn(4) {
		g.Attr("softmax_precision", 1)
	}
	if g.Since() >= 25 && len(g.c.Inputs) < 7 && (len(g.c.Inputs) == 3 || g.c.Inputs[3].Value == nil) && g.Maybe() {
		hides = true
		defer g.slidingWindow(rows, past, past+keys)
	}
	switch g.IntN(3) {
	case 0:
		g.OutputCount(3)
	case 1: // ONNX Runtime takes no cache without handing one on
		if past > 0 && g.Maybe() {
			g.OutputCount(3)
		}
	default:
		mode := g.IntN(4)
		if hides { // a hidden score is the lowest number there, and -Inf here
			mode = Pick(g, 0, 3)
		}
		g.MaybeAttr("qk_matmul_output_mode", mode)
		g.Outputs(true, past > 0, past > 0, true)
	}
}

// slidingWindow bounds the keys that a query sees. ONNX Runtime, which lacks it, is
// asked the call with a mask instead.
func (g *G) slidingWindow(rows, past, total int) {
	left, right := g.Between(-1, 2), g.Between(-1, 2)
	may := make([]bool, 0, rows*total)
	for i := range rows {
		at, some := past+i, false
		for j := range total {
			see := (left < 0 || j >= at-left) && (right < 0 || j <= at+right)
			may, some = append(may, see), some || see
		}
		if !some { // what a row without keys gives is not settled
			return
		}
	}
	t := g.AskVersion(24)
	t.c.Inputs = append([]Input(nil), t.c.Inputs...)
	for len(t.c.Inputs) < 4 {
		t.Omit()
	}
	t.c.Inputs[3].Value = fromSlice(may, []int{rows, total})
	g.Attr("left_window_size", left)
	g.Attr("right_window_size", right)
}

// mask adds the input attn_mask or leaves it out, and reports whether it hides keys.
// The first key is never hidden: what a row without keys gives is not settled.
func (g *G) mask(d tensor.DType, batch, heads, rows, total int) (hides bool) {
	if !g.Forces("U") && g.OneIn(3) {
		g.Omit()
		return false
	}
	if g.Forces("U") || g.OneIn(12) { // ONNX Runtime takes numbers of Q's type
		d = g.DType("U")
	} else if g.Maybe() {
		d = tensor.Bool
	}
	shape := []int{Pick(g, 1, batch), Pick(g, 1, heads), rows, total}[g.IntN(3):]
	if g.OneIn(12) { // which ONNX Runtime refuses
		shape[len(shape)-2] = 1
	}
	m := g.Range(d, lowest(d, 2), 2, shape...)
	if d != tensor.Bool {
		g.Either(m)
		return false
	}
	list := tensor.Elements[bool](m)
	for i := 0; i < len(list); i += total {
		list[i] = true
	}
	g.Either(m)
	return true
}

// lowest is -v, or 0 of unsigned integers.
func lowest(d tensor.DType, v float64) float64 {
	if d.Class() == tensor.ClassUint {
		return 0
	}
	return -v
}

func rotaryEmbedding(g *G) {
	d := g.DType("T")
	batch, heads, rows, half := g.Between(1, 3), g.Between(1, 3), g.Between(1, 5), g.Between(1, 4)
	size := 2 * half
	if g.OneIn(3) {
		size += 2 * g.Between(1, 3)
		g.Attr("rotary_embedding_dim", 2*half)
	}
	g.MaybeAttr("interleaved", g.IntN(2))
	if g.Maybe() {
		g.In(g.Tensor(d, batch, rows, heads*size))
		g.Attr("num_heads", heads)
	} else {
		g.In(g.Tensor(d, batch, heads, rows, size))
		if g.Maybe() {
			g.Attr("num_heads", heads)
		}
	}
	cache := []int{batch, rows, half}
	positions := g.Maybe() || g.Forces("M")
	limit := rows + 3
	if positions {
		cache = []int{limit, half}
	}
	g.Either(g.Range(d, -1, 1, cache...))
	g.Either(g.Range(d, -1, 1, cache...))
	if positions {
		g.Either(g.Range(tensor.Int64, 0, float64(limit-1), batch, rows))
	}
}

func linearAttention(g *G) {
	linearAttentionCall(g)
	g.askMicrosoft()
}

// linearAttentionCall keeps factors below 1, as states are added up from step to step.
func linearAttentionCall(g *G) {
	d := g.DType("T")
	state := d
	if g.Forces("S") {
		state = g.DType("S")
	}
	batch, rows, kv, per, size, vsize := g.Between(1, 2), g.Between(1, 5), g.Between(1, 2), g.Between(1, 2), g.Between(1, 4), g.Between(1, 5)
	rule := Pick(g, "linear", "gated", "delta", "gated_delta")
	g.In(g.Range(d, -1, 1, batch, rows, kv*per*size))
	g.In(g.Range(d, -0.5, 0.5, batch, rows, kv*size))
	g.In(g.Range(d, -1, 1, batch, rows, kv*vsize))
	optional := func(has bool, d tensor.DType, lo, hi float64, shape ...int) {
		if has {
			g.In(g.Range(d, lo, hi, shape...))
		} else {
			g.Omit()
		}
	}
	optional(g.Forces("S") || g.Maybe(), state, -1, 1, batch, kv, size, vsize)
	gated := rule == "gated" || rule == "gated_delta"
	optional(gated, d, -2, 0, batch, rows, Pick(g, kv, kv*size))
	if rule == "delta" || rule == "gated_delta" {
		g.In(g.Range(d, 0, 1, batch, rows, Pick(g, kv, 1)))
	}
	g.Attr("q_num_heads", kv*per)
	g.Attr("kv_num_heads", kv)
	if rule != "gated_delta" || g.Maybe() {
		g.Attr("update_rule", rule)
	}
	g.MaybeAttr("scale", float32(0.5))
	g.MaybeAttr("chunk_size", g.Between(1, 4))
	g.OutputCount(2)
}

// askMicrosoft has ONNX Runtime asked its own operator of the same name, from which
// the specification's comes.
func (g *G) askMicrosoft() { g.AskVersion(1).c.Domain = microsoft }

func causalConv(g *G) {
	causalConvCall(g)
	g.askMicrosoft()
}

func causalConvCall(g *G) {
	d := g.DType("T")
	batch, channels, n, kernel := g.Between(1, 2), g.Between(1, 5), g.Between(1, 9), g.Between(1, 4)
	g.In(g.Tensor(d, batch, channels, n))
	g.Either(g.Range(d, -1, 1, channels, 1, kernel))
	bias := g.Maybe()
	if bias {
		g.Either(g.Range(d, -1, 1, channels))
	}
	if g.Maybe() {
		if !bias {
			g.Omit()
		}
		g.In(g.Range(d, -1, 1, batch, channels, kernel-1))
	}
	g.MaybeAttr("activation", Pick(g, "none", "silu", "swish"))
	g.OutputCount(2)
}
