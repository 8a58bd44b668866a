// Command readme writes the tables of the README: how many of the cases of ONNX's
// backend suite pass, and which models give the answers that ONNX Runtime gives.
//
//	go run ./internal/readme --suite DIR --models DIR --golden DIR -w README.md
//
// It replaces what is between the lines "<!-- begin table -->" and "<!-- end table -->".
// With -check it fails when the file does not already say the same, and without -w
// it prints the tables.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	suite := flag.String("suite", "", "`DIR` with the suite's zip files or folders of cases")
	models := flag.String("models", "", "`DIR` with models, NAME.onnx")
	answers := flag.String("golden", "", "`DIR` with ONNX Runtime's answers (default: the folder golden in that of --models)")
	file := flag.String("w", "", "`FILE` to write the tables into")
	check := flag.Bool("check", false, "fail when the file of -w is out of date, and do not write it")
	flag.Parse()
	if err := run(context.Background(), *suite, *models, *answers, *file, *check); err != nil {
		fmt.Fprintln(os.Stderr, "readme:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, suite, models, answers, file string, check bool) error {
	if suite == "" && models == "" {
		return errors.New("give --suite or --models")
	}
	if check && file == "" {
		return errors.New("-check needs -w FILE")
	}
	var parts []string
	if suite != "" {
		table, err := suiteTable(ctx, suite)
		if err != nil {
			return err
		}
		parts = append(parts, table)
	}
	if models != "" {
		if answers == "" {
			answers = filepath.Join(models, "golden")
		}
		table, err := modelTable(ctx, models, answers)
		if err != nil {
			return err
		}
		parts = append(parts, table)
	}
	text := strings.Join(parts, "\n")
	if file == "" {
		_, err := fmt.Print(text)
		return err
	}
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	updated, err := replaceTable(string(old), text)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", file, err)
	case updated == string(old):
		return nil
	case check:
		return fmt.Errorf("%s is out of date: %s", file, firstDifference(string(old), updated))
	}
	return os.WriteFile(file, []byte(updated), 0o666)
}

const (
	beginMark = "<!-- begin table -->"
	endMark   = "<!-- end table -->"
)

// replaceTable puts a text between the two marks.
func replaceTable(document, text string) (string, error) {
	before, rest, ok := strings.Cut(document, beginMark)
	if !ok {
		return "", fmt.Errorf("there is no %q", beginMark)
	}
	_, after, ok := strings.Cut(rest, endMark)
	if !ok {
		return "", fmt.Errorf("there is no %q after %q", endMark, beginMark)
	}
	return before + beginMark + "\n" + strings.TrimRight(text, "\n") + "\n" + endMark + after, nil
}

// firstDifference describes where two texts part.
func firstDifference(old, updated string) string {
	a, b := strings.Split(old, "\n"), strings.Split(updated, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d is %q, should be %q", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("it has %d lines, should have %d", len(a), len(b))
}
