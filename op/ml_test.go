package op_test

import (
	"strings"
	"testing"

	"gort/tensor"
)

func TestInferClassicalModels(t *testing.T) {
	ints, names := []int64{10, 20, 30}, []string{"a", "b"}
	weights := make([]float32, 12)
	for _, c := range []moveCase{
		{"TreeEnsembleClassifier", 1, attrs("classlabels_int64s", ints), moveFacts("float[N,4]"), "int64[N] | float[N,3]"},
		{"TreeEnsembleClassifier", 3, attrs("classlabels_strings", names), moveFacts("int64[4]"), "string[1] | float[1,2]"},
		{"TreeEnsembleClassifier", 5, attrs("classlabels_strings", names), moveFacts("double"), "string[?] | float[?,2]"},
		{"TreeEnsembleClassifier", 1, nil, moveFacts("float[N,4]"), "!must name the classes"},
		{"TreeEnsembleRegressor", 1, attrs("n_targets", int64(3)), moveFacts("float[5,4]"), "float[5,3]"},
		{"TreeEnsembleRegressor", 1, nil, moveFacts("float[5,4,2]"), "!rank 3"},
		{"TreeEnsembleRegressor", 1, attrs("n_targets", int64(-1)), moveFacts("float[5,4]"), "!must be positive"},
		{"LinearClassifier", 1, attrs("classlabels_ints", ints, "coefficients", weights, "intercepts", weights[:3]), moveFacts("float[N,4]"), "int64[N] | float[N,3]"},
		{"LinearClassifier", 1, attrs("classlabels_strings", names, "coefficients", weights[:4], "intercepts", weights[:1]), moveFacts("float[N,4]"), "string[N] | float[N,2]"},
		{"LinearClassifier", 1, attrs("classlabels_ints", ints, "coefficients", weights, "intercepts", weights[:3]), moveFacts("float[N,5]"), "!has 5 features"},
		{"LinearRegressor", 1, attrs("coefficients", weights, "targets", int64(2)), moveFacts("int32[N,6]"), "float[N,2]"},
		{"LinearRegressor", 1, attrs("coefficients", weights, "targets", int64(5)), moveFacts("float[N,6]"), "!multiple of the 5 targets"},
		{"SVMClassifier", 1, attrs("classlabels_ints", ints, "vectors_per_class", []int64{1, 1, 1}, "support_vectors", weights), moveFacts("float[N,4]"), "int64[N] | float[N,3]"},
		{"SVMClassifier", 1, attrs("classlabels_strings", names, "vectors_per_class", []int64{1, 2}, "support_vectors", weights), moveFacts("float[N,4]"), "string[N] | float[N,2]"},
		{"SVMClassifier", 1, attrs("classlabels_ints", ints, "vectors_per_class", []int64{1, -1, 1}, "support_vectors", weights), moveFacts("float[N,4]"), "!element 1 is -1"},
		{"SVMRegressor", 1, attrs("coefficients", weights[:3], "support_vectors", weights, "n_supports", int64(3)), moveFacts("float[N,4]"), "float[N,1]"},
		{"SVMRegressor", 1, attrs("coefficients", weights[:3], "n_supports", int64(9)), moveFacts("float[N,4]"), "!coefficients has 3 elements"},
	} {
		runMLCase(t, c)
	}
}

// runMLCase is runMoveCases for one case of the domain ai.onnx.ml.
func runMLCase(t *testing.T, c moveCase) {
	t.Helper()
	part, failing := strings.CutPrefix(c.want, "!")
	outputs := 1 + strings.Count(c.want, " | ")
	if def, err := (newEnv()).Registry.Lookup("ai.onnx.ml", c.op, c.opset); err == nil {
		outputs = max(outputs, def.Signature().MinOutputs)
	}
	got, err := inferMove(t, "ai.onnx.ml", c, outputs)
	switch {
	case failing && (err == nil || !strings.Contains(err.Error(), part)):
		t.Errorf("%s-%d %v: error %v, want one with %q", c.op, c.opset, c.in, err, part)
	case failing:
	case err != nil:
		t.Errorf("%s-%d %v: %v", c.op, c.opset, c.in, err)
	default:
		var parts []string
		for _, f := range got {
			parts = append(parts, printFact(f))
		}
		if s := strings.Join(parts, " | "); s != c.want {
			t.Errorf("%s-%d %v: got %s, want %s", c.op, c.opset, c.in, s, c.want)
		}
	}
}

