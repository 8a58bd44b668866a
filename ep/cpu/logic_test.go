package cpu

import (
	"testing"

	"gort/graph"
	"gort/op"
	"gort/tensor"
)

// TestWhereEveryType selects between two tensors of every element type.
func TestWhereEveryType(t *testing.T) {
	cond := mat([]bool{true, false, false, true}, 2, 2)
	for _, d := range op.AllBFTypes.List() {
		var x, y *tensor.Tensor
		switch d {
		case tensor.Complex64:
			x, y = vec[complex64](1i, 2), vec[complex64](3)
		case tensor.Complex128:
			x, y = vec[complex128](1i, 2), vec[complex128](3)
		default:
			x, y = numbersOf(d, []float64{1, 0}, 2), numbersOf(d, []float64{1}, 1)
		}
		got := nodeTest{op: "Where", opset: 16, in: []*tensor.Tensor{cond, x, y}}.one(t)
		wide, err := x.BroadcastTo(2, 2)
		if err != nil {
			t.Fatal(err)
		}
		want, other := wide.Clone(), tensor.Must(y.BroadcastTo(2, 2))
		for _, at := range [][2]int{{0, 1}, {1, 0}} {
			if err := tensor.Copy(cell(t, want, at), cell(t, other, at)); err != nil {
				t.Fatal(err)
			}
		}
		wantTensor(t, "Where "+d.String(), got, want)
	}
}

func cell(t *testing.T, m *tensor.Tensor, at [2]int) *tensor.Tensor {
	t.Helper()
	row, err := m.Slice(0, at[0], 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	c, err := row.Slice(1, at[1], 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestComparisonsEveryType(t *testing.T) {
	for name, want := range map[string][]bool{
		"Equal": {false, true, false}, "Less": {true, false, false}, "LessOrEqual": {true, true, false},
		"Greater": {false, false, true}, "GreaterOrEqual": {false, true, true},
	} {
		def, err := op.Standard().Lookup("", name, 19)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range def.Signature().Types["T"].Tensor.List() {
			a, b := numbersOf(d, []float64{1, 2, 3}, 3), numbersOf(d, []float64{2}, 1)
			w := want
			if d == tensor.Bool { // 1, 2 and 3 all are true
				w = []bool{true, true, true}
			}
			got := nodeTest{op: name, opset: 19, in: []*tensor.Tensor{a, b}}.one(t)
			wantTensor(t, name+" "+d.String(), got, vec(w...))
		}
	}
}

func TestLogicOperators(t *testing.T) {
	a, b := mat([]bool{true, false}, 2, 1), vec(true, false)
	for name, want := range map[string][]bool{
		"And": {true, false, false, false}, "Or": {true, true, true, false}, "Xor": {false, true, true, false}, "Equal": {true, false, false, true},
	} {
		wantTensor(t, name, nodeTest{op: name, opset: 7, in: []*tensor.Tensor{a, b}}.one(t), mat(want, 2, 2))
	}
	wantTensor(t, "Not", nodeTest{op: "Not", opset: 1, in: []*tensor.Tensor{b}}.one(t), vec(false, true))
	shift := nodeTest{op: "BitShift", opset: 11, attrs: []graph.Attr{graph.NewAttr("direction", "LEFT")}, in: []*tensor.Tensor{vec[uint16](3), vec[uint16](1, 15, 16)}}
	wantTensor(t, "BitShift", shift.one(t), vec[uint16](6, 1<<15, 0))
	for name, want := range map[string]int32{"BitwiseAnd": -8, "BitwiseOr": -1, "BitwiseXor": 7} {
		wantTensor(t, name, nodeTest{op: name, opset: 18, in: []*tensor.Tensor{vec[int32](-8), vec[int32](-1)}}.one(t), vec(want))
	}
	wantTensor(t, "BitwiseNot", nodeTest{op: "BitwiseNot", opset: 18, in: []*tensor.Tensor{vec[uint8](1)}}.one(t), vec[uint8](254))
}
