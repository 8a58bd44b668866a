package onnx

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"unsafe"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"gort/internal/onnxpb"
	"gort/tensor"
)

// within reports whether part is a piece of whole's memory.
func within(part, whole []byte) bool {
	p, w := uintptr(unsafe.Pointer(unsafe.SliceData(part))), uintptr(unsafe.Pointer(unsafe.SliceData(whole)))
	return p >= w && p+uintptr(len(part)) <= w+uintptr(len(whole))
}

func TestWeightsAreMappedNotCopied(t *testing.T) {
	const size = 64 << 20
	w := make([]float32, size/4)
	w[0], w[len(w)-1] = 1, 2
	main := gr("main", "x", "y", node("Add x w > y"))
	main.Initializer = append(main.Initializer, floats("w", w...))
	file := filepath.Join(t.TempDir(), "big.onnx")
	if err := os.WriteFile(file, marshal(t, model(main)), 0o600); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	m, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	g, err := m.Graph()
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	used := after.TotalAlloc - before.TotalAlloc
	if canMap && used > 1<<20 {
		t.Errorf("opening a model with %d bytes of weights allocated %d bytes", size, used)
	}
	id, _ := g.Graph.Lookup("w")
	data, err := g.Graph.Value(id).Const.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if len(data) != size || !within(data, m.main.data) {
		t.Error("the tensor's bytes are not those of the mapping")
	}
	if got := tensor.Elements[float32](g.Graph.Value(id).Const); got[0] != 1 || got[len(got)-1] != 2 {
		t.Error("wrong weights")
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
	if _, err := m.Graph(); err != ErrClosed {
		t.Errorf("Graph after Close gives %v", err)
	}
	if err := m.Write(&bytes.Buffer{}); err != ErrClosed {
		t.Errorf("Write after Close gives %v", err)
	}
}

// TestEveryTensorIsWalked fills every place of the format that can hold a tensor,
// found through the descriptors, and expects the walk to find each and the scan to
// lift each: a field added to the format can not be forgotten.
func TestEveryTensorIsWalked(t *testing.T) {
	p := new(onnxpb.ModelProto)
	n := 0
	fill(p.ProtoReflect(), map[protoreflect.FullName]int{}, &n)
	found := 0
	for range tensorsOfModel(p) {
		found++
	}
	if n < 20 || found != n {
		t.Fatalf("%d tensors in the message, %d walked", n, found)
	}
	data := marshal(t, p)
	got, err := unmarshal(data, Limits{}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(p, got) {
		t.Error("the message differs from what was written")
	}
	for x := range tensorsOfModel(got) {
		if len(x.RawData) == 0 || !within(x.RawData, data) {
			t.Errorf("tensor %q was copied", x.GetName())
		}
	}
}

// fill sets every message field that leads to a tensor, each message type at most
// twice on one way down.
func fill(m protoreflect.Message, depth map[protoreflect.FullName]int, n *int) {
	name := m.Descriptor().FullName()
	if depth[name] == 2 {
		return
	}
	if t, ok := m.Interface().(*onnxpb.TensorProto); ok {
		*n++
		t.RawData = bytes.Repeat([]byte{byte(*n)}, 1+*n%7)
		return
	}
	depth[name]++
	defer func() { depth[name]-- }()
	for i := range m.Descriptor().Fields().Len() {
		fd := m.Descriptor().Fields().Get(i)
		switch {
		case fd.Message() == nil || fd.ContainingOneof() != nil:
		case depth[fd.Message().FullName()] == 2:
		case fd.IsList():
			fill(m.Mutable(fd).List().AppendMutable().Message(), depth, n)
			fill(m.Mutable(fd).List().AppendMutable().Message(), depth, n)
		default:
			fill(m.Mutable(fd).Message(), depth, n)
		}
	}
}

func TestRepeatedRawDataKeepsTheLast(t *testing.T) {
	// A singular field that occurs twice on the wire counts as its last occurrence.
	one := marshal(t, &onnxpb.TensorProto{RawData: []byte("first")})
	two := marshal(t, &onnxpb.TensorProto{RawData: []byte("second!")})
	init := append(one, two...)
	g := append([]byte{0x2a, byte(len(init))}, init...)
	data := append([]byte{0x3a, byte(len(g))}, g...)
	want := new(onnxpb.ModelProto)
	if err := proto.Unmarshal(data, want); err != nil {
		t.Fatal(err)
	}
	got, err := unmarshal(data, Limits{}.withDefaults())
	if err != nil || !proto.Equal(got, want) || string(got.Graph.Initializer[0].RawData) != "second!" {
		t.Errorf("got %v, %v", got, err)
	}
}
