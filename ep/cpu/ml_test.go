package cpu_test

import (
	"math"
	"strings"
	"testing"

	"gort/ep"
	"gort/ep/cpu"
	"gort/graph"
	"gort/internal/engine"
	"gort/op"
	"gort/tensor"
)

// mlCase is a node of ai.onnx.ml with inputs, and what it gives, or ! and a part
// of the error.
type mlCase struct {
	op      string
	version int
	attrs   []graph.Attr
	outputs int
	in      []tensor.Value
	want    string
}

func runMLCases(t *testing.T, cases []mlCase) {
	t.Helper()
	p := cpu.New()
	if err := p.Open(t.Context(), ep.Config{Threads: 2}); err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	it := &engine.Interpreter{Provider: p, Env: &op.Env{Registry: op.Standard()}}
	for _, c := range cases {
		g := graph.New("g")
		spec := graph.NodeSpec{Domain: "ai.onnx.ml", Op: c.op, Opset: c.version, Attrs: c.attrs}
		for range c.in {
			spec.Inputs = append(spec.Inputs, g.NewValue(graph.Type{}))
		}
		for range c.outputs {
			spec.Outputs = append(spec.Outputs, g.NewValue(graph.Type{}))
		}
		id, err := g.AddNode(spec)
		if err != nil {
			t.Fatal(err)
		}
		got, err := it.Node(t.Context(), g.Node(id), c.in, nil)
		part, failing := strings.CutPrefix(c.want, "!")
		switch {
		case failing && (err == nil || !strings.Contains(err.Error(), part)):
			t.Errorf("%s-%d of %s: error %v, want one with %q", c.op, c.version, showAll(c.in), err, part)
		case failing:
		case err != nil:
			t.Errorf("%s-%d of %s: %v", c.op, c.version, showAll(c.in), err)
		case showMaps(got) != c.want:
			t.Errorf("%s-%d of %s: got %s, want %s", c.op, c.version, showAll(c.in), showMaps(got), c.want)
		}
	}
}

// showMaps is showAll for values that may be sequences of maps.
func showMaps(list []tensor.Value) string {
	var parts []string
	for _, v := range list {
		seq, ok := v.(*tensor.Sequence)
		if !ok {
			parts = append(parts, show(v))
			continue
		}
		for _, m := range seq.Items {
			parts = append(parts, show(m.(*tensor.Map).Keys)+" to "+show(m.(*tensor.Map).Values))
		}
	}
	return strings.Join(parts, " | ")
}

// stump is one tree: x[feature] <= split leads to a vote for class or target 0 of
// one weight, else to another.
func stump(votes string, feature int64, split, yes, no float32, more ...any) []graph.Attr {
	return pairs(append([]any{
		"nodes_treeids", []int64{0, 0, 0}, "nodes_nodeids", []int64{0, 1, 2}, "nodes_featureids", []int64{feature, 0, 0},
		"nodes_modes", []string{"BRANCH_LEQ", "LEAF", "LEAF"}, "nodes_values", []float32{split, 0, 0},
		"nodes_truenodeids", []int64{1, 0, 0}, "nodes_falsenodeids", []int64{2, 0, 0},
		votes + "_treeids", []int64{0, 0}, votes + "_nodeids", []int64{1, 2}, votes + "_ids", []int64{0, 0}, votes + "_weights", []float32{yes, no},
	}, more...)...)
}

