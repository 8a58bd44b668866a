package difftest

import (
	"fmt"

	"gort/tensor"
)

// tolerances bound |got-want| by atol + rtol*|want| for each floating-point type;
// results of every other type have to be equal. float16 and bfloat16 allow two
// units in the last place: where a kernel computes in float32 and rounds once,
// another may round after each of several steps.
var tolerances = map[tensor.DType]struct{ rtol, atol float64 }{
	tensor.Float32:    {1e-4, 1e-5},
	tensor.Float64:    {1e-4, 1e-5}, // ONNX Runtime computes some operators in float32
	tensor.Complex64:  {1e-4, 1e-5},
	tensor.Complex128: {1e-4, 1e-5},
	tensor.Float16:    {2e-3, 1e-3},
	tensor.BFloat16:   {1.6e-2, 8e-3},
}

// compare compares outputs with what is expected of them.
func (gen *Generator) compare(got, want []tensor.Value) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d outputs, want %d", len(got), len(want))
	}
	for i := range want {
		var rtol, atol float64
		if t, ok := tolerances[elementType(want[i])]; ok {
			rtol, atol = max(t.rtol, gen.RTol), max(t.atol, gen.ATol)
		}
		if err := tensor.Compare(got[i], want[i], rtol, atol); err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
	}
	return nil
}

// elementType is the element type of a tensor, or of the tensors inside a value.
func elementType(v tensor.Value) tensor.DType { return innermost(v.Type()) }
