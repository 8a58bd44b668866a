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
	{Domain: "com.microsoft", Name: "Attention", Since: 1,
		Inputs:  "input: T; weights: T; bias?: T; mask_index?: M; past?: T; attention_bias?: T; past_sequence_length?: M",
		Outputs: "output: T; present?: T",
		Attrs:   "do_rotary: int = 0; mask_filter_value: float = -10000; num_heads!: int; past_present_share_buffer: int = 0; qkv_hidden_sizes: ints; rotary_embedding_dim: int = 0; scale: float; unidirectional: int = 0",
		Types:   "T = float float16 bfloat16; M = int32",
		Infer:   func(c *Context) error { return c.inferProjectedAttention(2, 4) }},
	{Domain: "com.microsoft", Name: "QAttention", Since: 1,
		Inputs:  "input: T1; weight: T2; bias: T3; input_scale: T3; weight_scale: T3; mask_index?: T4; input_zero_point?: T1; weight_zero_point?: T2; past?: T3",
		Outputs: "output: T3; present?: T3",
		Attrs:   "do_rotary: int = 0; mask_filter_value: float = -10000; num_heads!: int; past_present_share_buffer: int = 0; scale: float; unidirectional: int = 0",
		Types:   "T1 = int8 uint8; T2 = int8 uint8; T3 = float float16; T4 = int32",
		Infer:   inferQAttention},
	{Domain: "com.microsoft", Name: "RotaryEmbedding", Since: 1,
		Inputs:  "input: T; position_ids: M; cos_cache: T; sin_cache: T",
		Outputs: "output: T",
		Attrs:   "interleaved: int = 0; is_packed_batching: int = 0; num_heads: int = 0; rotary_embedding_dim: int = 0; scale: float = 1",
		Types:   "T = float float16 bfloat16; M = int64",
		Infer:   inferContribRotary},
	{Domain: "com.microsoft", Name: "MRotaryEmbedding", Since: 1,
		Inputs:  "input: T; position_ids: M; cos_cache: T; sin_cache: T",
		Outputs: "output: T",
		Attrs:   "interleaved: int = 0; is_packed_batching: int = 0; mrope_layout: int = 0; mrope_section!: ints; num_heads: int = 0; rotary_embedding_dim: int = 0; scale: float = 1",
		Types:   "T = float float16 bfloat16; M = int64",
		Infer:   inferMRotary},
}

// inferMultiHeadAttention knows the layouts of query, key and value: apart in three
// dimensions, with key and value also as [batch, heads, rows, size] (a cross
// attention's cache), key and value together in a key of five dimensions, and all
// three in a query of five.
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
	if c.HasInput(6) != c.HasInput(7) {
		return c.Errorf("past_key and past_value come together or not at all")
	}
	m := &multiHead{Context: c, heads: graph.Known(heads)}
	known, err := m.query()
	if err != nil || !known {
		return err
	}
	total := m.keys
	if c.HasInput(6) {
		for i, size := range []graph.Dim{m.size, m.vsize} {
			if err := c.wantDims(6+i, m.batch, m.heads, graph.Dim{}, size); err != nil {
				return err
			}
		}
		past, ok := graph.MergeDim(c.Shape(6).Dim(2), c.Shape(7).Dim(2))
		if !ok {
			return c.InputErrorf(7, "shape %v has another number of rows than past_key, %v", c.Shape(7), c.Shape(6))
		}
		total = sumDims(past, m.keys)
	}
	if err := c.wantDims(3, sumDims(m.all(m.size), sumDims(m.all(m.size), m.all(m.vsize)))); err != nil {
		return err
	}
	c.SetDims(0, m.batch, m.rows, m.all(m.vsize))
	c.SetDims(1, m.batch, m.heads, total, m.size)
	c.SetDims(2, m.batch, m.heads, total, m.vsize)
	c.SetDims(3, m.batch, m.heads, m.rows, total)
	if c.HasOutput(3) {
		c.SetDType(3, c.DType(0))
	}
	return nil
}

// inferProjectedAttention is the shape function of attention that makes query, key and
// value of its input by one matrix of so many columns for each, in this order.
func (c *Context) inferProjectedAttention(bias, past int) error {
	heads := c.Int("num_heads")
	if heads < 1 {
		return c.AttrErrorf("num_heads", "is %d, must be 1 or more", heads)
	}
	if err := c.WantRank(0, 3); err != nil {
		return err
	}
	if err := c.WantRank(1, 2); err != nil {
		return err
	}
	x, w := c.Shape(0), c.Shape(1)
	if _, ok := graph.MergeDim(x.Dim(2), w.Dim(0)); !ok {
		return c.InputErrorf(1, "shape %v does not fit the input %v: %v rows for %v columns", w, x, w.Dim(0), x.Dim(2))
	}
	if err := c.wantVector(bias, w.Dim(1), "columns of the weights"); err != nil {
		return err
	}
	sizes, err := c.hiddenSizes(heads)
	if err != nil {
		return err
	}
	size, vsize := graph.Dim{}, graph.Dim{}
	if sizes != nil {
		size, vsize = graph.Known(sizes[0]/heads), graph.Known(sizes[2]/heads)
		c.SetDims(0, x.Dim(0), x.Dim(1), graph.Known(sizes[2]))
	} else {
		c.SetDims(0, x.Dim(0), x.Dim(1), graph.Dim{})
	}
	if (c.HasInput(past) || c.HasOutput(1)) && sizes != nil && sizes[0] != sizes[2] {
		return c.Errorf("keys have %d and values %d elements for each row; a cache holds both, which have to be alike", sizes[0], sizes[2])
	}
	if err := c.wantDims(past, graph.Known(2), x.Dim(0), graph.Known(heads), graph.Dim{}, size); err != nil {
		return err
	}
	total := x.Dim(1)
	if c.HasInput(past) {
		total = sumDims(c.Shape(past).Dim(3), total)
	}
	c.SetDims(1, graph.Known(2), x.Dim(0), graph.Known(heads), total, vsize)
	return nil
}

