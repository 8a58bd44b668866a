package op

import (
	"fmt"
	"slices"
	"strings"

	"gort/tensor"
)

// DTypes is a set of element types.
type DTypes uint32

// SetOf returns the set of these element types.
func SetOf(list ...tensor.DType) DTypes {
	var s DTypes
	for _, d := range list {
		s |= 1 << d
	}
	return s
}

// Has reports whether d is in the set.
func (s DTypes) Has(d tensor.DType) bool { return s>>d&1 != 0 }

// List returns the members in the order of their numbers.
func (s DTypes) List() []tensor.DType {
	var out []tensor.DType
	for _, d := range tensor.DTypes() {
		if s.Has(d) {
			out = append(out, d)
		}
	}
	return out
}

// String lists the members by their ONNX names.
func (s DTypes) String() string {
	var names []string
	for _, d := range s.List() {
		names = append(names, d.ONNX())
	}
	return strings.Join(names, ", ")
}

// Sets of element types that recur in the specification. The ones with a number
// are "all tensor types" as of that opset.
const (
	FloatTypes   = DTypes(1<<tensor.Float16 | 1<<tensor.Float32 | 1<<tensor.Float64)
	FloatBFTypes = FloatTypes | 1<<tensor.BFloat16
	UintTypes    = DTypes(1<<tensor.Uint8 | 1<<tensor.Uint16 | 1<<tensor.Uint32 | 1<<tensor.Uint64)
	IntTypes     = DTypes(1<<tensor.Int8 | 1<<tensor.Int16 | 1<<tensor.Int32 | 1<<tensor.Int64)
	IntegerTypes = UintTypes | IntTypes
	// WideTypes are the types of arithmetic in early opsets: no 8- and 16-bit integers.
	WideTypes      = FloatTypes | 1<<tensor.Uint32 | 1<<tensor.Uint64 | 1<<tensor.Int32 | 1<<tensor.Int64
	WideBFTypes    = WideTypes | 1<<tensor.BFloat16
	NumericTypes   = FloatTypes | IntegerTypes
	NumericBFTypes = NumericTypes | 1<<tensor.BFloat16
	IndexTypes     = DTypes(1<<tensor.Int32 | 1<<tensor.Int64)
	AllTypes       = NumericTypes | 1<<tensor.String | 1<<tensor.Bool | 1<<tensor.Complex64 | 1<<tensor.Complex128
	AllBFTypes     = AllTypes | 1<<tensor.BFloat16
	Float8Types    = DTypes(1<<tensor.Float8E4M3FN | 1<<tensor.Float8E4M3FNUZ | 1<<tensor.Float8E5M2 | 1<<tensor.Float8E5M2FNUZ)
	All19Types     = AllBFTypes | Float8Types
	All21Types     = All19Types | 1<<tensor.Uint4 | 1<<tensor.Int4
	All23Types     = All21Types | 1<<tensor.Float4E2M1
	All24Types     = All23Types | 1<<tensor.Float8E8M0
	All25Types     = All24Types | 1<<tensor.Uint2 | 1<<tensor.Int2
)

var namedSets = map[string]DTypes{
	"@float": FloatTypes, "@floatbf": FloatBFTypes, "@uint": UintTypes, "@int": IntTypes, "@integer": IntegerTypes,
	"@wide": WideTypes, "@widebf": WideBFTypes, "@numeric": NumericTypes, "@numericbf": NumericBFTypes,
	"@index": IndexTypes, "@float8": Float8Types, "@all": AllTypes, "@allbf": AllBFTypes, "@all19": All19Types,
	"@all21": All21Types, "@all23": All23Types, "@all24": All24Types, "@all25": All25Types,
}

// TypeSet is a set of ONNX types.
type TypeSet struct {
	Tensor      DTypes // tensor(…)
	Sequence    DTypes // seq(tensor(…))
	Optional    DTypes // optional(tensor(…))
	OptionalSeq DTypes // optional(seq(tensor(…)))
	Sparse      DTypes // sparse_tensor(…)
	Other       []tensor.Type
}

// Elements returns the element types of the tensors in the set, also of those inside
// sequences and optionals and of sparse ones.
func (s TypeSet) Elements() DTypes {
	return s.Tensor | s.Sequence | s.Optional | s.OptionalSeq | s.Sparse
}

