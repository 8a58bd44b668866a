package op

import (
	"math"
	"regexp"

	"gort/graph"
	"gort/tensor"
)

// inferStringNormalizer: without stop words the shape stays; with them it is
// known only how many dimensions are left.
func inferStringNormalizer(c *Context) error {
	switch v := c.String("case_change_action"); v {
	case "LOWER", "UPPER", "NONE", "":
	default:
		return c.AttrErrorf("case_change_action", "is %q, allowed are LOWER, UPPER and NONE", v)
	}
	in := c.Shape(0)
	rank, ok := in.Rank()
	switch {
	case !ok:
		return nil
	case rank == 1:
		c.SetShape(0, graph.OfRank(1))
	case rank == 2:
		if d := in.Dim(0); d.IsKnown() && !d.Is(1) {
			return c.InputErrorf(0, "shape %v, must be [C] or [1, C]", in)
		}
		c.SetDims(0, graph.Known(1), graph.Dim{})
	default:
		return c.InputErrorf(0, "shape %v, must be [C] or [1, C]", in)
	}
	return nil
}

func inferStringConcat(c *Context) error {
	s, err := c.Broadcast(c.Shape(0), c.Shape(1))
	if err != nil {
		return err
	}
	c.SetShape(0, s)
	return nil
}

// inferStringSplit: the last dimension is the largest number of parts.
func inferStringSplit(c *Context) error {
	if v := c.Int("maxsplit"); c.Has("maxsplit") && v < 0 {
		return c.AttrErrorf("maxsplit", "is %d, must not be negative", v)
	}
	in := c.Shape(0)
	if !in.IsRanked() {
		return nil
	}
	c.SetDims(0, append(append([]graph.Dim{}, in.Dims()...), graph.Dim{})...)
	c.SetShape(1, in)
	return nil
}

func inferRegexFullMatch(c *Context) error {
	if _, err := regexp.Compile(c.String("pattern")); err != nil {
		return c.AttrErrorf("pattern", "%v", err)
	}
	return inferSame(c)
}

// inferTfIdfVectorizer replaces the last dimension by one place for each n-gram.
func inferTfIdfVectorizer(c *Context) error {
	size, err := c.vectorizer()
	if err != nil {
		return err
	}
	if d := c.DType(0); d != tensor.Undefined && (d == tensor.String) != c.Has("pool_strings") {
		return c.InputErrorf(0, "is %v, which the pool is not: strings go with pool_strings, integers with pool_int64s", d)
	}
	in := c.Shape(0)
	rank, ok := in.Rank()
	switch {
	case !ok:
	case rank <= 1: // a scalar is a row of one
		c.SetDims(0, graph.Known(size))
	case rank == 2:
		c.SetDims(0, in.Dim(0), graph.Known(size))
	default:
		return c.InputErrorf(0, "shape %v, must be [C] or [N, C]", in)
	}
	return nil
}

// vectorizer checks the attributes and returns the size of a row of output.
func (c *Context) vectorizer() (int, error) {
	lo, hi, skip := c.Int64("min_gram_length"), c.Int64("max_gram_length"), c.Int64("max_skip_count")
	if lo < 1 || hi < lo || hi > math.MaxInt32 {
		return 0, c.AttrErrorf("max_gram_length", "is %d, min_gram_length is %d; must be positive and in order", hi, lo)
	}
	if skip < 0 || skip > math.MaxInt32 {
		return 0, c.AttrErrorf("max_skip_count", "is %d, must not be negative", skip)
	}
	if m := c.String("mode"); m != "TF" && m != "IDF" && m != "TFIDF" {
		return 0, c.AttrErrorf("mode", "is %q, allowed are TF, IDF and TFIDF", m)
	}
	pool := len(c.Attrs.Ints("pool_int64s"))
	if c.Has("pool_strings") {
		if pool > 0 {
			return 0, c.AttrErrorf("pool_strings", "and pool_int64s are both given, only one may be")
		}
		pool = len(c.Strings("pool_strings"))
	}
	counts, total := c.Attrs.Ints("ngram_counts"), int64(0)
	for i, n := range counts {
		next := int64(pool)
		if i+1 < len(counts) {
			next = counts[i+1]
		}
		if n < 0 || next < n || next > int64(pool) || (next-n)%int64(i+1) != 0 {
			return 0, c.AttrErrorf("ngram_counts", "is %v: the %d-grams begin at %d and end at %d of a pool of %d", counts, i+1, n, next, pool)
		}
		total += (next - n) / int64(i+1)
	}
	places := c.Attrs.Ints("ngram_indexes")
	if int64(len(places)) != total {
		return 0, c.AttrErrorf("ngram_indexes", "has %d elements for %d n-grams", len(places), total)
	}
	if w := len(c.Floats("weights")); w > 0 && int64(w) != total {
		return 0, c.AttrErrorf("weights", "has %d elements for %d n-grams", w, total)
	}
	size := 0
	for i, p := range places {
		if p < 0 || p > math.MaxInt32 {
			return 0, c.AttrErrorf("ngram_indexes", "element %d is %d, allowed are 0 to %d", i, p, math.MaxInt32)
		}
		size = max(size, int(p)+1)
	}
	return size, nil
}