func TestInferFeatures(t *testing.T) {
	ints, names := []int64{10, 20, 30}, []string{"a", "b"}
	keys := tensor.Must(tensor.FromSlice([]int16{1, 2}))
	for _, c := range []moveCase{
		{"ArrayFeatureExtractor", 1, nil, moveFacts("string[N,4]", "int64[3]"), "string[N,3]"},
		{"ArrayFeatureExtractor", 1, nil, moveFacts("float[4]", "int64[1,2]"), "float[1,2]"},
		{"ArrayFeatureExtractor", 1, nil, moveFacts("float[]", "int64[1,2]"), "!is a scalar"},
		{"Binarizer", 1, nil, moveFacts("int32[N,4]"), "int32[N,4]"},
		{"FeatureVectorizer", 1, attrs("inputdimensions", []int64{2, 6}), moveFacts("double[N,4]", "double[N,5]"), "float[N,8]"},
		{"FeatureVectorizer", 1, nil, moveFacts("float[5]", "float[1,3]"), "float[1,8]"},
		{"FeatureVectorizer", 1, attrs("inputdimensions", []int64{2}), moveFacts("float[N,4]", "float[N,5]"), "!1 elements for 2 inputs"},
		{"FeatureVectorizer", 1, nil, moveFacts("float[2,4]", "float[3,5]"), "!has 3 rows"},
		{"Imputer", 1, attrs("imputed_value_floats", []float32{1, 2}), moveFacts("double[N,2]"), "double[N,2]"},
		{"Imputer", 1, attrs("imputed_value_floats", []float32{1, 2}), moveFacts("float[N,3]"), "!has 3 features"},
		{"Imputer", 1, attrs("imputed_value_floats", []float32{1, 2}), moveFacts("int64[N,2]"), "!imputed_value_int64s: is empty"},
		{"Normalizer", 1, nil, moveFacts("int64[N,3]"), "float[N,3]"},
		{"Normalizer", 1, nil, moveFacts("float[N,3,1]"), "!must be 1 or 2"},
		{"Scaler", 1, attrs("offset", []float32{1}, "scale", []float32{1, 2}), moveFacts("int32[N,2]"), "float[N,2]"},
		{"Scaler", 1, attrs("offset", []float32{1, 2, 3}, "scale", []float32{1, 2}), moveFacts("float[N,2]"), "!scale has 2"},
		{"OneHotEncoder", 1, attrs("cats_strings", names), moveFacts("string[N,3]"), "float[N,3,2]"},
		{"OneHotEncoder", 1, attrs("cats_strings", names), moveFacts("int64[N,3]"), "!of another type"},
		{"OneHotEncoder", 1, nil, moveFacts("int64[N,3]"), "!must name the categories"},
		{"CategoryMapper", 1, attrs("cats_int64s", ints[:2], "cats_strings", names), moveFacts("string[N]"), "int64[N]"},
		{"CategoryMapper", 1, attrs("cats_int64s", ints, "cats_strings", names), moveFacts("string[N]"), "!cats_strings has 2"},
		{"LabelEncoder", 1, attrs("classes_strings", names), moveFacts("int64[N]"), "string[N]"},
		{"LabelEncoder", 2, attrs("keys_strings", names, "values_floats", []float32{1, 2}), moveFacts("string[N]"), "float[N]"},
		{"LabelEncoder", 4, attrs("keys_tensor", keys, "values_strings", names), moveFacts("int16[N]"), "string[N]"},
		{"LabelEncoder", 4, attrs("keys_tensor", keys, "values_strings", names), moveFacts("int64[N]"), "!the keys are int16"},
		{"LabelEncoder", 2, attrs("keys_strings", names, "values_int64s", ints), moveFacts("string[N]"), "!values_int64s has 3"},
		{"LabelEncoder", 2, attrs("keys_strings", names, "keys_int64s", ints, "values_int64s", ints), moveFacts("string[N]"), "!only one may be"},
		{"ZipMap", 1, attrs("classlabels_strings", names), moveFacts("float[N,2]"), "seq(map(string,tensor(float)[]))"},
		{"ZipMap", 1, attrs("classlabels_int64s", ints), moveFacts("float[N,2]"), "!there are 3 keys"},
	} {
		runMLCase(t, c)
	}
}