// hiddenSizes are the columns of the weights for query, key and value, nil while they
// are not known.
func (c *Context) hiddenSizes(heads int) ([]int, error) {
	n, known := c.Shape(1).Dim(1).Size()
	var sizes []int
	if c.Def.Signature().Attr("qkv_hidden_sizes") != nil && c.Has("qkv_hidden_sizes") {
		given := c.Attrs.Ints("qkv_hidden_sizes")
		if len(given) != 3 || given[0] != given[1] {
			return nil, c.AttrErrorf("qkv_hidden_sizes", "is %v, must be three sizes, those of query and key alike", given)
		}
		total := 0
		for _, v := range given {
			if v < 1 || v > maxExtent {
				return nil, c.AttrErrorf("qkv_hidden_sizes", "is %v, each must be in [1, %d]", given, maxExtent)
			}
			sizes = append(sizes, int(v))
			total += int(v)
		}
		if known && total != n {
			return nil, c.AttrErrorf("qkv_hidden_sizes", "is %v, %d in all, but the weights %v have %d columns", given, total, c.Shape(1), n)
		}
	} else if known {
		if n%3 != 0 || n == 0 {
			return nil, c.InputErrorf(1, "shape %v has %d columns, must be as many for query, key and value each", c.Shape(1), n)
		}
		sizes = []int{n / 3, n / 3, n / 3}
	}
	for _, v := range sizes {
		if v%heads != 0 {
			return nil, c.AttrErrorf("num_heads", "is %d, which does not divide the %d elements of a row", heads, v)
		}
	}
	return sizes, nil
}

// inferQAttention is that of attention on quantized operands, whose scales and zero
// points are one for all, or one for each column of the weights.
func inferQAttention(c *Context) error {
	for _, i := range []int{3, 6} {
		if s := c.Shape(i); c.HasInput(i) && !isSingleOrUnknown(s) {
			return c.InputErrorf(i, "shape %v must have one element", s)
		}
	}
	for _, i := range []int{4, 7} {
		if s := c.Shape(i); c.HasInput(i) && s.IsRanked() && !isSingleOrUnknown(s) {
			if err := c.wantVector(i, c.Shape(1).Dim(1), "columns of the weights"); err != nil {
				return err
			}
		}
	}
	c.SetDType(0, c.DType(2))
	c.SetDType(1, c.DType(2))
	return c.inferProjectedAttention(2, 8)
}

// multiHead is what the operands of a MultiHeadAttention say: sizes are those of one head.
type multiHead struct {
	*Context
	heads, batch, rows, keys, size, vsize graph.Dim
}

// query reads the operands in whichever layout they come; known is false when that
// can not be told.
func (m *multiHead) query() (known bool, err error) {
	q := m.Shape(0)
	rank, ok := q.Rank()
	switch {
	case !ok:
		return false, nil
	case rank == 5: // [batch, rows, heads, 3, size]
		if m.HasInput(1) || m.HasInput(2) {
			return false, m.InputErrorf(0, "shape %v holds key and value, so there can be no others", q)
		}
		m.batch, m.rows, m.keys, m.size, m.vsize = q.Dim(0), q.Dim(1), q.Dim(1), q.Dim(4), q.Dim(4)
		return true, m.wantDims(0, m.batch, m.rows, m.heads, graph.Known(3), m.size)
	case rank != 3:
		return false, m.InputErrorf(0, "shape %v has rank %d, must have 3 or 5", q, rank)
	case !m.HasInput(1):
		return false, m.InputErrorf(1, "is missing; a query of three dimensions comes with key and value")
	}
	m.batch, m.rows = q.Dim(0), q.Dim(1)
	if m.size, err = m.each(0); err != nil {
		return false, err
	}
	k := m.Shape(1)
	switch rank, ok := k.Rank(); {
	case !ok:
		return m.value()
	case rank == 3:
		m.keys = k.Dim(1)
		err = m.wantDims(1, m.batch, m.keys, q.Dim(2))
	case rank == 4:
		m.keys = k.Dim(2)
		err = m.wantDims(1, m.batch, m.heads, m.keys, m.size)
	case rank == 5: // [batch, rows, heads, 2, size]
		if m.HasInput(2) {
			return false, m.InputErrorf(1, "shape %v holds the value too, so there can be no other", k)
		}
		m.keys, m.vsize = k.Dim(1), m.size
		return true, m.wantDims(1, m.batch, m.keys, m.heads, graph.Known(2), m.size)
	default:
		return false, m.InputErrorf(1, "shape %v has rank %d, must have 3, 4 or 5", k, rank)
	}
	if err != nil {
		return false, err
	}
	if !m.HasInput(2) {
		return false, m.InputErrorf(2, "is missing; only a key of five dimensions holds the value too")
	}
	return m.value()
}

