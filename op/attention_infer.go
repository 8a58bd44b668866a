package op

import (
	"math"
	"slices"

	"gort/graph"
	"gort/tensor"
)

// heads reads a query, key or value operand: [batch, heads, rows, size], or
// [batch, rows, heads*size] with the number of heads from an attribute.
func (c *Context) heads(i int, attr string) (batch, heads, rows, size graph.Dim, err error) {
	s := c.Shape(i)
	r, ok := s.Rank()
	switch {
	case !ok:
	case r == 4:
		return s.Dim(0), s.Dim(1), s.Dim(2), s.Dim(3), nil
	case r == 3:
		batch, rows = s.Dim(0), s.Dim(1)
		n := c.Int(attr)
		if n <= 0 {
			return batch, heads, rows, size, c.AttrErrorf(attr, "is %d, must be positive when input %d has three dimensions, %v", n, i, s)
		}
		heads = graph.Known(n)
		if width, ok := s.Dim(2).Size(); ok {
			if width%n != 0 {
				return batch, heads, rows, size, c.AttrErrorf(attr, "is %d, does not divide the last dimension of input %d, %v", n, i, s)
			}
			size = graph.Known(width / n)
		}
	default:
		err = c.InputErrorf(i, "shape %v has rank %d, must be 3 or 4", s, r)
	}
	return batch, heads, rows, size, err
}

// agree merges what two operands say about one dimension.
func (c *Context) agree(i int, what string, a, b graph.Dim) (graph.Dim, error) {
	d, ok := graph.MergeDim(a, b)
	if !ok {
		return d, c.InputErrorf(i, "shape %v has %v %s, an earlier input has %v", c.Shape(i), b, what, a)
	}
	return d, nil
}

// sumDims is the sum of two sizes, unknown where it is out of reach.
func sumDims(a, b graph.Dim) graph.Dim {
	x, okX := a.Size()
	y, okY := b.Size()
	switch {
	case okX && okY && x <= math.MaxInt32-y:
		return graph.Known(x + y)
	case okX && x == 0:
		return b
	case okY && y == 0:
		return a
	}
	return graph.Dim{}
}

func inferAttention(c *Context) error {
	if err := c.attentionAttrs(); err != nil {
		return err
	}
	batch, heads, rows, size, err := c.heads(0, "q_num_heads")
	if err != nil {
		return err
	}
	kb, kh, kr, ks, err := c.heads(1, "kv_num_heads")
	if err != nil {
		return err
	}
	vb, vh, vr, vs, err := c.heads(2, "kv_num_heads")
	if err != nil {
		return err
	}
	q := c.Shape(0)
	for i := 1; i < 3; i++ {
		if r, ok := q.Rank(); ok && c.Shape(i).IsRanked() && !c.Shape(i).HasRank(r) {
			return c.InputErrorf(i, "shape %v and the query's %v must have as many dimensions", c.Shape(i), q)
		}
	}
	for _, a := range []struct {
		input int
		what  string
		to    *graph.Dim
		other graph.Dim
	}{
		{1, "batches", &batch, kb}, {2, "batches", &batch, vb}, {2, "heads", &kh, vh},
		{1, "elements a head", &size, ks}, {2, "rows", &kr, vr},
	} {
		if *a.to, err = c.agree(a.input, a.what, *a.to, a.other); err != nil {
			return err
		}
	}
	if h, ok := heads.Size(); ok {
		if k, ok := kh.Size(); ok && (k == 0 || h%k != 0) {
			return c.InputErrorf(1, "has %d heads, the query's %d heads must be a multiple of them", k, h)
		}
	}
	past := graph.Known(0)
	if c.HasInput(4) != c.HasInput(5) {
		return c.Errorf("past_key and past_value must be given together")
	}
	if c.HasInput(4) {
		if c.HasInput(6) {
			return c.InputErrorf(6, "must not be given together with past_key and past_value")
		}
		past = graph.Dim{}
		for i, last := range map[int]graph.Dim{4: size, 5: vs} {
			want := graph.ShapeOf(batch, kh, past, last)
			m, ok := graph.Merge(c.Shape(i), want)
			if !ok {
				return c.InputErrorf(i, "has shape %v, must be %v", c.Shape(i), want)
			}
			if past, ok = graph.MergeDim(past, m.Dim(2)); !ok {
				return c.InputErrorf(i, "shape %v has %v rows, the other cache has %v", c.Shape(i), m.Dim(2), past)
			}
		}
	}
	if _, ok := graph.Merge(c.Shape(6), graph.ShapeOf(batch)); c.HasInput(6) && !ok {
		return c.InputErrorf(6, "has shape %v, must be [%v]", c.Shape(6), batch)
	}
	total := sumDims(past, kr)
	if err := c.attentionMask(batch, heads, rows, total); err != nil {
		return err
	}
	if r, ok := q.Rank(); ok && r == 3 {
		width := graph.Dim{}
		if h, ok := heads.Size(); ok {
			if s, ok := vs.Size(); ok {
				width = graph.Known(h * s)
			}
		}
		c.SetDims(0, batch, rows, width)
	} else if ok {
		c.SetDims(0, batch, heads, rows, vs)
	}
	c.SetDims(1, batch, kh, total, size)
	c.SetDims(2, batch, kh, total, vs)
	c.SetDims(3, batch, heads, rows, total)
	return nil
}

