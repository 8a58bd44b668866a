package tokens

import "slices"

// Agreement returns how many of the predicted tokens count: those that agree with the
// source, and the first that does not. predicted has one token more than source.
func Agreement(source, predicted []int64) int {
	n := 0
	for n < len(source) && predicted[n] == source[n] {
		n++
	}
	return n + 1
}

// Suffix looks for the last tokens in the source, lo to hi of them, and returns the
// place behind their only occurrence; -1 when there is none or more than one. Longer
// n-grams are tried until one does not occur or ends the source; then the result of
// the one before, or this one's, holds.
func Suffix(source, tokens []int64, lo, hi int) int64 {
	at := -1
	for n := lo; n <= hi && n <= len(tokens); n++ {
		gram := tokens[len(tokens)-n:]
		first := index(source, gram)
		if first < 0 {
			break
		}
		at = first + n
		if at >= len(source) {
			break
		}
		if index(source[first+1:], gram) >= 0 {
			at = -1
		}
	}
	return int64(at)
}

// index returns where a sequence first occurs in another, -1 when it does not.
func index(in, what []int64) int {
	for i := 0; i+len(what) <= len(in); i++ {
		if slices.Equal(in[i:][:len(what)], what) {
			return i
		}
	}
	return -1
}