func TestTreeEnsembles(t *testing.T) {
	x := tensor.Must(tensor.FromSlice([]float32{1, 5, 2, 3}, 2, 2))
	as := func(d tensor.DType) tensor.Value {
		return tensor.Must(tensor.Convert(x, d, tensor.ConvertOptions{}))
	}
	labels, names := []int64{10, 20}, []string{"no", "yes"}
	var cases []mlCase
	for _, d := range []tensor.DType{tensor.Float32, tensor.Float64, tensor.Int32, tensor.Int64} {
		cases = append(cases,
			mlCase{"TreeEnsembleClassifier", 1, stump("class", 1, 3, 0.75, 0.25, "classlabels_int64s", labels), 2, values(as(d)), "int64 2 [10 20] | float32 2x2 [0.75 0.25 0.25 0.75]"},
			mlCase{"TreeEnsembleRegressor", 3, stump("target", 1, 3, 0.75, 0.25, "base_values", []float32{1}), 1, values(as(d)), "float32 2x1 [1.25 1.75]"})
	}
	twice := stump("class", 1, 3, 0.75, 0.25, "classlabels_int64s", labels)
	for i, a := range twice {
		if a.Name == "nodes_nodeids" {
			twice[i] = graph.NewAttr(a.Name, []int64{0, 1, 1})
		}
	}
	// As doubles the threshold lies between float32's 0.1 and the 0.1 of the input.
	tenth := tensor.Must(tensor.FromSlice([]float64{0.1}, 1, 1))
	asTensor := stump("target", 0, 0, 1, 2, "nodes_values_as_tensor", tensor.Must(tensor.FromSlice([]float64{0.1000000005, 0, 0})))
	for i, a := range asTensor {
		if a.Name == "nodes_values" {
			asTensor = append(asTensor[:i:i], asTensor[i+1:]...)
			break
		}
	}
	cases = append(cases,
		mlCase{"TreeEnsembleClassifier", 1, stump("class", 1, 3, 0.75, 0.25, "classlabels_strings", names), 2, values(as(tensor.Float32)), `string 2 ["no" "yes"] | float32 2x2 [0.75 0.25 0.25 0.75]`},
		mlCase{"TreeEnsembleRegressor", 3, asTensor, 1, values(tenth), "float32 1x1 [1]"},
		mlCase{"TreeEnsembleRegressor", 1, stump("target", 1, 3, 0.75, 0.25, "aggregate_function", "MEDIAN"), 1, values(x), "!allowed are AVERAGE, SUM, MIN, MAX"},
		mlCase{"TreeEnsembleRegressor", 1, stump("target", 1, 3, 0.75, 0.25, "post_transform", "CUBE"), 1, values(x), "!post_transform"},
		mlCase{"TreeEnsembleRegressor", 1, stump("target", 4, 3, 0.75, 0.25), 1, values(x), "!the trees test feature 4"},
		mlCase{"TreeEnsembleRegressor", 1, stump("target", 1, 3, 0.75, 0.25, "nodes_missing_value_tracks_true", []int64{1}), 1, values(x), "!must have 3 or none"},
		mlCase{"TreeEnsembleRegressor", 1, stump("target", 1, 3, 0.75, 0.25, "base_values", []float32{1, 2}), 1, values(x), "!base_values"},
		mlCase{"TreeEnsembleClassifier", 1, twice, 2, values(x), "!names node 1 of tree 0 twice"},
	)
	runMLCases(t, cases)
}

func TestLinearModels(t *testing.T) {
	x := tensor.Must(tensor.FromSlice([]float32{1, 2, -1, 0}, 2, 2))
	ints64 := tensor.Must(tensor.FromSlice([]int64{1, 2, -1, 0}, 2, 2))
	labels, names := []int64{10, 20}, []string{"no", "yes"}
	runMLCases(t, []mlCase{
		{"LinearClassifier", 1, pairs("classlabels_ints", labels, "coefficients", []float32{1, 0, 0, 1}, "intercepts", []float32{0, 0.5}), 2, values(x), "int64 2 [20 20] | float32 2x2 [1 2.5 -1 0.5]"},
		{"LinearClassifier", 1, pairs("classlabels_strings", names, "coefficients", []float32{1, 1}, "intercepts", []float32{-1}), 2, values(ints64), `string 2 ["yes" "no"] | float32 2x2 [-1 2 3 -2]`},
		{"LinearClassifier", 1, pairs("classlabels_ints", labels, "coefficients", []float32{1, 0, 0, 1}, "intercepts", []float32{0, 0}, "post_transform", "LOG"), 2, values(x), "!post_transform"},
		{"LinearRegressor", 1, pairs("coefficients", []float32{2, 1, 1, 0}, "targets", 2), 1, values(x), "float32 2x2 [4 1 -2 -1]"},
		{"SVMRegressor", 1, pairs("coefficients", []float32{2, -1}, "rho", []float32{0.5}, "kernel_params", []float32{0, 0, 0}), 1, values(x), "float32 2x1 [0.5 -1.5]"},
		{"SVMRegressor", 1, pairs("coefficients", []float32{2, -1}, "rho", []float32{0.5}, "one_class", 1), 1, values(x), "float32 2x1 [1 -1]"},
		{"SVMRegressor", 1, pairs("coefficients", []float32{1}, "support_vectors", []float32{1, 1}, "n_supports", 1, "kernel_type", "POLY", "kernel_params", []float32{1, 1, 2}, "rho", []float32{-1}), 1, values(x), "float32 2x1 [15 -1]"},
		{"SVMClassifier", 1, pairs("classlabels_ints", labels, "vectors_per_class", []int64{1, 1}, "support_vectors", []float32{1, 1, -1, 0}, "coefficients", []float32{1, -1}, "rho", []float32{0}), 2, values(x), "int64 2 [10 20] | float32 2x2 [-4 4 2 -2]"},
		{"SVMClassifier", 1, pairs("classlabels_ints", labels, "vectors_per_class", []int64{1, 1}, "support_vectors", []float32{1, 1, -1, 0}, "coefficients", []float32{1}, "rho", []float32{0}), 2, values(x), "!coefficients has 1 elements"},
		{"SVMClassifier", 1, pairs("classlabels_strings", names, "coefficients", []float32{1, 0, 0, 1}, "rho", []float32{-0.5}), 2, values(x), `string 2 ["yes" "yes"] | float32 2x2 [0.5 1.5 -1.5 -0.5]`},
	})
}