func (c *Context) attentionAttrs() error {
	if m := c.Int("qk_matmul_output_mode"); m < 0 || m > 3 {
		return c.AttrErrorf("qk_matmul_output_mode", "is %d, allowed are 0 to 3", m)
	}
	if s := c.Float("softcap"); !(s >= 0) {
		return c.AttrErrorf("softcap", "is %v, must not be negative", s)
	}
	if p := tensor.DType(c.Int("softmax_precision")); c.Has("softmax_precision") && !FloatBFTypes.Has(p) {
		return c.AttrErrorf("softmax_precision", "is %d, allowed are 1, 10, 11 and 16", c.Int("softmax_precision"))
	}
	for _, name := range []string{"left_window_size", "right_window_size"} {
		if c.sig.Attr(name) != nil && c.Int(name) < -1 {
			return c.AttrErrorf(name, "is %d, allowed are -1 and more", c.Int(name))
		}
	}
	return nil
}

// attentionMask checks that attn_mask broadcasts; its last dimension may be
// shorter than the keys.
func (c *Context) attentionMask(batch, heads, rows, total graph.Dim) error {
	s := c.Shape(3)
	r, ok := s.Rank()
	if !c.HasInput(3) || !ok {
		return nil
	}
	if r < 1 || r > 4 {
		return c.InputErrorf(3, "shape %v has rank %d, must be 1 to 4", s, r)
	}
	want := []graph.Dim{batch, heads, rows, total}[4-r:]
	for i, d := range want[:r-1] {
		if _, ok := graph.MergeDim(s.Dim(i), d); !ok && !s.Dim(i).Is(1) {
			return c.InputErrorf(3, "shape %v does not broadcast to %v", s, graph.ShapeOf(batch, heads, rows, total))
		}
	}
	have, okHave := s.Dim(-1).Size()
	if n, ok := total.Size(); ok && okHave && have > n {
		return c.InputErrorf(3, "shape %v has %d columns, there are %d keys", s, have, n)
	}
	return nil
}

func inferRotaryEmbedding(c *Context) error {
	batch, _, rows, size, err := c.heads(0, "num_heads")
	if err != nil {
		return err
	}
	rotate := c.Int("rotary_embedding_dim")
	n, known := size.Size()
	switch {
	case rotate < 0 || rotate%2 != 0 || known && rotate > n:
		return c.AttrErrorf("rotary_embedding_dim", "is %d, must be even, not negative and at most the head size %v", rotate, size)
	case rotate == 0 && known && n%2 != 0:
		return c.InputErrorf(0, "shape %v has heads of %d elements, must be even", c.Shape(0), n)
	case rotate == 0:
		rotate = n
	}
	half := graph.Dim{}
	if known || rotate > 0 {
		half = graph.Known(rotate / 2)
	}
	positions := c.HasInput(3)
	for i := 1; i < 3; i++ {
		want := graph.ShapeOf(batch, rows, half)
		if positions {
			want = graph.ShapeOf(graph.Dim{}, half)
		}
		if _, ok := graph.Merge(c.Shape(i), want); !ok {
			return c.InputErrorf(i, "has shape %v, must be %v", c.Shape(i), want)
		}
	}
	if positions {
		if _, ok := graph.Merge(c.Shape(3), graph.ShapeOf(batch, rows)); !ok {
			return c.InputErrorf(3, "has shape %v, must be %v", c.Shape(3), graph.ShapeOf(batch, rows))
		}
	}
	c.SetShape(0, c.Shape(0))
	return nil
}

