package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gort/internal/conformance"
)

func TestReplaceTable(t *testing.T) {
	const document = "a\n<!-- begin table -->\nold\n<!-- end table -->\nb\n"
	got, err := replaceTable(document, "| new |\n\n")
	if want := "a\n<!-- begin table -->\n| new |\n<!-- end table -->\nb\n"; err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if again, err := replaceTable(got, "| new |\n"); err != nil || again != got {
		t.Errorf("a second time: %q, %v", again, err)
	}
	for _, bad := range []string{"", "<!-- begin table -->", "<!-- end table --><!-- begin table -->"} {
		if _, err := replaceTable(bad, "x"); err == nil {
			t.Errorf("%q has no error", bad)
		}
	}
}

func TestTables(t *testing.T) {
	got := formatSuite(map[string]tally{
		"simple": {conformance.Pass: 3}, "node": {conformance.Pass: 5, conformance.Fail: 1, conformance.ExpectedFail: 2},
	}, tally{conformance.Pass: 8, conformance.Fail: 1, conformance.ExpectedFail: 2})
	for _, line := range []string{"| node | 8 | 5 | 2 | 1 |\n| simple | 3 | 3 | 0 | 0 |\n", "| **all** | 11 | 8 | 2 | 1 |\n"} {
		if !strings.Contains(got, line) {
			t.Errorf("suite table lacks %q:\n%s", line, got)
		}
	}
	got = formatModels([]modelRow{
		{"a", 17, 20, 1, "agrees"}, {"b", 0, 2, 3, "differs"}, {"c", 9, 1, 1, "no answer to compare with"}, {"d", 9, 1, 1, "agrees*"},
	})
	for _, line := range []string{"| a | 17 | 20 | 1 | agrees |\n", "| b |  | 2 | 3 | differs |\n", "\n2 of 3 compared models agree", "\n\\* Some"} {
		if !strings.Contains(got, line) {
			t.Errorf("model table lacks %q:\n%s", line, got)
		}
	}
}

// TestRun tabulates one model that has no answer, writes it, and checks the file.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	model, err := os.ReadFile(filepath.Join("..", "..", "cmd", "gort", "digits", "digits.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	write("models/digits.onnx", string(model))
	write("models/golden/index.json", "{}")
	readme := write("README.md", "# x\n"+beginMark+"\n"+endMark+"\n")
	models := filepath.Join(dir, "models")
	if err := run(t.Context(), "", models, "", readme, true); err == nil || !strings.Contains(err.Error(), "out of date") {
		t.Errorf("-check of an empty table: error %v", err)
	}
	if err := run(t.Context(), "", models, "", readme, false); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), "", models, "", readme, true); err != nil {
		t.Error(err)
	}
	data, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), "| digits | 17 |") {
		t.Errorf("the model is not in the table:\n%s", data)
	}
}
