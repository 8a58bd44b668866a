package graph

import "gort/tensor"

// Type is an ONNX type with what is known of its shape.
type Type struct {
	Kind  tensor.Kind
	DType tensor.DType // element type of tensors; Undefined while not inferred
	Shape Shape        // of tensors
	Key   tensor.DType // key type of maps
	Elem  *Type        // element of sequences and optionals, value of maps
}

// TensorType is tensor(d) of a shape.
func TensorType(d tensor.DType, s Shape) Type {
	return Type{Kind: tensor.KindTensor, DType: d, Shape: s}
}

// SequenceType is seq(elem).
func SequenceType(elem Type) Type { return Type{Kind: tensor.KindSequence, Elem: &elem} }

// OptionalType is optional(elem).
func OptionalType(elem Type) Type { return Type{Kind: tensor.KindOptional, Elem: &elem} }

// MapType is map(key,value).
func MapType(key tensor.DType, value Type) Type {
	return Type{Kind: tensor.KindMap, Key: key, Elem: &value}
}

// TypeOf describes a value exactly.
func TypeOf(v tensor.Value) Type {
	if t, ok := v.(*tensor.Tensor); ok {
		return TensorType(t.DType(), Fixed(t.Shape()...))
	}
	return FromTensorType(v.Type())
}

// FromTensorType adds unknown shapes to a shapeless type.
func FromTensorType(t tensor.Type) Type {
	out := Type{Kind: t.Kind, DType: t.DType, Key: t.Key}
	if t.Elem != nil {
		e := FromTensorType(*t.Elem)
		out.Elem = &e
	}
	return out
}

// IsKnown reports whether anything is known: the kind, at least.
func (t Type) IsKnown() bool { return t.Kind != tensor.KindNone }

// IsTensor reports whether the type is a dense tensor.
func (t Type) IsTensor() bool { return t.Kind == tensor.KindTensor }

// WithoutShape drops the shapes.
func (t Type) WithoutShape() tensor.Type {
	out := tensor.Type{Kind: t.Kind, DType: t.DType, Key: t.Key}
	if t.Elem != nil {
		e := t.Elem.WithoutShape()
		out.Elem = &e
	}
	return out
}

// String writes the type as the specification does, tensors with their shape: tensor(float)[N,3].
func (t Type) String() string {
	if t.Kind == tensor.KindTensor {
		s := t.WithoutShape().String()
		if t.Shape.IsRanked() {
			s += t.Shape.String()
		}
		return s
	}
	elem := "?"
	if t.Elem != nil {
		elem = t.Elem.String()
	}
	switch t.Kind {
	case tensor.KindSequence:
		return "seq(" + elem + ")"
	case tensor.KindOptional:
		return "optional(" + elem + ")"
	case tensor.KindMap:
		return "map(" + t.Key.ONNX() + "," + elem + ")"
	}
	return t.WithoutShape().String()
}

// MergeType returns the more precise of two descriptions of one value's type,
// and false when they contradict each other.
func MergeType(a, b Type) (Type, bool) {
	if !a.IsKnown() {
		return b, true
	}
	if !b.IsKnown() {
		return a, true
	}
	if a.Kind != b.Kind {
		return a, false
	}
	out := a
	switch {
	case a.DType == tensor.Undefined:
		out.DType = b.DType
	case b.DType != tensor.Undefined && a.DType != b.DType:
		return a, false
	}
	switch {
	case a.Key == tensor.Undefined:
		out.Key = b.Key
	case b.Key != tensor.Undefined && a.Key != b.Key:
		return a, false
	}
	s, ok := Merge(a.Shape, b.Shape)
	if !ok {
		return a, false
	}
	out.Shape = s
	switch {
	case a.Elem == nil:
		out.Elem = b.Elem
	case b.Elem != nil:
		e, ok := MergeType(*a.Elem, *b.Elem)
		if !ok {
			return a, false
		}
		out.Elem = &e
	}
	return out, true
}

// UnionType returns the most precise type that describes both, as for the
// branches of an If, and false when kinds or element types differ.
func UnionType(a, b Type) (Type, bool) {
	out, ok := MergeType(dropShapes(a), dropShapes(b))
	if !ok {
		return a, false
	}
	unionShapes(&out, a, b)
	return out, true
}

func dropShapes(t Type) Type {
	t.Shape = Shape{}
	if t.Elem != nil {
		e := dropShapes(*t.Elem)
		t.Elem = &e
	}
	return t
}

func unionShapes(out *Type, a, b Type) {
	out.Shape = Union(a.Shape, b.Shape)
	if a.Elem != nil && b.Elem != nil {
		e := *out.Elem
		unionShapes(&e, *a.Elem, *b.Elem)
		out.Elem = &e
	}
}

// DeviceType is a kind of hardware.
type DeviceType string

// DeviceCPU is the host.
const DeviceCPU DeviceType = "cpu"

// Device names one memory that a provider computes in.
type Device struct {
	Type DeviceType
	ID   int
}

// String prints the device as cpu:0.
func (d Device) String() string { return string(d.Type) + ":" + itoa(d.ID) }

// Layout says how a tensor's dimensions lie in memory.
type Layout string

// Layouts of tensors. Any other name is a provider's own.
const (
	LayoutRowMajor     Layout = ""     // as ONNX describes it
	LayoutChannelsLast Layout = "nhwc" // N, spatial…, C
)

// WithUnknownShape is the type with nothing said of shapes.
func (t Type) WithUnknownShape() Type { return dropShapes(t) }
