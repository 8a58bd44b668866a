package difftest

import (
	"slices"
	"strings"

	"gort/tensor"
)

// textGenerators call the operators on strings.
var textGenerators = []Generator{
	{Op: "StringConcat", Make: func(g *G) {
		shape := g.Shape(0, 4)
		a, b := shape, g.Broadcastable(shape)
		if g.Maybe() {
			a, b = b, a
		}
		g.In(g.Tensor(tensor.String, a...))
		g.In(g.Tensor(tensor.String, b...))
	}},
	{Op: "StringSplit", Make: stringSplit},
	{Op: "RegexFullMatch", Make: func(g *G) {
		g.In(g.sentences(g.Shape(0, 3)...))
		g.Attr("pattern", Pick(g, patterns...))
	}},
	{Op: "StringNormalizer", Make: stringNormalizer},
	{Op: "TfIdfVectorizer", Make: tfIdfVectorizer},
}

// patterns of RegexFullMatch, in RE2's syntax.
var patterns = []string{
	"", ".*", "a", "ab?", "a|ab|abc", "[a-z]*", `\w+`, `(\w+\W+)*`, "(?i)ABC", "[^,]*", `\d+\.\d`, `\pL+`, "日本", ".{2}", "(?s).*b.*",
	`(a|b)+`, "^a$", `\bgort\b.*`, "[[:upper:]]+", "x*",
}

// stringSplit leaves out two kinds of strings. Without a delimiter, ONNX Runtime takes
// no white space but blanks for separators. With one, it finds no part in an empty
// string, where the specification's reference finds one that is empty.
func stringSplit(g *G) {
	x := g.sentences(g.Shape(1, 3)...)
	list := tensor.Elements[string](x)
	if g.Maybe() {
		g.Attr("delimiter", Pick(g, separators...))
		for i, s := range list {
			if s == "" {
				list[i] = "-"
			}
		}
	} else {
		g.MaybeAttr("delimiter", "")
		for i, s := range list {
			list[i] = strings.ReplaceAll(s, "\n", " ")
		}
	}
	g.In(x)
	g.MaybeAttr("maxsplit", g.Between(1, 4))
	g.OutputCount(2)
}

// stringNormalizer gives the locale C or none: ONNX Runtime asks the operating system
// for a locale, en_US where none is given, and changes the case of what has one there.
func stringNormalizer(g *G) {
	shape := []int{g.Size()}
	if g.Maybe() {
		shape = []int{1, shape[0]}
	}
	list := []string{"a", "A", "Ab", "ab", "ONNX", "onnx", "gort", "Gort", "1.5", "a b", "", "日本"}
	words := make([]string, shape[len(shape)-1])
	for i := range words {
		words[i] = Pick(g, list...)
	}
	g.In(fromSlice(words, shape))
	g.MaybeAttr("case_change_action", Pick(g, "LOWER", "UPPER", "NONE"))
	g.MaybeAttr("is_case_sensitive", g.IntN(2))
	if g.Maybe() {
		g.Attr("locale", "C")
	}
	if g.Maybe() {
		g.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		g.Attr("stopwords", slices.Clone(list[:g.Between(1, 4)]))
	}
}

// tfIdfVectorizer draws n-grams of a few tokens, and rows in which they occur.
func tfIdfVectorizer(g *G) {
	d := g.DType("T")
	lo, hi := g.Between(1, 2), g.Between(2, 3)
	tokens := g.Between(2, 5)
	var pool, counts []int
	grams := 0
	seen := map[[3]int]bool{}
	for n := 1; n <= hi; n++ {
		counts = append(counts, len(pool))
		for range g.IntN(4) {
			var gram [3]int
			for i := range n {
				gram[i] = g.Between(1, tokens)
			}
			if seen[gram] {
				continue
			}
			seen[gram] = true
			pool = append(pool, gram[:n]...)
			grams++
		}
	}
	if grams == 0 {
		g.Skip()
	}
	places := g.Perm(grams)
	if g.OneIn(4) {
		places = g.Perm(grams + 2)[:grams] // which leaves columns out
	}
	shape := []int{g.Dim()}
	if g.Maybe() {
		shape = []int{g.Size(), g.Dim()}
	}
	x := g.Range(tensor.Int64, 1, float64(tokens), shape...)
	if d == tensor.String {
		names := []string{"", "a", "B", "ab", "日本", "c d"}
		words := make([]string, x.Size())
		for i, v := range tensor.Elements[int64](x) {
			words[i] = names[v]
		}
		list := make([]string, len(pool))
		for i, v := range pool {
			list[i] = names[v]
		}
		g.In(fromSlice(words, shape))
		g.Attr("pool_strings", list)
	} else {
		g.In(tensor.Must(tensor.Convert(x, d, tensor.ConvertOptions{})))
		g.Attr("pool_int64s", pool)
	}
	g.Attr("min_gram_length", lo)
	g.Attr("max_gram_length", hi)
	g.Attr("max_skip_count", g.IntN(4))
	g.Attr("mode", Pick(g, "TF", "IDF", "TFIDF"))
	g.Attr("ngram_counts", counts)
	g.Attr("ngram_indexes", places)
	if g.Maybe() {
		weights := make([]float32, grams)
		for i := range weights {
			weights[i] = float32(g.fraction(-2, 2))
		}
		g.Attr("weights", weights)
	}
}