func TestFeaturesAndMaps(t *testing.T) {
	x := tensor.Must(tensor.FromSlice([]float32{1, 2, 3, 4}, 2, 2))
	words := tensor.Must(tensor.FromSlice([]string{"a", "b", "c"}))
	mapOf := func(keys, vals *tensor.Tensor) tensor.Value { return &tensor.Map{Keys: keys, Values: vals} }
	strs := func(v ...string) *tensor.Tensor { return tensor.Must(tensor.FromSlice(v)) }
	i16 := tensor.Must(tensor.FromSlice([]int16{3, 4}))
	runMLCases(t, []mlCase{
		{"ArrayFeatureExtractor", 1, nil, 1, values(words, ints(2, 0)), `string 1x2 ["c" "a"]`},
		{"ArrayFeatureExtractor", 1, nil, 1, values(x, ints(2)), "!allowed are 0 to 1"},
		{"Binarizer", 1, pairs("threshold", float32(2)), 1, values(x), "float32 2x2 [0 0 1 1]"},
		{"FeatureVectorizer", 1, pairs("inputdimensions", []int64{1, 3}), 1, values(x, x), "float32 2x4 [1 1 2 0 3 3 4 0]"},
		{"FeatureVectorizer", 1, nil, 1, values(ints(1, 2), ints(3)), "float32 1x3 [1 2 3]"},
		{"Imputer", 1, pairs("imputed_value_int64s", []int64{9}, "replaced_value_int64", 2), 1, values(ints(1, 2)), "int64 2 [1 9]"},
		{"Imputer", 1, pairs("imputed_value_int64s", []int64{1 << 40}), 1, values(tensor.Must(tensor.FromSlice([]int32{1}))), "!beyond int32"},
		{"Normalizer", 1, pairs("norm", "L1"), 1, values(x), "float32 2x2 [0.3333333432674408 0.6666666865348816 0.4285714328289032 0.5714285969734192]"},
		{"Normalizer", 1, pairs("norm", "L3"), 1, values(x), "!allowed are MAX, L1, L2"},
		{"Scaler", 1, pairs("offset", []float32{1, 2}, "scale", []float32{2, 4}), 1, values(x), "float32 2x2 [0 0 4 8]"},
		{"OneHotEncoder", 1, pairs("cats_strings", []string{"b", "a"}), 1, values(words), "float32 3x2 [0 1 1 0 0 0]"},
		{"OneHotEncoder", 1, pairs("cats_strings", []string{"b", "a"}, "zeros", 0), 1, values(words), "!element 2 is c"},
		{"CategoryMapper", 1, pairs("cats_strings", []string{"b", "a"}, "cats_int64s", []int64{5, 6}), 1, values(words), "int64 3 [6 5 -1]"},
		{"CategoryMapper", 1, pairs("cats_strings", []string{"b", "a"}, "cats_int64s", []int64{5, 6}), 1, values(ints(5, 7)), `string 2 ["b" "_Unused"]`},
		{"LabelEncoder", 1, pairs("classes_strings", []string{"b", "a"}), 1, values(words), "int64 3 [1 0 -1]"},
		{"LabelEncoder", 2, pairs("keys_int64s", []int64{1, 2}, "values_strings", []string{"one", "two"}, "default_string", "many"), 1, values(ints(2, 3)), `string 2 ["two" "many"]`},
		{"LabelEncoder", 4, pairs("keys_tensor", i16, "values_tensor", tensor.Must(tensor.FromSlice([]float64{0.5, 1.5})), "default_tensor", tensor.Must(tensor.FromSlice([]float64{7}))), 1, values(tensor.Must(tensor.FromSlice([]int16{4, 5}))), "float64 2 [1.5 7]"},
		{"ZipMap", 1, pairs("classlabels_strings", []string{"p", "q"}), 1, values(x), `string 2 ["p" "q"] to float32 2 [1 2] | string 2 ["p" "q"] to float32 2 [3 4]`},
		{"CastMap", 1, nil, 1, values(mapOf(ints(5, 2), floats(1, 3))), "float32 1x2 [3 1]"},
		{"CastMap", 1, pairs("map_form", "SPARSE", "max_map", 4, "cast_to", "TO_INT64"), 1, values(mapOf(ints(3, 1), strs("7", "8"))), "int64 1x4 [0 8 0 7]"},
		{"CastMap", 1, pairs("cast_to", "TO_STRING"), 1, values(mapOf(ints(2, 1, 3), floats(1.5, float32(math.Inf(1)), float32(math.NaN())))), `string 1x3 ["inf" "1.500000" "nan"]`},
		{"CastMap", 1, pairs("map_form", "SPARSE", "max_map", 3), 1, values(mapOf(ints(3), floats(1))), "!key 3, allowed are 0 to 2"},
		{"DictVectorizer", 1, pairs("string_vocabulary", []string{"a", "c", "b", "z"}), 1, values(mapOf(strs("a", "c"), ints(4, 8))), "int64 1x4 [4 8 0 0]"},
		{"DictVectorizer", 1, pairs("int64_vocabulary", []int64{7, 9}), 1, values(mapOf(ints(9), strs("x"))), `string 1x2 ["" "x"]`},
		{"DictVectorizer", 1, pairs("string_vocabulary", []string{"a"}), 1, values(mapOf(strs("b"), ints(4))), "!key b, which is not in the vocabulary"},
	})
}
