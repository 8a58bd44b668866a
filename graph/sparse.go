package graph

import (
	"fmt"

	"gort/tensor"
)

// Dense returns the tensor that s stands for: zeros (false, empty strings) except
// at the listed coordinates. It fails when the result would take more than
// maxBytes bytes (strings count 16 each), when a coordinate lies outside Dims, and
// when values and coordinates do not fit each other.
func (s *Sparse) Dense(maxBytes int64) (*tensor.Tensor, error) {
	if s.Values == nil || s.Indices == nil {
		return nil, fmt.Errorf("sparse tensor without values or indices")
	}
	d, nnz := s.Values.DType(), s.Values.Size()
	n, err := s.Dims.NumElements()
	if err != nil {
		return nil, err
	}
	size := int64(d.Bytes(n))
	if d == tensor.String {
		size = int64(n) * 16
	}
	if size > maxBytes {
		return nil, fmt.Errorf("sparse %v tensor of shape %v needs %d bytes when dense, the limit is %d", d, s.Dims, size, maxBytes)
	}
	at, err := s.linear(n, nnz)
	if err != nil {
		return nil, err
	}
	out, err := tensor.New(d, s.Dims...)
	if err != nil {
		return nil, err
	}
	values := s.Values.Contiguous()
	switch {
	case d == tensor.String:
		from, to := tensor.Elements[string](values), tensor.Elements[string](out)
		for i, x := range at {
			to[x] = from[i]
		}
	case d.Packed():
		return nil, fmt.Errorf("sparse tensors of %v are not supported", d)
	default:
		from, err := values.Bytes()
		if err != nil {
			return nil, err
		}
		to, err := out.Bytes()
		if err != nil {
			return nil, err
		}
		w := d.Bits() / 8
		for i, x := range at {
			copy(to[x*w:][:w], from[i*w:][:w])
		}
	}
	return out, nil
}

// linear returns each value's index among the n elements of the dense tensor.
func (s *Sparse) linear(n, nnz int) ([]int, error) {
	raw, err := tensor.Data[int64](s.Indices.Contiguous())
	if err != nil {
		return nil, fmt.Errorf("sparse tensor: indices: %w", err)
	}
	rank := len(s.Dims)
	is := s.Indices.Shape()
	switch {
	case len(is) == 1 && is[0] == nnz:
		rank = 1
	case len(is) == 2 && is[0] == nnz && is[1] == rank:
	default:
		return nil, fmt.Errorf("sparse tensor: %d values of a tensor of shape %v with indices of shape %v", nnz, s.Dims, is)
	}
	dims := s.Dims
	if len(is) == 1 {
		dims = tensor.Shape{n}
	}
	out := make([]int, nnz)
	for i := range out {
		x := 0
		for k := range rank {
			c := raw[i*rank+k]
			if c < 0 || c >= int64(dims[k]) {
				return nil, fmt.Errorf("sparse tensor: value %d is at coordinate %d of a dimension of %d", i, c, dims[k])
			}
			x = x*dims[k] + int(c)
		}
		out[i] = x
	}
	return out, nil
}
