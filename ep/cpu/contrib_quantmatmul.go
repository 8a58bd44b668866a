package cpu

import (
	"gort/op"
)

// contribQuantmatmulBindings are the integer products that ONNX Runtime adds.
var contribQuantmatmulBindings = []Binding{
	{Domain: microsoft, Op: "DynamicQuantizeLSTM", Types: map[string]op.DTypes{"T2": quantizedLSTMs.Types()}, New: quantizedLSTMs.Input(1)},
}
