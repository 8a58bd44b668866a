package golden

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"gort"
	"gort/internal/testdata"
	"gort/tensor"
)

// env names a further directory of models, NAME.onnx each.
const env = "GORT_MODELS"

// modelFiles lists the models that lie with the test data, and those of the
// directory that the environment names.
func modelFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(testdata.Dir(t, "models"), "git-models", "*.onnx"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no models lie with the test data: %v", err)
	}
	dir := os.Getenv(env)
	if dir == "" {
		return files
	}
	more, err := filepath.Glob(filepath.Join(dir, "*.onnx"))
	if err != nil || len(more) == 0 {
		t.Fatalf("%s is %s, where no models are: %v", env, dir, err)
	}
	return append(files, more...)
}

// TestModels compares every model that has an answer with it.
func TestModels(t *testing.T) {
	files := modelFiles(t)
	set, err := Load(filepath.Join(testdata.Dir(t, "models"), "golden"))
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".onnx")
		if !set.Has(name) {
			t.Logf("no answer for %s", name)
			continue
		}
		compared++
		t.Run(name, func(t *testing.T) {
			s, err := gort.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			o, err := set.Check(t.Context(), name, s)
			for _, w := range o.Widened {
				t.Log(w)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	if compared == 0 {
		t.Errorf("none of the %d models has an answer", len(files))
	}
}

func TestParseMove(t *testing.T) {
	for _, c := range []struct {
		text     string
		abs, rel float64
	}{
		{"float32 1x10 max_abs 6e-08 max_rel 1.5", 6e-8, 1.5},
		{"float32 scalar max_abs 0 max_rel 0", 0, 0},
		{"strings equal: true", 0, 0},
		{"", 0, 0},
		{"max_abs", 0, 0},
	} {
		if abs, rel := parseMove(c.text); abs != c.abs || rel != c.rel {
			t.Errorf("parseMove(%q) = %v, %v, want %v, %v", c.text, abs, rel, c.abs, c.rel)
		}
	}
}

// TestTolerance widens only where ONNX Runtime is off in both ways: an element
// may be far off relatively because it is near 0.
func TestTolerance(t *testing.T) {
	set := &Set{index: map[string]entry{"m": {Moves: []string{
		"float32 1 max_abs 2e-3 max_rel 0.5",
		"float32 1 max_abs 9e-6 max_rel 1e9",
		"float32 1 max_abs 5 max_rel 1e-4",
	}}}}
	for i, want := range []float64{2e-3, ATol, ATol, ATol} {
		if got := set.tolerance("m", i); got.ATol != want || got.RTol != RTol {
			t.Errorf("output %d: tolerance %v, want %v and %v", i, got, RTol, want)
		}
	}
}

// TestUniform compares with the first numbers of splitmix64 from the state that
// FNV-1a gives for "a" (0xaf63dc4c8601ec8c), plus 1.
func TestUniform(t *testing.T) {
	v, err := uniform("a", tensor.Shape{3}, -1, 3)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]float32, 3)
	state := uint64(0xaf63dc4c8601ec8d)
	for i := range want {
		state += 0x9e3779b97f4a7c15
		z := (state ^ state>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		want[i] = float32(-1 + 4*float64((z^z>>31)>>40)/0x1p24)
	}
	if err := tensor.Compare(v, tensor.Must(tensor.FromSlice(want)), 0, 0); err != nil {
		t.Error(err)
	}
}

func TestSample(t *testing.T) {
	s, err := parseSample([]byte(`{"type": "float32", "shape": [2, 2], "mean": 2.5, "std": 1.118034, "index": [0, 3], "value": [1, 4]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		got  tensor.Value
		want string // part of the error; "" for none
	}{
		{"equal", tensor.Must(tensor.FromSlice([]float32{1, 2, 3, 4}, 2, 2)), ""},
		{"within", tensor.Must(tensor.FromSlice([]float32{1.0009, 2, 3, 4.0009}, 2, 2)), ""},
		{"element", tensor.Must(tensor.FromSlice([]float32{1.1, 2, 3, 4}, 2, 2)), "1 of 2 sampled elements differ, the first at 0"},
		{"between", tensor.Must(tensor.FromSlice([]float32{1, 9, -4, 4}, 2, 2)), "mean and deviation"},
		{"shape", tensor.Must(tensor.FromSlice([]float32{1, 2, 3, 4}, 4)), "want float32 2x2"},
		{"type", tensor.Must(tensor.FromSlice([]float64{1, 2, 3, 4}, 2, 2)), "want float32 2x2"},
		{"nothing", nil, "want float32 2x2"},
	} {
		switch err := s.compare(c.got, tolerance{RTol: RTol, ATol: ATol}); {
		case (err == nil) != (c.want == ""):
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		case err != nil && !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: error %q lacks %q", c.name, err, c.want)
		}
	}
	for _, bad := range []string{
		`{"shape": [2], "index": [2], "value": [0]}`,
		`{"shape": [2], "index": [-1], "value": [0]}`,
		`{"shape": [2], "index": [0, 1], "value": [0]}`,
		`{"shape": [2]}`, `[]`,
	} {
		if _, err := parseSample([]byte(bad)); err == nil {
			t.Errorf("parseSample(%s) has no error", bad)
		}
	}
}

// TestCheck compares a model with answers that the test writes: input and output
// of the digit recogniser for a blank picture, right and then wrong.
func TestCheck(t *testing.T) {
	s, err := gort.Open(filepath.Join("..", "..", "cmd", "gort", "digits", "digits.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	in := tensor.Must(tensor.New(tensor.Float32, 1, 1, 28, 28))
	out, err := s.RunValues(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "index.json"), []byte(`{"digits": {"moves": ["float32 1x10 max_abs 0.5 max_rel 0.5"]}, "strict": {}}`))
	wrong := out[0].(*tensor.Tensor).Clone()
	tensor.Elements[float32](wrong)[3] += 0.25
	for _, model := range []string{"digits", "strict"} {
		folder := filepath.Join(dir, model)
		if err := os.Mkdir(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(folder, "input_0.pb.gz"), message(t, in, "image"))
		write(t, filepath.Join(folder, "output_0.pb.gz"), message(t, wrong, "probabilities"))
	}
	set, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !set.Has("digits") || set.Has("other") {
		t.Error("Has is wrong")
	}
	if o, err := set.Check(t.Context(), "digits", s); err != nil || o.Outputs != 1 || len(o.Widened) != 1 {
		t.Errorf("wide tolerance: %+v, %v", o, err)
	}
	if _, err := set.Check(t.Context(), "strict", s); err == nil || !strings.Contains(err.Error(), `output "probabilities"`) {
		t.Errorf("an output that differs by 0.25: error %v", err)
	}
}

// message is a tensor with a name as gzipped protobuf.
func message(t *testing.T, v *tensor.Tensor, name string) []byte {
	p := tensor.ToProto(v)
	p.Name = &name
	data, err := proto.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func write(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
}
