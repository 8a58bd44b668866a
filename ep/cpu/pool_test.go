package cpu

import (
	"testing"

	"gort/graph"
	"gort/tensor"
)

// A batch of no images pools to one of no images, with indices or without.
func TestMaxPoolOfNothing(t *testing.T) {
	for _, d := range []tensor.DType{tensor.Float16, tensor.Float32, tensor.Float64, tensor.Int8, tensor.Uint8} {
		for outputs := 1; outputs <= 2; outputs++ {
			x := tensor.Must(tensor.New(d, 0, 3, 4, 4))
			out, err := nodeTest{op: "MaxPool", opset: 12, attrs: []graph.Attr{graph.NewAttr("kernel_shape", []int64{3, 2})},
				in: []*tensor.Tensor{x}, outputs: outputs}.run(t)
			if err != nil {
				t.Errorf("%v, %d outputs: %v", d, outputs, err)
				continue
			}
			for i, v := range out {
				if want := (tensor.Shape{0, 3, 2, 3}); !v.Shape().Equal(want) {
					t.Errorf("%v: output %d has shape %v, want %v", d, i, v.Shape(), want)
				}
			}
		}
	}
}
