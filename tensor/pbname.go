package tensor

import (
	"google.golang.org/protobuf/proto"

	"gort/internal/onnxpb"
)

// PBName returns the name that a message of ONNX test data carries, given what
// kind of value it holds; empty when it has none or is no such message.
func PBName(data []byte, kind Kind) string {
	var m interface {
		proto.Message
		GetName() string
	}
	switch kind {
	case KindTensor:
		m = new(onnxpb.TensorProto)
	case KindSequence:
		m = new(onnxpb.SequenceProto)
	case KindOptional:
		m = new(onnxpb.OptionalProto)
	case KindMap:
		m = new(onnxpb.MapProto)
	default:
		return ""
	}
	if proto.Unmarshal(data, m) != nil {
		return ""
	}
	return m.GetName()
}
