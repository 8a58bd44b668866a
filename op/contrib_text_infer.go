package op

import (
	"math"
	"regexp"
	"slices"

	"gort/graph"
	"gort/tensor"
)

// inferTokenizer appends a dimension for the tokens of each string. Where there is no
// string, the last dimension becomes 0 instead.
func inferTokenizer(c *Context) error {
	if err := c.tokenizer(); err != nil {
		return err
	}
	in := c.Shape(0)
	rank, ok := in.Rank()
	if !ok {
		return nil
	}
	if rank != 1 && rank != 2 {
		return c.InputErrorf(0, "shape %v, must be [C] or [N, C]", in)
	}
	switch n, known := product(in.Dims()).Size(); {
	case known && n == 0:
		dims := slices.Clone(in.Dims())
		dims[rank-1] = graph.Known(0)
		c.SetDims(0, dims...)
	case known:
		c.SetDims(0, append(slices.Clone(in.Dims()), graph.Dim{})...)
	}
	return nil
}

// tokenizer checks the attributes of a Tokenizer.
func (c *Context) tokenizer() error {
	least := c.Int64("mincharnum")
	if least < 1 {
		return c.AttrErrorf("mincharnum", "is %d, must be positive", least)
	}
	list := c.Strings("separators")
	chars := len(list) == 1 && list[0] == ""
	if c.Has("separators") {
		if len(list) == 0 {
			return c.AttrErrorf("separators", "is empty, must have one or more regular expressions")
		}
		for _, s := range list {
			if _, err := regexp.Compile(s); err != nil {
				return c.AttrErrorf("separators", "%v", err)
			}
		}
	} else {
		expr := c.String("tokenexp")
		if expr == "" {
			return c.AttrErrorf("tokenexp", "and separators are both absent; one must be given")
		}
		if _, err := regexp.Compile(expr); err != nil {
			return c.AttrErrorf("tokenexp", "%v", err)
		}
		chars = expr == "."
	}
	if chars && least > 1 {
		return c.AttrErrorf("mincharnum", "is %d, but tokens are single characters; must be 1", least)
	}
	return nil
}

// inferMurmurHash3: the hashes are uint32 when positive is 1, else int32.
func inferMurmurHash3(c *Context) error {
	d := tensor.Int32
	if c.Int64("positive") == 1 {
		d = tensor.Uint32
	}
	c.SetDType(0, d)
	return inferSame(c)
}

// inferWordConvEmbedding gives (words, filters) for words of characters, filters
// (filters, 1, window, character size), and characters (count, character size).
func inferWordConvEmbedding(c *Context) error {
	for i, rank := range []int{2, 4, 1, 2} {
		if err := c.WantRank(i, rank); err != nil {
			return err
		}
	}
	words, w, bias, chars := c.Shape(0), c.Shape(1), c.Shape(2), c.Shape(3)
	for _, a := range []struct {
		name string
		dim  graph.Dim
	}{{"embedding_size", w.Dim(0)}, {"conv_window_size", w.Dim(2)}, {"char_embedding_size", chars.Dim(1)}} {
		if n, ok := a.dim.Size(); ok && c.Has(a.name) && c.Int(a.name) != -1 && c.Int(a.name) != n {
			return c.AttrErrorf(a.name, "is %d, the inputs have %d", c.Int(a.name), n)
		}
	}
	if d := w.Dim(1); d.IsKnown() && !d.Is(1) {
		return c.InputErrorf(1, "shape %v, must be (filters, 1, window, character size)", w)
	}
	if _, ok := graph.MergeDim(w.Dim(0), bias.Dim(0)); !ok {
		return c.InputErrorf(2, "shape %v, must have an element for each filter of %v", bias, w)
	}
	if _, ok := graph.MergeDim(w.Dim(3), chars.Dim(1)); !ok {
		return c.InputErrorf(3, "shape %v, must have rows as long as those of the filters %v", chars, w)
	}
	if chars.HasRank(2) && chars.Dim(1).Is(0) {
		return c.InputErrorf(3, "shape %v has rows of no elements", chars)
	}
	window, ok1 := w.Dim(2).Size()
	length, ok2 := words.Dim(1).Size()
	if ok1 && (window < 1 || ok2 && window > length) {
		return c.InputErrorf(1, "shape %v has a window of %d, words have %v characters", w, window, words.Dim(1))
	}
	c.SetDims(0, words.Dim(0), w.Dim(0))
	return nil
}

