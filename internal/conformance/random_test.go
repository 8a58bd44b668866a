package conformance

import (
	"bytes"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gort"
	"gort/graph"
	"gort/internal/testdata"
	"gort/onnx"
	"gort/tensor"
)

// What an entry of expected_failures.txt with a reason "random:" expects are numbers
// that another program's generator drew. The tests here hold the models of these cases
// to what the specification does say of the numbers: their distribution. They are
// deterministic, because a seed fixes what gort draws.

// randomProperties is the property test of each such case, by its ID.
var randomProperties = map[string]func(t *testing.T, c *Case){
	"node/test_bernoulli":        bernoulliProperty,
	"node/test_bernoulli_double": bernoulliProperty,
	"node/test_bernoulli_seed":   bernoulliProperty,
	// The bodies of the operator that these are made of compare the other way round.
	"node/test_bernoulli_expanded":            complementProperty,
	"node/test_bernoulli_double_expanded":     complementProperty,
	"node/test_bernoulli_seed_expanded":       complementProperty,
	"node/test_training_dropout":              dropoutProperty,
	"node/test_training_dropout_default":      dropoutProperty,
	"node/test_training_dropout_default_mask": dropoutProperty,
	"node/test_training_dropout_mask":         dropoutProperty,
}

// sigmas is how many standard deviations a mean may be off.
const sigmas = 5

