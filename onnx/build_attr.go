package onnx

import (
	"fmt"

	"gort/graph"
	"gort/internal/onnxpb"
	"gort/tensor"
)

// attributes converts the attributes of a node. s is the graph that the node is
// in; what subgraphs capture is added to owner.
func (b *builder) attributes(attrs []*onnxpb.AttributeProto, s *scope, owner *ownerNode, where string) ([]graph.Attr, error) {
	if len(attrs) == 0 {
		return nil, nil
	}
	out := make([]graph.Attr, len(attrs))
	seen := make(map[string]bool, len(attrs))
	for i, a := range attrs {
		fail := func(kind error, format string, args ...any) ([]graph.Attr, error) {
			return nil, &FormatError{Where: where, Reason: fmt.Sprintf("attribute %s ", quote(a.GetName())) + fmt.Sprintf(format, args...), Err: kind}
		}
		if a.GetName() == "" {
			return nil, &FormatError{Where: where, Reason: fmt.Sprintf("attribute %d has no name", i), Err: ErrName}
		}
		if seen[a.GetName()] {
			return fail(ErrName, "is given twice")
		}
		seen[a.GetName()] = true
		kind := attrKind(a)
		if kind == graph.AttrUndefined && a.GetRefAttrName() == "" {
			return fail(ErrType, "has type %d and no value", a.GetType())
		}
		out[i] = graph.Attr{Name: a.GetName(), Kind: kind, Ref: a.GetRefAttrName()}
		if out[i].Ref != "" {
			if !b.inBody {
				return fail(ErrName, "refers to attribute %s of a function, but the node is in none", quote(out[i].Ref))
			}
			continue
		}
		v, err := b.attrValue(kind, a, s, owner, where)
		if err != nil {
			return nil, err
		}
		if v == nil {
			return fail(ErrType, "is a %v without a value", kind)
		}
		out[i].Value = v
	}
	return out, nil
}

// attrKind is the declared kind. Files older than IR version 2 declare none; there
// the field that is set tells.
func attrKind(a *onnxpb.AttributeProto) graph.AttrKind {
	if a.Type != nil && a.GetType() != onnxpb.AttributeProto_UNDEFINED {
		if t := a.GetType(); t > 0 && t <= onnxpb.AttributeProto_TYPE_PROTOS {
			return graph.AttrKind(t)
		}
		return graph.AttrUndefined
	}
	switch {
	case a.F != nil:
		return graph.AttrFloat
	case a.I != nil:
		return graph.AttrInt
	case a.S != nil:
		return graph.AttrString
	case a.T != nil:
		return graph.AttrTensor
	case a.G != nil:
		return graph.AttrGraph
	case a.SparseTensor != nil:
		return graph.AttrSparse
	case a.Tp != nil:
		return graph.AttrType
	case len(a.Floats) > 0:
		return graph.AttrFloats
	case len(a.Ints) > 0:
		return graph.AttrInts
	case len(a.Strings) > 0:
		return graph.AttrStrings
	case len(a.Tensors) > 0:
		return graph.AttrTensors
	case len(a.Graphs) > 0:
		return graph.AttrGraphs
	case len(a.SparseTensors) > 0:
		return graph.AttrSparses
	case len(a.TypeProtos) > 0:
		return graph.AttrTypes
	}
	return graph.AttrUndefined
}

// attrValue converts the value; nil means that the message has none.
func (b *builder) attrValue(kind graph.AttrKind, a *onnxpb.AttributeProto, s *scope, owner *ownerNode, where string) (any, error) {
	where = "attribute " + quote(a.GetName()) + " of " + where
	makeTensor := func(t *onnxpb.TensorProto) (*tensor.Tensor, error) { return b.model.tensor(t, where) }
	makeSparse := func(t *onnxpb.SparseTensorProto) (*graph.Sparse, error) { return b.model.sparse(t, where) }
	makeType := func(t *onnxpb.TypeProto) (graph.Type, error) { return b.typeFrom(t, where) }
	makeGraph := func(g *onnxpb.GraphProto) (*graph.Graph, error) { return b.graph(g, s, owner) }
	switch kind {
	case graph.AttrFloat:
		return a.GetF(), nil
	case graph.AttrInt:
		return a.GetI(), nil
	case graph.AttrString:
		return string(a.GetS()), nil
	case graph.AttrFloats:
		return append([]float32{}, a.Floats...), nil
	case graph.AttrInts:
		return append([]int64{}, a.Ints...), nil
	case graph.AttrStrings:
		return convertAll(a.Strings, func(s []byte) (string, error) { return string(s), nil })
	case graph.AttrTensor:
		return convertOne(a.T, makeTensor)
	case graph.AttrTensors:
		return convertAll(a.Tensors, makeTensor)
	case graph.AttrSparse:
		return convertOne(a.SparseTensor, makeSparse)
	case graph.AttrSparses:
		return convertAll(a.SparseTensors, makeSparse)
	case graph.AttrGraph:
		return convertOne(a.G, makeGraph)
	case graph.AttrGraphs:
		return convertAll(a.Graphs, makeGraph)
	case graph.AttrType:
		return convertOne(a.Tp, makeType)
	case graph.AttrTypes:
		return convertAll(a.TypeProtos, makeType)
	}
	return nil, nil
}

// convertOne gives nil, not a typed nil, for a field that is not set.
func convertOne[P, V any](p *P, convert func(*P) (V, error)) (any, error) {
	if p == nil {
		return nil, nil
	}
	v, err := convert(p)
	if err != nil {
		return nil, err
	}
	return v, nil
}

func convertAll[P, V any](list []P, convert func(P) (V, error)) (any, error) {
	out := make([]V, len(list))
	for i, p := range list {
		v, err := convert(p)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}
