package conformance_test

import (
	"path/filepath"
	"testing"

	"gort"
	"gort/internal/conformance"
	"gort/internal/testdata"
)

func loadSuite(t *testing.T) *conformance.Suite {
	paths, err := filepath.Glob(filepath.Join(testdata.Dir(t, "conformance"), "*.zip"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no zip files", err)
	}
	s, err := conformance.Load(paths...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// maxExpected is how many expected failures there may be. It only ever goes down,
// with the list.
const maxExpected = 12

// TestSuite runs ONNX's whole backend suite as a program would run its models,
// with optimisation on and off.
func TestSuite(t *testing.T) {
	s := loadSuite(t)
	if n := len(s.Cases); n != 1969 {
		t.Errorf("the suite has %d cases, want 1969", n)
	}
	expected, err := conformance.ExpectedFailures()
	if err != nil {
		t.Fatal(err)
	}
	if len(expected) != maxExpected {
		t.Errorf("%d expected failures are listed, want %d: the list may only shrink, and maxExpected with it", len(expected), maxExpected)
	}
	ids := map[string]bool{}
	for _, c := range s.Cases {
		ids[c.ID()] = true
	}
	for id := range expected {
		if !ids[id] {
			t.Errorf("expected failure %s is not a case of the suite", id)
		}
	}
	for _, level := range []gort.OptimizationLevel{gort.OptimizeAll, gort.OptimizeOff} {
		open := conformance.OpenWith(gort.WithOptimization(level), gort.WithThreads(1))
		counts := map[conformance.Status]int{}
		for _, c := range s.Cases {
			status, reason := conformance.Judge(c.ID(), c.Run(t.Context(), open), expected)
			counts[status]++
			if status == conformance.Fail {
				t.Errorf("optimisation level %d: %s: %s", level, c.ID(), reason)
			}
		}
		t.Logf("optimisation level %d: %d passed, %d failed, %d expected failures", level, counts[conformance.Pass], counts[conformance.Fail], counts[conformance.ExpectedFail])
	}
}
