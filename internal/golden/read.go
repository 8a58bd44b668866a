package golden

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"google.golang.org/protobuf/proto"

	"gort"
	"gort/internal/onnxpb"
	"gort/tensor"
)

// inputs reads a model's inputs by the names that the files carry, or makes them
// where none are kept.
func (s *Set) inputs(model string, session *gort.Session) (map[string]tensor.Value, error) {
	files, err := filepath.Glob(filepath.Join(s.dir, model, "input_*.pb.gz"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 && len(session.Inputs()) > 0 {
		return s.madeUp(model, session)
	}
	out := map[string]tensor.Value{}
	for _, file := range files {
		data, err := readGzip(file)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(session.Inputs(), func(v gort.ValueInfo) bool { return messageName(data, v.Type.Kind) == v.Name })
		if i < 0 {
			return nil, fmt.Errorf("%s: holds %q, which is not an input of the model", file, messageName(data, tensor.KindTensor))
		}
		info := session.Inputs()[i]
		v, err := tensor.ReadPB(data, info.Type.WithoutShape())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out[info.Name] = v
	}
	return out, nil
}

// messageName is the name that a message of some kind of value carries.
func messageName(data []byte, kind tensor.Kind) string {
	var m interface {
		proto.Message
		GetName() string
	}
	switch kind {
	case tensor.KindTensor:
		m = new(onnxpb.TensorProto)
	case tensor.KindSequence:
		m = new(onnxpb.SequenceProto)
	case tensor.KindOptional:
		m = new(onnxpb.OptionalProto)
	case tensor.KindMap:
		m = new(onnxpb.MapProto)
	default:
		return ""
	}
	if proto.Unmarshal(data, m) != nil {
		return ""
	}
	return m.GetName()
}

func readGzip(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return data, nil
}

// readValue is tensor.ReadPB that also takes sequences of maps whose values are one
// tensor of all scalars, the form in which ONNX Runtime hands out ZipMap's result.
func readValue(data []byte, want tensor.Type) (tensor.Value, error) {
	v, err := tensor.ReadPB(data, want)
	if err == nil || want.Kind != tensor.KindSequence || want.Elem == nil || want.Elem.Kind != tensor.KindMap {
		return v, err
	}
	p := new(onnxpb.SequenceProto)
	if proto.Unmarshal(data, p) != nil {
		return nil, err
	}
	s := &tensor.Sequence{Elem: *want.Elem}
	for _, m := range p.MapValues {
		keys, keyErr := mapKeys(m)
		if keyErr != nil || len(m.GetValues().GetTensorValues()) != 1 {
			return nil, err
		}
		values, valueErr := tensor.FromProto(m.Values.TensorValues[0])
		if valueErr != nil || values.Size() != keys.Size() {
			return nil, err
		}
		s.Items = append(s.Items, &tensor.Map{Keys: keys, Values: values})
	}
	return s, nil
}

func mapKeys(m *onnxpb.MapProto) (*tensor.Tensor, error) {
	if len(m.StringKeys) == 0 {
		return tensor.FromSlice(m.Keys)
	}
	keys := make([]string, len(m.StringKeys))
	for i, k := range m.StringKeys {
		keys[i] = string(k)
	}
	return tensor.FromSlice(keys)
}
