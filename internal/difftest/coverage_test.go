package difftest

import (
	"slices"
	"strings"
	"testing"

	"gort/graph"
	"gort/internal/testdata"
)

// withoutCalls are operators of com.microsoft that ONNX Runtime runs on the CPU, or
// that are common, and of which no 50 calls are stored. The list may only shrink.
// GroupNorm has no CPU kernel there; TestGroupNormFormula compares it with its formula.
// ONNX Runtime runs MatMulFpQ4 on CPUs with AVX-512 only; TestMatMulFpQ4 has its formula. The others are not defined yet.
var withoutCalls = strings.Fields(`
	AttnLSTM GroupNorm MatMulFpQ4 Sampling SparseAttention WhisperBeamSearch`)

// leastCalls are how many calls of an operator of com.microsoft are compared.
const leastCalls = 50

func TestContribOperatorsAreCompared(t *testing.T) {
	counts := map[string]int{}
	for _, calls := range stored(t) {
		for _, c := range calls {
			counts[c.Version()]++
		}
	}
	rows, column := testdata.Table(t, "contrib-ops.tsv")
	for _, row := range rows {
		name := row[column["op"]]
		common := row[column["how_common"]]
		if graph.NormalDomain(row[column["domain"]]) != microsoft || row[column["cpu_kernel_ort_1.30"]] != "yes" && common != "high" && common != "medium" {
			continue
		}
		n, listed := counts[microsoft+"."+name+"-1"], slices.Contains(withoutCalls, name)
		switch {
		case n < leastCalls && !listed:
			t.Errorf("%s: %d calls are stored, want %d", name, n, leastCalls)
		case n >= leastCalls && listed:
			t.Errorf("%s has %d stored calls; take it off the list", name, n)
		}
	}
}

// maxUncovered is how many pairs of an operator and a version have neither a case in
// ONNX's suite nor stored calls. It may only shrink.
const maxUncovered = 0

func TestVersionsWithoutCasesAreCompared(t *testing.T) {
	have := map[string]bool{}
	for _, calls := range stored(t) {
		for _, c := range calls {
			have[c.Version()] = true
		}
	}
	rows, column := testdata.Table(t, "op-versions.tsv")
	var missing []string
	for _, row := range rows {
		name := row[column["op"]] + "-" + row[column["version"]]
		if d := graph.NormalDomain(row[column["domain"]]); d != "" {
			name = d + "." + name
		}
		if row[column["cases"]] == "0" && !have[name] {
			missing = append(missing, name)
		}
	}
	if len(missing) != maxUncovered {
		t.Errorf("%d versions have neither cases nor stored calls, the constant says %d: %v", len(missing), maxUncovered, missing)
	}
}
