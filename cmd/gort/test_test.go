package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gort/tensor"
)

// suite writes cases of addModel into GROUP/NAME folders: right ones, a wrong one
// that is off by one per mille, and one of an operator that nobody knows.
func suite(t *testing.T, right int) string {
	t.Helper()
	root := t.TempDir()
	write := func(name string, data []byte) {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	pb := func(v ...float32) []byte {
		data, err := tensor.WritePB(tensor.Must(tensor.FromSlice(v)))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	matrix, err := tensor.WritePB(tensor.Must(tensor.FromSlice([]float32{1, 2}, 1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	add := func(name string, last float32) {
		write(name+"/model.onnx", addModel(t))
		write(name+"/test_data_set_0/input_0.pb", matrix)
		write(name+"/test_data_set_0/input_1.pb", pb(10, 20))
		out, err := tensor.WritePB(tensor.Must(tensor.FromSlice([]float32{11, last}, 1, 2)))
		if err != nil {
			t.Fatal(err)
		}
		write(name+"/test_data_set_0/output_0.pb", out)
	}
	for i := range right {
		add(fmt.Sprintf("good/case_%02d", i), 22)
	}
	add("bad/off", 22.05)
	write("bad/unknown/model.onnx", customOpModel(t))
	write("bad/unknown/test_data_set_0/input_0.pb", pb(1))
	write("bad/unknown/test_data_set_0/output_0.pb", pb(1))
	return root
}

func TestTest(t *testing.T) {
	dir := suite(t, 9)
	list := tempFile(t, "expected.txt", []byte("# known\nbad/unknown: nobody has it\nbad/off: rounds otherwise\n"))
	stale := tempFile(t, "stale.txt", []byte("good/case_00: was broken\n"))
	for _, c := range []struct {
		flags                  string
		code                   int
		pass, failed, expected int
	}{
		{"", exitFailure, 9, 2, 0},
		{"-j 4", exitFailure, 9, 2, 0},
		{"--run ^good/", exitOK, 9, 0, 0},
		{"--run ^good/ -j 4 --optimize off --threads 1", exitOK, 9, 0, 0},
		{"--run off --rtol 0.01", exitOK, 1, 0, 0},
		{"--run off --atol 0.1", exitOK, 1, 0, 0},
		{"--run case_00 --rtol 0 --atol 0", exitOK, 1, 0, 0},
		{"--expected none", exitFailure, 9, 2, 0},
		{"--expected " + list, exitOK, 9, 0, 2},
		{"--expected " + stale, exitFailure, 8, 3, 0},
	} {
		code, out, errs := invoke(t, append([]string{"test", dir, "--json"}, strings.Fields(c.flags)...)...)
		if code != c.code {
			t.Errorf("%s: exit code %d, want %d: %s", c.flags, code, c.code, errs)
		}
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if want := c.pass + c.failed + c.expected + 1; len(lines) != want {
			t.Errorf("%s: %d lines, want %d", c.flags, len(lines), want)
		}
		if want := fmt.Sprintf(`{"passed":%d,"failed":%d,"expected_failures":%d}`, c.pass, c.failed, c.expected); lines[len(lines)-1] != want {
			t.Errorf("%s: last line %s, want %s", c.flags, lines[len(lines)-1], want)
		}
		previous := ""
		for _, line := range lines[:len(lines)-1] {
			var r struct{ Case, Status, Reason string }
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if r.Case <= previous || (r.Status == "pass") != (r.Reason == "") {
				t.Errorf("%s: after %s came %s", c.flags, previous, line)
			}
			previous = r.Case
		}
	}
}

func TestTestText(t *testing.T) {
	dir := suite(t, 2)
	code, out, errs := invoke(t, "test", dir, "--progress")
	if code != exitFailure {
		t.Errorf("exit code %d", code)
	}
	for _, part := range []string{"FAIL bad/off: output 0: ", "FAIL bad/unknown: ", "       2       0                 0  good\n", "4 cases in "} {
		if !strings.Contains(out, part) {
			t.Errorf("gort test lacks %q:\n%s", part, out)
		}
	}
	if !strings.Contains(errs, "1/4 bad/off") {
		t.Errorf("no progress: %q", errs)
	}
	code, _, errs = invoke(t, "test", dir, "--run", "nothing")
	if code != exitFailure || !strings.Contains(errs, "no case found (of 4)") {
		t.Errorf("nothing matched: exit code %d, %q", code, errs)
	}
}
