package onnx

import (
	"fmt"

	"gort/graph"
	"gort/internal/onnxpb"
	"gort/tensor"
)

// attributes converts a node's attributes. implicit are the names, in the node's
// graph, of what its subgraphs capture.
func (w *writer) attributes(attrs []graph.Attr, implicit []string, where string) ([]*onnxpb.AttributeProto, error) {
	out := make([]*onnxpb.AttributeProto, len(attrs))
	for i, a := range attrs {
		kind := onnxpb.AttributeProto_AttributeType(a.Kind)
		p := &onnxpb.AttributeProto{Name: new(a.Name), Type: &kind, RefAttrName: optional(a.Ref)}
		if a.Ref == "" {
			if err := w.attrValue(p, a.Value, implicit); err != nil {
				return nil, fmt.Errorf("%w (attribute %s of %s)", err, quote(a.Name), where)
			}
		}
		out[i] = p
	}
	return out, nil
}

func (w *writer) attrValue(p *onnxpb.AttributeProto, value any, implicit []string) error {
	switch v := value.(type) {
	case float32:
		p.F = new(v)
	case int64:
		p.I = new(v)
	case string:
		p.S = []byte(v)
	case []float32:
		p.Floats = v
	case []int64:
		p.Ints = v
	case []string:
		for _, s := range v {
			p.Strings = append(p.Strings, []byte(s))
		}
	case *tensor.Tensor:
		p.T = tensor.ToProto(v)
	case []*tensor.Tensor:
		for _, t := range v {
			p.Tensors = append(p.Tensors, tensor.ToProto(t))
		}
	case *graph.Sparse:
		p.SparseTensor = sparseProto(v)
	case []*graph.Sparse:
		for _, s := range v {
			p.SparseTensors = append(p.SparseTensors, sparseProto(s))
		}
	case graph.Type:
		p.Tp = typeProto(v)
	case []graph.Type:
		for _, t := range v {
			p.TypeProtos = append(p.TypeProtos, typeProto(t))
		}
	case *graph.Graph:
		g, err := w.subgraph(v, implicit)
		if err != nil {
			return err
		}
		p.G = g
	case []*graph.Graph:
		for _, s := range v {
			g, err := w.subgraph(s, implicit)
			if err != nil {
				return err
			}
			p.Graphs = append(p.Graphs, g)
		}
	default:
		return &FormatError{Reason: fmt.Sprintf("an attribute can not hold a %T", value), Err: ErrType}
	}
	return nil
}

func (w *writer) subgraph(g *graph.Graph, implicit []string) (*onnxpb.GraphProto, error) {
	captured := make(map[graph.ValueID]string, len(g.Captures))
	for _, c := range g.Captures {
		if c.Implicit < 0 || c.Implicit >= len(implicit) {
			return nil, &FormatError{Where: "graph " + quote(g.Name), Reason: fmt.Sprintf("it captures implicit input %d of %d", c.Implicit, len(implicit)), Err: ErrName}
		}
		captured[c.Inner] = implicit[c.Implicit]
	}
	return w.graph(g, captured)
}

func sparseProto(s *graph.Sparse) *onnxpb.SparseTensorProto {
	p := &onnxpb.SparseTensorProto{Values: tensor.ToProto(s.Values), Indices: tensor.ToProto(s.Indices)}
	for _, d := range s.Dims {
		p.Dims = append(p.Dims, int64(d))
	}
	return p
}

func valueInfo(name string, t graph.Type) *onnxpb.ValueInfoProto {
	p := &onnxpb.ValueInfoProto{Name: &name}
	if t.IsKnown() {
		p.Type = typeProto(t)
	}
	return p
}

func typeProto(t graph.Type) *onnxpb.TypeProto {
	elem := func() *onnxpb.TypeProto {
		if t.Elem == nil {
			return nil
		}
		return typeProto(*t.Elem)
	}
	switch t.Kind {
	case tensor.KindTensor:
		return &onnxpb.TypeProto{Value: &onnxpb.TypeProto_TensorType{TensorType: &onnxpb.TypeProto_Tensor{ElemType: new(int32(t.DType)), Shape: shapeProto(t.Shape)}}}
	case tensor.KindSparse:
		return &onnxpb.TypeProto{Value: &onnxpb.TypeProto_SparseTensorType{SparseTensorType: &onnxpb.TypeProto_SparseTensor{ElemType: new(int32(t.DType)), Shape: shapeProto(t.Shape)}}}
	case tensor.KindSequence:
		return &onnxpb.TypeProto{Value: &onnxpb.TypeProto_SequenceType{SequenceType: &onnxpb.TypeProto_Sequence{ElemType: elem()}}}
	case tensor.KindOptional:
		return &onnxpb.TypeProto{Value: &onnxpb.TypeProto_OptionalType{OptionalType: &onnxpb.TypeProto_Optional{ElemType: elem()}}}
	case tensor.KindMap:
		return &onnxpb.TypeProto{Value: &onnxpb.TypeProto_MapType{MapType: &onnxpb.TypeProto_Map{KeyType: new(int32(t.Key)), ValueType: elem()}}}
	}
	return new(onnxpb.TypeProto)
}

// shapeProto is nil for unknown rank, which is not the shape of a scalar.
func shapeProto(s graph.Shape) *onnxpb.TensorShapeProto {
	if !s.IsRanked() {
		return nil
	}
	p := &onnxpb.TensorShapeProto{Dim: make([]*onnxpb.TensorShapeProto_Dimension, 0, len(s.Dims()))}
	for _, d := range s.Dims() {
		pd := new(onnxpb.TensorShapeProto_Dimension)
		if n, ok := d.Size(); ok {
			pd.Value = &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: int64(n)}
		} else if d.Name() != "" {
			pd.Value = &onnxpb.TensorShapeProto_Dimension_DimParam{DimParam: d.Name()}
		}
		p.Dim = append(p.Dim, pd)
	}
	return p
}