func TestRandomCases(t *testing.T) {
	s, err := Load(filepath.Join(testdata.Dir(t, "conformance"), "node.zip"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	left := len(randomProperties)
	for _, c := range s.Cases {
		if property := randomProperties[c.ID()]; property != nil {
			left--
			t.Run(c.Name, func(t *testing.T) { property(t, c) })
		}
	}
	if left > 0 {
		t.Errorf("%d cases with a property are not in the suite", left)
	}
}

// TestRandomEntriesHaveProperties holds that nothing is listed as random that no
// property test checks.
func TestRandomEntriesHaveProperties(t *testing.T) {
	list, err := ExpectedFailures()
	if err != nil {
		t.Fatal(err)
	}
	for id, reason := range list {
		if strings.HasPrefix(reason, randomPrefix) && randomProperties[id] == nil {
			t.Errorf("%s is listed as random; write a property test and name it in randomProperties", id)
		}
	}
	for id := range randomProperties {
		if !strings.HasPrefix(list[id], randomPrefix) {
			t.Errorf("%s has a property test, but is not listed as random", id)
		}
	}
}

// inputs reads the first data set of the case.
func (c *Case) inputs(t *testing.T, m *graph.Model) []tensor.Value {
	t.Helper()
	out := make([]tensor.Value, len(m.Graph.Inputs()))
	for i, id := range m.Graph.Inputs() {
		var err error
		if out[i], err = c.read(c.sets[0], "input", i, m.Graph.Value(id).Type); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// variant reads the case's model and changes it: shapes become free, and where a seed
// is given, the nodes that draw have it.
func (c *Case) variant(t *testing.T, seed any) *graph.Model {
	t.Helper()
	raw, err := fs.ReadFile(c.fsys, c.model)
	if err != nil {
		t.Fatal(err)
	}
	file, err := onnx.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	m, err := file.Graph()
	if err != nil {
		t.Fatal(err)
	}
	for v := range m.Graph.Values() {
		v.Type = v.Type.WithUnknownShape()
	}
	for n := range m.Graph.Nodes() {
		switch n.Op {
		case "Bernoulli", "RandomUniformLike":
			if s, ok := seed.(int); ok {
				n.SetAttr(graph.NewAttr("seed", float32(s)))
			}
		case "Dropout":
			if s, ok := seed.(int); ok {
				n.SetAttr(graph.NewAttr("seed", int64(s)))
			}
		}
	}
	return m
}

// seeded reports whether the model itself gives a seed.
func seeded(m *graph.Model) bool {
	for n := range m.Graph.Nodes() {
		if _, ok := n.Attr("seed"); ok {
			return true
		}
	}
	return false
}

// runModel runs a model as a program would.
func runModel(t *testing.T, m *graph.Model, inputs ...tensor.Value) []*tensor.Tensor {
	t.Helper()
	file, err := onnx.FromGraph(m)
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	if err := file.Write(&buf); err != nil {
		t.Fatal(err)
	}
	s, err := gort.Load(&buf, gort.WithThreads(1))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	values, err := s.RunValues(t.Context(), inputs...)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]*tensor.Tensor, len(values))
	for i, v := range values {
		out[i] = v.(*tensor.Tensor)
	}
	return out
}

// repeated stacks n copies of a tensor along a new first dimension.
func repeated(t *testing.T, v tensor.Value, n int) *tensor.Tensor {
	t.Helper()
	x := v.(*tensor.Tensor)
	wide, err := x.BroadcastTo(append([]int{n}, x.Shape()...)...)
	if err != nil {
		t.Fatal(err)
	}
	return wide.Contiguous()
}

func float64s(t *testing.T, v tensor.Value) []float64 {
	t.Helper()
	out, err := tensor.Float64s(v.(*tensor.Tensor))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// drawsBySeed checks that a seed fixes the draw, that another one gives another, and
// that without a seed no run is like the one before.
func drawsBySeed(t *testing.T, c *Case, inputs ...tensor.Value) {
	t.Helper()
	draw := func(seed any) []float64 { return float64s(t, runModel(t, c.variant(t, seed), inputs...)[0]) }
	one := draw(1)
	if !slices.Equal(one, draw(1)) {
		t.Error("seed 1 draws differently from run to run")
	}
	if slices.Equal(one, draw(2)) {
		t.Error("seeds 1 and 2 draw the same")
	}
	given := seeded(c.variant(t, nil))
	if agree := slices.Equal(draw(nil), draw(nil)); agree != given {
		t.Errorf("two runs of the model agree: %v; it gives a seed: %v", agree, given)
	}
}

func bernoulliProperty(t *testing.T, c *Case) {
	checkBernoulli(t, c, func(p float64) float64 { return p })
}

func complementProperty(t *testing.T, c *Case) {
	checkBernoulli(t, c, func(p float64) float64 { return 1 - p })
}

// checkBernoulli: elements are 0 or 1, element i is 1 with the probability that its
// input gives, and elements are independent of each other.
func checkBernoulli(t *testing.T, c *Case, chance func(float64) float64) {
	const rows = 4000
	m := c.variant(t, nil)
	x := c.inputs(t, m)[0]
	want := runModel(t, m, x)[0]
	large := repeated(t, x, rows)
	drawsBySeed(t, c, large)
	for seed := range 5 {
		y := runModel(t, c.variant(t, seed), large)[0]
		if y.DType() != want.DType() || !y.Shape().Equal(large.Shape()) {
			t.Fatalf("the output is %v for %v", y, large)
		}
		hits := make([]float64, 0, rows) // of each row
		drawn, p := float64s(t, y), float64s(t, x)
		ones := make([]float64, len(p))
		for r := range rows {
			sum := 0.0
			for i, v := range drawn[r*len(p):][:len(p)] {
				if v != 0 && v != 1 {
					t.Fatalf("seed %d: an element is %v", seed, v)
				}
				sum += v
				ones[i] += v
			}
			hits = append(hits, sum)
		}
		mean, variance := 0.0, 0.0
		for i := range p {
			q := chance(p[i])
			mean, variance = mean+q, variance+q*(1-q)
			if f := ones[i] / rows; math.Abs(f-q) > sigmas*math.Sqrt(q*(1-q)/rows) {
				t.Errorf("seed %d: element %d is 1 in %v of the draws, want %v", seed, i, f, q)
			}
		}
		wantMoments(t, hits, mean, variance)
	}
}

// wantMoments checks the mean of samples that are close to normal, and their variance.
func wantMoments(t *testing.T, x []float64, mean, variance float64) {
	t.Helper()
	n := float64(len(x))
	m, v := 0.0, 0.0
	for _, f := range x {
		m += f / n
	}
	for _, f := range x {
		v += (f - m) * (f - m) / n
	}
	if math.Abs(m-mean) > sigmas*math.Sqrt(variance/n) {
		t.Errorf("the mean is %v, want %v", m, mean)
	}
	if math.Abs(v-variance) > sigmas*variance*math.Sqrt(2/n) {
		t.Errorf("the variance is %v, want %v", v, variance)
	}
}

// dropoutProperty: an element is dropped with the probability ratio, independently of
// the others; what is kept is divided by 1-ratio; the mask says which. Nothing is
// dropped at ratio 0 or outside of training.
func dropoutProperty(t *testing.T, c *Case) {
	const rows = 1000
	in := c.inputs(t, c.variant(t, nil))
	ratio := float64s(t, in[1])[0]
	large := repeated(t, in[0], rows)
	x := float64s(t, large)
	drawsBySeed(t, c, large, in[1], in[2])
	for seed := range 5 {
		out := runModel(t, c.variant(t, seed), large, in[1], in[2])
		y := float64s(t, out[0])
		wantMask(t, out, x, y)
		per := len(x) / rows
		kept := make([]float64, rows)
		for i, v := range y {
			if v == 0 {
				continue
			}
			kept[i/per]++
			if want := float64(float32(x[i] / (1 - ratio))); v != want {
				t.Fatalf("seed %d: element %d is %v, want 0 or %v / (1 - %v) = %v", seed, i, v, x[i], ratio, want)
			}
		}
		wantMoments(t, kept, float64(per)*(1-ratio), float64(per)*ratio*(1-ratio))
	}
	for name, args := range map[string][]tensor.Value{
		"ratio 0":     {large, tensor.Scalar[float32](0), in[2]},
		"no training": {large, in[1], tensor.Scalar(false)},
	} {
		out := runModel(t, c.variant(t, nil), args...)
		y := float64s(t, out[0])
		if !slices.Equal(x, y) {
			t.Errorf("%s changes elements", name)
		}
		wantMask(t, out, x, y)
	}
}

// wantMask checks the mask, where it is asked for: true where an element is kept. No
// element of x is 0.
func wantMask(t *testing.T, out []*tensor.Tensor, x, y []float64) {
	t.Helper()
	if slices.Contains(x, 0) {
		t.Fatal("an input element is 0, which looks like one that is dropped")
	}
	if len(out) < 2 {
		return
	}
	for i, keep := range tensor.Elements[bool](out[1]) {
		if keep != (y[i] != 0) {
			t.Fatalf("the mask is %v at element %d, which is %v", keep, i, y[i])
		}
	}
}
