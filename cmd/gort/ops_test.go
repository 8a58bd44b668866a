package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOps(t *testing.T) {
	var list []opEntry
	if err := json.Unmarshal([]byte(mustRun(t, "ops", "--json")), &list); err != nil {
		t.Fatal(err)
	}
	found := map[string]opEntry{}
	previous := opEntry{}
	for _, e := range list {
		found[e.Domain+"."+e.Name] = e
		if e.Domain < previous.Domain || e.Domain == previous.Domain && e.Name <= previous.Name {
			t.Errorf("%s.%s comes after %s.%s", e.Domain, e.Name, previous.Domain, previous.Name)
		}
		previous = e
		if e.count() == 0 {
			t.Errorf("%s.%s is listed, but no version can be run", e.Domain, e.Name)
		}
	}
	var versions []int
	for _, v := range found["ai.onnx.Add"].Versions {
		if v.By != "kernel" {
			t.Errorf("Add-%d is run by %s", v.Since, v.By)
		}
		versions = append(versions, v.Since)
	}
	if want := []int{1, 6, 7, 13, 14}; len(versions) != len(want) || versions[0] != 1 || versions[4] != 14 {
		t.Errorf("Add has versions %v, want %v", versions, want)
	}
	if _, ok := found["ai.onnx.ml.Scaler"]; !ok {
		t.Error("ai.onnx.ml.Scaler is not listed")
	}
}

func TestOpsText(t *testing.T) {
	for _, c := range []struct{ flags, has, lacks string }{
		{"", "Scaler", ""},
		{"--domain ai.onnx.ml", "Scaler", "MatMul"},
		{"--domain ai.onnx", "MatMul", "LabelEncoder"},
		{"--markdown", "## ai.onnx\n\n| Operator | Versions | Not run |\n| --- | --- | --- |\n| Abs | ", "DOMAIN"},
	} {
		out := mustRun(t, append([]string{"ops"}, strings.Fields(c.flags)...)...)
		if !strings.Contains(out, c.has) || c.lacks != "" && strings.Contains(out, c.lacks) {
			t.Errorf("ops %s should have %q and lack %q:\n%.500s", c.flags, c.has, c.lacks, out)
		}
	}
	if all, some := mustRun(t, "ops", "--all"), mustRun(t, "ops"); len(all) < len(some) {
		t.Error("--all lists less")
	}
}

func TestOpVersions(t *testing.T) {
	e := opEntry{Versions: []opVersion{{Since: 1, By: "none", Deprecated: true}, {Since: 7, By: "function"}, {Since: 13, By: "kernel"}, {Since: 22, By: "none"}}}
	if run, missing := e.versions(); run != "7f, 13" || missing != "1 (deprecated), 22" || e.count() != 2 {
		t.Errorf("run %q, missing %q, %d", run, missing, e.count())
	}
}

// The tables in docs are what the command prints today.
func TestOperatorDocsAreFresh(t *testing.T) {
	for file, flags := range map[string]string{"operators.md": "--markdown", "types.md": "--types"} {
		want := mustRun(t, "ops", flags)
		got, err := os.ReadFile(filepath.Join("..", "..", "docs", file))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("docs/%s is out of date; run: go run ./cmd/gort ops %s > docs/%s", file, flags, file)
		}
	}
}

// The matrix of operators and element types has no hole: what the specification
// allows, a kernel or a function body runs. That the claims hold is tested with
// calls in every type, in internal/difftest.
func TestEveryTypeIsClaimed(t *testing.T) {
	for _, e := range supportedOps() {
		if e.Name == "Gradient" {
			continue // speaks of other operators, whose types it takes
		}
		for _, v := range e.Versions {
			for _, types := range v.Types {
				if len(types.NotRun) > 0 {
					t.Errorf("%s.%s-%d does not run %s = %v", e.Domain, e.Name, v.Since, types.Variable, types.NotRun)
				}
			}
		}
	}
}