var updateRules = []string{"linear", "gated", "delta", "gated_delta"}

func inferLinearAttention(c *Context) error {
	rule := c.String("update_rule")
	at := slices.Index(updateRules, rule)
	if at < 0 {
		return c.AttrErrorf("update_rule", "is %q, allowed are %q", rule, updateRules)
	}
	for i, wanted := range map[int]bool{4: at == 1 || at == 3, 5: at >= 2} {
		if c.HasInput(i) != wanted {
			return c.InputErrorf(i, "given is %v, update rule %q wants %v", c.HasInput(i), rule, wanted)
		}
	}
	for i := range 3 {
		if err := c.WantRank(i, 3); err != nil {
			return err
		}
	}
	q, k := c.Int("q_num_heads"), c.Int("kv_num_heads")
	if q <= 0 || k <= 0 || q%k != 0 {
		return c.AttrErrorf("q_num_heads", "is %d, must be a positive multiple of kv_num_heads, %d", q, k)
	}
	batch, rows, size := c.Shape(0).Dim(0), c.Shape(0).Dim(1), graph.Dim{}
	vsize := graph.Dim{}
	for i, n := range []int{q, k, k} {
		s := c.Shape(i)
		var err error
		if batch, err = c.agree(i, "batches", batch, s.Dim(0)); err != nil {
			return err
		}
		if rows, err = c.agree(i, "rows", rows, s.Dim(1)); err != nil {
			return err
		}
		width, ok := s.Dim(2).Size()
		if !ok {
			continue
		}
		if width%n != 0 {
			return c.InputErrorf(i, "shape %v has %d columns, must be a multiple of the %d heads", s, width, n)
		}
		if i == 2 {
			vsize = graph.Known(width / n)
		} else if size, err = c.agree(i, "elements a head", size, graph.Known(width/n)); err != nil {
			return err
		}
	}
	state := graph.ShapeOf(batch, graph.Known(k), size, vsize)
	if _, ok := graph.Merge(c.Shape(3), state); c.HasInput(3) && !ok {
		return c.InputErrorf(3, "has shape %v, must be %v", c.Shape(3), state)
	}
	for i, allowed := range map[int][]graph.Dim{4: {graph.Known(k), product([]graph.Dim{graph.Known(k), size})}, 5: {graph.Known(k), graph.Known(1)}} {
		s := c.Shape(i)
		if !c.HasInput(i) || !s.IsRanked() {
			continue
		}
		if _, ok := graph.Merge(s, graph.ShapeOf(batch, rows, graph.Dim{})); !ok {
			return c.InputErrorf(i, "has shape %v, must be [%v,%v,%v] or [%v,%v,%v]", s, batch, rows, allowed[0], batch, rows, allowed[1])
		}
		_, first := graph.MergeDim(s.Dim(2), allowed[0])
		_, second := graph.MergeDim(s.Dim(2), allowed[1])
		if !first && !second {
			return c.InputErrorf(i, "has shape %v, the last dimension must be %v or %v", s, allowed[0], allowed[1])
		}
	}
	if w, ok := vsize.Size(); ok {
		c.SetDims(0, batch, rows, graph.Known(w*q))
	} else {
		c.SetDims(0, batch, rows, graph.Dim{})
	}
	if !c.HasInput(3) {
		c.SetDType(1, c.DType(0))
	}
	c.SetShape(1, state)
	return nil
}
