package main

import (
	"flag"
	"fmt"
	"io"
	"strings"
)

// printOverview lists the commands.
func printOverview(w io.Writer) {
	fmt.Fprint(w, "gort runs ONNX models.\n\nUsage: gort COMMAND [flags] [arguments]\n\nCommands:\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-8s  %s\n", c.name, c.purpose)
	}
	fmt.Fprintf(w, "\ngort help COMMAND describes one of them. To begin: gort demo\n\n%s\n", exitCodesText)
}

// printHelp describes a command: purpose, usage, flags and examples.
func printHelp(w io.Writer, c *command) {
	fs := newFlagSet(c)
	c.setup(fs)
	fmt.Fprintf(w, "%s\n\nUsage: gort %s", c.purpose, c.name)
	if hasFlags(fs) {
		fmt.Fprint(w, " [flags]")
	}
	if c.args != "" {
		fmt.Fprint(w, " ", c.args)
	}
	fmt.Fprint(w, "\n")
	if c.about != "" {
		fmt.Fprintf(w, "\n%s\n", strings.TrimSpace(c.about))
	}
	if hasFlags(fs) {
		fmt.Fprint(w, "\nFlags:\n")
		fs.VisitAll(func(f *flag.Flag) { printFlag(w, f) })
	}
	fmt.Fprint(w, "\nExamples:\n")
	for _, e := range c.examples {
		fmt.Fprintf(w, "  %s\n", e)
	}
	fmt.Fprintf(w, "\n%s\n", exitCodesText)
}

func hasFlags(fs *flag.FlagSet) bool {
	found := false
	fs.VisitAll(func(*flag.Flag) { found = true })
	return found
}

func printFlag(w io.Writer, f *flag.Flag) {
	value, text := flag.UnquoteUsage(f)
	dashes := "--"
	if len(f.Name) == 1 {
		dashes = "-"
	}
	head := strings.TrimRight("  "+dashes+f.Name+" "+value, " ")
	switch f.DefValue {
	case "", "0", "0s", "false":
	default:
		text += " (default " + f.DefValue + ")"
	}
	const column = 26
	text = strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", column))
	if len(head) >= column-1 {
		fmt.Fprintf(w, "%s\n%*s%s\n", head, column, "", text)
		return
	}
	fmt.Fprintf(w, "%-*s%s\n", column, head, text)
}

// nearest finds the name that a mistyped one was probably meant to be.
func nearest(typed string, names []string) (string, bool) {
	best, least := "", len(typed)/3+2
	for _, n := range names {
		if d := editDistance(typed, n); d < least {
			best, least = n, d
		}
	}
	return best, best != ""
}

// editDistance is the number of insertions, deletions and replacements of bytes
// that turn a into b (Levenshtein).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
