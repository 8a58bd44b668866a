package onnx

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"gort/internal/onnxpb"
	"gort/tensor"
)

func sha1Hex(data []byte) string {
	sum := sha1.Sum(data)
	return hex.EncodeToString(sum[:])
}

func TestSave(t *testing.T) {
	main := gr("main", "x", "y", node("Add x w > a"), node("Add a s > b"), node("Add b v > y"))
	typed := &onnxpb.TensorProto{Name: new("v"), DataType: new(int32(tensor.Float32)), Dims: []int64{300}, FloatData: make([]float32, 300)}
	typed.FloatData[299] = 9
	big := make([]float32, 500)
	big[499] = 3
	main.Initializer = append(main.Initializer, floats("w", big...), floats("s", 1), typed)
	original, err := Parse(marshal(t, model(main)))
	if err != nil {
		t.Fatal(err)
	}
	want := graphDump(t, original)
	dir := t.TempDir()
	inline, split := filepath.Join(dir, "inline.onnx"), filepath.Join(dir, "split.onnx")
	if err := original.Save(inline, SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := original.Save(split, SaveOptions{ExternalFile: "split.bin", ExternalDataThreshold: 100}); err != nil {
		t.Fatal(err)
	}
	if original.proto.Graph.Initializer[0].DataLocation != nil || len(original.proto.Graph.Initializer[2].FloatData) != 300 {
		t.Error("Save changed the model")
	}
	for _, file := range []string{inline, split} {
		m, err := Open(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := graphDump(t, m); got != want {
			t.Errorf("%s: %s", file, firstDifference(want, got))
		}
		// What was external can be brought home and, over itself, moved out again.
		home := filepath.Join(t.TempDir(), "home.onnx")
		if err := m.Save(home, SaveOptions{}); err != nil {
			t.Fatal(err)
		}
		side := filepath.Base(file) + ".bin"
		if err := m.Save(file, SaveOptions{ExternalFile: side, ExternalDataThreshold: 2000}); err != nil {
			if runtime.GOOS != "windows" { // which does not replace a mapped file
				t.Fatal(err)
			}
		} else if info, err := os.Stat(filepath.Join(dir, side)); err != nil || info.Size() != 2000 {
			t.Errorf("the external file: %v, %v", info, err)
		}
		for _, again := range []string{home, file} {
			h, err := Open(again)
			if err != nil {
				t.Fatal(err)
			}
			if got := graphDump(t, h); got != want {
				t.Errorf("%s: %s", again, firstDifference(want, got))
			}
			h.Close()
		}
		m.Close()
	}
	if info, err := os.Stat(filepath.Join(dir, "split.bin")); err != nil || info.Size() != 4096+1200 {
		t.Errorf("the external file: %v, %v", info, err)
	}
	for _, bad := range []string{"../w", "a/b", "inline.onnx", "."} {
		if err := original.Save(inline, SaveOptions{ExternalFile: bad}); err == nil {
			t.Errorf("external file %q is accepted", bad)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 5 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	var path *os.PathError
	if err := original.Save(filepath.Join(dir, "no", "such"), SaveOptions{}); !errors.As(err, &path) {
		t.Errorf("saving into no directory gives %v", err)
	}
}

func graphDump(t *testing.T, m *Model) string {
	t.Helper()
	g, err := m.Graph()
	if err != nil {
		t.Fatal(err)
	}
	return dumpModel(g)
}

// TestWriteKeepsEverything has what gort does not interpret, unknown fields at
// every level among it, and expects all of it back.
func TestWriteKeepsEverything(t *testing.T) {
	meta := []*onnxpb.StringStringEntryProto{{Key: new("k"), Value: new("v")}, {Key: new("k")}}
	main := gr("main", "x", "y", node("Add x w > y"))
	main.Initializer = append(main.Initializer, floats("w", 1))
	main.Initializer[0].MetadataProps = meta
	main.MetadataProps = meta
	main.Input[0].MetadataProps = meta
	main.Input[0].DocString = new("")
	main.Input[0].Type.Denotation = new("IMAGE")
	main.Node[0].MetadataProps = meta
	main.Node[0].DeviceConfigurations = []*onnxpb.NodeDeviceConfigurationProto{{
		ConfigurationId: new("c"), PipelineStage: new(int32(2)),
		ShardingSpec: []*onnxpb.ShardingSpecProto{{
			TensorName: new("x"), Device: []int64{0, 1},
			IndexToDeviceGroupMap: []*onnxpb.IntIntListEntryProto{{Key: new(int64(-1)), Value: []int64{0, 1}}},
			ShardedDim: []*onnxpb.ShardedDimProto{{Axis: new(int64(0)), SimpleSharding: []*onnxpb.SimpleShardedDimProto{
				{Dim: &onnxpb.SimpleShardedDimProto_DimParam{DimParam: "N"}, NumShards: new(int64(2))},
				{Dim: &onnxpb.SimpleShardedDimProto_DimValue{DimValue: 8}, NumShards: new(int64(2))},
			}}},
		}},
	}}
	main.QuantizationAnnotation = []*onnxpb.TensorAnnotation{{TensorName: new("w"), QuantParameterTensorNames: meta}}
	p := model(main)
	p.TrainingInfo = []*onnxpb.TrainingInfoProto{{
		Initialization: gr("init", "", "i", node("Constant > i", &onnxpb.AttributeProto{Name: new("value"), Type: onnxpb.AttributeProto_TENSOR.Enum(), T: floats("t", 4, 5)})),
		Algorithm:      gr("step", "", ""), UpdateBinding: meta,
	}}
	p.Configuration = []*onnxpb.DeviceConfigurationProto{{Name: new("c"), NumDevices: new(int32(2)), Device: []string{"a", "b"}}}
	p.MetadataProps = meta
	p.DocString = new("документ")
	unknown := protowire.AppendBytes(protowire.AppendTag(nil, 1000, protowire.BytesType), []byte("from the future"))
	for _, m := range []proto.Message{p, main, main.Node[0], main.Initializer[0], main.Input[0].Type, p.TrainingInfo[0], p.Configuration[0]} {
		m.ProtoReflect().SetUnknown(unknown)
	}
	m, err := Parse(marshal(t, p))
	if err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(p, m.proto) {
		t.Fatal("reading lost something")
	}
	if !proto.Equal(p, rewrite(t, m).proto) {
		t.Error("writing lost something")
	}
	file := filepath.Join(t.TempDir(), "m.onnx")
	if err := m.Save(file, SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	saved, err := Read(bytes.NewReader(data))
	if err != nil || !proto.Equal(p, saved.proto) {
		t.Errorf("saving lost something: %v", err)
	}
}
