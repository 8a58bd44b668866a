package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gort/tensor"
)

func npy(t *testing.T, v *tensor.Tensor) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := tensor.WriteNPY(&b, v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestRunInputs adds [[1 2] [3 4]] and [10 20], given in every form.
func TestRunInputs(t *testing.T) {
	model := tempFile(t, "add.onnx", addModel(t))
	a := tensor.Must(tensor.FromSlice([]float32{1, 2, 3, 4}, 2, 2))
	b := tensor.Must(tensor.FromSlice([]float32{10, 20}))
	aDouble := tensor.Must(tensor.Convert(a, tensor.Float64, tensor.ConvertOptions{}))
	var npz bytes.Buffer
	if err := tensor.WriteNPZ(&npz, map[string]*tensor.Tensor{"a": a, "b": b}); err != nil {
		t.Fatal(err)
	}
	pb, err := tensor.WritePB(b)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, inputs string }{
		{"npy", "a=" + tempFile(t, "a.npy", npy(t, a)) + " b=" + tempFile(t, "b.npy", npy(t, b))},
		{"npz", tempFile(t, "all.npz", npz.Bytes())},
		{"json", tempFile(t, "all.json", []byte(`{"a": [[1, 2], [3, 4]], "b": {"shape": [2], "dtype": "float32", "data": [10, 20]}}`))},
		{"literals", "a=@[[1,2],[3,4]] b=@[10,20]"},
		{"json of one", "a=" + tempFile(t, "a.json", []byte("[[1,2],[3,4]]")) + " b=@[10,20]"},
		{"flat json", "a=" + tempFile(t, "a.json", []byte(`{"shape":[2,2],"data":[1,2,3,4]}`)) + " b=@[10,20]"},
		{"pb", "a=@[[1,2],[3,4]] b=" + tempFile(t, "b.pb", pb)},
		{"converted", "a=" + tempFile(t, "a.npy", npy(t, aDouble)) + " b=@[10,20]"},
	} {
		args := []string{"run", model, "--json"}
		for _, in := range strings.Fields(c.inputs) {
			args = append(args, "--input", in)
		}
		got := mustRun(t, args...)
		if want := `{"sum":{"dtype":"float32","shape":[2,2],"data":[[11,22],[13,24]]}}` + "\n"; got != want {
			t.Errorf("%s: got %s, want %s", c.name, got, want)
		}
	}
}

func TestRunInputErrors(t *testing.T) {
	model := tempFile(t, "add.onnx", addModel(t))
	text := tempFile(t, "a.txt", []byte("1 2"))
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"--input a=@1 --input a=@2", exitUsage, "given twice"},
		{"--input c=@1", exitUsage, "only a, b"},
		{"--input @1", exitUsage, "say which"},
		{"--input a=", exitUsage, "no file"},
		{"--input a=" + text, exitUsage, ".npy"},
		{"--input a=nowhere.npy", exitFailure, "nowhere.npy"},
		{"--input a=@[1,2,3]", exitFailure, "ranks differ"},
		{"--input a=@word", exitFailure, "JSON"},
		{"--input a=@1 --random", exitUsage, "--random"},
		{"--shape 2x2", exitUsage, "does not say which"},
		{"--shape c=2x2", exitUsage, "no such input"},
		{"--shape a=2y2", exitUsage, "no size"},
		{"--dim M=2", exitUsage, "there are: N"},
		{"--dim N", exitUsage, "NAME=N"},
		{"--input a=x.png", exitFailure, ""},
	} {
		code, _, errs := invoke(t, append([]string{"run", model}, strings.Fields(c.args)...)...)
		if code != c.code || !strings.Contains(errs, c.says) {
			t.Errorf("%s: exit code %d, want %d; %q should say %q", c.args, code, c.code, errs, c.says)
		}
	}
}

