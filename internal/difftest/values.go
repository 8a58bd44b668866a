package difftest

import (
	"gort/tensor"
)

// Fractions are drawn as multiples of this: exact in every floating-point type of
// 16 bits and more, and stored cases compress well.
const step = 1.0 / 16

var words = []string{"", "a", "b", "ab", "Abc", "gort", "ONNX", "naïve", "日本", "a b", "1.5"}

// Tensor returns elements that suit most operators: fractions in [-4, 4], integers
// in [-10, 10] or [0, 20], a few words.
func (g *G) Tensor(d tensor.DType, shape ...int) *tensor.Tensor {
	switch d.Class() {
	case tensor.ClassUint:
		return g.Range(d, 0, 20, shape...)
	case tensor.ClassInt:
		return g.Range(d, -10, 10, shape...)
	}
	return g.Range(d, -4, 4, shape...)
}

// Range returns elements in [lo, hi]: integers of integer types, else multiples of
// 1/16. Bounds beyond a type's own are cut to it. Strings and bools ignore both.
func (g *G) Range(d tensor.DType, lo, hi float64, shape ...int) *tensor.Tensor {
	n := 1
	for _, s := range shape {
		n *= s
	}
	switch d {
	case tensor.String:
		list := make([]string, n)
		for i := range list {
			list[i] = Pick(g, words...)
		}
		return fromSlice(list, shape)
	case tensor.Bool:
		list := make([]bool, n)
		for i := range list {
			list[i] = g.Maybe()
		}
		return fromSlice(list, shape)
	case tensor.Complex64, tensor.Complex128:
		list := make([]complex128, n)
		for i := range list {
			list[i] = complex(g.fraction(lo, hi), g.fraction(lo, hi))
		}
		t := fromSlice(list, shape)
		return tensor.Must(tensor.Convert(t, d, tensor.ConvertOptions{}))
	}
	list := make([]float64, n)
	whole := d.Class() == tensor.ClassInt || d.Class() == tensor.ClassUint
	if bits := d.Bits(); whole && bits < 16 {
		if d.Class() == tensor.ClassUint {
			lo, hi = max(lo, 0), min(hi, float64(int(1)<<bits-1))
		} else {
			lo, hi = max(lo, -float64(int(1)<<(bits-1))), min(hi, float64(int(1)<<(bits-1)-1))
		}
	}
	for i := range list {
		if whole {
			list[i] = lo + float64(g.IntN(int(hi-lo)+1))
		} else {
			list[i] = g.fraction(lo, hi)
		}
	}
	return tensor.Must(tensor.Convert(fromSlice(list, shape), d, tensor.ConvertOptions{}))
}

// fromSlice also makes scalars, of an empty shape.
func fromSlice[T tensor.Element](list []T, shape []int) *tensor.Tensor {
	return tensor.Must(tensor.Must(tensor.FromSlice(list, len(list))).Reshape(shape...))
}

func (g *G) fraction(lo, hi float64) float64 {
	return lo + step*float64(g.IntN(int((hi-lo)/step)+1))
}

// Sprinkle replaces a few elements of a floating-point tensor by these values, in one
// of four calls.
func (g *G) Sprinkle(t *tensor.Tensor, values ...float64) *tensor.Tensor {
	if t.Size() == 0 || t.DType().Class() != tensor.ClassFloat || !g.OneIn(4) {
		return t
	}
	wide := tensor.Must(tensor.Convert(t, tensor.Float64, tensor.ConvertOptions{}))
	list := tensor.Elements[float64](wide)
	for range 1 + len(list)/16 {
		list[g.IntN(len(list))] = Pick(g, values...)
	}
	return tensor.Must(tensor.Convert(wide, t.DType(), tensor.ConvertOptions{}))
}

// Ints returns a one-dimensional tensor of an integer type with these elements.
func Ints(d tensor.DType, values ...int) *tensor.Tensor {
	list := make([]int64, len(values))
	for i, v := range values {
		list[i] = int64(v)
	}
	return tensor.Must(tensor.Convert(tensor.Must(tensor.FromSlice(list, len(list))), d, tensor.ConvertOptions{}))
}

// Scalar returns a tensor without dimensions of any numeric type.
func Scalar(d tensor.DType, v float64) *tensor.Tensor {
	return tensor.Must(tensor.Convert(tensor.Scalar(v), d, tensor.ConvertOptions{}))
}

// Value returns a value of a type; dims are of a tensor.
func (g *G) Value(t tensor.Type, dims []int) tensor.Value {
	switch t.Kind {
	case tensor.KindSequence:
		s := &tensor.Sequence{Elem: *t.Elem}
		for range g.IntN(4) {
			s.Items = append(s.Items, g.Value(*t.Elem, g.Shape(0, 2)))
		}
		return s
	case tensor.KindOptional:
		o := &tensor.Optional{Elem: *t.Elem}
		if !g.OneIn(3) {
			o.Value = g.Value(*t.Elem, dims)
		}
		return o
	}
	return g.Tensor(t.DType, dims...)
}
