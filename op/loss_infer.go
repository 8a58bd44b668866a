package op

import "gort/graph"

// inferLoss is for losses of scores (N, C, d1, …) against labels (N, d1, …).
func inferLoss(c *Context) error {
	scores, labels := c.Shape(0), c.Shape(1)
	c.SetShape(1, scores) // the log-probabilities, where there is such an output
	rank, ranked := scores.Rank()
	if ranked && rank < 2 {
		return c.InputErrorf(0, "shape %v has rank %d, the operator needs 2 or more", scores, rank)
	}
	if r, ok := labels.Rank(); ok && r < 1 {
		return c.InputErrorf(1, "shape %v has rank 0, the operator needs 1 or more", labels)
	}
	if ranked {
		dims := append([]graph.Dim{scores.Dim(0)}, scores.Dims()[2:]...)
		m, ok := graph.Merge(labels, graph.ShapeOf(dims...))
		if !ok {
			return c.InputErrorf(1, "shape %v is not that of the scores, %v, without its dimension 1", labels, scores)
		}
		labels = m
	}
	if c.HasInput(2) {
		if err := c.WantRank(2, 1); err != nil {
			return err
		}
		if _, ok := graph.MergeDim(c.Shape(2).Dim(0), scores.Dim(1)); !ok {
			return c.InputErrorf(2, "shape %v does not have one weight for each of the %v classes", c.Shape(2), scores.Dim(1))
		}
	}
	switch r := c.String("reduction"); r {
	case "none":
		c.SetShape(0, labels)
	case "sum", "mean":
		c.SetDims(0)
	default:
		return c.AttrErrorf("reduction", "is %q, allowed are none, sum and mean", r)
	}
	return nil
}
