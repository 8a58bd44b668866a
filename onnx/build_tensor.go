package onnx

import (
	"errors"
	"fmt"

	"gort/graph"
	"gort/internal/onnxpb"
	"gort/tensor"
)

// tensor converts a tensor message, with its bytes aliased wherever they are.
func (m *Model) tensor(p *onnxpb.TensorProto, where string) (*tensor.Tensor, error) {
	t, err := m.tensorFrom(p)
	var format *FormatError
	var limit *LimitError
	switch {
	case err == nil:
		return t, nil
	case errors.As(err, &format):
		format.Where += " in " + where
	case errors.As(err, &limit):
		limit.Where = "tensor " + quote(p.GetName()) + " in " + where
	default:
		err = &FormatError{Where: where, Reason: err.Error(), Err: fmt.Errorf("%w: %w", ErrTensor, err)}
	}
	return nil, err
}

func (m *Model) tensorFrom(p *onnxpb.TensorProto) (*tensor.Tensor, error) {
	limits := m.config.limits
	if n := int64(len(p.Dims)); n > limits.MaxDims {
		return nil, &LimitError{What: "MaxDims", Value: n, Limit: limits.MaxDims}
	}
	d, shape, err := tensor.ProtoHeader(p)
	if err != nil {
		return nil, err
	}
	size := d.Bytes(shape.Size())
	if int64(size) > limits.MaxTensorBytes {
		return nil, &LimitError{What: "MaxTensorBytes", Value: int64(size), Limit: limits.MaxTensorBytes}
	}
	if p.GetDataLocation() != onnxpb.TensorProto_EXTERNAL {
		return tensor.FromProto(p)
	}
	data, err := m.externalBytes(p, d, size)
	if err != nil {
		return nil, err
	}
	return tensor.FromBytes(d, data, shape...)
}

// sparse converts a sparse tensor message.
func (m *Model) sparse(p *onnxpb.SparseTensorProto, where string) (*graph.Sparse, error) {
	if p.Values == nil || p.Indices == nil {
		return nil, &FormatError{Where: where, Reason: "a sparse tensor lacks its values or indices", Err: ErrTensor}
	}
	if n := int64(len(p.Dims)); n > m.config.limits.MaxDims {
		return nil, &LimitError{"MaxDims", where, n, m.config.limits.MaxDims}
	}
	values, err := m.tensor(p.Values, where)
	if err != nil {
		return nil, err
	}
	indices, err := m.tensor(p.Indices, where)
	if err != nil {
		return nil, err
	}
	// A message without data borrows the header checks of dense tensors.
	_, dims, err := tensor.ProtoHeader(&onnxpb.TensorProto{Name: p.Values.Name, DataType: p.Values.DataType, Dims: p.Dims})
	if err != nil {
		return nil, &FormatError{Where: where, Reason: err.Error(), Err: fmt.Errorf("%w: %w", ErrTensor, err)}
	}
	return &graph.Sparse{Values: values, Indices: indices, Dims: dims}, nil
}

func (m *Model) denseInitializer(p *onnxpb.SparseTensorProto, where string) (*tensor.Tensor, error) {
	where = "sparse initializer " + quote(p.GetValues().GetName()) + " in " + where
	s, err := m.sparse(p, where)
	if err != nil {
		return nil, err
	}
	n := int64(s.Values.DType().Bytes(s.Dims.Size()))
	if limit := m.config.limits.MaxDenseBytes; n > limit {
		return nil, &LimitError{"MaxDenseBytes", where, n, limit}
	}
	t, err := s.Dense(m.config.limits.MaxDenseBytes)
	if err != nil {
		return nil, &FormatError{Where: where, Reason: err.Error(), Err: fmt.Errorf("%w: %w", ErrTensor, err)}
	}
	return t, nil
}
