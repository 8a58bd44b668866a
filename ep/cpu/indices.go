package cpu

import "gort/tensor"

// indices appends the elements of an int64 or int32 tensor, the types in which
// operators take positions and sizes; nil for an omitted input.
func indices(buf []int64, t *tensor.Tensor) []int64 {
	if t == nil {
		return nil
	}
	if t.DType() == tensor.Int32 {
		for _, v := range tensor.Elements[int32](t) {
			buf = append(buf, int64(v))
		}
		return buf
	}
	return tensor.Elements[int64](t)
}
