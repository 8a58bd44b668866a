package cpu

import (
	"context"
	"fmt"
	"unicode/utf8"

	"gort/ep"
	"gort/internal/kernel/text"
	"gort/internal/kernel/tokens"
	"gort/internal/parallel"
	"gort/tensor"
)

var hashTypes = ByType{tensor.Int32: newNGramHash[int32], tensor.Int64: newNGramHash[int64]}

var contribTextBindings = []Binding{
	{Domain: microsoft, Op: "Tokenizer", New: newTokenizer},
	{Domain: microsoft, Op: "MurmurHash3", New: newMurmurHash3},
	{Domain: microsoft, Op: "WordConvEmbedding", New: newWordConvEmbedding},
	{Domain: microsoft, Op: "NGramHashMapping", New: hashTypes.Input(0)},
	{Domain: microsoft, Op: "NGramRepeatBlock", New: newNGramRepeatBlock},
	{Domain: microsoft, Op: "BifurcationDetector", New: newBifurcationDetector},
	{Domain: microsoft, Op: "DynamicTimeWarping", New: newFunc(dynamicTimeWarping)},
}

// Marks around the tokens of a string, start and end of text.
const (
	startOfText = "\x02"
	endOfText   = "\x03"
)

// tokenizer cuts strings into rows of tokens, as long as the longest.
type tokenizer struct {
	cut  text.Tokenizer
	mark bool
	pad  string
}

func newTokenizer(b *Build) (ep.Kernel, error) {
	k := &tokenizer{mark: b.Bool("mark"), pad: b.String("pad_value"), cut: text.Characters{}}
	least, expr := b.Int("mincharnum"), b.String("tokenexp")
	var err error
	// Where both attributes are given, ONNX Runtime goes by the separators.
	switch list := b.Strings("separators"); {
	case len(list) == 1 && list[0] == "":
	case len(list) > 0:
		k.cut, err = text.NewSplitter(list, least)
	case expr != ".":
		k.cut, err = text.NewMatcher(expr, least)
	}
	return k, err
}

// Run implements ep.Kernel.
func (k *tokenizer) Run(ctx context.Context, inv *ep.Invocation) error {
	in := inv.In(0)
	shape := in.Shape().Clone()
	if in.Size() == 0 {
		shape[len(shape)-1] = 0
		_, err := inv.NewOut(0, tensor.String, shape...)
		return err
	}
	rows, most := make([][]string, in.Size()), 0
	for i, s := range tensor.Elements[string](in) {
		if i&255 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !utf8.ValidString(s) {
			return fmt.Errorf("string %d, %q, is not UTF-8", i, s)
		}
		rows[i] = k.cut.Tokens(s)
		most = max(most, len(rows[i]))
	}
	if k.mark && most > 0 { // without any token there are no marks either
		most += 2
	}
	out, err := inv.NewOut(0, tensor.String, append(shape, most)...)
	if err != nil || out == nil || most == 0 {
		return err
	}
	dst := tensor.Elements[string](out)
	for i, row := range rows {
		line := dst[i*most:][:0:most]
		if k.mark {
			line = append(line, startOfText)
		}
		line = append(line, row...)
		if k.mark {
			line = append(line, endOfText)
		}
		for len(line) < most {
			line = append(line, k.pad)
		}
	}
	return nil
}

func newMurmurHash3(b *Build) (ep.Kernel, error) {
	seed, width, pool := uint32(b.Int64("seed")), b.DType(0).Bits()/8, b.Pool
	const grain = 1 << 10
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		in, out := inv.In(0), inv.Out(0)
		store := hashStore(out)
		if in.DType() == tensor.String {
			s := tensor.Elements[string](in)
			return pool.For(ctx, len(s), grain, func(lo, hi int) {
				for i := lo; i < hi; i++ {
					store(i, text.Murmur3(s[i], seed))
				}
			})
		}
		data, err := in.Bytes()
		if err != nil {
			return err
		}
		return pool.For(ctx, in.Size(), grain, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				store(i, text.Murmur3(data[i*width:][:width], seed))
			}
		})
	}), nil
}

// hashStore writes hashes as uint32 or as the int32 with the same bits.
func hashStore(out *tensor.Tensor) func(i int, h uint32) {
	if out.DType() == tensor.Int32 {
		dst := tensor.Elements[int32](out)
		return func(i int, h uint32) { dst[i] = int32(h) }
	}
	dst := tensor.Elements[uint32](out)
	return func(i int, h uint32) { dst[i] = h }
}

