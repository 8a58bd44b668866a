package op

import "gort/graph"

// Attention over a cache of keys and values that groups of heads share, as ONNX
// Runtime writes it (com.microsoft). ONNX Runtime's definition has quantized caches
// too, of which its CPU kernel runs those of int8 and those of 4 bits in uint8. They
// are not run here: the types are left out, and scales refused.
var contribGQADefs = []Def{
	{Domain: "com.microsoft", Name: "GroupQueryAttention", Since: 1,
		Inputs:  "query: T; key?: T; value?: T; past_key?: T_CACHE; past_value?: T_CACHE; seqlens_k: M; total_sequence_length: M; cos_cache?: T; sin_cache?: T; position_ids?: tensor(int64); attention_bias?: T; head_sink?: T; k_scale?: T; v_scale?: T; q_norm_weight?: T; k_norm_weight?: T",
		Outputs: "output: T; present_key?: T_CACHE; present_value?: T_CACHE; output_qk?: T",
		Attrs:   "causal: int = 1; do_rotary: int = 0; k_quant_type: string = NONE; kv_cache_bit_width: int; kv_num_heads!: int; local_window_size: int = -1; num_heads!: int; qk_norm_epsilon: float = 1e-6; qk_output: int = 0; rotary_interleaved: int = 0; scale: float; sliding_window_cache: int = 0; smooth_softmax: int = 0; softcap: float = 0; v_quant_type: string = NONE",
		Types:   "T = float float16 bfloat16; T_CACHE = float float16 bfloat16; M = int32",
		Infer:   inferGroupQueryAttention},
	{Domain: "com.microsoft", Name: "DecoderMaskedMultiHeadAttention", Since: 1,
		Inputs:  "query: T; key?: T; value?: T; mask_index?: M; attention_bias?: T; past_key?: T; past_value?: T; past_sequence_length?: M; beam_width?: M; cache_indirection?: M; bias?: T",
		Outputs: "output: T; present_key?: T; present_value?: T; qk?: QK",
		Attrs:   "mask_filter_value: float = -10000; num_heads!: int; output_qk: int = 0; past_present_share_buffer: int = 0; scale: float",
		Types:   "T = float float16; QK = float float16; M = int32",
		Infer:   inferDecoderMasked},
}

// Inputs of GroupQueryAttention.
const (
	gqaKey = iota + 1
	gqaValue
	gqaPastKey
	gqaPastValue
	gqaLengths
	gqaTotal
	gqaCos
	gqaSin
	gqaPositions
	gqaBias
	gqaSink
	gqaKeyScale
	gqaValueScale
	gqaQueryNorm
	gqaKeyNorm
)

// inferGroupQueryAttention: a query without key and value holds all three, so many
// heads of each beside each other. The present cache has the rows of the past one, or
// those of the longest sequence where it is longer.
func inferGroupQueryAttention(c *Context) error {
	heads, kv := c.Int("num_heads"), c.Int("kv_num_heads")
	if kv < 1 || heads < kv || heads%kv != 0 {
		return c.Errorf("num_heads is %d and kv_num_heads %d, must be positive and the one a multiple of the other", heads, kv)
	}
	if err := c.checkGQAOptions(); err != nil {
		return err
	}
	for _, pair := range [][2]int{{gqaKey, gqaValue}, {gqaPastKey, gqaPastValue}, {gqaCos, gqaSin}, {gqaQueryNorm, gqaKeyNorm}} {
		if c.HasInput(pair[0]) != c.HasInput(pair[1]) {
			sig := c.Def.Signature()
			return c.Errorf("%s and %s come together or not at all", sig.Input(pair[0]).Name, sig.Input(pair[1]).Name)
		}
	}
	if err := c.WantRank(0, 3); err != nil {
		return err
	}
	q := c.Shape(0)
	batch, rows := q.Dim(0), q.Dim(1)
	in := heads // heads in a row of the query
	if !c.HasInput(gqaKey) {
		in += 2 * kv
	}
	size, err := c.headSize(0, in)
	if err != nil {
		return err
	}
	for _, i := range []int{gqaKey, gqaValue} {
		if err := c.wantDims(i, batch, rows, scaled(size, kv)); err != nil {
			return err
		}
	}
	past := graph.Known(0)
	for _, i := range []int{gqaPastKey, gqaPastValue} {
		if err := c.wantDims(i, batch, graph.Known(kv), graph.Dim{}, size); err != nil {
			return err
		}
		if c.HasInput(i) {
			past = c.Shape(i).Dim(2)
		}
	}
	if s := c.Shape(gqaLengths); s.HasRank(1) {
		if _, ok := graph.MergeDim(s.Dim(0), batch); !ok {
			return c.InputErrorf(gqaLengths, "has %v elements, must have one for each of the %v batches", s.Dim(0), batch)
		}
	}
	if err := c.wantDims(gqaPositions, batch, rows); err != nil {
		return err
	}
	if err := c.wantDims(gqaSink, graph.Known(heads)); err != nil {
		return err
	}
	for _, i := range []int{gqaQueryNorm, gqaKeyNorm} {
		if err := c.wantDims(i, size); err != nil {
			return err
		}
	}
	if c.Bool("do_rotary") && !c.HasInput(gqaCos) {
		return c.Errorf("do_rotary is set, but there are no cos_cache and sin_cache")
	}
	total, known, err := c.scalarInt(gqaTotal)
	if err != nil {
		return err
	}
	present, scores := graph.Dim{}, graph.Dim{}
	if known {
		if total < 1 || total > maxExtent {
			return c.InputErrorf(gqaTotal, "is %d, must be in [1, %d]", total, maxExtent)
		}
		scores = graph.Known(int(total))
		if n, ok := past.Size(); ok {
			present = graph.Known(max(n, int(total)))
		}
	}
	c.SetDims(0, batch, rows, scaled(size, heads))
	for _, i := range []int{1, 2} {
		c.SetDims(i, batch, graph.Known(kv), present, size)
		if !c.HasInput(gqaPastKey) {
			c.SetDType(i, c.DType(0))
		}
	}
	c.SetDims(3, batch, graph.Known(heads), rows, scores)
	return nil
}