// Has reports whether the set contains a type.
func (s TypeSet) Has(t tensor.Type) bool {
	switch {
	case t.Kind == tensor.KindTensor:
		return s.Tensor.Has(t.DType)
	case t.Kind == tensor.KindSparse:
		return s.Sparse.Has(t.DType)
	case t.Kind == tensor.KindSequence && t.Elem != nil && t.Elem.Kind == tensor.KindTensor:
		return s.Sequence.Has(t.Elem.DType)
	case t.Kind == tensor.KindOptional && t.Elem != nil && t.Elem.Kind == tensor.KindTensor:
		return s.Optional.Has(t.Elem.DType)
	case t.Kind == tensor.KindOptional && t.Elem != nil && t.Elem.Kind == tensor.KindSequence && t.Elem.Elem != nil:
		return s.OptionalSeq.Has(t.Elem.Elem.DType)
	}
	return slices.ContainsFunc(s.Other, t.Equal)
}

// Only returns the single type of a set of one, and whether it is one.
func (s TypeSet) Only() (tensor.Type, bool) {
	list := s.List()
	if len(list) != 1 {
		return tensor.Type{}, false
	}
	return list[0], true
}

// List returns the members: tensors, sequences, optionals, others.
func (s TypeSet) List() []tensor.Type {
	var out []tensor.Type
	for _, d := range s.Tensor.List() {
		out = append(out, tensor.TensorOf(d))
	}
	for _, d := range s.Sparse.List() {
		out = append(out, tensor.Type{Kind: tensor.KindSparse, DType: d})
	}
	for _, d := range s.Sequence.List() {
		out = append(out, tensor.SequenceOf(tensor.TensorOf(d)))
	}
	for _, d := range s.Optional.List() {
		out = append(out, tensor.OptionalOf(tensor.TensorOf(d)))
	}
	for _, d := range s.OptionalSeq.List() {
		out = append(out, tensor.OptionalOf(tensor.SequenceOf(tensor.TensorOf(d))))
	}
	return append(out, s.Other...)
}

// String lists the members as the specification writes them.
func (s TypeSet) String() string {
	var names []string
	for _, t := range s.List() {
		names = append(names, t.String())
	}
	return strings.Join(names, ", ")
}

// parseTypeSet reads blank-separated members: element types ("float", "int64"),
// named sets ("@float"), and seq(…), optional(…), optional(seq(…)), map(k,v),
// seq(map(k,v)) of them; tensor(float) is the same as float.
func parseTypeSet(s string) (TypeSet, error) {
	var out TypeSet
	for _, f := range strings.Fields(s) {
		into, elem := &out.Tensor, f
		switch {
		case strings.Contains(f, "map("):
			t, err := parseMapType(f)
			if err != nil {
				return out, err
			}
			out.Other = append(out.Other, t)
			continue
		case strings.HasPrefix(f, "optional(seq("):
			into, elem = &out.OptionalSeq, strings.TrimSuffix(strings.TrimPrefix(f, "optional(seq("), "))")
		case strings.HasPrefix(f, "optional("):
			into, elem = &out.Optional, strings.TrimSuffix(strings.TrimPrefix(f, "optional("), ")")
		case strings.HasPrefix(f, "seq("):
			into, elem = &out.Sequence, strings.TrimSuffix(strings.TrimPrefix(f, "seq("), ")")
		}
		if set, ok := namedSets[elem]; ok {
			*into |= set
			continue
		}
		d, err := tensor.ParseDType(elem)
		if err != nil {
			return out, fmt.Errorf("type %q: %w", f, err)
		}
		*into |= SetOf(d)
	}
	return out, nil
}

func parseMapType(s string) (tensor.Type, error) {
	if inner, ok := strings.CutPrefix(s, "seq("); ok {
		t, err := parseMapType(strings.TrimSuffix(inner, ")"))
		return tensor.SequenceOf(t), err
	}
	inner, ok := strings.CutPrefix(s, "map(")
	key, value, ok2 := strings.Cut(strings.TrimSuffix(inner, ")"), ",")
	if !ok || !ok2 {
		return tensor.Type{}, fmt.Errorf("type %q is no map", s)
	}
	k, err := tensor.ParseDType(key)
	if err != nil {
		return tensor.Type{}, err
	}
	v, err := tensor.ParseDType(value)
	return tensor.MapOf(k, tensor.TensorOf(v)), err
}
