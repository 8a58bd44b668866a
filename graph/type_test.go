package graph

import (
	"testing"

	"gort/tensor"
)

func TestDims(t *testing.T) {
	var unknown Dim
	for _, c := range []struct {
		dim   Dim
		text  string
		known bool
		size  int
	}{
		{Known(0), "0", true, 0},
		{Known(3), "3", true, 3},
		{Known(-1), "?", false, -1},
		{Symbol("N"), "N", false, -1},
		{Symbol(""), "?", false, -1},
		{unknown, "?", false, -1},
	} {
		if n, ok := c.dim.Size(); c.dim.String() != c.text || ok != c.known || n != c.size || c.dim.IsKnown() != c.known || c.dim.Is(c.size) != c.known {
			t.Errorf("%#v: prints %q, size %d %v", c.dim, c.dim, n, ok)
		}
	}
	if unknown.Same(unknown) {
		t.Error("two unknown dimensions are not certainly the same")
	}
	if !Symbol("N").Same(Symbol("N")) || Symbol("N").Same(Symbol("M")) || !Known(2).Same(Known(2)) {
		t.Error("Same")
	}
}

func TestMergeDim(t *testing.T) {
	u, n, m, two, three := Dim{}, Symbol("N"), Symbol("M"), Known(2), Known(3)
	for _, c := range []struct {
		a, b, want Dim
		ok         bool
	}{
		{u, u, u, true},
		{u, n, n, true},
		{n, u, n, true},
		{n, m, n, true},
		{n, two, two, true},
		{two, n, two, true},
		{u, two, two, true},
		{two, two, two, true},
		{two, three, two, false},
	} {
		if got, ok := MergeDim(c.a, c.b); got != c.want || ok != c.ok {
			t.Errorf("MergeDim(%v, %v) = %v %v, want %v %v", c.a, c.b, got, ok, c.want, c.ok)
		}
	}
}

func TestMergeAndUnionShapes(t *testing.T) {
	var any Shape
	n := Symbol("N")
	for _, c := range []struct {
		a, b  Shape
		merge string
		ok    bool
		union string
	}{
		{any, any, "?", true, "?"},
		{any, Fixed(2, 3), "[2,3]", true, "?"},
		{Fixed(2, 3), any, "[2,3]", true, "?"},
		{Fixed(), Fixed(), "[]", true, "[]"},
		{Fixed(), any, "[]", true, "?"},
		{Fixed(2), Fixed(2, 3), "[2]", false, "?"},
		{Fixed(2, 3), Fixed(2, 4), "[2,3]", false, "[2,?]"},
		{ShapeOf(n, Known(3)), Fixed(2, 3), "[2,3]", true, "[?,3]"},
		{ShapeOf(n, Dim{}), ShapeOf(n, Known(5)), "[N,5]", true, "[N,?]"},
		{OfRank(2), Fixed(0, 1), "[0,1]", true, "[?,?]"},
	} {
		got, ok := Merge(c.a, c.b)
		if got.String() != c.merge || ok != c.ok {
			t.Errorf("Merge(%v, %v) = %v %v, want %v %v", c.a, c.b, got, ok, c.merge, c.ok)
		}
		if got := Union(c.a, c.b); got.String() != c.union {
			t.Errorf("Union(%v, %v) = %v, want %v", c.a, c.b, got, c.union)
		}
	}
	if d := Fixed(2, 3).Dim(-1); !d.Is(3) {
		t.Errorf("dimension -1 is %v", d)
	}
	if d := Fixed(2, 3).Dim(2); d != (Dim{}) {
		t.Errorf("dimension out of range is %v", d)
	}
	if _, ok := OfRank(1).Concrete(); ok {
		t.Error("an unknown dimension is not concrete")
	}
	if s, ok := Fixed(2, 0).Concrete(); !ok || !s.Equal(tensor.Shape{2, 0}) {
		t.Errorf("Concrete = %v %v", s, ok)
	}
}

func TestMergeAndUnionTypes(t *testing.T) {
	var unknown Type
	f := func(dims ...int) Type { return TensorType(tensor.Float32, Fixed(dims...)) }
	open := TensorType(tensor.Undefined, Shape{})
	for _, c := range []struct {
		a, b  Type
		merge string
		ok    bool
		union string // "" when there is none
	}{
		{unknown, f(2), "tensor(float)[2]", true, "tensor(float)"},
		{f(2), unknown, "tensor(float)[2]", true, "tensor(float)"},
		{open, f(2), "tensor(float)[2]", true, "tensor(float)"},
		{f(2), f(3), "tensor(float)[2]", false, "tensor(float)[?]"},
		{f(2), TensorType(tensor.Int64, Fixed(2)), "tensor(float)[2]", false, ""},
		{f(2), SequenceType(f(2)), "tensor(float)[2]", false, ""},
		{SequenceType(open), SequenceType(f(2)), "seq(tensor(float)[2])", true, "seq(tensor(float))"},
		{SequenceType(f(2, 1)), SequenceType(f(3, 1)), "seq(tensor(float)[2,1])", false, "seq(tensor(float)[?,1])"},
		{OptionalType(SequenceType(f())), OptionalType(SequenceType(f())), "optional(seq(tensor(float)[]))", true, "optional(seq(tensor(float)[]))"},
		{MapType(tensor.String, f()), MapType(tensor.Int64, f()), "map(string,tensor(float)[])", false, ""},
	} {
		got, ok := MergeType(c.a, c.b)
		if got.String() != c.merge || ok != c.ok {
			t.Errorf("MergeType(%v, %v) = %v %v, want %v %v", c.a, c.b, got, ok, c.merge, c.ok)
		}
		union, ok := UnionType(c.a, c.b)
		if ok != (c.union != "") || ok && union.String() != c.union {
			t.Errorf("UnionType(%v, %v) = %v %v, want %q", c.a, c.b, union, ok, c.union)
		}
	}
	shared := f(2)
	a := SequenceType(shared)
	if _, ok := UnionType(a, SequenceType(f(3))); !ok || a.Elem.Shape.String() != "[2]" {
		t.Error("UnionType changed its argument")
	}
}
