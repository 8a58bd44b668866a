package op

import (
	"gort/graph"
	"gort/tensor"
)

// inferDynamicQuantizeLSTM is the shape function of an LSTM whose matrices lie
// transposed, as [directions, k, 4*hidden]; each has a scale and a zero point for a
// direction, or for each of its columns.
func inferDynamicQuantizeLSTM(c *Context) error {
	if err := c.inferRecurrent(4, 1, func(directions, n, k graph.Dim) []graph.Dim { return []graph.Dim{directions, k, n} }); err != nil {
		return err
	}
	for i := 8; i < 12; i++ {
		w := c.Shape(1)
		if i >= 10 {
			w = c.Shape(2)
		}
		rank, ok := c.Shape(i).Rank()
		if !ok {
			continue
		}
		want := graph.ShapeOf(w.Dim(0))
		if rank == 2 {
			want = graph.ShapeOf(w.Dim(0), w.Dim(2))
		}
		if _, ok := graph.Merge(c.Shape(i), want); !ok {
			return c.InputErrorf(i, "has shape %v, must be [directions] or [directions, 4*hidden] of the matrix %v", c.Shape(i), w)
		}
	}
	return nil
}

func inferMatMulInteger16(c *Context) error {
	if c.unsignedProduct() {
		c.SetDType(0, tensor.Uint32)
	} else {
		c.SetDType(0, tensor.Int32)
	}
	return inferMatMul(c)
}
