package onnx

import (
	"fmt"
	"math"

	"gort/graph"
	"gort/internal/onnxpb"
	"gort/tensor"
)

// typeOf converts a declared type; unknown when none is declared.
func (b *builder) typeOf(info *onnxpb.ValueInfoProto, where string) (graph.Type, error) {
	if info.Type == nil {
		return graph.Type{}, nil
	}
	return b.typeFrom(info.Type, "type of "+quote(info.GetName())+" in "+where)
}

func (b *builder) typeFrom(p *onnxpb.TypeProto, where string) (graph.Type, error) {
	switch t := p.GetValue().(type) {
	case nil:
		return graph.Type{}, nil
	case *onnxpb.TypeProto_TensorType:
		return b.tensorType(tensor.KindTensor, t.TensorType.GetElemType(), t.TensorType.GetShape(), where)
	case *onnxpb.TypeProto_SparseTensorType:
		return b.tensorType(tensor.KindSparse, t.SparseTensorType.GetElemType(), t.SparseTensorType.GetShape(), where)
	case *onnxpb.TypeProto_SequenceType:
		elem, err := b.elemType(t.SequenceType.GetElemType(), where)
		return graph.SequenceType(elem), err
	case *onnxpb.TypeProto_OptionalType:
		elem, err := b.elemType(t.OptionalType.GetElemType(), where)
		return graph.OptionalType(elem), err
	case *onnxpb.TypeProto_MapType:
		key, err := dtypeFrom(t.MapType.GetKeyType(), where)
		if err != nil {
			return graph.Type{}, err
		}
		value, err := b.elemType(t.MapType.GetValueType(), where)
		return graph.MapType(key, value), err
	}
	return graph.Type{}, nil // opaque types are known only to custom operators
}

func (b *builder) elemType(p *onnxpb.TypeProto, where string) (graph.Type, error) {
	if p == nil {
		return graph.Type{}, nil
	}
	return b.typeFrom(p, where)
}

func (b *builder) tensorType(kind tensor.Kind, elem int32, shape *onnxpb.TensorShapeProto, where string) (graph.Type, error) {
	d, err := dtypeFrom(elem, where)
	if err != nil {
		return graph.Type{}, err
	}
	out := graph.Type{Kind: kind, DType: d}
	if shape == nil {
		return out, nil
	}
	if n := int64(len(shape.Dim)); n > b.model.config.limits.MaxDims {
		return out, &LimitError{"MaxDims", where, n, b.model.config.limits.MaxDims}
	}
	dims := make([]graph.Dim, len(shape.Dim))
	for i, p := range shape.Dim {
		switch v := p.GetValue().(type) {
		case *onnxpb.TensorShapeProto_Dimension_DimParam:
			dims[i] = graph.Symbol(v.DimParam)
		case *onnxpb.TensorShapeProto_Dimension_DimValue:
			if v.DimValue > math.MaxInt/16 {
				return out, &FormatError{Where: where, Reason: fmt.Sprintf("dimension %d has size %d", i, v.DimValue), Err: ErrType}
			}
			// Negative sizes are how some exporters write "unknown"; so does Known.
			dims[i] = graph.Known(int(max(v.DimValue, -1)))
		}
	}
	out.Shape = graph.ShapeOf(dims...)
	return out, nil
}

// dtypeFrom converts an element type; 0 is one that is not known.
func dtypeFrom(n int32, where string) (tensor.DType, error) {
	if n == 0 {
		return tensor.Undefined, nil
	}
	if n > 0 && n <= math.MaxUint8 {
		if d := tensor.DType(n); d.Valid() {
			return d, nil
		}
	}
	return tensor.Undefined, &FormatError{Where: where, Reason: fmt.Sprintf("element type %d is not one that ONNX defines", n), Err: ErrType}
}
