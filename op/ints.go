package op

import (
	"fmt"

	"gort/graph"
	"gort/tensor"
)

// Int is one element of a partially known integer value: a number, a symbol
// that stands for a dimension, or unknown. The zero value is unknown.
type Int struct {
	value  int64
	symbol string
	known  bool
}

// KnownInt is a known element.
func KnownInt(v int64) Int { return Int{value: v, known: true} }

// DimInt is the element that a dimension becomes when its size is read, as Shape does.
func DimInt(d graph.Dim) Int {
	if n, ok := d.Size(); ok {
		return KnownInt(int64(n))
	}
	return Int{symbol: d.Name()}
}

// Value returns the number and whether it is known.
func (i Int) Value() (int64, bool) { return i.value, i.known }

// Is reports whether the element is known to be v.
func (i Int) Is(v int64) bool { return i.known && i.value == v }

// Same reports whether both elements certainly are one number.
func (i Int) Same(o Int) bool { return i == o && i != Int{} }

// Dim is the dimension of this size: unknown for negative and unknown elements.
func (i Int) Dim() graph.Dim {
	if i.known {
		return graph.Known(int(i.value))
	}
	return graph.Symbol(i.symbol)
}

// Ints is a partially known integer tensor of rank 0 or 1.
type Ints struct {
	Scalar bool
	Elems  []Int
}

// maxInts bounds partially known values: they describe shapes, which are short.
const maxInts = 1024

// IntsOf returns the value of a small integer tensor, nil for other types, ranks
// above 1 and more than 1,024 elements.
func IntsOf(t *tensor.Tensor) *Ints {
	if t == nil || t.Rank() > 1 || t.Size() > maxInts {
		return nil
	}
	if c := t.DType().Class(); c != tensor.ClassInt && c != tensor.ClassUint && c != tensor.ClassBool || t.DType().Packed() {
		return nil
	}
	list, err := Int64s(t)
	if err != nil {
		return nil
	}
	out := &Ints{Scalar: t.Rank() == 0, Elems: make([]Int, len(list))}
	for i, v := range list {
		out.Elems[i] = KnownInt(v)
	}
	return out
}

// Known returns all the numbers when all are known.
func (v *Ints) Known() ([]int64, bool) {
	if v == nil {
		return nil, false
	}
	out := make([]int64, len(v.Elems))
	for i, e := range v.Elems {
		n, ok := e.Value()
		if !ok {
			return nil, false
		}
		out[i] = n
	}
	return out, true
}

// Int64s returns the elements of an integer or bool tensor in row-major order.
func Int64s(t *tensor.Tensor) ([]int64, error) {
	t = t.Contiguous()
	switch t.DType() {
	case tensor.Int64:
		return tensor.Elements[int64](t), nil
	case tensor.Int32:
		return widen(tensor.Elements[int32](t)), nil
	case tensor.Int16:
		return widen(tensor.Elements[int16](t)), nil
	case tensor.Int8:
		return widen(tensor.Elements[int8](t)), nil
	case tensor.Uint64:
		return widen(tensor.Elements[uint64](t)), nil
	case tensor.Uint32:
		return widen(tensor.Elements[uint32](t)), nil
	case tensor.Uint16:
		return widen(tensor.Elements[uint16](t)), nil
	case tensor.Uint8:
		return widen(tensor.Elements[uint8](t)), nil
	case tensor.Bool:
		out := make([]int64, t.Size())
		for i, b := range tensor.Elements[bool](t) {
			if b {
				out[i] = 1
			}
		}
		return out, nil
	}
	return nil, fmt.Errorf("elements are %v, not integers", t.DType())
}

func widen[T int8 | int16 | int32 | uint8 | uint16 | uint32 | uint64](s []T) []int64 {
	out := make([]int64, len(s))
	for i, v := range s {
		out[i] = int64(v)
	}
	return out
}
