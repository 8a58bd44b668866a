package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gort"
	"gort/internal/conformance"
)

// tally counts the cases of a group by how they ended.
type tally map[conformance.Status]int

// suiteTable runs the suite in a directory and tabulates it by group.
func suiteTable(ctx context.Context, dir string) (string, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.zip"))
	if err != nil {
		return "", err
	}
	if len(paths) == 0 {
		paths = []string{dir}
	}
	suite, err := conformance.Load(paths...)
	if err != nil {
		return "", err
	}
	defer suite.Close()
	expected, err := conformance.ExpectedFailures()
	if err != nil {
		return "", err
	}
	open := conformance.OpenWith(gort.WithContext(ctx))
	groups, all := map[string]tally{}, tally{}
	for _, c := range suite.Cases {
		status, reason := conformance.Judge(c.ID(), c.Run(ctx, open), expected)
		if status == conformance.Fail {
			fmt.Fprintf(os.Stderr, "FAIL %s: %s\n", c.ID(), reason)
		}
		if groups[c.Group] == nil {
			groups[c.Group] = tally{}
		}
		groups[c.Group][status]++
		all[status]++
	}
	return formatSuite(groups, all), nil
}

func formatSuite(groups map[string]tally, all tally) string {
	var b strings.Builder
	b.WriteString("| Cases of ONNX's backend suite | run | pass | expected to fail | fail |\n| --- | ---: | ---: | ---: | ---: |\n")
	row := func(name string, t tally) {
		pass, expected, fail := t[conformance.Pass], t[conformance.ExpectedFail], t[conformance.Fail]
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", name, pass+expected+fail, pass, expected, fail)
	}
	names := make([]string, 0, len(groups))
	for name := range groups {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		row(name, groups[name])
	}
	row("**all**", all)
	return b.String()
}
