package text

import "strings"

// Case is what Normalizer does to letters.
type Case uint8

// Cases.
const (
	Keep Case = iota
	Lower
	Upper
)

// Cases are the cases by the names the operator gives them.
var Cases = map[string]Case{"": Keep, "NONE": Keep, "LOWER": Lower, "UPPER": Upper}

// Normalizer drops stop words and changes the case of the rest.
type Normalizer struct {
	change    Case
	sensitive bool
	stop      map[string]bool
}

// NewNormalizer prepares stop words, which are compared in lower case unless sensitive.
func NewNormalizer(change Case, sensitive bool, stopWords []string) *Normalizer {
	n := &Normalizer{change: change, sensitive: sensitive, stop: map[string]bool{}}
	for _, w := range stopWords {
		n.stop[n.fold(w)] = true
	}
	return n
}

func (n *Normalizer) fold(s string) string {
	if n.sensitive {
		return s
	}
	return strings.ToLower(s)
}

// Apply returns what remains of words. Of nothing, one empty string remains.
func (n *Normalizer) Apply(words []string) []string {
	out := make([]string, 0, len(words))
	for _, w := range words {
		if len(n.stop) > 0 && n.stop[n.fold(w)] {
			continue
		}
		switch n.change {
		case Lower:
			w = strings.ToLower(w)
		case Upper:
			w = strings.ToUpper(w)
		}
		out = append(out, w)
	}
	if len(out) == 0 {
		out = append(out, "")
	}
	return out
}