// TestRunMakesUp checks that missing inputs are made up the same way each time,
// of the sizes asked for, and that the user is told.
func TestRunMakesUp(t *testing.T) {
	model := tempFile(t, "add.onnx", addModel(t))
	code, first, errs := invoke(t, "run", model, "--json", "--input", "b=@0")
	if code != exitOK || !strings.Contains(errs, `input "a" is made up: random float32 1x2`) || strings.Contains(errs, `"b"`) {
		t.Errorf("exit code %d, notes %q", code, errs)
	}
	if again := mustRun(t, "run", model, "--json", "--input", "b=@0"); again != first {
		t.Errorf("the same seed gave %s and %s", first, again)
	}
	if other := mustRun(t, "run", model, "--json", "--input", "b=@0", "--seed", "2"); other == first {
		t.Errorf("another seed gave the same: %s", other)
	}
	for _, flags := range []string{"--dim N=3", "--shape a=3x2"} {
		got := mustRun(t, append([]string{"run", model, "--random"}, strings.Fields(flags)...)...)
		if !strings.HasPrefix(got, "sum: float32 3x2\n") {
			t.Errorf("%s: %s", flags, got)
		}
	}
}

func TestRunOutputs(t *testing.T) {
	model := tempFile(t, "add.onnx", addModel(t))
	inputs := []string{"run", model, "--input", "a=@[[1,0],[0,3]]", "--input", "b=@0"}
	with := func(more ...string) []string { return append(inputs[:len(inputs):len(inputs)], more...) }

	dir := filepath.Join(t.TempDir(), "new", "results")
	if got := mustRun(t, with("--output", dir)...); got != "" {
		t.Errorf("--output prints %q", got)
	}
	data, err := os.ReadFile(filepath.Join(dir, "sum.npy"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := tensor.ReadNPY(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if err := tensor.Compare(sum, tensor.Must(tensor.FromSlice([]float32{1, 0, 0, 3}, 2, 2)), 0, 0); err != nil {
		t.Error(err)
	}

	labels := tempFile(t, "labels.txt", []byte("cat\r\ndog\n"))
	want := "sum, row 0\n           1  0 cat\nsum, row 1\n           3  1 dog\n"
	if got := mustRun(t, with("--top", "1", "--labels", labels)...); got != want {
		t.Errorf("--top 1 prints %q, want %q", got, want)
	}
	var ranks map[string][][]ranked
	if err := json.Unmarshal([]byte(mustRun(t, with("--top", "5", "--softmax", "--json")...)), &ranks); err != nil {
		t.Fatal(err)
	}
	// softmax of [0, 3]: 1/(1+e^3) = 0.0474259, 1 - that = 0.9525741
	if row := ranks["sum"][1]; len(row) != 2 || row[0].Index != 1 || !within(row[0].Score, 0.9525741, 1e-7) || !within(row[1].Score, 0.0474259, 1e-7) {
		t.Errorf("--softmax: %v", row)
	}
}

func within(got, want, by float64) bool { return got >= want-by && got <= want+by }

func TestRunShowsAll(t *testing.T) {
	model := tempFile(t, "add.onnx", addModel(t))
	short := mustRun(t, "run", model, "--dim", "N=50")
	full := mustRun(t, "run", model, "--dim", "N=50", "--full")
	if !strings.Contains(short, "...") || strings.Contains(full, "...") || strings.Count(full, "\n") != 51 {
		t.Errorf("abbreviated:\n%s\nfull:\n%s", short, full)
	}
}

func TestFileName(t *testing.T) {
	for name, want := range map[string]string{
		"sum": "sum", "a/b:0": "a_b_0", "../x": "_x", "": "output", "..": "output", `c:\d`: "c__d", "ü 1": "ü 1",
	} {
		if got := fileName(name); got != want {
			t.Errorf("fileName(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestTopOfNaN(t *testing.T) {
	row := tensor.Must(tensor.FromJSON([]byte(`["NaN", 1, "NaN", 3]`), tensor.Float64))
	var order []int
	for _, r := range topOf(tensor.Elements[float64](row), 4, nil) {
		order = append(order, r.Index)
	}
	if len(order) != 4 || order[0] != 3 || order[1] != 1 {
		t.Errorf("order %v, want 3 1 and then the NaNs", order)
	}
}
