package op

import (
	"gort/graph"
	"gort/tensor"
)

// FlexScoreType is the element type that FlexAttention's score_mod and prob_mod
// graphs compute in: softmax_precision, else that of the input, but at least float.
func FlexScoreType(a Attrs, input tensor.DType) tensor.DType {
	if a.Has("softmax_precision") {
		return tensor.DType(a.Int("softmax_precision"))
	}
	if input == tensor.Float16 || input == tensor.BFloat16 {
		return tensor.Float32
	}
	return input
}

func inferFlexAttention(c *Context) error {
	if p := tensor.DType(c.Int("softmax_precision")); c.Has("softmax_precision") && !FloatBFTypes.Has(p) {
		return c.AttrErrorf("softmax_precision", "is %d, allowed are 1, 10, 11 and 16", c.Int("softmax_precision"))
	}
	for i := range 3 {
		if err := c.WantRank(i, 4); err != nil {
			return err
		}
	}
	q, k, v := c.Shape(0), c.Shape(1), c.Shape(2)
	batch := q.Dim(0)
	var err error
	for i, s := range []graph.Shape{1: k, 2: v} {
		if batch, err = c.agree(i, "batches", batch, s.Dim(0)); err != nil {
			return err
		}
	}
	heads, err := c.agree(2, "heads", k.Dim(1), v.Dim(1))
	if err != nil {
		return err
	}
	rows, err := c.agree(2, "rows", k.Dim(2), v.Dim(2))
	if err != nil {
		return err
	}
	if _, err = c.agree(1, "elements a head", q.Dim(3), k.Dim(3)); err != nil {
		return err
	}
	if h, ok := q.Dim(1).Size(); ok {
		if n, ok := heads.Size(); ok && (n == 0 || h%n != 0) {
			return c.InputErrorf(1, "has %d heads, the query's %d heads must be a multiple of them", n, h)
		}
	}
	scores := Fact{Type: graph.TensorType(FlexScoreType(c.Attrs, c.DType(0)), graph.ShapeOf(batch, q.Dim(1), q.Dim(2), rows))}
	for _, name := range []string{"score_mod", "prob_mod"} {
		g := c.Graph(name)
		if g == nil {
			continue
		}
		out, err := c.Subgraph(g, []Fact{scores})
		if err != nil {
			return err
		}
		if len(out) != 1 {
			return c.AttrErrorf(name, "has %d outputs, must have one", len(out))
		}
		if _, ok := graph.MergeType(out[0].Type, scores.Type); !ok && out[0].Type.IsKnown() {
			return c.AttrErrorf(name, "makes %v of %v, must keep type and shape", out[0].Type, scores.Type)
		}
	}
	c.SetDims(0, batch, q.Dim(1), q.Dim(2), v.Dim(3))
	return nil
}
