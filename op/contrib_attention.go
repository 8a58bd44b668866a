package op

import (
	"math"

	"gort/graph"
)

// Attention and position embedding as ONNX Runtime writes them (com.microsoft).
var contribAttentionDefs = []Def{
	{Domain: "com.microsoft", Name: "MultiHeadAttention", Since: 1,
		Inputs:  "query: T; key?: T; value?: T; bias?: T; key_padding_mask?: M; attention_bias?: T; past_key?: T; past_value?: T; past_sequence_length?: M; cache_indirection?: M",
		Outputs: "output: T; present_key?: T; present_value?: T; qk?: QK",
		Attrs:   "mask_filter_value: float = -10000; num_heads!: int; scale: float; unidirectional: int = 0",
		Types:   "T = float float16 bfloat16; QK = float float16 bfloat16; M = int32",
		Infer:   inferMultiHeadAttention},
	{Domain: "com.microsoft", Name: "RotaryEmbedding", Since: 1,
		Inputs:  "input: T; position_ids: M; cos_cache: T; sin_cache: T",
		Outputs: "output: T",
		Attrs:   "interleaved: int = 0; is_packed_batching: int = 0; num_heads: int = 0; rotary_embedding_dim: int = 0; scale: float = 1",
		Types:   "T = float float16 bfloat16; M = int64",
		Infer:   inferContribRotary},
}

// inferMultiHeadAttention knows the three layouts of query, key and value: apart in
// three dimensions, with key and value as [batch, heads, rows, size] (a cross
// attention's cache), and packed together in five dimensions.
func inferMultiHeadAttention(c *Context) error {
	heads := c.Int("num_heads")
	if heads < 1 {
		return c.AttrErrorf("num_heads", "is %d, must be 1 or more", heads)
	}
	for _, i := range []int{8, 9} {
		if c.HasInput(i) {
			return c.InputErrorf(i, "is for buffers that a beam search shares; give past_key and past_value without it")
		}
	}
	q := c.Shape(0)
	rank, ok := q.Rank()
	if !ok {
		return nil
	}
	var batch, rows, keys, width graph.Dim
	switch {
	case rank == 5: // [batch, rows, heads, 3, size]
		batch, rows, keys = q.Dim(0), q.Dim(1), q.Dim(1)
		if n, ok := q.Dim(3).Size(); ok && n != 3 {
			return c.InputErrorf(0, "shape %v must have 3 in dimension 3: query, key and value", q)
		}
		if c.HasInput(1) || c.HasInput(2) {
			return c.InputErrorf(0, "shape %v holds key and value, so there can be no others", q)
		}
		width = scaled(q.Dim(4), heads)
	case rank == 3 && !c.HasInput(1):
		return c.InputErrorf(1, "is missing; a query of three dimensions comes with key and value")
	case rank == 3:
		batch, rows, width = q.Dim(0), q.Dim(1), q.Dim(2)
		if n, ok := width.Size(); ok && n%heads != 0 {
			return c.InputErrorf(0, "shape %v has rows of %d, which %d heads do not divide", q, n, heads)
		}
		k := c.Shape(1)
		switch kr, ok := k.Rank(); {
		case !ok:
		case kr == 3:
			keys = k.Dim(1)
		case kr == 4:
			keys = k.Dim(2)
		case kr == 5: // [batch, rows, heads, 2, size]
			keys = k.Dim(1)
		default:
			return c.InputErrorf(1, "shape %v has rank %d, must have 3, 4 or 5", k, kr)
		}
		switch v := c.Shape(2); {
		case v.HasRank(3):
			width = v.Dim(2)
			if n, ok := width.Size(); ok && n%heads != 0 {
				return c.InputErrorf(2, "shape %v has rows of %d, which %d heads do not divide", v, n, heads)
			}
		case v.HasRank(4):
			width = scaled(v.Dim(3), heads)
		case !c.HasInput(2) && !k.HasRank(5):
			if k.IsRanked() {
				return c.InputErrorf(2, "is missing; only a key of five dimensions holds the value too")
			}
		case c.HasInput(2) && v.IsRanked():
			return c.InputErrorf(2, "shape %v must have 3 or 4 dimensions", v)
		}
	default:
		return c.InputErrorf(0, "shape %v has rank %d, must have 3 or 5", q, rank)
	}
	c.SetDims(0, batch, rows, width)
	total := keys
	if c.HasInput(6) {
		if err := c.WantRank(6, 4); err != nil {
			return err
		}
		if err := c.WantRank(7, 4); err != nil {
			return err
		}
		total = graph.Dim{}
		n, ok := keys.Size()
		p, ok2 := c.Shape(6).Dim(2).Size()
		if ok && ok2 {
			total = graph.Known(n + p)
		}
	}
	size := func(d graph.Dim) graph.Dim {
		if n, ok := d.Size(); ok {
			return graph.Known(n / heads)
		}
		return graph.Dim{}
	}
	headSize := size(q.Dim(-1))
	if rank == 5 {
		headSize = q.Dim(4)
	}
	c.SetDims(1, batch, graph.Known(heads), total, headSize)
	c.SetDims(2, batch, graph.Known(heads), total, size(width))
	c.SetDims(3, batch, graph.Known(heads), rows, total)
	if c.HasOutput(3) {
		c.SetDType(3, c.DType(0))
	}
	return nil
}

// scaled is n times a size, unknown when the size is.
func scaled(d graph.Dim, n int) graph.Dim {
	if v, ok := d.Size(); ok && v <= math.MaxInt32/n {
		return graph.Known(v * n)
	}
	return graph.Dim{}
}

func inferContribRotary(c *Context) error {
	x := c.Shape(0)
	heads, rotate := c.Int("num_heads"), c.Int("rotary_embedding_dim")
	if heads < 0 || rotate < 0 {
		return c.Errorf("num_heads is %d and rotary_embedding_dim %d, must not be negative", heads, rotate)
	}
	if rotate > 0 && heads == 0 && !x.HasRank(4) && x.IsRanked() {
		return c.AttrErrorf("num_heads", "is 0, but rotary_embedding_dim, which turns a part of each head, needs it")
	}
	if c.Float("scale") != 1 {
		return c.AttrErrorf("scale", "is %v, only 1 has a meaning", c.Float("scale"))
	}
	if rank, ok := x.Rank(); ok && rank != 3 && rank != 4 {
		return c.InputErrorf(0, "shape %v has rank %d, must have 3 or 4", x, rank)
	}
	for _, i := range []int{2, 3} {
		if err := c.WantRank(i, 2); err != nil {
			return err
		}
	}
	if rank, ok := c.Shape(1).Rank(); ok && rank != 1 && rank != 2 {
		return c.InputErrorf(1, "shape %v has rank %d, must be one offset or [batch, rows]", c.Shape(1), rank)
	}
	return inferSame(c)
}
