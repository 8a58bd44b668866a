package slice

import (
	"fmt"

	"gort/tensor"
)

// Stack lines up tensors of one type and shape along a new first axis, when
// their number is not known beforehand: memory grows by doubling.
type Stack struct {
	dtype  tensor.DType
	shape  tensor.Shape // of one
	count  int
	data   []byte
	strs   []string
	packed []int8
}

// Push copies a tensor to the end.
func (s *Stack) Push(t *tensor.Tensor) error {
	if s.count == 0 {
		s.dtype, s.shape = t.DType(), t.Shape().Clone()
	} else if t.DType() != s.dtype || !t.Shape().Equal(s.shape) {
		return fmt.Errorf("is %v, but was %v %v in the first iteration; what a scan output collects must not change", t, s.dtype, s.shape)
	}
	s.count++
	t = t.Contiguous()
	switch {
	case s.dtype == tensor.String:
		s.strs = append(s.strs, tensor.Elements[string](t)...)
	case s.dtype.Packed():
		list, err := tensor.Unpack(t)
		if err != nil {
			return err
		}
		s.packed = append(s.packed, list...)
	default:
		b, err := t.Bytes()
		if err != nil {
			return err
		}
		s.data = append(s.data, b...)
	}
	return nil
}

// Count is how many tensors were pushed.
func (s *Stack) Count() int { return s.count }

// Tensor returns the stack as one tensor, which takes over its memory.
func (s *Stack) Tensor() (*tensor.Tensor, error) {
	shape := append(tensor.Shape{s.count}, s.shape...)
	switch {
	case s.dtype == tensor.String:
		return tensor.FromSlice(s.strs, shape...)
	case s.dtype.Packed():
		return tensor.Pack(s.dtype, s.packed, shape...)
	}
	return tensor.FromBytes(s.dtype, s.data, shape...)
}
