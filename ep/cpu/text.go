package cpu

import (
	"context"
	"regexp"

	"gort/ep"
	"gort/internal/kernel/text"
	"gort/tensor"
)

var textBindings = []Binding{
	{Op: "StringNormalizer", New: newStringNormalizer},
	{Op: "StringConcat", New: newFunc(stringConcat)},
	{Op: "StringSplit", New: newStringSplit},
	{Op: "RegexFullMatch", New: newRegexFullMatch},
	{Op: "TfIdfVectorizer", New: newTfIdfVectorizer},
}

func newStringNormalizer(b *Build) (ep.Kernel, error) {
	change, ok := text.Cases[b.String("case_change_action")]
	if !ok {
		return nil, b.AttrErrorf("case_change_action", "is %q, allowed are LOWER, UPPER and NONE", b.String("case_change_action"))
	}
	n := text.NewNormalizer(change, b.Bool("is_case_sensitive"), b.Strings("stopwords"))
	return Func(func(_ context.Context, inv *ep.Invocation) error {
		in := inv.In(0)
		words := n.Apply(tensor.Elements[string](in))
		shape := []int{len(words)}
		if in.Rank() == 2 {
			shape = []int{1, len(words)}
		}
		out, err := inv.NewOut(0, tensor.String, shape...)
		if err != nil || out == nil {
			return err
		}
		copy(tensor.Elements[string](out), words)
		return nil
	}), nil
}

func stringConcat(_ context.Context, inv *ep.Invocation) error {
	out := inv.Out(0)
	a, err := inv.In(0).BroadcastTo(out.Shape()...)
	if err != nil {
		return err
	}
	b, err := inv.In(1).BroadcastTo(out.Shape()...)
	if err != nil {
		return err
	}
	left, right := tensor.Elements[string](a.Contiguous()), tensor.Elements[string](b.Contiguous())
	dst := tensor.Elements[string](out)
	for i := range dst {
		dst[i] = left[i] + right[i]
	}
	return nil
}

func newStringSplit(b *Build) (ep.Kernel, error) {
	delimiter, limit := b.String("delimiter"), b.IntOr("maxsplit", -1)
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		in := inv.In(0)
		parts, most := make([][]string, in.Size()), 0
		for i, s := range tensor.Elements[string](in) {
			if i&1023 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			parts[i] = text.Split(s, delimiter, limit)
			most = max(most, len(parts[i]))
		}
		out, err := inv.NewOut(0, tensor.String, append(in.Shape().Clone(), most)...)
		if err != nil {
			return err
		}
		counts, err := inv.NewOut(1, tensor.Int64, in.Shape()...)
		if err != nil {
			return err
		}
		for i, p := range parts {
			if out != nil {
				row := tensor.Elements[string](out)[i*most:][:most]
				clear(row[copy(row, p):])
			}
			if counts != nil {
				tensor.Elements[int64](counts)[i] = int64(len(p))
			}
		}
		return nil
	}), nil
}

// newRegexFullMatch uses Go's regular expressions, which have RE2's syntax as the
// specification wants.
func newRegexFullMatch(b *Build) (ep.Kernel, error) {
	if _, err := regexp.Compile(b.String("pattern")); err != nil {
		return nil, b.AttrErrorf("pattern", "%v", err)
	}
	re, err := regexp.Compile(`\A(?:` + b.String("pattern") + `)\z`)
	if err != nil {
		return nil, b.AttrErrorf("pattern", "%v", err)
	}
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		out := tensor.Elements[bool](inv.Out(0))
		for i, s := range tensor.Elements[string](inv.In(0)) {
			if i&255 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			out[i] = re.MatchString(s)
		}
		return nil
	}), nil
}

func newTfIdfVectorizer(b *Build) (ep.Kernel, error) {
	if b.DType(0) == tensor.String {
		return vectorize(b, b.Strings("pool_strings"), func(t *tensor.Tensor) ([]string, error) {
			return tensor.Elements[string](t), nil
		})
	}
	return vectorize(b, b.Ints("pool_int64s"), tensor.Int64s)
}

func vectorize[K comparable](b *Build, pool []K, tokens func(*tensor.Tensor) ([]K, error)) (ep.Kernel, error) {
	weighting, ok := text.Weightings[b.String("mode")]
	if !ok {
		return nil, b.AttrErrorf("mode", "is %q, allowed are TF, IDF and TFIDF", b.String("mode"))
	}
	v := &text.Vectorizer[K]{
		MinLength: b.Int("min_gram_length"), MaxLength: b.Int("max_gram_length"), MaxSkip: b.Int("max_skip_count"),
		Weighting: weighting, Places: b.Ints("ngram_indexes"), Weights: b.Floats("weights"),
	}
	for _, p := range v.Places {
		v.Size = max(v.Size, int(p)+1)
	}
	if len(pool) > 0 {
		v.Learn(pool, b.Ints("ngram_counts"))
	} else {
		v.Learn(nil, nil)
	}
	workers := b.Pool
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		in, out := inv.In(0), tensor.Elements[float32](inv.Out(0))
		list, err := tokens(in)
		if err != nil || len(out) == 0 {
			return err
		}
		rows := len(out) / v.Size
		length := len(list) / rows
		return workers.For(ctx, rows, max(1, 1024/max(length, 1)), func(lo, hi int) {
			counts := make([]int32, len(v.Places))
			for r := lo; r < hi; r++ {
				if v.Row(ctx, out[r*v.Size:][:v.Size], counts, list[r*length:][:length]) != nil {
					return // For reports the same error
				}
			}
		})
	}), nil
}
