package main

import (
	"testing"

	"gort"
	"gort/graph"
	"gort/tensor"
)

func TestParseShape(t *testing.T) {
	for _, c := range []struct {
		text string
		want tensor.Shape // nil for an error
	}{
		{"1x3x224x224", tensor.Shape{1, 3, 224, 224}}, {"2,5", tensor.Shape{2, 5}}, {"7", tensor.Shape{7}}, {"0x2", tensor.Shape{0, 2}},
		{"scalar", tensor.Shape{}}, {"", nil}, {"x", nil}, {"-1", nil}, {"1x?", nil}, {"9999999999x9999999999x9999999999", nil},
	} {
		got, err := parseShape(c.text)
		if (err != nil) != (c.want == nil) || err == nil && !got.Equal(c.want) {
			t.Errorf("parseShape(%q) = %v, %v, want %v", c.text, got, err, c.want)
		}
	}
}

func TestShapeOfInput(t *testing.T) {
	shapes := shapeFlags{shapes: map[string]tensor.Shape{"given": {4, 5}}, dims: map[string]int{"batch": 8}}
	for _, c := range []struct {
		name   string
		shape  graph.Shape
		want   tensor.Shape
		madeUp bool
	}{
		{"x", graph.Fixed(2, 3), tensor.Shape{2, 3}, false},
		{"x", graph.Fixed(), tensor.Shape{}, false},
		{"x", graph.ShapeOf(graph.Symbol("batch"), graph.Known(3)), tensor.Shape{8, 3}, false},
		{"x", graph.ShapeOf(graph.Symbol("other"), graph.Known(3)), tensor.Shape{1, 3}, true},
		{"x", graph.OfRank(2), tensor.Shape{1, 1}, true},
		{"x", graph.Shape{}, tensor.Shape{1}, true},
		{"given", graph.OfRank(2), tensor.Shape{4, 5}, false},
	} {
		got, madeUp := shapes.shape(gort.ValueInfo{Name: c.name, Type: graph.TensorType(tensor.Float32, c.shape)})
		if !got.Equal(c.want) || madeUp != c.madeUp {
			t.Errorf("%s %v: %v, made up %v, want %v, %v", c.name, c.shape, got, madeUp, c.want, c.madeUp)
		}
	}
}

func TestParseLiteral(t *testing.T) {
	ints := graph.TensorType(tensor.Int64, graph.OfRank(1))
	strs := graph.TensorType(tensor.String, graph.OfRank(1))
	reals := graph.TensorType(tensor.Float32, graph.OfRank(1))
	for _, c := range []struct {
		text  string
		ty    graph.Type
		shape tensor.Shape
		want  string // JSON of the elements; "" for an error
	}{
		{"16000", ints, tensor.Shape{}, "16000"},
		{"7", ints, tensor.Shape{3}, "[7,7,7]"},
		{"[1,2]", ints, tensor.Shape{3}, "[1,2]"},
		{"1.5", reals, tensor.Shape{2}, "[1.5,1.5]"},
		{"inf", reals, tensor.Shape{1}, `["Infinity"]`},
		{"-inf", reals, tensor.Shape{1}, `["-Infinity"]`},
		{"two words", strs, tensor.Shape{1}, `["two words"]`},
		{"nan", strs, tensor.Shape{1}, `["nan"]`},
		{"1.5", ints, tensor.Shape{}, ""},
		{"word", ints, tensor.Shape{}, ""},
		{"", ints, tensor.Shape{}, ""},
	} {
		got, err := parseLiteral(c.text, c.ty, c.shape)
		if c.want == "" {
			if err == nil {
				t.Errorf("@%s is %v, want an error", c.text, got)
			}
			continue
		}
		if err != nil {
			t.Errorf("@%s: %v", c.text, err)
			continue
		}
		want := tensor.Must(tensor.FromJSON([]byte(c.want), c.ty.DType))
		if err := tensor.Compare(got, want, 0, 0); err != nil {
			t.Errorf("@%s: %v", c.text, err)
		}
	}
}

