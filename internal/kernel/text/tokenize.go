package text

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// A Tokenizer cuts strings into tokens.
type Tokenizer interface {
	// Tokens returns the tokens of a string, which has to be UTF-8.
	Tokens(s string) []string
}

// Characters makes every character a token.
type Characters struct{}

// Tokens implements Tokenizer.
func (Characters) Tokens(s string) []string {
	out := make([]string, 0, utf8.RuneCountInString(s))
	for len(s) > 0 {
		n := width(s, 0)
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

// splitter cuts at matches of one expression after the other.
type splitter struct {
	separators []*finder
	least      int // characters of a token
}

// NewSplitter returns a Tokenizer that cuts at the longest matches of the first
// separator, the pieces at those of the second, and so on. Pieces of fewer than least
// characters are left out, after each separator. A match of nothing takes the next
// character along.
func NewSplitter(separators []string, least int) (Tokenizer, error) {
	t := &splitter{least: least}
	for _, s := range separators {
		f, err := newFinder(s)
		if err != nil {
			return nil, err
		}
		t.separators = append(t.separators, f)
	}
	return t, nil
}

// Tokens implements Tokenizer.
func (t *splitter) Tokens(s string) []string {
	row, next := []string{s}, []string(nil)
	for _, sep := range t.separators {
		next = next[:0]
		for _, piece := range row {
			at := 0
			for at <= len(piece) {
				from, to, ok := sep.find(piece, at)
				if !ok {
					from, to = len(piece), len(piece)+1
				} else if from == to {
					to += width(piece, from)
				}
				if token := piece[at:from]; utf8.RuneCountInString(token) >= t.least {
					next = append(next, token)
				}
				at = to
			}
		}
		row, next = next, row
	}
	return slices.Clone(row)
}

// matcher takes the matches of an expression.
type matcher struct {
	token *finder
	least int
}

// NewMatcher returns a Tokenizer whose tokens are the longest matches of an
// expression, from left to right. A match of fewer than least characters is none; the
// search goes on behind its first character.
func NewMatcher(expr string, least int) (Tokenizer, error) {
	f, err := newFinder(expr)
	return &matcher{f, least}, err
}

// Tokens implements Tokenizer.
func (t *matcher) Tokens(s string) []string {
	var out []string
	for at := 0; at <= len(s); {
		from, to, ok := t.token.find(s, at)
		if !ok {
			break
		}
		if token := s[from:to]; utf8.RuneCountInString(token) >= t.least {
			out = append(out, token)
			at = to
		} else {
			at = from + width(s, from)
		}
	}
	return out
}

// width is the length of the character at a place; 1 at the end.
func width(s string, at int) int {
	_, n := utf8.DecodeRuneInString(s[at:])
	return max(n, 1)
}

// finder finds the leftmost longest match from a place on.
type finder struct {
	re *regexp.Regexp
	// inside matches behind one character at the start. It is set where a match depends
	// on the character before it, so that the rest of a text can not be searched alone.
	inside *regexp.Regexp
}

func newFinder(expr string) (*finder, error) {
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, err
	}
	re.Longest()
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil || !looksBack(tree) {
		return &finder{re: re}, err
	}
	inside, err := regexp.Compile(`\A(?s:.)((?:` + expr + `))`)
	if err != nil {
		return nil, fmt.Errorf("%s within another expression: %w", expr, err)
	}
	inside.Longest()
	return &finder{re, inside}, nil
}

// looksBack reports whether an expression asks what stands before a place.
func looksBack(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpBeginText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	}
	return slices.ContainsFunc(re.Sub, looksBack)
}

// find returns the bounds of the leftmost longest match that begins at a place or
// behind it; at may be the end of the text.
func (f *finder) find(s string, at int) (from, to int, ok bool) {
	if f.inside == nil || at == 0 {
		m := f.re.FindStringIndex(s[at:])
		if m == nil {
			return 0, 0, false
		}
		return at + m[0], at + m[1], true
	}
	_, back := utf8.DecodeLastRuneInString(s[:at])
	for ; at <= len(s); back, at = width(s, at), at+width(s, at) {
		if m := f.inside.FindStringSubmatchIndex(s[at-back:]); m != nil {
			return at - back + m[2], at - back + m[3], true
		}
	}
	return 0, 0, false
}
