package onnx

import (
	"testing"

	"gort/graph"
	"gort/internal/onnxpb"
	"gort/tensor"
)

// FuzzParse expects of any bytes an error of this package's kinds or a sound graph.
func FuzzParse(f *testing.F) {
	f.Add(sample(f))
	f.Add(marshal(f, externalModel("location", "../w", "offset", "-1")))
	main := gr("main", "x", "y", node("If x > y", graphAttr("a", gr("b", "", "r", node("If x > r", graphAttr("a", gr("c", "", "x")))))))
	main.ValueInfo = append(main.ValueInfo, valueInfo("v", graph.SequenceType(graph.OptionalType(graph.TensorType(tensor.Int4, graph.Fixed(2))))))
	idx := tensor.ToProto(tensor.Must(tensor.FromSlice([]int64{1, 0}, 1, 2)))
	main.SparseInitializer = []*onnxpb.SparseTensorProto{{Values: floats("s", 5), Indices: idx, Dims: []int64{2, 2}}}
	main.Initializer = []*onnxpb.TensorProto{
		{Name: new("f16"), DataType: new(int32(tensor.Float16)), Dims: []int64{2}, Int32Data: []int32{0x3c00, -1}},
		{Name: new("str"), DataType: new(int32(tensor.String)), Dims: []int64{1}, StringData: [][]byte{[]byte("s")}},
	}
	f.Add(marshal(f, model(main)))
	limits := Limits{MaxBytes: 1 << 20, MaxDenseBytes: 1 << 20, MaxMessages: 1 << 16}
	f.Fuzz(func(t *testing.T, data []byte) { survive(t, data, WithLimits(limits)) })
}
