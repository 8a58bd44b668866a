package op_test

import "testing"

func TestSearchAndTextShapes(t *testing.T) {
	pool := attrs("mode", "TF", "min_gram_length", 1, "max_gram_length", 2, "max_skip_count", 0,
		"ngram_counts", []int{0, 1}, "ngram_indexes", []int{0, 4}, "pool_int64s", []int{7, 7, 8})
	runMoveCases(t, []moveCase{
		{"TopK", 11, nil, moveFacts("float[N,9]", "int64[1]=3"), "float[N,3] | int64[N,3]"},
		{"TopK", 11, attrs("axis", 0), moveFacts("float[N,9]", "int64[1]=K"), "float[K,9] | int64[K,9]"},
		{"TopK", 1, attrs("k", 2), moveFacts("float[N,9]"), "float[N,2] | int64[N,2]"},
		{"TopK", 11, nil, moveFacts("float", "int64[1]=3"), "float | int64"},
		{"TopK", 11, nil, moveFacts("float[2]", "int64[1]=3"), "!has only 2 elements | "},
		{"TopK", 11, nil, moveFacts("float[2]", "int64[1]=-1"), "!must not be negative | "},
		{"TopK", 11, nil, moveFacts("float[]", "int64[1]=0"), "!is a scalar | "},
		{"NonZero", 13, nil, moveFacts("float[N,3]"), "int64[2,?]"},
		{"NonZero", 13, nil, moveFacts("float"), "int64[?,?]"},
		{"Unique", 11, nil, moveFacts("float[N,3]"), "float[?] | int64[?] | int64[?] | int64[?]"},
		{"Unique", 11, attrs("axis", -1), moveFacts("float[N,3]"), "float[N,?] | int64[?]"},
		{"Unique", 11, attrs("axis", 2), moveFacts("float[N,3]"), "!out of range"},
		{"ArgMax", 13, nil, moveFacts("float[N,3]"), "int64[1,3]"},
		{"ArgMin", 13, attrs("axis", -1, "keepdims", 0), moveFacts("float[N,3]"), "int64[N]"},
		{"ArgMax", 13, nil, moveFacts("float[0,3]"), "!is empty"},
		{"ArgMax", 13, attrs("axis", 1), moveFacts("float[0,3]"), "int64[0,1]"},
		{"NonMaxSuppression", 11, nil, moveFacts("float[1,N,4]", "float[1,2,N]"), "int64[?,3]"},
		{"NonMaxSuppression", 11, nil, moveFacts("float[1,6,4]", "float[1,2,7]"), "!must be [batch, classes, boxes]"},
		{"NonMaxSuppression", 11, nil, moveFacts("float[1,6,5]", "float[1,2,6]"), "!must be [batch, boxes, 4]"},

		{"StringNormalizer", 10, nil, moveFacts("string[1,4]"), "string[1,?]"},
		{"StringNormalizer", 10, nil, moveFacts("string[4]"), "string[?]"},
		{"StringNormalizer", 10, nil, moveFacts("string[2,4]"), "!must be [C] or [1, C]"},
		{"StringNormalizer", 10, attrs("case_change_action", "TITLE"), moveFacts("string[4]"), "!TITLE"},
		{"StringConcat", 20, nil, moveFacts("string[N,1]", "string[3]"), "string[N,3]"},
		{"StringSplit", 20, nil, moveFacts("string[N]"), "string[N,?] | int64[N]"},
		{"RegexFullMatch", 20, attrs("pattern", "a+"), moveFacts("string[N]"), "bool[N]"},
		{"RegexFullMatch", 20, attrs("pattern", "a("), moveFacts("string[N]"), "!missing closing"},
		{"TfIdfVectorizer", 9, pool, moveFacts("int64[N,3]"), "float[N,5]"},
		{"TfIdfVectorizer", 9, pool, moveFacts("int32[3]"), "float[5]"},
		{"TfIdfVectorizer", 9, pool, moveFacts("int32[1,2,3]"), "!must be [C] or [N, C]"},
		{"TfIdfVectorizer", 9, pool, moveFacts("string[3]"), "!strings go with pool_strings"},
		{"TfIdfVectorizer", 9, pool[1:], moveFacts("int32[3]"), "!is required"},
	})
}
