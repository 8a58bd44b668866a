// Package tokens computes the operators on sequences of token numbers: which tokens
// would repeat what was said, where two sequences part and meet again, hashes of
// n-grams, the embedding of words by their characters, and the alignment of tokens
// with time.
package tokens
