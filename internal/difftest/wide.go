package difftest

import (
	"fmt"
	"maps"

	"gort/graph"
	"gort/tensor"
)

// asFloat32 has float32 stand for the floating-point types that ONNX Runtime lacks in
// many operators on the CPU. The fractions that generators draw are exact in all.
var asFloat32 = map[tensor.DType]tensor.DType{
	tensor.Float16:  tensor.Float32,
	tensor.BFloat16: tensor.Float32,
	tensor.Float64:  tensor.Float32,
}

// asFloats has float64 stand for integers too, where their elements are small.
var asFloats = with(asFloat32, tensor.Float64, tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64)

// allFloat32 has float32 stand for integers too, where their elements are small, but
// for int64, which shapes are of.
var allFloat32 = with(asFloat32, tensor.Float32, tensor.Int8, tensor.Int16, tensor.Int32, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64)

// asInts has int64 stand for narrower integers.
var asInts = with(asFloat32, tensor.Int64, tensor.Int8, tensor.Int16, tensor.Int32, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64)

// with returns the map with one type more that stands for others.
func with(wide map[tensor.DType]tensor.DType, to tensor.DType, from ...tensor.DType) map[tensor.DType]tensor.DType {
	out := maps.Clone(wide)
	for _, d := range from {
		out[d] = to
	}
	return out
}

// widened returns the call with the element types of its tensors replaced, and
// whether any is.
func (c *Case) widened(wide map[tensor.DType]tensor.DType) (*Case, bool, error) {
	out, changed := *c, false
	out.Inputs = make([]Input, len(c.Inputs))
	for i, in := range c.Inputs {
		out.Inputs[i] = in
		t, ok := in.Value.(*tensor.Tensor)
		if !ok {
			continue
		}
		if to, ok := wide[t.DType()]; ok {
			w, err := tensor.Convert(t, to, tensor.ConvertOptions{})
			if err != nil {
				return nil, false, fmt.Errorf("input %d: %w", i, err)
			}
			out.Inputs[i].Value, changed = w, true
		}
	}
	return &out, changed, nil
}

// wideTypes replaces the element types of outputs.
func wideTypes(types []graph.Type, wide map[tensor.DType]tensor.DType) []graph.Type {
	out := append([]graph.Type(nil), types...)
	for i, t := range out {
		if to, ok := wide[t.DType]; ok {
			out[i].DType = to
		}
	}
	return out
}

// narrowed rounds outputs to the types that they replace.
func narrowed(values []tensor.Value, types []graph.Type) ([]tensor.Value, error) {
	out := append([]tensor.Value(nil), values...)
	for i, v := range out {
		t, ok := v.(*tensor.Tensor)
		if !ok || i >= len(types) || !types[i].IsTensor() || types[i].DType == t.DType() {
			continue
		}
		n, err := tensor.Convert(t, types[i].DType, tensor.ConvertOptions{})
		if err != nil {
			return nil, fmt.Errorf("output %d: %w", i, err)
		}
		out[i] = n
	}
	return out, nil
}
