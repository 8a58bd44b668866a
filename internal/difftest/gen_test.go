package difftest

import "testing"

// TestGeneratedCallsRun runs a few fresh calls of each generator without ONNX
// Runtime: all of gort's own ways have to agree, and the same number has to make
// the same call.
func TestGeneratedCallsRun(t *testing.T) {
	for _, gen := range Generators() {
		for _, d := range gen.Definitions() {
			made := 0
			for seed := uint64(1000); seed < 1012 && made < 3; seed++ {
				c := gen.New(d, seed)
				if c == nil {
					continue
				}
				made++
				r, err := gen.Check(t.Context(), d, c, nil)
				if err != nil {
					t.Error(err)
				} else if r.Disagreement != "" {
					t.Errorf("%s: %s", c.Name, r.Disagreement)
				}
			}
		}
	}
}
