package op

import (
	"fmt"
	"strings"
)

// token is one word of a body: a name, a number, a quoted string or a sign.
type token struct {
	kind byte // n(ame), d(igits), s(tring), e(nd), or the sign itself; A is =>
	text string
	line int
}

func (t token) String() string {
	switch t.kind {
	case 'e':
		return "the end"
	case '\n':
		return "the end of the line"
	}
	return t.text
}

// lex splits a body into tokens. Ends of lines are tokens; comments and blanks are not.
func lex(text string) ([]token, error) {
	var out []token
	line := 1
	for i := 0; i < len(text); {
		c := text[i]
		n := 1
		switch {
		case c == ' ' || c == '\t' || c == '\r':
			i++
			continue
		case c == '#':
			for i < len(text) && text[i] != '\n' {
				i++
			}
			continue
		case isWord(c):
			for i+n < len(text) && (isWord(text[i+n]) || isDigit(text[i+n])) {
				n++
			}
			out = append(out, token{'n', text[i : i+n], line})
		case isDigit(c) || (c == '-' || c == '+' || c == '.') && i+1 < len(text) && (isDigit(text[i+1]) || isWord(text[i+1]) || text[i+1] == '.'):
			for i+n < len(text) && (isWord(text[i+n]) || isDigit(text[i+n]) || text[i+n] == '.' || (text[i+n] == '-' || text[i+n] == '+') && text[i+n-1]|32 == 'e') {
				n++
			}
			out = append(out, token{'d', text[i : i+n], line})
		case c == '"':
			for i+n < len(text) && text[i+n] != '"' && text[i+n] != '\n' {
				if text[i+n] == '\\' {
					n++
				}
				n++
			}
			if i+n >= len(text) || text[i+n] != '"' {
				return nil, fmt.Errorf("line %d: string %s has no end", line, text[i:min(i+n, len(text))])
			}
			n++
			out = append(out, token{'s', text[i : i+n], line})
		case strings.HasPrefix(text[i:], "=>"):
			n = 2
			out = append(out, token{'A', "=>", line})
		case strings.IndexByte("=,()<>[]{}:@\n", c) >= 0:
			out = append(out, token{c, string(c), line})
			if c == '\n' {
				line++
			}
		default:
			return nil, fmt.Errorf("line %d: %q is no sign of the notation", line, c)
		}
		i += n
	}
	return append(out, token{'e', "", line}), nil
}

func isWord(c byte) bool  { return c == '_' || c|32 >= 'a' && c|32 <= 'z' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }
