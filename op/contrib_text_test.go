package op_test

import (
	"testing"

	"gort/graph"
)

func TestContribTextShapes(t *testing.T) {
	token := func(pairs ...any) []graph.Attr {
		return append(attrs("mark", 0, "pad_value", "#"), attrs(pairs...)...)
	}
	chars := token("mincharnum", 1, "separators", []string{""})
	hash := func(pairs ...any) []graph.Attr {
		return append(attrs("pad_id", 0), attrs(pairs...)...)
	}
	runMoveCasesOf(t, "com.microsoft", []moveCase{
		{"Tokenizer", 1, chars, moveFacts("string[3]"), "string[3,?]"},
		{"Tokenizer", 1, chars, moveFacts("string[2,3]"), "string[2,3,?]"},
		{"Tokenizer", 1, chars, moveFacts("string[0]"), "string[0]"},
		{"Tokenizer", 1, chars, moveFacts("string[2,0]"), "string[2,0]"},
		{"Tokenizer", 1, chars, moveFacts("string[N,2]"), "string"}, // [N, 0] of no string
		{"Tokenizer", 1, chars, moveFacts("string"), "string"},
		{"Tokenizer", 1, chars, moveFacts("string[1,2,3]"), "![N, C]"},
		{"Tokenizer", 1, token("mincharnum", 0, "tokenexp", "a"), moveFacts("string[3]"), "!must be positive"},
		{"Tokenizer", 1, token("mincharnum", 2, "tokenexp", "."), moveFacts("string[3]"), "!single characters"},
		{"Tokenizer", 1, token("mincharnum", 2, "separators", []string{""}), moveFacts("string[3]"), "!single characters"},
		{"Tokenizer", 1, token("mincharnum", 1), moveFacts("string[3]"), "!one must be given"},
		{"Tokenizer", 1, token("mincharnum", 1, "tokenexp", "("), moveFacts("string[3]"), "!missing closing"},
		{"Tokenizer", 1, token("mincharnum", 1, "separators", []string{" ", "["}), moveFacts("string[3]"), "!missing closing"},
		{"Tokenizer", 1, token("mincharnum", 1, "separators", []string{}), moveFacts("string[3]"), "!is empty"},

		{"MurmurHash3", 1, nil, moveFacts("string[N]"), "uint32[N]"},
		{"MurmurHash3", 1, attrs("positive", 0), moveFacts("int64[N,2]"), "int32[N,2]"},

		{"WordConvEmbedding", 1, nil, moveFacts("int32[S,7]", "float[5,1,3,4]", "float[5]", "float[9,4]"), "float[S,5]"},
		{"WordConvEmbedding", 1, attrs("conv_window_size", -1), moveFacts("int32", "float[5,1,3,4]", "float[5]", "float[9,4]"), "float[?,5]"},
		{"WordConvEmbedding", 1, attrs("embedding_size", 4), moveFacts("int32", "float[5,1,3,4]", "float", "float"), "!the inputs have 5"},
		{"WordConvEmbedding", 1, attrs("conv_window_size", 4), moveFacts("int32", "float[5,1,3,4]", "float", "float"), "!the inputs have 3"},
		{"WordConvEmbedding", 1, attrs("char_embedding_size", 5), moveFacts("int32", "float", "float", "float[9,4]"), "!the inputs have 4"},
		{"WordConvEmbedding", 1, nil, moveFacts("int32[S,2]", "float[5,1,3,4]", "float[5]", "float[9,4]"), "!window of 3"},
		{"WordConvEmbedding", 1, nil, moveFacts("int32[S,7]", "float[5,2,3,4]", "float[5]", "float[9,4]"), "!(filters, 1"},
		{"WordConvEmbedding", 1, nil, moveFacts("int32[S,7]", "float[5,1,3,4]", "float[4]", "float[9,4]"), "!each filter"},
		{"WordConvEmbedding", 1, nil, moveFacts("int32[S,7]", "float[5,1,3,4]", "float[5]", "float[9,3]"), "!rows as long"},
		{"WordConvEmbedding", 1, nil, moveFacts("int32[S,7]", "float[5,1,3,0]", "float[5]", "float[9,0]"), "!no elements"},
		{"WordConvEmbedding", 1, nil, moveFacts("int32[S]", "float", "float", "float"), "!rank 1"},

		{"NGramHashMapping", 1, hash("max_ngram_size", 3, "n_head_per_ngram", 4), moveFacts("int32[B,7]", "int32[3]", "int32[8]"), "int32[B,7,8] | int32[B,2]"},
		{"NGramHashMapping", 1, hash("max_ngram_size", 3, "n_head_per_ngram", 4), moveFacts("int32", "int32", "int32", "int32[5,2]"), "int32[5,?,8] | int32[5,2]"},
		{"NGramHashMapping", 1, hash("max_ngram_size", 1, "n_head_per_ngram", 4), moveFacts("int32", "int32", "int32"), "!is 1"},
		{"NGramHashMapping", 1, hash("max_ngram_size", 3, "n_head_per_ngram", 0), moveFacts("int32", "int32", "int32"), "!is 0"},
		{"NGramHashMapping", 1, hash("max_ngram_size", 1<<30, "n_head_per_ngram", 1<<30), moveFacts("int32", "int32", "int32"), "!heads"},
		{"NGramHashMapping", 1, attrs("pad_id", 1<<40, "max_ngram_size", 3, "n_head_per_ngram", 1), moveFacts("int32", "int32", "int32"), "!no int32"},
		{"NGramHashMapping", 1, hash("max_ngram_size", 3, "n_head_per_ngram", 4), moveFacts("int32", "int32[2]", "int32"), "!must have 3 elements"},
		{"NGramHashMapping", 1, hash("max_ngram_size", 3, "n_head_per_ngram", 4), moveFacts("int32", "int32", "int32[7]"), "!each of the 8 heads"},
		{"NGramHashMapping", 1, hash("max_ngram_size", 3, "n_head_per_ngram", 4), moveFacts("int32[4,7]", "int32", "int32", "int32[5,2]"), "!(batch, 2)"},
		{"NGramHashMapping", 1, hash("max_ngram_size", 3, "n_head_per_ngram", 4), moveFacts("int32", "int32", "int32", "int32[5,3]"), "!(batch, 2)"},
		{"NGramHashMapping", 1, hash("max_ngram_size", 3, "n_head_per_ngram", 4), moveFacts("int32", "int32", "int32", "", "int32[7]"), "!each of the 8 heads"},
		{"NGramHashMapping", 1, hash("max_ngram_size", 3, "n_head_per_ngram", 4), moveFacts("int32", "int32", "int32", "", "", "int32[2]"), "!one element"},
		{"NGramHashMapping", 1, hash("max_ngram_size", 3, "n_head_per_ngram", 4), moveFacts("int32[2,3]", "int32", "int32", "", "", "", "int32[2,4]"), "!that of the ids"},

		{"NGramRepeatBlock", 1, attrs("ngram_size", 2), moveFacts("int64[B,7]", "float[B,9]"), "float[B,9]"},
		{"NGramRepeatBlock", 1, attrs("ngram_size", 0), moveFacts("int64[B,7]", "float[B,9]"), "!is 0"},
		{"NGramRepeatBlock", 1, attrs("ngram_size", 2), moveFacts("int64[2,7]", "float[3,9]"), "!the batch"},
		{"NGramRepeatBlock", 1, attrs("ngram_size", 2), moveFacts("int64[2]", "float[3,9]"), "!rank 1"},

		{"BifurcationDetector", 1, nil, moveFacts("int64[S]", "int64[C]", "int64[]"), "int64[C] | int64[]"},
		{"BifurcationDetector", 1, nil, moveFacts("int64[S]", "int64[C]", "int64[1]", "int64[P]"), "int64[?] | int64[1]"},
		{"BifurcationDetector", 1, attrs("min_ngram_size", 4), moveFacts("int64", "int64", "int64"), "!in order | "},
		{"BifurcationDetector", 1, attrs("min_ngram_size", 0), moveFacts("int64", "int64", "int64"), "!positive | "},
		{"BifurcationDetector", 1, nil, moveFacts("int64[S,1]", "int64", "int64"), "!rank 2 | "},
		{"BifurcationDetector", 1, nil, moveFacts("int64[S]", "int64", "int64[2]"), "!one element | "},

		{"DynamicTimeWarping", 1, nil, moveFacts("float[M,N]"), "int32[2,?]"},
		{"DynamicTimeWarping", 1, nil, moveFacts("float[1,M,N]"), "int32[2,?]"},
		{"DynamicTimeWarping", 1, nil, moveFacts("float[2,M,N]"), "!(1, M, N)"},
		{"DynamicTimeWarping", 1, nil, moveFacts("float[M]"), "!(M, N)"},
	})
}
