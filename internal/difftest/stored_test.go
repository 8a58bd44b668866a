package difftest

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gort/op"
)

var calls = flag.String("calls", "", "regular expression of the stored calls to run, such as '^com.microsoft.Gelu-1/'")

// stored reads every file of testdata.
func stored(t *testing.T) map[string][]*Stored {
	t.Helper()
	out := map[string][]*Stored{}
	entries, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join("testdata", e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if len(data) > 200_000 {
			t.Errorf("%s has %d bytes; record fewer or smaller calls", e.Name(), len(data))
		}
		if out[e.Name()], err = ReadStored(data); err != nil {
			t.Fatalf("%s: %v", e.Name(), err)
		}
	}
	return out
}

// TestStoredCalls runs the calls whose answers of ONNX Runtime are stored.
func TestStoredCalls(t *testing.T) {
	re := regexp.MustCompile(*calls)
	files := stored(t)
	ran := 0
	for _, gen := range Generators() {
		list := files[gen.FileName()]
		delete(files, gen.FileName())
		defs := map[string]*op.Def{}
		for _, d := range gen.Definitions() {
			defs[ID(d)] = d
		}
		t.Run(strings.TrimSuffix(gen.FileName(), ext), func(t *testing.T) {
			for _, s := range list {
				if !re.MatchString(s.Name) {
					continue
				}
				ran++
				d := defs[s.Version()]
				if d == nil {
					t.Errorf("%s is of no live definition", s.Name)
					continue
				}
				if err := gen.Run(t.Context(), d, s); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for name := range files {
		t.Errorf("testdata/%s has no generator", name)
	}
	if ran == 0 {
		t.Errorf("no stored call matches %q", *calls)
	}
}
