package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// digitsModel is the only model that the tests need: [N,1,28,28] to [N,10].
var digitsModel = filepath.Join("digits", "digits.onnx")

// invoke runs one command line and returns its exit code and what it printed.
func invoke(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = execute(t.Context(), args, &streams{out: &o, err: &e})
	return code, o.String(), e.String()
}

// mustRun runs one command line that has to succeed.
func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errs := invoke(t, args...)
	if code != exitOK {
		t.Fatalf("gort %s: exit code %d\n%s", strings.Join(args, " "), code, errs)
	}
	return out
}

// tempFile writes a file into a new directory.
func tempFile(t *testing.T, name string, data []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestExitCodes(t *testing.T) {
	damaged := tempFile(t, "damaged.onnx", []byte("not a model"))
	unsupported := tempFile(t, "unsupported.onnx", customOpModel(t))
	for _, c := range []struct {
		args string
		code int
		says string // in what is printed to standard error
	}{
		{"", exitUsage, "Commands:"},
		{"help", exitOK, ""},
		{"help run", exitOK, ""},
		{"--help", exitOK, ""},
		{"run --help", exitOK, ""},
		{"run -h", exitOK, ""},
		{"version", exitOK, ""},
		{"--version", exitOK, ""},
		{"rum", exitUsage, "did you mean gort run?"},
		{"xyzzyfrobnicate", exitUsage, "gort help"},
		{"help nothing", exitUsage, "unknown command"},
		{"run", exitUsage, "no model given"},
		{"run a b", exitUsage, "one model expected"},
		{"run --treads 2 m", exitUsage, "did you mean --threads?"},
		{"run --threads x m", exitUsage, "see gort run --help"},
		{"run --threads -1 m", exitUsage, "--threads is -1"},
		{"run --optimize most m", exitUsage, "off, basic or all"},
		{"run --softmax m", exitUsage, "--top"},
		{"run nowhere.onnx", exitFailure, "nowhere.onnx"},
		{"run " + damaged, exitModel, "onnx:"},
		{"run " + unsupported, exitModel, "Frobnicate"},
		{"bench " + unsupported, exitModel, "Frobnicate"},
		{"inspect " + damaged, exitModel, "onnx:"},
		{"inspect " + unsupported, exitOK, ""},
		{"inspect nowhere.onnx", exitFailure, "nowhere.onnx"},
		{"bench --runs 0 m", exitUsage, "--runs"},
		{"test", exitUsage, "no folder"},
		{"test nowhere", exitFailure, "nowhere"},
		{"test --run ( x", exitUsage, "--help"},
		{"ops --domain com.example", exitFailure, "ai.onnx"},
		{"ops --json --markdown", exitUsage, "exclude"},
		{"demo picture.png", exitUsage, "--image"},
		{"demo --image nowhere.png", exitFailure, "nowhere.png"},
	} {
		code, _, errs := invoke(t, strings.Fields(c.args)...)
		if code != c.code {
			t.Errorf("gort %s: exit code %d, want %d\n%s", c.args, code, c.code, errs)
		}
		if !strings.Contains(errs, c.says) {
			t.Errorf("gort %s: standard error lacks %q:\n%s", c.args, c.says, errs)
		}
		if c.code != exitOK && c.args != "" && !strings.HasPrefix(errs, "gort: ") {
			t.Errorf("gort %s: the message begins %q, want \"gort: \"", c.args, errs[:min(20, len(errs))])
		}
	}
}

// TestHelp demands of every command a purpose of one line, an example, and a
// description of each flag.
func TestHelp(t *testing.T) {
	overview := mustRun(t, "help")
	for _, c := range commands() {
		if !strings.Contains(overview, c.purpose) {
			t.Errorf("the overview lacks %s", c.name)
		}
		if strings.Contains(c.purpose, "\n") || !strings.HasSuffix(c.purpose, ".") {
			t.Errorf("%s: the purpose is %q, must be one sentence", c.name, c.purpose)
		}
		if len(c.examples) == 0 {
			t.Errorf("%s has no example", c.name)
		}
		for _, e := range c.examples {
			if !strings.HasPrefix(e, "gort "+c.name) {
				t.Errorf("%s: the example %q is of another command", c.name, e)
			}
		}
		text := mustRun(t, c.name, "--help")
		if text != mustRun(t, "help", c.name) {
			t.Errorf("%s --help and help %s differ", c.name, c.name)
		}
		for _, part := range []string{c.purpose, "Usage: gort " + c.name, "Examples:", "Exit codes:"} {
			if !strings.Contains(text, part) {
				t.Errorf("%s --help lacks %q", c.name, part)
			}
		}
	}
}

func TestParseArgs(t *testing.T) {
	for _, c := range []struct{ args, rest, threads string }{
		{"m", "m", "0"},
		{"--threads 3 m", "m", "3"},
		{"m --threads 3", "m", "3"},
		{"a -threads=3 b", "a b", "3"},
		{"a -- --threads 3", "a --threads 3", "0"},
		{"-- a -- b", "a -- b", "0"},
		{"", "", "0"},
	} {
		command := runCommand()
		fs := newFlagSet(command)
		command.setup(fs)
		rest, err := parseArgs(fs, strings.Fields(c.args))
		if err != nil {
			t.Errorf("%q: %v", c.args, err)
			continue
		}
		if got := strings.Join(rest, " "); got != c.rest {
			t.Errorf("%q leaves %q, want %q", c.args, got, c.rest)
		}
		if got := fs.Lookup("threads").Value.String(); got != c.threads {
			t.Errorf("%q: --threads is %s, want %s", c.args, got, c.threads)
		}
	}
}

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"abc", "", 3}, {"", "ab", 2}, {"rum", "run", 1}, {"threads", "treads", 1}, {"kitten", "sitting", 3}} {
		if got := editDistance(c.a, c.b); got != c.want {
			t.Errorf("editDistance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
