package onnx

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"gort/internal/onnxpb"
)

// sample is a small model with something of everything.
func sample(t testing.TB) []byte {
	inner := gr("inner", "", "r", node("Add x w > r"))
	inner.Initializer = append(inner.Initializer, floats("k", 3))
	main := gr("main", "x", "y", node("If x > a", graphAttr("then_branch", inner)), node("local.F a > y"))
	main.Initializer = append(main.Initializer, floats("w", 1, 2))
	main.DocString = new("a sample")
	f := &onnxpb.FunctionProto{
		Name: new("F"), Domain: new("local"), Input: []string{"a"}, Output: []string{"b"}, OpsetImport: imports("", 20),
		Node: []*onnxpb.NodeProto{node("Constant > c", &onnxpb.AttributeProto{Name: new("value"), Type: onnxpb.AttributeProto_TENSOR.Enum(), T: floats("", 1)}), node("Add a c > b")},
	}
	return marshal(t, model(main, f))
}

// survive parses bytes that may be anything: an error of this package's kinds or a
// sound graph must come of it.
func survive(t testing.TB, data []byte, opts ...Option) {
	t.Helper()
	m, err := Parse(data, opts...)
	if err == nil {
		g, gerr := m.Graph()
		if err = gerr; err == nil {
			if err := g.Validate(); err != nil {
				t.Fatalf("a broken graph was built: %v", err)
			}
			made, err := FromGraph(g)
			if err != nil {
				return // such as an initializer of a function: none can be written
			}
			if err := made.Write(&bytes.Buffer{}); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	var format *FormatError
	var limit *LimitError
	if !errors.As(err, &format) && !errors.As(err, &limit) {
		t.Fatalf("an error of no known kind: %T %v", err, err)
	}
	if len(err.Error()) > 4096 {
		t.Fatalf("the error is %d bytes long", len(err.Error()))
	}
}

func TestTruncatedAtEveryByte(t *testing.T) {
	data := sample(t)
	if m, err := Parse(data); err != nil {
		t.Fatal(err)
	} else if _, err := m.Graph(); err != nil {
		t.Fatal(err)
	}
	for n := range len(data) {
		survive(t, data[:n])
	}
}

func TestEveryByteCorrupted(t *testing.T) {
	data := sample(t)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range data {
		for range 8 {
			bad := bytes.Clone(data)
			bad[i] ^= byte(1 + rng.IntN(255))
			survive(t, bad)
		}
	}
	for range 2000 {
		bad := bytes.Clone(data)
		for range 1 + rng.IntN(6) {
			bad[rng.IntN(len(bad))] = byte(rng.IntN(256))
		}
		survive(t, bad)
	}
}

// nest wraps a message in the fields given, the last one innermost, n times.
func nest(n int, fields ...protowire.Number) []byte {
	// Built from the inside out, backwards, so that each level costs its own bytes.
	var rev []byte
	size := 0
	for range n {
		for i := len(fields) - 1; i >= 0; i-- {
			head := protowire.AppendVarint(protowire.AppendTag(nil, fields[i], protowire.BytesType), uint64(size))
			for k := len(head) - 1; k >= 0; k-- {
				rev = append(rev, head[k])
			}
			size += len(head)
		}
	}
	for i, j := 0, len(rev)-1; i < j; i, j = i+1, j-1 {
		rev[i], rev[j] = rev[j], rev[i]
	}
	return rev
}

func TestDeepNesting(t *testing.T) {
	runWithin(t, 5*time.Second, 200<<20, func() {
		for name, body := range map[string][]byte{
			"subgraphs": nest(100_000, 1, 5, 6), // node, attribute, g
			"types":     typeNest(),             // value_info of sequences of sequences
		} {
			data := protowire.AppendBytes(protowire.AppendTag([]byte{8, 10}, 7, protowire.BytesType), body)
			_, err := Parse(data)
			var limit *LimitError
			if !errors.As(err, &limit) || limit.What != "MaxDepth" {
				t.Errorf("%s: got %v, want MaxDepth", name, err)
			}
		}
		groups := append([]byte{8, 10}, bytes.Repeat([]byte{0xfb, 0x01}, 100_000)...) // unknown groups, never closed
		if _, err := Parse(groups); !errors.Is(err, ErrTruncated) {
			t.Errorf("groups: %v", err)
		}
	})
}

func typeNest() []byte {
	seq := nest(100_000, 4, 1)                                                            // sequence_type, elem_type
	info := protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), seq)  // type
	return protowire.AppendBytes(protowire.AppendTag(nil, 13, protowire.BytesType), info) // value_info
}

func TestLimits(t *testing.T) {
	data := sample(t)
	for _, c := range []struct {
		limits Limits
		what   string
	}{
		{Limits{MaxBytes: 10}, "MaxBytes"},
		{Limits{MaxNodes: 2}, "MaxNodes"},
		{Limits{MaxMessages: 5}, "MaxMessages"},
		{Limits{MaxDepth: 4}, "MaxDepth"},
		{Limits{MaxStrings: 20}, "MaxStrings"},
		{Limits{MaxValues: 5}, "MaxValues"},
		{Limits{MaxString: 4}, "MaxString"},
		{Limits{MaxTensorBytes: 4}, "MaxTensorBytes"},
	} {
		m, err := Parse(data, WithLimits(c.limits))
		if err == nil {
			_, err = m.Graph()
		}
		var limit *LimitError
		if !errors.As(err, &limit) || limit.What != c.what || limit.Value <= limit.Limit {
			t.Errorf("%+v: got %v", c.limits, err)
		}
		if err != nil && !strings.Contains(err.Error(), "WithLimits") {
			t.Errorf("%v does not say what to do", err)
		}
	}
	if _, err := Read(bytes.NewReader(data), WithLimits(Limits{MaxBytes: 10})); err == nil {
		t.Error("Read ignores MaxBytes")
	}
	p := model(gr("main", "x", "y", node("Neg x > y")))
	w := floats("w", 1)
	w.Dims = make([]int64, 100)
	for i := range w.Dims {
		w.Dims[i] = 1
	}
	p.Graph.Initializer = []*onnxpb.TensorProto{w}
	var limit *LimitError
	if _, err := load(t, p); !errors.As(err, &limit) || limit.What != "MaxDims" {
		t.Errorf("rank 100: %v", err)
	}
}

// TestSmallFilesStaySmall feeds what costs two bytes on the wire and hundreds in memory.
func TestSmallFilesStaySmall(t *testing.T) {
	within := func(data []byte) {
		t.Helper()
		runWithin(t, 10*time.Second, 64<<20, func() {
			_, err := Parse(data, WithLimits(Limits{MaxMessages: 100_000, MaxNodes: 100_000}))
			var limit *LimitError
			if !errors.As(err, &limit) {
				t.Errorf("got %v, want a limit", err)
			}
		})
	}
	within(protowire.AppendBytes([]byte{8, 10, 0x3a}, bytes.Repeat([]byte{0x0a, 0}, 5<<20)))
	within(protowire.AppendBytes([]byte{8, 10, 0x3a}, bytes.Repeat([]byte{0x6a, 0}, 5<<20)))
}

// runWithin runs f and fails when it takes longer or allocates more than it may.
func runWithin(t *testing.T, d time.Duration, allocated uint64, f func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	f()
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; took > d || got > allocated {
		t.Errorf("took %v and %d bytes, allowed are %v and %d", took, got, d, allocated)
	}
}