// inferNGramHashMapping gives (batch, length, heads): as many heads for each length of
// an n-gram from 2 on. The state is the last ids before the next call.
func inferNGramHashMapping(c *Context) error {
	longest, each, pad := c.Int64("max_ngram_size"), c.Int64("n_head_per_ngram"), c.Int64("pad_id")
	if longest < 2 || longest > maxExtent {
		return c.AttrErrorf("max_ngram_size", "is %d, must be in [2, %d]", longest, maxExtent)
	}
	if each < 1 || each > maxExtent {
		return c.AttrErrorf("n_head_per_ngram", "is %d, must be in [1, %d]", each, maxExtent)
	}
	if c.DType(0) == tensor.Int32 && (pad < math.MinInt32 || pad > math.MaxInt32) {
		return c.AttrErrorf("pad_id", "is %d, which is no int32 as the ids are", pad)
	}
	heads, ok := mulSize(int(longest)-1, int(each))
	if !ok || heads > maxExtent {
		return c.AttrErrorf("n_head_per_ngram", "is %d for n-grams up to %d, there may be %d heads", each, longest, maxExtent)
	}
	for i, rank := range []int{2, 1, 1, 2, 1} {
		if err := c.WantRank(i, rank); err != nil {
			return err
		}
	}
	ids := c.Shape(0)
	if n, ok := c.Shape(1).Dim(0).Size(); ok && n < int(longest) {
		return c.InputErrorf(1, "shape %v, must have %d elements", c.Shape(1), longest)
	}
	for _, i := range []int{2, 4} {
		if d := c.Shape(i).Dim(0); d.IsKnown() && !d.Is(heads) {
			return c.InputErrorf(i, "shape %v, must have an element for each of the %d heads", c.Shape(i), heads)
		}
	}
	batch := ids.Dim(0)
	if past := c.Shape(3); past.IsRanked() {
		if batch, ok = graph.MergeDim(batch, past.Dim(0)); !ok || past.Dim(1).IsKnown() && !past.Dim(1).Is(int(longest)-1) {
			return c.InputErrorf(3, "shape %v, must be (batch, %d) for ids %v", past, longest-1, ids)
		}
	}
	if err := c.wantOne(5); err != nil {
		return err
	}
	length := ids.Dim(1)
	if s := c.Shape(6); s.IsRanked() && ids.IsRanked() {
		if _, ok := graph.Merge(ids, s); !ok {
			return c.InputErrorf(6, "shape %v, must be that of the ids %v", s, ids)
		}
	}
	c.SetDims(0, batch, length, graph.Known(heads))
	c.SetDims(1, batch, graph.Known(int(longest)-1))
	return nil
}

// inferNGramRepeatBlock keeps the shape of the scores.
func inferNGramRepeatBlock(c *Context) error {
	if n := c.Int64("ngram_size"); n < 1 {
		return c.AttrErrorf("ngram_size", "is %d, must be positive", n)
	}
	for i := range 2 {
		if err := c.WantRank(i, 2); err != nil {
			return err
		}
	}
	if _, ok := graph.MergeDim(c.Shape(0).Dim(0), c.Shape(1).Dim(0)); !ok {
		return c.InputErrorf(1, "shape %v does not have the batch of the ids %v", c.Shape(1), c.Shape(0))
	}
	c.SetShape(0, c.Shape(1))
	return nil
}

// inferBifurcationDetector: without predictions the tokens are the current ones.
func inferBifurcationDetector(c *Context) error {
	lo, hi := c.Int64("min_ngram_size"), c.Int64("max_ngram_size")
	if lo < 1 || hi < lo {
		return c.AttrErrorf("max_ngram_size", "is %d, min_ngram_size is %d; must be positive and in order", hi, lo)
	}
	for _, i := range []int{0, 1, 3} {
		if err := c.WantRank(i, 1); err != nil {
			return err
		}
	}
	if err := c.wantOne(2); err != nil {
		return err
	}
	if c.HasInput(3) {
		c.SetShape(0, graph.OfRank(1))
	} else {
		c.SetDims(0, c.Shape(1).Dim(0))
	}
	c.SetShape(1, c.Shape(2))
	return nil
}

// inferDynamicTimeWarping gives the rows and columns of a path through a matrix.
func inferDynamicTimeWarping(c *Context) error {
	in := c.Shape(0)
	if r, ok := in.Rank(); ok && r != 2 && (r != 3 || in.Dim(0).IsKnown() && !in.Dim(0).Is(1)) {
		return c.InputErrorf(0, "shape %v, must be (M, N) or (1, M, N)", in)
	}
	c.SetDims(0, graph.Known(2), graph.Dim{})
	return nil
}
