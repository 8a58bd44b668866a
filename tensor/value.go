package tensor

import (
	"fmt"
	"strings"
)

// Kind is the outermost constructor of an ONNX type.
type Kind uint8

// Kinds of ONNX types.
const (
	KindNone Kind = iota // unknown
	KindTensor
	KindSequence
	KindOptional
	KindMap
	KindSparse
)

// Type is an ONNX type without shapes: tensor(float), seq(tensor(int64)),
// optional(…), map(string,tensor(float)).
type Type struct {
	Kind  Kind
	DType DType // element type of a tensor or sparse tensor
	Key   DType // key type of a map
	Elem  *Type // element of a sequence or optional, value of a map
}

// TensorOf is the type tensor(d).
func TensorOf(d DType) Type { return Type{Kind: KindTensor, DType: d} }

// SequenceOf is the type seq(elem).
func SequenceOf(elem Type) Type { return Type{Kind: KindSequence, Elem: &elem} }

// OptionalOf is the type optional(elem).
func OptionalOf(elem Type) Type { return Type{Kind: KindOptional, Elem: &elem} }

// MapOf is the type map(key,value).
func MapOf(key DType, value Type) Type { return Type{Kind: KindMap, Key: key, Elem: &value} }

// Equal reports whether the two types are the same.
func (t Type) Equal(o Type) bool {
	if t.Kind != o.Kind || t.DType != o.DType || t.Key != o.Key || (t.Elem == nil) != (o.Elem == nil) {
		return false
	}
	return t.Elem == nil || t.Elem.Equal(*o.Elem)
}

// String writes the type as the ONNX specification does.
func (t Type) String() string {
	elem := "?"
	if t.Elem != nil {
		elem = t.Elem.String()
	}
	switch t.Kind {
	case KindTensor:
		return "tensor(" + t.DType.ONNX() + ")"
	case KindSparse:
		return "sparse_tensor(" + t.DType.ONNX() + ")"
	case KindSequence:
		return "seq(" + elem + ")"
	case KindOptional:
		return "optional(" + elem + ")"
	case KindMap:
		return "map(" + t.Key.ONNX() + "," + elem + ")"
	}
	return "unknown"
}

// Value is what flows between nodes and over the border of a session:
// *Tensor, *Sequence, *Optional or *Map.
type Value interface {
	// Type is the value's ONNX type.
	Type() Type
	fmt.Stringer
	isValue()
}

// Sequence is an ordered list of values of one type.
type Sequence struct {
	Elem  Type
	Items []Value
}

// Optional is a value that may be absent: Value is nil then.
type Optional struct {
	Elem  Type
	Value Value
}

// Map is a list of pairs with unique keys of an integer type or string. Keys is
// a one-dimensional tensor; Values holds the values in the same order, as one
// tensor when they are scalars (the form ZipMap makes), else as a sequence.
type Map struct {
	Keys   *Tensor
	Values Value
}

// Type is tensor(…).
func (t *Tensor) Type() Type { return TensorOf(t.dtype) }

// Type is seq(…).
func (s *Sequence) Type() Type { return SequenceOf(s.Elem) }

// Type is optional(…).
func (o *Optional) Type() Type { return OptionalOf(o.Elem) }

// Type is map(…).
func (m *Map) Type() Type {
	key, value := Undefined, Type{}
	if m.Keys != nil {
		key = m.Keys.dtype
	}
	switch v := m.Values.(type) {
	case *Tensor:
		value = v.Type()
	case *Sequence:
		value = v.Elem
	}
	return MapOf(key, value)
}

// String describes the sequence: its type and each item's description.
func (s *Sequence) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v of %d [", s.Type(), len(s.Items))
	for i, v := range s.Items {
		if i > 0 {
			b.WriteString(", ")
		}
		if v == nil {
			b.WriteString("nothing")
			continue
		}
		b.WriteString(v.String())
	}
	b.WriteByte(']')
	return b.String()
}

// String describes the optional and what it holds.
func (o *Optional) String() string {
	if o.Value == nil {
		return o.Type().String() + " none"
	}
	return "optional " + o.Value.String()
}

// String describes the map.
func (m *Map) String() string {
	n := 0
	if m.Keys != nil {
		n = m.Keys.Size()
	}
	return fmt.Sprintf("%v of %d", m.Type(), n)
}

func (*Tensor) isValue()   {}
func (*Sequence) isValue() {}
func (*Optional) isValue() {}
func (*Map) isValue()      {}
