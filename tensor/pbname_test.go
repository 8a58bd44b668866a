package tensor

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"gort/internal/onnxpb"
)

// TestMapValuesAsOneTensor reads a map whose values are one tensor of as many
// elements as there are keys, the form in which ONNX Runtime hands out ZipMap's
// result.
func TestMapValuesAsOneTensor(t *testing.T) {
	scores := Must(FromSlice([]float32{0.25, 0.75}))
	data, err := proto.Marshal(&onnxpb.SequenceProto{
		ElemType: new(int32(onnxpb.SequenceProto_MAP)),
		MapValues: []*onnxpb.MapProto{{
			KeyType: new(int32(Int64)), Keys: []int64{7, 9},
			Values: &onnxpb.SequenceProto{ElemType: new(int32(onnxpb.SequenceProto_TENSOR)), TensorValues: []*onnxpb.TensorProto{ToProto(scores)}},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	elem := MapOf(Int64, TensorOf(Float32))
	got, err := ReadPB(data, SequenceOf(elem))
	if err != nil {
		t.Fatal(err)
	}
	want := &Sequence{Elem: elem, Items: []Value{
		&Map{Keys: Must(FromSlice([]int64{7, 9})), Values: scores},
	}}
	if err := Compare(got, want, 0, 0); err != nil {
		t.Error(err)
	}
}

func TestPBName(t *testing.T) {
	data, err := proto.Marshal(&onnxpb.TensorProto{Name: proto.String("x")})
	if err != nil {
		t.Fatal(err)
	}
	if got := PBName(data, KindTensor); got != "x" {
		t.Errorf("PBName = %q, want x", got)
	}
	if got := PBName([]byte{0xff}, KindTensor); got != "" {
		t.Errorf("PBName of no message = %q, want none", got)
	}
}