func newWordConvEmbedding(b *Build) (ep.Kernel, error) {
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		w := tokens.WordConv{Length: inv.In(0).Shape()[1], Window: inv.In(1).Shape()[2], Size: inv.In(1).Shape()[3],
			Filters: tensor.Elements[float32](inv.In(1)), Bias: tensor.Elements[float32](inv.In(2)), Chars: tensor.Elements[float32](inv.In(3))}
		return w.Run(ctx, b.Pool, tensor.Elements[int32](inv.In(0)), tensor.Elements[float32](inv.Out(0)))
	}), nil
}

func newNGramHash[T tokens.ID](b *Build) (ep.Kernel, error) {
	longest, each, pad, reset := b.Int("max_ngram_size"), b.Int("n_head_per_ngram"), T(b.Int64("pad_id")), b.Bool("reset_on_eos")
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		ids := inv.In(0)
		h := tokens.NGramHash[T]{Longest: longest, Each: each, Factors: elementsOr[T](inv, 1), Sizes: elementsOr[T](inv, 2),
			Offsets: elementsOr[T](inv, 4), Missing: pad, Length: ids.Shape()[1], IDs: tensor.Elements[T](ids),
			Past: elementsOr[T](inv, 3), Segments: elementsOr[int32](inv, 6)}
		if end := elementsOr[T](inv, 5); end != nil {
			h.Missing, h.Reset = end[0], reset
		}
		return h.Run(ctx, b.Pool, ids.Shape()[0], tensor.Elements[T](inv.Out(0)), outElements[T](inv, 1))
	}), nil
}

// nGramRepeatBlock may write over the scores.
type nGramRepeatBlock struct {
	pool *parallel.Pool
	n    int
}

func newNGramRepeatBlock(b *Build) (ep.Kernel, error) {
	return &nGramRepeatBlock{b.Pool, b.Int("ngram_size")}, nil
}

// InPlace implements ep.InPlacer.
func (*nGramRepeatBlock) InPlace() []ep.Reuse { return []ep.Reuse{{Output: 0, Input: 1}} }

// Run implements ep.Kernel.
func (k *nGramRepeatBlock) Run(ctx context.Context, inv *ep.Invocation) error {
	ids, out := inv.In(0), tensor.Elements[float32](inv.Out(0))
	copy(out, tensor.Elements[float32](inv.In(1)))
	return tokens.BlockRepeats(ctx, k.pool, k.n, ids.Shape()[0], tensor.Elements[int64](ids), out)
}

func newBifurcationDetector(b *Build) (ep.Kernel, error) {
	lo, hi := b.Int("min_ngram_size"), b.Int("max_ngram_size")
	return Func(func(_ context.Context, inv *ep.Invocation) error {
		source, said := tensor.Elements[int64](inv.In(0)), tensor.Elements[int64](inv.In(1))
		var accepted []int64
		if predicted := elementsOr[int64](inv, 3); inv.In(3) != nil {
			from := tensor.Elements[int64](inv.In(2))[0]
			if from < 0 || from > int64(len(source)) {
				return fmt.Errorf("prev_suffix_match_idx is %d, allowed are 0 to %d, the length of src_tokens", from, len(source))
			}
			rest := source[from:]
			if len(predicted) != len(rest)+1 {
				return fmt.Errorf("pred_tokens has %d elements, must be %d: one more than src_tokens from %d on", len(predicted), len(rest)+1, from)
			}
			accepted = predicted[:tokens.Agreement(rest, predicted)]
		}
		out, err := inv.NewOut(0, tensor.Int64, len(said)+len(accepted))
		if err != nil {
			return err
		}
		all := append(said[:len(said):len(said)], accepted...)
		if out != nil {
			copy(tensor.Elements[int64](out), all)
		}
		at, err := inv.NewOut(1, tensor.Int64, inv.In(2).Shape()...)
		if err != nil || at == nil {
			return err
		}
		tensor.Elements[int64](at)[0] = tokens.Suffix(source, all, lo, hi)
		return nil
	}), nil
}

func dynamicTimeWarping(ctx context.Context, inv *ep.Invocation) error {
	in := inv.In(0)
	shape := in.Shape()[in.Rank()-2:]
	rows, columns, err := tokens.Warp(ctx, tensor.Elements[float32](in), shape[0], shape[1])
	if err != nil {
		return err
	}
	out, err := inv.NewOut(0, tensor.Int32, 2, len(rows))
	if err != nil || out == nil {
		return err
	}
	copy(tensor.Elements[int32](out), rows)
	copy(tensor.Elements[int32](out)[len(rows):], columns)
	return nil
}
