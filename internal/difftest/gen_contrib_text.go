package difftest

import (
	"strings"

	"gort/tensor"
)

// contribTextGenerators call the operators on strings and token sequences that ONNX
// Runtime adds.
var contribTextGenerators = []Generator{
	{Domain: microsoft, Op: "Tokenizer", Make: tokenizer},
	{Domain: microsoft, Op: "MurmurHash3", Make: func(g *G) {
		d, hash := g.DType("T1"), g.DType("T2")
		if d == tensor.String {
			g.In(g.sentences(g.Shape(0, 3)...))
		} else {
			g.In(g.Range(d, -5000, 5000, g.Shape(0, 3)...))
		}
		if hash == tensor.Int32 {
			g.Attr("positive", 0)
		} else {
			g.MaybeAttr("positive", 1)
		}
		g.MaybeAttr("seed", int(g.Uint32()))
	}},
	{Domain: microsoft, Op: "WordConvEmbedding", Make: wordConvEmbedding},
	{Domain: microsoft, Op: "NGramHashMapping", Make: nGramHashMapping},
	{Domain: microsoft, Op: "NGramRepeatBlock", Make: func(g *G) {
		batch, length, vocabulary := g.Dim(), g.Dim(), g.Between(1, 5)
		g.In(g.Range(tensor.Int64, 0, float64(vocabulary-1), batch, length))
		g.In(g.Tensor(tensor.Float32, batch, vocabulary))
		g.Attr("ngram_size", g.Between(1, 4))
	}},
	{Domain: microsoft, Op: "BifurcationDetector", Make: bifurcationDetector},
	{Domain: microsoft, Op: "DynamicTimeWarping", Make: func(g *G) {
		shape := g.Sizes(2, 2)
		if g.Maybe() {
			shape = append([]int{1}, shape...)
		}
		g.In(g.Tensor(tensor.Float32, shape...))
	}},
}

// separators are what sentences are joined with, and what tokens are cut at.
var separators = []string{" ", "  ", ",", ", ", "-", "\n", "ab"}

// sentences returns strings of a few words.
func (g *G) sentences(shape ...int) *tensor.Tensor {
	t := g.Range(tensor.String, 0, 0, shape...)
	list := tensor.Elements[string](t)
	for i := range list {
		var s strings.Builder
		for range g.IntN(6) {
			s.WriteString(Pick(g, words...) + Pick(g, separators...))
		}
		list[i] += s.String()
	}
	return t
}

func tokenizer(g *G) {
	g.In(g.sentences(g.Shape(1, 2)...))
	g.Attr("mark", g.IntN(2))
	g.Attr("pad_value", Pick(g, "", "#", "<pad>"))
	least := g.Between(1, 3)
	switch g.IntN(6) {
	case 0:
		least = 1
		g.Attr("separators", []string{""})
	case 1:
		least = 1
		g.Attr("tokenexp", ".")
	case 2, 3:
		g.Attr("tokenexp", Pick(g, "[a-z]+", "[A-Za-z]*", "a|ab|abc", `\w+`, `\bg|o+`, `(?i)[a-g]`, "^.", "日.|[ï-ö]+", `\d\.?\d?`, "o??r"))
	default:
		list := []string{Pick(g, " ", ",", ", ?", "[ ,]+", `\s`, "b|ab", `\bo`, "^a", "(?:a|b)+")}
		for range g.IntN(3) {
			list = append(list, Pick(g, separators...))
		}
		g.Attr("separators", list)
	}
	g.Attr("mincharnum", least)
}

// wordConvEmbedding draws words that have characters: those of others ONNX Runtime
// leaves unwritten.
func wordConvEmbedding(g *G) {
	words, length, filters := g.Dim(), g.Between(1, 6), g.Between(1, 4)
	window, size, chars := g.Between(1, length), g.Between(1, 4), g.Between(2, 6)
	sequence := make([]int, 0, words*length)
	for range words {
		n := g.Between(1, length)
		for i := range length {
			c := 0
			if i < n {
				c = g.Between(1, chars-1)
				if i > 0 && g.OneIn(8) {
					c = 0
				}
			}
			sequence = append(sequence, c)
		}
	}
	g.In(tensor.Must(Ints(tensor.Int32, sequence...).Reshape(words, length)))
	g.Either(g.Range(tensor.Float32, -1, 1, filters, 1, window, size))
	g.Either(g.Range(tensor.Float32, -1, 1, filters))
	g.Either(g.Range(tensor.Float32, -1, 1, chars, size))
	g.MaybeAttr("embedding_size", filters)
	g.MaybeAttr("conv_window_size", window)
	g.MaybeAttr("char_embedding_size", size)
}

// nGramHashMapping seldom gives more than four inputs: ONNX Runtime 1.30 has no others.
func nGramHashMapping(g *G) {
	d := g.DType("M")
	batch, length, longest, each := g.Dim(), g.Dim(), g.Between(2, 4), g.Between(1, 3)
	heads := (longest - 1) * each
	ids := func(shape ...int) *tensor.Tensor { return g.Range(d, 0, 5, shape...) }
	g.In(ids(batch, length))
	g.Either(g.Range(d, -1<<30, 1<<30, longest))
	g.Either(g.Range(d, 1, 1000, heads))
	more := g.OneIn(4)
	if g.Maybe() {
		g.In(ids(batch, longest-1))
	} else if more {
		g.Omit()
	}
	if more {
		if g.Maybe() {
			g.Either(g.Range(d, 0, 5000, heads))
		} else {
			g.Omit()
		}
		if g.Maybe() {
			g.Either(Scalar(d, float64(g.IntN(6))))
		} else {
			g.Omit()
		}
		if g.Maybe() {
			g.In(g.Range(tensor.Int32, 0, 2, batch, length))
		}
		g.MaybeAttr("reset_on_eos", g.IntN(2))
	}
	g.Attr("max_ngram_size", longest)
	g.Attr("n_head_per_ngram", each)
	g.Attr("pad_id", g.IntN(6))
	if g.Maybe() {
		g.OutputCount(2)
	}
}

func bifurcationDetector(g *G) {
	ids := func(n int) *tensor.Tensor { return g.Range(tensor.Int64, 0, 2, n) }
	length := g.Size()
	source := ids(length)
	g.In(source)
	g.In(ids(g.Size()))
	from := g.Between(0, length)
	g.In(Ints(tensor.Int64, from))
	if g.Maybe() {
		predicted := tensor.Elements[int64](ids(length - from + 1))
		// Agree for a while, which chance alone seldom does.
		copy(predicted, tensor.Elements[int64](source)[from:][:g.IntN(length-from+1)])
		g.In(tensor.Must(tensor.FromSlice(predicted)))
	}
	lo := g.Between(1, 3)
	g.MaybeAttr("min_ngram_size", min(lo, 3))
	g.MaybeAttr("max_ngram_size", g.Between(3, 5))
}
