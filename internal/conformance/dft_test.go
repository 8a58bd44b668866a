package conformance

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gort/internal/testdata"
	"gort/tensor"
)

// dftCases are the expected failures that docs/conformance.md proves to contradict the
// specification. Both transform along axis 1.
var dftCases = []string{"node/test_dft_inverse", "node/test_dft_inverse_opset19"}

// TestInverseDFTExpectations recomputes that proof from the cases' files: where a
// stored element is off by more than the suite's tolerance, the specification's formula
// gives exactly 0, so that no implementation of the formula can pass; all other
// elements agree, and gort's own are within 1e-6 of the formula.
func TestInverseDFTExpectations(t *testing.T) {
	s, err := Load(filepath.Join(testdata.Dir(t, "conformance"), "node.zip"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	listed, err := ExpectedFailures()
	if err != nil {
		t.Fatal(err)
	}
	byID := map[string]*Case{}
	for _, c := range s.Cases {
		byID[c.ID()] = c
	}
	for _, id := range dftCases {
		c := byID[id]
		if c == nil || listed[id] == "" {
			t.Errorf("%s is not in the suite, or not an expected failure any more", id)
			continue
		}
		if c.RTol != DefaultRTol || c.ATol != DefaultATol {
			t.Errorf("%s has tolerances of its own", id)
		}
		m := c.variant(t, nil)
		in := c.inputs(t, m)
		stored, err := c.read(c.sets[0], "output", 0, m.Graph.Value(m.Graph.Outputs()[0]).Type)
		if err != nil {
			t.Fatal(err)
		}
		want := inverseDFT(float64s(t, in[0]), in[0].(*tensor.Tensor).Shape())
		have, got := float64s(t, stored), float64s(t, runModel(t, m, in...)[0])
		if len(have) != len(want) || len(got) != len(want) {
			t.Fatalf("%s: %d elements are stored, gort gives %d, the formula %d", id, len(have), len(got), len(want))
		}
		off, worst := 0, 0.0
		for i, v := range want {
			if math.Abs(got[i]-v) > 1e-6 {
				t.Errorf("%s: gort's element %d is %v, the formula gives %v", id, i, got[i], v)
			}
			// What a correct implementation is held to: |v - stored| <= atol + rtol |stored|.
			if math.Abs(v-have[i]) <= DefaultATol+DefaultRTol*math.Abs(have[i]) {
				continue
			}
			off++
			worst = math.Max(worst, math.Abs(have[i]))
			if math.Abs(v) >= 1e-15 {
				t.Errorf("%s: element %d is stored as %v; the formula gives %v, which is not 0", id, i, have[i], v)
			}
		}
		t.Logf("%s: %d of %d stored elements are off, by up to %.3g", id, off, len(want), worst)
		if off == 0 {
			t.Errorf("%s: every stored element agrees with the formula; take the case off the list", id)
		}
	}
}

// TestProofsAreWrittenDown holds that docs/conformance.md names each case whose expected
// elements it says no implementation can be held to.
func TestProofsAreWrittenDown(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "conformance.md"))
	if err != nil {
		t.Fatal(err)
	}
	ids := append([]string{}, dftCases...)
	for id := range randomProperties {
		ids = append(ids, id)
	}
	for _, id := range ids {
		if !strings.Contains(string(text), "`"+id+"`") {
			t.Errorf("docs/conformance.md does not name %s", id)
		}
	}
}

// inverseDFT is y[k] = 1/N Σ x[n] exp(2πi kn/N) along axis 1 of a shape
// (batch, N, inner, 2), by the definition.
func inverseDFT(x []float64, shape tensor.Shape) []float64 {
	batch, n, inner := shape[0], shape[1], shape[2]
	y := make([]float64, len(x))
	for b := range batch {
		for k := range n {
			for j := range inner {
				var re, im float64
				for i := range n {
					at := 2 * ((b*n+i)*inner + j)
					c, s := turn(k*i, n)
					re += x[at]*c - x[at+1]*s
					im += x[at]*s + x[at+1]*c
				}
				at := 2 * ((b*n+k)*inner + j)
				y[at], y[at+1] = re/float64(n), im/float64(n)
			}
		}
	}
	return y
}

// turn is the cosine and sine of k/n of a full turn. Quarter turns are exact, as they
// are not when an approximation of π goes into the argument.
func turn(k, n int) (c, s float64) {
	k %= n
	switch 4 * k {
	case 0:
		return 1, 0
	case n:
		return 0, 1
	case 2 * n:
		return -1, 0
	case 3 * n:
		return 0, -1
	}
	s, c = math.Sincos(2 * math.Pi * float64(k) / float64(n))
	return c, s
}
