package text

import (
	"strings"
	"unicode"
)

// Split cuts a string at a delimiter, at most limit times (negative means no
// limit). Without a delimiter it cuts at runs of white space and drops it at both
// ends, also where the limit leaves a rest whole: Python's str.split, with which the
// specification's examples are made, keeps the end of such a rest, but the
// specification's text and ONNX Runtime drop it.
func Split(s, delimiter string, limit int) []string {
	if delimiter != "" {
		if limit < 0 {
			return strings.Split(s, delimiter)
		}
		return strings.SplitN(s, delimiter, limit+1)
	}
	if limit < 0 {
		return strings.Fields(s)
	}
	var out []string
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimLeftFunc(s, unicode.IsSpace) {
		at := strings.IndexFunc(s, unicode.IsSpace)
		if at < 0 || len(out) == limit {
			return append(out, s)
		}
		out, s = append(out, s[:at]), s[at:]
	}
	return out
}
