package op

// Strings.
var textDefs = []Def{
	{Name: "StringNormalizer", Since: 10,
		Inputs:  "X: tensor(string)",
		Outputs: "Y: tensor(string)",
		Attrs:   "case_change_action: string = NONE; is_case_sensitive: int = 0; locale: string; stopwords: strings"},
	{Name: "StringConcat", Since: 20,
		Inputs:  "X: T; Y: T",
		Outputs: "Z: T",
		Types:   "T = string"},
	{Name: "StringSplit", Since: 20,
		Inputs:  "X: T1",
		Outputs: "Y: T2; Z: T3",
		Attrs:   "delimiter: string; maxsplit: int",
		Types:   "T1 = string; T2 = string; T3 = int64"},
	{Name: "RegexFullMatch", Since: 20,
		Inputs:  "X: T1",
		Outputs: "Y: T2",
		Attrs:   "pattern: string",
		Types:   "T1 = string; T2 = bool"},
	{Name: "TfIdfVectorizer", Since: 9,
		Inputs:  "X: T",
		Outputs: "Y: T1",
		Attrs:   "max_gram_length!: int; max_skip_count!: int; min_gram_length!: int; mode!: string; ngram_counts!: ints; ngram_indexes!: ints; pool_int64s: ints; pool_strings: strings; weights: floats",
		Types:   "T = int32 int64 string; T1 = float"},
}
