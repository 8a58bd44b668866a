package op_test

import (
	"testing"

	"gort/graph"
	"gort/op"
	"gort/tensor"
)

// TestShapeSelection is what exporters write for a target shape in which -1
// keeps a dimension: Where(Equal(target, -1), shape, target).
func TestShapeSelection(t *testing.T) {
	target := constant[int64](-1, 4, -1)
	eq, err := inferElementwise(t, "Equal", 13, 1, nil, target, scalar[int64](-1))
	if err != nil || !sameInts(eq[0].Ints, ints(1, 0, 1).Ints) {
		t.Fatalf("Equal is %v, %v", eq[0].Ints, err)
	}
	shape, err := inferElementwise(t, "Where", 16, 1, nil, eq[0], ints("N", 3, 5), target)
	if err != nil || !sameInts(shape[0].Ints, ints("N", 4, 5).Ints) {
		t.Fatalf("Where is %v, %v", shape[0].Ints, err)
	}
}

func TestPartialComparison(t *testing.T) {
	for _, c := range []struct {
		op   string
		a, b op.Fact
		want op.Fact
	}{
		{"Equal", ints("N", "N", "N", 2), ints("N", "M", -1, 2), ints(1, "_", 0, 1)},
		{"Less", ints("N", "N", 1, "_"), ints(0, -1, 2, 3), ints("_", 0, 1, "_")},
		{"Greater", ints("N", -1, 1), ints(-1, "N", 2), ints(1, 0, 0)},
		{"LessOrEqual", ints("N", 3), ints("N", 2), ints(1, 0)},
		{"GreaterOrEqual", ints("N", 3), ints("N", 4), ints(1, 0)},
	} {
		out, err := inferElementwise(t, c.op, 16, 1, nil, c.a, c.b)
		if err != nil || !sameInts(out[0].Ints, c.want.Ints) {
			t.Errorf("%s of %v and %v is %v, %v; want %v", c.op, c.a.Ints, c.b.Ints, out[0].Ints, err, c.want.Ints)
		}
	}
	truth := func(elems ...any) op.Fact {
		f := ints(elems...)
		f.Type = graph.TensorType(tensor.Bool, graph.Fixed(len(elems)))
		return f
	}
	for _, c := range []struct {
		op   string
		want op.Fact
	}{
		{"And", truth(0, 0, 1, 0, "_")}, {"Or", truth(0, 1, 1, "_", 1)}, {"Xor", truth(0, 1, 0, "_", "_")},
	} {
		out, err := inferElementwise(t, c.op, 7, 1, nil, truth(0, 1, 1, "_", "_"), truth(0, 0, 1, 0, 1))
		if err != nil || out[0].Ints == nil {
			t.Errorf("%s is %v, %v", c.op, out[0].Ints, err)
			continue
		}
		if !sameInts(out[0].Ints, c.want.Ints) {
			t.Errorf("%s is %v, want %v", c.op, out[0].Ints, c.want.Ints)
		}
	}
	not, err := inferElementwise(t, "Not", 1, 1, nil, truth(0, 1, "_"))
	if err != nil || !sameInts(not[0].Ints, ints(1, 0, "_").Ints) {
		t.Errorf("Not is %v, %v", not[0].Ints, err)
	}
}
