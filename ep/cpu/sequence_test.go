package cpu_test

import (
	"testing"

	"gort/graph"
	"gort/tensor"
)

func TestSequences(t *testing.T) {
	pos := func(n int64) tensor.Value { return tensor.Scalar(n) }
	s := &tensor.Sequence{Elem: tensor.TensorOf(tensor.Float32), Items: values(floats(1), floats(2, 3))}
	empty := &tensor.Sequence{Elem: tensor.TensorOf(tensor.Float32)}
	x := tensor.Must(tensor.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 3, 2))
	some, none := &tensor.Optional{Elem: tensor.TensorOf(tensor.Float32), Value: floats(4)}, &tensor.Optional{Elem: tensor.TensorOf(tensor.Float32)}
	square := &tensor.Sequence{Elem: tensor.TensorOf(tensor.Float32), Items: values(x, x)}
	runNodeCases(t, []nodeCase{
		{"SequenceConstruct", 11, nil, 1, values(floats(1), floats(2, 3)), "(float32 1 [1]; float32 2 [2 3])"},
		{"SequenceEmpty", 11, nil, 1, nil, "()"},
		{"SequenceInsert", 11, nil, 1, values(s, floats(9)), "(float32 1 [1]; float32 2 [2 3]; float32 1 [9])"},
		{"SequenceInsert", 11, nil, 1, values(s, floats(9), pos(0)), "(float32 1 [9]; float32 1 [1]; float32 2 [2 3])"},
		{"SequenceInsert", 11, nil, 1, values(s, floats(9), pos(-1)), "(float32 1 [1]; float32 1 [9]; float32 2 [2 3])"},
		{"SequenceInsert", 11, nil, 1, values(s, floats(9), pos(3)), "!allowed are -2 to 2"},
		{"SequenceInsert", 11, nil, 1, values(empty, floats(9), pos(0)), "(float32 1 [9])"},
		{"SequenceErase", 11, nil, 1, values(s), "(float32 1 [1])"},
		{"SequenceErase", 11, nil, 1, values(s, pos(-2)), "(float32 2 [2 3])"},
		{"SequenceErase", 11, nil, 1, values(s, pos(2)), "!allowed are -2 to 1"},
		{"SequenceErase", 11, nil, 1, values(empty), "!empty"},
		{"SequenceAt", 11, nil, 1, values(s, pos(-1)), "float32 2 [2 3]"},
		{"SequenceAt", 11, nil, 1, values(s, tensor.Scalar[int32](0)), "float32 1 [1]"},
		{"SequenceAt", 11, nil, 1, values(s, pos(-3)), "!allowed are -2 to 1"},
		{"SequenceLength", 11, nil, 1, values(s), "int64 scalar [2]"},
		{"SplitToSequence", 11, nil, 1, values(x), "(float32 1x2 [1 2]; float32 1x2 [3 4]; float32 1x2 [5 6])"},
		{"SplitToSequence", 11, pairs("axis", -1, "keepdims", 0), 1, values(x), "(float32 3 [1 3 5]; float32 3 [2 4 6])"},
		{"SplitToSequence", 24, pairs("keepdims", 0), 1, values(x, pos(2)), "(float32 2x2 [1 2 3 4]; float32 1x2 [5 6])"},
		{"SplitToSequence", 11, nil, 1, values(x, tensor.Must(tensor.FromSlice([]int32{0, 3}))), "(float32 0x2 []; float32 3x2 [1 2 3 4 5 6])"},
		{"SplitToSequence", 11, nil, 1, values(x, ints(1, 1)), "!adds up to 2"},
		{"SplitToSequence", 11, nil, 1, values(x, ints(-1, 4)), "!must not be negative"},
		{"ConcatFromSequence", 11, pairs("axis", 0), 1, values(s), "float32 3 [1 2 3]"},
		{"ConcatFromSequence", 11, pairs("axis", 0), 1, values(empty), "!empty"},
		{"ConcatFromSequence", 11, pairs("axis", 1), 1, values(square), "float32 3x4 [1 2 1 2 3 4 3 4 5 6 5 6]"},
		{"ConcatFromSequence", 11, pairs("axis", -1, "new_axis", 1), 1, values(square), "float32 3x2x2 [1 1 2 2 3 3 4 4 5 5 6 6]"},
		{"ConcatFromSequence", 11, pairs("axis", 0, "new_axis", 1), 1, values(s), "!only dimension 0 may differ"},
		{"Optional", 15, nil, 1, values(floats(1)), "some float32 1 [1]"},
		{"Optional", 15, pairs("type", graph.TensorType(tensor.Float32, graph.Shape{})), 1, nil, "none"},
		{"OptionalGetElement", 15, nil, 1, values(some), "float32 1 [4]"},
		{"OptionalGetElement", 18, nil, 1, values(floats(5)), "float32 1 [5]"},
		{"OptionalGetElement", 15, nil, 1, values(none), "!holds nothing"},
		{"OptionalHasElement", 15, nil, 1, values(some), "bool scalar [true]"},
		{"OptionalHasElement", 15, nil, 1, values(none), "bool scalar [false]"},
		{"OptionalHasElement", 18, nil, 1, values(s), "bool scalar [true]"},
		{"OptionalHasElement", 18, nil, 1, nil, "bool scalar [false]"},
	})
	if len(s.Items) != 2 || len(empty.Items) != 0 {
		t.Error("an input sequence was changed")
	}
}

// What goes into a sequence stays as it was, whatever becomes of the tensor.
func TestSequenceOwnsItsTensors(t *testing.T) {
	x := floats(1)
	out, err := runNode(t, t.Context(), "SequenceConstruct", 11, nil, 1, x)
	if err != nil {
		t.Fatal(err)
	}
	tensor.Elements[float32](x)[0] = 7
	if got := showAll(out); got != "(float32 1 [1])" {
		t.Errorf("got %s", got)
	}
}

func TestSequenceMap(t *testing.T) {
	body := func() *graph.Graph {
		f := newFlow(t)
		x, y := f.in(), f.in()
		return f.out(f.do("Add", x, y), f.do("Shape", x))
	}
	s := &tensor.Sequence{Elem: tensor.TensorOf(tensor.Float32), Items: values(floats(1), floats(2, 3))}
	short := &tensor.Sequence{Elem: tensor.TensorOf(tensor.Float32), Items: values(floats(1))}
	empty := &tensor.Sequence{Elem: tensor.TensorOf(tensor.Float32)}
	runNodeCases(t, []nodeCase{
		{"SequenceMap", 17, pairs("body", body()), 2, values(s, floats(10)), "(float32 1 [11]; float32 2 [12 13]) | (int64 1 [1]; int64 1 [2])"},
		{"SequenceMap", 17, pairs("body", body()), 2, values(s, s), "(float32 1 [2]; float32 2 [4 6]) | (int64 1 [1]; int64 1 [2])"},
		{"SequenceMap", 17, pairs("body", body()), 2, values(empty, floats(10)), "() | ()"},
		{"SequenceMap", 17, pairs("body", body()), 2, values(s, short), "!sequence of 1"},
	})
}
