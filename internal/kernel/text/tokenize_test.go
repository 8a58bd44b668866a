package text

import (
	"slices"
	"testing"
)

func TestCharacters(t *testing.T) {
	for s, want := range map[string][]string{"": {}, "aé日": {"a", "é", "日"}, "\x00b": {"\x00", "b"}} {
		if got := (Characters{}).Tokens(s); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
}

func TestSplitter(t *testing.T) {
	for _, c := range []struct {
		separators []string
		least      int
		s          string
		want       []string
	}{
		{[]string{" "}, 1, "Hello World", []string{"Hello", "World"}},
		{[]string{" "}, 1, "  a  b ", []string{"a", "b"}},
		{[]string{" "}, 2, "I love it !", []string{"love", "it"}},
		{[]string{" "}, 1, "", nil},
		{[]string{" "}, 1, "   ", nil},
		{[]string{";", ":"}, 1, "a:b;c:;d", []string{"a", "b", "c", "d"}},
		{[]string{"b", "cbc"}, 1, "acbcd", []string{"ac", "cd"}}, // the first cuts before the second looks
		{[]string{"a|ab|abc"}, 1, "xabcyabz", []string{"x", "y", "z"}},
		{[]string{"日"}, 2, "é日本語日x", []string{"本語"}},
		{[]string{"x*"}, 1, "axb", nil},                         // a match of nothing takes a character along
		{[]string{"^a"}, 1, "aab", []string{"ab"}},              // only the start of the text
		{[]string{"(?m)^a"}, 1, "ab\nac", []string{"b\n", "c"}}, // and of lines
		{[]string{`\bo`}, 1, "oxo oy", []string{"xo ", "y"}},
		{[]string{" ", "^a"}, 1, "ab ac", []string{"b", "c"}}, // a piece is a text of its own
		{[]string{`\b`}, 1, "ab", []string{"b"}},              // the boundary takes a along, that at the end nothing
	} {
		tok, err := NewSplitter(c.separators, c.least)
		if err != nil {
			t.Fatal(err)
		}
		if got := tok.Tokens(c.s); !slices.Equal(got, c.want) {
			t.Errorf("%q, at least %d, of %q: got %q, want %q", c.separators, c.least, c.s, got, c.want)
		}
	}
	if _, err := NewSplitter([]string{"a", "("}, 1); err == nil {
		t.Error("separator (: no error")
	}
}

func TestMatcher(t *testing.T) {
	for _, c := range []struct {
		expr  string
		least int
		s     string
		want  []string
	}{
		{"[a-z]+", 1, "ab-c D ef", []string{"ab", "c", "ef"}},
		{"[a-z]+", 2, "ab-c D ef", []string{"ab", "ef"}},
		{"a|ab|abc", 1, "abcaab", []string{"abc", "a", "ab"}}, // the longest counts
		{"a*", 1, "baab", []string{"aa"}},
		{"ab?", 2, "aabab", []string{"ab", "ab"}}, // the search goes on behind a short match's first character
		{"日.", 1, "日本x日", []string{"日本"}},
		{`\b[a-z]`, 1, "ab cd", []string{"a", "c"}},
		{`\B[a-z]`, 1, "ab日c", []string{"b"}}, // 日 is no word character, as in RE2
		{"^.", 1, "abc", []string{"a"}},
		{"^.", 2, "abc", nil},
		{"c$", 1, "cbc", []string{"c"}},
		{"x", 1, "", nil},
	} {
		tok, err := NewMatcher(c.expr, c.least)
		if err != nil {
			t.Fatal(err)
		}
		if got := tok.Tokens(c.s); !slices.Equal(got, c.want) {
			t.Errorf("%q, at least %d, of %q: got %q, want %q", c.expr, c.least, c.s, got, c.want)
		}
	}
	if _, err := NewMatcher("[", 1); err == nil {
		t.Error("expression [: no error")
	}
}
