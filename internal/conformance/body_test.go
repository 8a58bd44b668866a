package conformance_test

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gort"
	"gort/ep"
	"gort/ep/cpu"
	"gort/graph"
	"gort/internal/conformance"
	"gort/internal/testdata"
	"gort/onnx"
	"gort/op"
)

// withoutFunctions is the CPU provider without the operators that have a body,
// and without those their bodies are made of that have one too.
type withoutFunctions struct{ *cpu.Provider }

func (p withoutFunctions) Supports(q *ep.Query) ep.Match {
	if q.Def.Body != nil {
		return ep.Decline("set aside, so that its function body runs")
	}
	return p.Provider.Supports(q)
}

// hasFunction reports whether a graph, or one inside it, has an operator with a body.
func hasFunction(env *op.Env, g *graph.Graph) bool {
	for n := range g.Nodes() {
		if d, err := env.Lookup(n); err == nil && d.Body != nil {
			return true
		}
		if slices.ContainsFunc(n.Subgraphs(), func(s *graph.Graph) bool { return hasFunction(env, s) }) {
			return true
		}
	}
	return false
}

// usesFunction is hasFunction of a case's model, its functions included.
func usesFunction(t *testing.T, c *conformance.Case) (found bool) {
	t.Helper()
	err := c.Model(func(fsys fs.FS, name string) error {
		m, err := onnx.OpenFS(fsys, name)
		if err != nil {
			return err
		}
		defer m.Close()
		g, err := m.Graph()
		if err != nil {
			return err
		}
		env := op.NewEnv(g)
		found = hasFunction(env, g.Graph)
		for _, f := range g.Functions {
			found = found || hasFunction(env, f.Graph)
		}
		return nil
	})
	if err != nil {
		t.Errorf("%s: %v", c.ID(), err)
	}
	return found
}

// differingBodies are the cases whose expected values a body can not meet.
var differingBodies = map[string]string{}

// TestBodies runs every case with an operator that has a body by that body, with
// optimisation on and off, and holds it to what the case expects of a kernel.
func TestBodies(t *testing.T) {
	s := loadSuite(t)
	expected, err := conformance.ExpectedFailures()
	if err != nil {
		t.Fatal(err)
	}
	for id, reason := range differingBodies {
		expected[id] = reason
	}
	re := regexp.MustCompile(*cases)
	ran := 0
	for _, c := range s.Cases {
		if !re.MatchString(c.ID()) || !usesFunction(t, c) {
			continue
		}
		ran++
		for _, level := range []gort.OptimizationLevel{gort.OptimizeAll, gort.OptimizeOff} {
			open := conformance.OpenWith(gort.WithOptimization(level), gort.WithThreads(1), gort.WithProviders(withoutFunctions{cpu.New()}))
			if status, reason := conformance.Judge(c.ID(), c.Run(t.Context(), open), expected); status == conformance.Fail {
				t.Errorf("optimisation level %d: %s: %s", level, c.ID(), reason)
			}
		}
	}
	t.Logf("%d cases run by function bodies", ran)
	if *cases == "" && ran < 500 {
		t.Errorf("%d cases have an operator with a body, want 500 or more", ran)
	}
}

// TestBodiesAreTheSpecifications holds the set of operators that have a body
// against the specification's: the newest versions as its table of operators has
// them, the older ones as read from its sources.
func TestBodiesAreTheSpecifications(t *testing.T) {
	older := strings.Fields(`
		Attention-23 Attention-24 Bernoulli-15 CastLike-15 CastLike-19 CastLike-21 CastLike-23 CastLike-24 Celu-12
		Elu-6 GreaterOrEqual-12 GroupNormalization-18 HardSigmoid-6 HardSwish-14 LessOrEqual-12
		MeanVarianceNormalization-9 Mish-18 NegativeLogLikelihoodLoss-12 NegativeLogLikelihoodLoss-13 Range-11 Selu-6
		SoftmaxCrossEntropyLoss-12 Softplus-1 Softsign-1 ThresholdedRelu-10`)
	// Further ones, of which the specification has no function: operators that it
	// withdrew, and one whose other element types have no kernel.
	ours := strings.Fields("Affine-1 Crop-1 DynamicSlice-1 ImageScaler-1 MeanVarianceNormalization-1 ParametricSoftplus-1 QLinearMatMul-21 ScaledTanh-1")
	want := append(older, ours...)
	rows, column := testdata.Table(t, "ops.tsv")
	for _, f := range rows {
		if f[column["function"]] != "" {
			want = append(want, bodyName(f[column["domain"]], f[column["op"]], f[column["latest"]]))
		}
	}
	var got []string
	for _, d := range op.Standard().All() {
		if d.Body != nil && d.Domain != "com.microsoft" {
			got = append(got, bodyName(d.Domain, d.Name, fmt.Sprint(d.Since)))
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	for _, name := range got {
		if !slices.Contains(want, name) {
			t.Errorf("%s has a body, the specification gives none", name)
		}
	}
	for _, name := range want {
		if !slices.Contains(got, name) {
			t.Errorf("%s has no body, the specification gives one", name)
		}
	}
}

func bodyName(domain, name, version string) string {
	if domain = graph.NormalDomain(domain); domain != "" {
		name = domain + "." + name
	}
	return name + "-" + version
}