// value reads the value in three or four dimensions.
func (m *multiHead) value() (known bool, err error) {
	v := m.Shape(2)
	switch rank, ok := v.Rank(); {
	case !ok:
		return true, nil
	case rank == 3:
		if err := m.wantDims(2, m.batch, m.keys, graph.Dim{}); err != nil {
			return false, err
		}
		m.vsize, err = m.each(2)
		return true, err
	case rank == 4:
		m.vsize = v.Dim(3)
		return true, m.wantDims(2, m.batch, m.heads, m.keys, m.vsize)
	default:
		return false, m.InputErrorf(2, "shape %v has rank %d, must have 3 or 4", v, rank)
	}
}

// headSize is the size of a head in the rows of input i, which hold heads of them: the
// last of three dimensions.
func (c *Context) headSize(i, heads int) (graph.Dim, error) {
	n, ok := c.Shape(i).Dim(2).Size()
	if !c.Shape(i).HasRank(3) || !ok {
		return graph.Dim{}, nil
	}
	if n%heads != 0 {
		return graph.Dim{}, c.InputErrorf(i, "shape %v has rows of %d, which %d heads do not divide", c.Shape(i), n, heads)
	}
	return graph.Known(n / heads), nil
}

// each is headSize for all the heads of the operator.
func (m *multiHead) each(i int) (graph.Dim, error) {
	heads, _ := m.heads.Size()
	return m.headSize(i, heads)
}

// all is the size of all heads together.
func (m *multiHead) all(size graph.Dim) graph.Dim {
	heads, _ := m.heads.Size()
	return scaled(size, heads)
}

// wantDims checks that input i, where it is given, has these dimensions, as far as
// both are known.
func (c *Context) wantDims(i int, dims ...graph.Dim) error {
	if !c.HasInput(i) {
		return nil
	}
	if err := c.WantRank(i, len(dims)); err != nil {
		return err
	}
	if _, ok := graph.Merge(c.Shape(i), graph.ShapeOf(dims...)); !ok {
		return c.InputErrorf(i, "shape %v must be %v", c.Shape(i), graph.ShapeOf(dims...))
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

// inferContribRotary: is_packed_batching lifts a limit on the number of rows in ONNX
// Runtime. There is none here, as each position is checked against the caches.
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
	if heads > 0 {
		if _, err := c.headSize(0, heads); err != nil {
			return err
		}
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

// inferMRotary: three positions for each row, by time, height and width.
func inferMRotary(c *Context) error {
	x := c.Shape(0)
	heads, rotate := c.Int("num_heads"), c.Int("rotary_embedding_dim")
	if heads < 0 || rotate < 0 {
		return c.Errorf("num_heads is %d and rotary_embedding_dim %d, must not be negative", heads, rotate)
	}
	if rank, ok := x.Rank(); ok && rank != 3 && rank != 4 {
		return c.InputErrorf(0, "shape %v has rank %d, must have 3 or 4", x, rank)
	} else if ok && rank == 3 && heads == 0 {
		return c.AttrErrorf("num_heads", "is 0, but an input of three dimensions needs it")
	}
	if heads > 0 {
		if _, err := c.headSize(0, heads); err != nil {
			return err
		}
	}
	if v := c.Int("mrope_layout"); v != 0 && v != 1 {
		return c.AttrErrorf("mrope_layout", "is %d, allowed are 0 (sections) and 1 (interleaved)", v)
	}
	sections := c.Attrs.Ints("mrope_section")
	if len(sections) != 3 {
		return c.AttrErrorf("mrope_section", "is %v, must be three sizes", sections)
	}
	total := 0
	for _, v := range sections {
		if v < 0 || v > maxExtent/4 {
			return c.AttrErrorf("mrope_section", "is %v, each must be in [0, %d]", sections, maxExtent/4)
		}
		total += int(v)
	}
	for _, i := range []int{2, 3} {
		if err := c.wantDims(i, graph.Dim{}, graph.Known(total)); err != nil {
			return err
		}
	}
	rows := x.Dim(1)
	if x.HasRank(4) {
		rows = x.Dim(2)
	}
	if x.IsRanked() {
		if err := c.wantDims(1, graph.Known(3), x.Dim(0), rows); err != nil {
			return err
		}
	}
	return inferSame(c)
}