func TestValueFromJSON(t *testing.T) {
	real := graph.TensorType(tensor.Float32, graph.OfRank(1))
	sequence := graph.SequenceType(real)
	optional := graph.Type{Kind: tensor.KindOptional, Elem: &real}
	scores := graph.MapType(tensor.String, real)
	byNumber := graph.MapType(tensor.Int64, real)
	one, two := tensor.Must(tensor.FromSlice([]float32{1})), tensor.Must(tensor.FromSlice([]float32{2, 3}))
	for _, c := range []struct {
		text string
		ty   graph.Type
		want tensor.Value // nil for an error
	}{
		{"[2,3]", real, two},
		{"[[1],[2,3]]", sequence, &tensor.Sequence{Elem: real.WithoutShape(), Items: []tensor.Value{one, two}}},
		{"[]", sequence, &tensor.Sequence{Elem: real.WithoutShape()}},
		{"null", optional, &tensor.Optional{Elem: real.WithoutShape()}},
		{"[1]", optional, &tensor.Optional{Elem: real.WithoutShape(), Value: one}},
		{`{"x": 2, "y": 3}`, scores, &tensor.Map{Keys: tensor.Must(tensor.FromSlice([]string{"x", "y"})), Values: two}},
		{`{"keys": ["x", "y"], "values": [2, 3]}`, scores, &tensor.Map{Keys: tensor.Must(tensor.FromSlice([]string{"x", "y"})), Values: two}},
		{`{"5": 2, "6": 3}`, byNumber, &tensor.Map{Keys: tensor.Must(tensor.FromSlice([]int64{5, 6})), Values: two}},
		{"1", sequence, nil},
		{"[1, 2]", scores, nil},
		{`{"x": [1]}`, scores, nil},
		{`{"x": 1}`, byNumber, nil},
		{"{", real, nil},
	} {
		got, err := valueFromJSON([]byte(c.text), c.ty)
		if c.want == nil {
			if err == nil {
				t.Errorf("%s as %v is %v, want an error", c.text, c.ty, got)
			}
			continue
		}
		if err == nil {
			err = tensor.Compare(got, c.want, 0, 0)
		}
		if err != nil {
			t.Errorf("%s as %v: %v", c.text, c.ty, err)
		}
	}
}

func TestFit(t *testing.T) {
	want := func(d tensor.DType, s graph.Shape) graph.Type { return graph.TensorType(d, s) }
	for _, c := range []struct {
		name string
		in   *tensor.Tensor
		want graph.Type
		out  *tensor.Tensor // nil for an error
		note string
	}{
		{"same", tensor.Must(tensor.FromSlice([]float32{1.5})), want(tensor.Float32, graph.OfRank(1)), tensor.Must(tensor.FromSlice([]float32{1.5})), ""},
		{"double", tensor.Must(tensor.FromSlice([]float64{1.5})), want(tensor.Float32, graph.OfRank(1)), tensor.Must(tensor.FromSlice([]float32{1.5})), "converted from float64 to float32"},
		{"narrower", tensor.Must(tensor.FromSlice([]int64{-3})), want(tensor.Int8, graph.OfRank(1)), tensor.Must(tensor.FromSlice([]int8{-3})), "converted from int64 to int8"},
		{"too large", tensor.Must(tensor.FromSlice([]int64{300})), want(tensor.Int8, graph.OfRank(1)), nil, ""},
		{"integers for floats", tensor.Must(tensor.FromSlice([]int64{1})), want(tensor.Float32, graph.OfRank(1)), tensor.Must(tensor.FromSlice([]int64{1})), ""},
		{"scalar", tensor.Must(tensor.FromSlice([]int64{9}, 1, 1)), want(tensor.Int64, graph.Fixed()), tensor.Scalar(int64(9)), ""},
	} {
		got, note, err := fit(c.in, c.want)
		if c.out == nil {
			if err == nil {
				t.Errorf("%s: %v, want an error", c.name, got)
			}
			continue
		}
		if err == nil {
			err = tensor.Compare(got, c.out, 0, 0)
		}
		if err != nil || note != c.note {
			t.Errorf("%s: %v, note %q, want %q", c.name, err, note, c.note)
		}
	}
}

func TestRandomValue(t *testing.T) {
	for _, d := range tensor.DTypes() {
		if d.Class() == tensor.ClassComplex {
			continue
		}
		v, err := randomValue("x", graph.TensorType(d, graph.OfRank(1)), tensor.Shape{100}, 1)
		if err != nil {
			t.Errorf("%v: %v", d, err)
			continue
		}
		if x, ok := v.(*tensor.Tensor); !ok || x.DType() != d || x.Size() != 100 {
			t.Errorf("%v: made %v", d, v)
		}
	}
	if _, err := randomValue("m", graph.MapType(tensor.String, floats()), nil, 1); err == nil {
		t.Error("a map was made up")
	}
}