func (c *Context) checkGQAOptions() error {
	if v := c.Int("qk_output"); v < 0 || v > 2 {
		return c.AttrErrorf("qk_output", "is %d, allowed are 0 (none), 1 (before softmax) and 2 (after it)", v)
	}
	for _, name := range []string{"k_quant_type", "v_quant_type"} {
		if v := c.String(name); v != "NONE" {
			return c.AttrErrorf(name, "is %q: quantized caches are not kept; export the model with NONE", v)
		}
	}
	for _, i := range []int{gqaKeyScale, gqaValueScale} {
		if c.HasInput(i) {
			return c.InputErrorf(i, "is the scale of a quantized cache, of which there is none; leave it out")
		}
	}
	if c.HasOutput(3) && c.Int("qk_output") == 0 {
		return c.AttrErrorf("qk_output", "is 0, but output 3 (output_qk) is asked for; set 1 or 2")
	}
	if v := c.Float("softcap"); !(v >= 0) {
		return c.AttrErrorf("softcap", "is %v, must not be negative", v)
	}
	if v := c.Int64("local_window_size"); v == 0 || v < -1 {
		return c.AttrErrorf("local_window_size", "is %d, must be -1 (none) or positive", v)
	}
	return nil
}

// inferDecoderMasked: one query row each, against a cache whose rows beyond
// past_sequence_length are free, or against the keys and values of an encoder, in four
// dimensions.
func inferDecoderMasked(c *Context) error {
	const key, value, bias, past, length, beams, moved, rows = 1, 2, 4, 5, 7, 8, 9, 10
	heads := c.Int("num_heads")
	if heads < 1 {
		return c.AttrErrorf("num_heads", "is %d, must be 1 or more", heads)
	}
	if c.HasInput(moved) || c.HasInput(beams) {
		return c.Errorf("beam_width and cache_indirection are for caches that a beam search shares; leave them out")
	}
	if !c.HasInput(key) || !c.HasInput(value) {
		return c.Errorf("key and value are missing; a query that holds them is not read")
	}
	if c.HasInput(past) != c.HasInput(past+1) {
		return c.Errorf("past_key and past_value come together or not at all")
	}
	if c.HasOutput(3) && !c.Bool("output_qk") {
		return c.AttrErrorf("output_qk", "is 0, but output 3 (qk) is asked for")
	}
	if err := c.WantRank(0, 3); err != nil {
		return err
	}
	q := c.Shape(0)
	if d := q.Dim(1); d.IsKnown() && !d.Is(1) {
		return c.InputErrorf(0, "shape %v has %v rows, the operator decodes one at a time", q, d)
	}
	size, err := c.headSize(0, heads)
	if err != nil {
		return err
	}
	h := graph.Known(heads)
	total := graph.Dim{}
	if !c.HasInput(past) {
		if c.HasOutput(1) || c.HasOutput(2) {
			return c.Errorf("present_key and present_value are asked for, but there is no past")
		}
		if c.HasInput(bias) {
			return c.InputErrorf(bias, "has no meaning without a past")
		}
		total = c.Shape(key).Dim(2)
		for _, i := range []int{key, value} {
			if err := c.wantDims(i, q.Dim(0), h, total, size); err != nil {
				return err
			}
		}
	} else {
		shared := c.Bool("past_present_share_buffer")
		if shared != c.HasInput(length) {
			return c.InputErrorf(length, "comes with past_present_share_buffer = 1, and only with it")
		}
		for _, i := range []int{key, value} {
			if err := c.wantDims(i, q.Dim(0), graph.Known(1), q.Dim(2)); err != nil {
				return err
			}
			if err := c.wantDims(past+i-key, q.Dim(0), h, c.Shape(past).Dim(2), size); err != nil {
				return err
			}
		}
		present := c.Shape(past).Dim(2)
		if !shared {
			total = sumDims(present, graph.Known(1))
			present = total
		} else if v, ok, err := c.scalarInt(length); err != nil {
			return err
		} else if ok {
			if v < 0 || v > maxExtent {
				return c.InputErrorf(length, "is %d, must be in [0, %d]", v, maxExtent)
			}
			total = graph.Known(int(v) + 1)
		}
		for _, i := range []int{1, 2} {
			c.SetDims(i, q.Dim(0), h, present, size)
		}
	}
	if err := c.wantVector(rows, scaled(q.Dim(2), 3), "elements for query, key and value"); err != nil {
		return err
	}
	c.SetDims(0, q.Dim(0), q.Dim(1), q.Dim(2))
	c.SetDims(3, q.Dim(0), h, graph.Known(1), total)
	if c.HasOutput(3) {
		c.SetDType(3, c.DType(0))
	}
	return nil
}
