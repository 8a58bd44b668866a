package main

import (
	"encoding/json"
	"strings"
	"testing"

	"gort/onnx"
)

func TestInspectDigits(t *testing.T) {
	var r modelReport
	if err := json.Unmarshal([]byte(mustRun(t, "inspect", digitsModel, "--json", "--dim", "N=2")), &r); err != nil {
		t.Fatal(err)
	}
	if r.Runs == nil || !*r.Runs || r.Opsets["ai.onnx"] != 17 || r.Producer != "pytorch" {
		t.Errorf("runs %v, opsets %v, producer %q", r.Runs, r.Opsets, r.Producer)
	}
	if len(r.Inputs) != 1 || r.Inputs[0] != (valueReport{"image", "tensor(float)[N,1,28,28]", false}) {
		t.Errorf("inputs %v", r.Inputs)
	}
	counts := map[string]int{}
	total := 0
	for _, o := range r.Operators {
		counts[o.Name] = o.Count
		total += o.Count
	}
	if counts["Conv"] != 3 || counts["MaxPool"] != 3 || counts["Gemm"] != 2 || total != r.Nodes {
		t.Errorf("operators %v, %d nodes", counts, r.Nodes)
	}
	// three convolutions with bias (batch norms folded in) and two linear layers
	want := int64(16*9+16) + (32*16*9 + 32) + (32*32*9 + 32) + (64*288 + 64) + (10*64 + 10)
	if r.Parameters.Count != want || r.Parameters.Bytes != 4*want {
		t.Errorf("parameters %+v, want %d", r.Parameters, want)
	}
	// Most is alive at the first Relu: the input, and the convolution's result twice.
	if want := int64(4 * 2 * (28*28 + 2*16*28*28)); r.Memory.Activations < want-4*2*28*28 || r.Memory.Activations > want {
		t.Errorf("activations %d, want about %d", r.Memory.Activations, want)
	}
	text := mustRun(t, "inspect", digitsModel)
	for _, part := range []string{"image  tensor(float)[N,1,28,28]", "3  Conv", "This model can be run."} {
		if !strings.Contains(text, part) {
			t.Errorf("gort inspect lacks %q:\n%s", part, text)
		}
	}
	if text := mustRun(t, "inspect", digitsModel, "--check=false"); strings.Contains(text, "can be run") {
		t.Errorf("--check=false has a verdict:\n%s", text)
	}
}

func TestInspectUnsupported(t *testing.T) {
	model := tempFile(t, "custom.onnx", customOpModel(t))
	var r modelReport
	if err := json.Unmarshal([]byte(mustRun(t, "inspect", model, "--json")), &r); err != nil {
		t.Fatal(err)
	}
	if r.Runs == nil || *r.Runs || len(r.Unsupported) != 1 {
		t.Fatalf("runs %v, unsupported %v", r.Runs, r.Unsupported)
	}
	if u := r.Unsupported[0]; u.Node != "node" || u.Domain != "com.example" || u.Op != "Frobnicate" || u.Opset != 1 || len(u.Reasons) == 0 {
		t.Errorf("unsupported %+v", u)
	}
	text := mustRun(t, "inspect", model)
	if !strings.Contains(text, "can not be run: 1 nodes") || !strings.Contains(text, "com.example.Frobnicate, opset 1") {
		t.Errorf("gort inspect says:\n%s", text)
	}
}

// TestEstimateMemory has a [3,2] and b [2] and their sum alive at once.
func TestEstimateMemory(t *testing.T) {
	m, err := onnx.Parse(addModel(t))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	g, err := m.Graph()
	if err != nil {
		t.Fatal(err)
	}
	got := estimateMemory(g, graphInputs(g.Graph), &shapeFlags{dims: map[string]int{"N": 3}})
	if want := int64(4 * (6 + 2 + 6)); got.Activations != want || got.Unknown != 0 {
		t.Errorf("%+v, want %d bytes of activations", got, want)
	}
}

func TestByteSize(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 999: "999 B", 1000: "1.00 kB", 1234: "1.23 kB", 12345: "12.3 kB", 999_499: "999 kB", 999_500: "1.00 MB", 9_995_000: "10.0 MB", 1 << 30: "1.07 GB",
	} {
		if got := byteSize(n); got != want {
			t.Errorf("byteSize(%d) = %q, want %q", n, got, want)
		}
	}
	if count(12) != "12" || count(33000) != "33.0 k" {
		t.Errorf("count: %q, %q", count(12), count(33000))
	}
}
