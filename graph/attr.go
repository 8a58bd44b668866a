package graph

import (
	"fmt"

	"gort/tensor"
)

// AttrKind is the type of an attribute; the values are AttributeProto.AttributeType's.
type AttrKind uint8

// Kinds of attributes.
const (
	AttrUndefined AttrKind = 0
	AttrFloat     AttrKind = 1
	AttrInt       AttrKind = 2
	AttrString    AttrKind = 3
	AttrTensor    AttrKind = 4
	AttrGraph     AttrKind = 5
	AttrFloats    AttrKind = 6
	AttrInts      AttrKind = 7
	AttrStrings   AttrKind = 8
	AttrTensors   AttrKind = 9
	AttrGraphs    AttrKind = 10
	AttrSparse    AttrKind = 11
	AttrSparses   AttrKind = 12
	AttrType      AttrKind = 13
	AttrTypes     AttrKind = 14
)

var attrKindNames = [...]string{"undefined", "float", "int", "string", "tensor", "graph", "list of floats", "list of ints", "list of strings", "list of tensors", "list of graphs", "sparse tensor", "list of sparse tensors", "type", "list of types"}

// String names the kind as the specification's tables do.
func (k AttrKind) String() string {
	if int(k) < len(attrKindNames) {
		return attrKindNames[k]
	}
	return fmt.Sprintf("attribute kind %d", uint8(k))
}

// Attr is one attribute of a node. Value holds, by kind: float32, int64, string,
// *tensor.Tensor, *Graph, []float32, []int64, []string, []*tensor.Tensor,
// []*Graph, *Sparse, []*Sparse, Type, []Type. Inside a function body, Ref names
// the function's attribute that supplies the value, and Value is nil.
type Attr struct {
	Name  string
	Kind  AttrKind
	Value any
	Ref   string
}

// Sparse is a sparse tensor as ONNX stores it: values and their coordinates.
type Sparse struct {
	Values  *tensor.Tensor
	Indices *tensor.Tensor // [nnz] of linear or [nnz, rank] of coordinate indices
	Dims    tensor.Shape
}

// NewAttr returns an attribute whose kind follows from the Go type of value; it
// panics on a type that no attribute has, which is a mistake in the calling code.
func NewAttr(name string, value any) Attr {
	a := Attr{Name: name, Value: value}
	switch v := value.(type) {
	case float32:
		a.Kind = AttrFloat
	case float64:
		a.Kind, a.Value = AttrFloat, float32(v)
	case int:
		a.Kind, a.Value = AttrInt, int64(v)
	case int64:
		a.Kind = AttrInt
	case string:
		a.Kind = AttrString
	case *tensor.Tensor:
		a.Kind = AttrTensor
	case *Graph:
		a.Kind = AttrGraph
	case []float32:
		a.Kind = AttrFloats
	case []int64:
		a.Kind = AttrInts
	case []int:
		w := make([]int64, len(v))
		for i, x := range v {
			w[i] = int64(x)
		}
		a.Kind, a.Value = AttrInts, w
	case []string:
		a.Kind = AttrStrings
	case []*tensor.Tensor:
		a.Kind = AttrTensors
	case []*Graph:
		a.Kind = AttrGraphs
	case *Sparse:
		a.Kind = AttrSparse
	case []*Sparse:
		a.Kind = AttrSparses
	case Type:
		a.Kind = AttrType
	case []Type:
		a.Kind = AttrTypes
	default:
		panic(fmt.Sprintf("graph: no attribute kind for %T", value))
	}
	return a
}

// Holds reports whether the value is one of the attribute's kind.
func (a Attr) Holds() (ok bool) {
	switch a.Kind {
	case AttrFloat:
		_, ok = a.Value.(float32)
	case AttrInt:
		_, ok = a.Value.(int64)
	case AttrString:
		_, ok = a.Value.(string)
	case AttrTensor:
		_, ok = a.Value.(*tensor.Tensor)
	case AttrGraph:
		_, ok = a.Value.(*Graph)
	case AttrFloats:
		_, ok = a.Value.([]float32)
	case AttrInts:
		_, ok = a.Value.([]int64)
	case AttrStrings:
		_, ok = a.Value.([]string)
	case AttrTensors:
		_, ok = a.Value.([]*tensor.Tensor)
	case AttrGraphs:
		_, ok = a.Value.([]*Graph)
	case AttrSparse:
		_, ok = a.Value.(*Sparse)
	case AttrSparses:
		_, ok = a.Value.([]*Sparse)
	case AttrType:
		_, ok = a.Value.(Type)
	case AttrTypes:
		_, ok = a.Value.([]Type)
	}
	return ok
}
