package op

import (
	"math"

	"gort/graph"
)

// inferRNN returns the shape function of a recurrent layer with this many gates.
// The specification's RNN, GRU and LSTM pages name the dimensions: with layout 0
// X is [steps, batch, input] and Y [steps, directions, batch, hidden]; with layout
// 1 the batch comes first. W is [directions, gates*hidden, input], R the same with
// hidden for input.
func inferRNN(gates int) func(c *Context) error {
	return func(c *Context) error {
		return c.inferRecurrent(gates, 2, func(directions, n, k graph.Dim) []graph.Dim { return []graph.Dim{directions, n, k} })
	}
}

// inferRecurrent is the shape function of a recurrent layer. The size of the state
// is dimension hiddenAt of R, and weights gives the shape of matrices of n rows of k.
func (c *Context) inferRecurrent(gates, hiddenAt int, weights func(directions, n, k graph.Dim) []graph.Dim) error {
	directions := 1
	switch d := c.String("direction"); d {
	case "forward", "reverse":
	case "bidirectional":
		directions = 2
	default:
		return c.AttrErrorf("direction", "is %q, allowed are forward, reverse and bidirectional", d)
	}
	batchFirst := false
	switch c.Int("layout") {
	case 0:
	case 1:
		batchFirst = true
	default:
		return c.AttrErrorf("layout", "is %d, allowed are 0 and 1", c.Int("layout"))
	}
	if c.Has("clip") && !(c.Float("clip") > 0) {
		return c.AttrErrorf("clip", "is %v, must be positive", c.Float("clip"))
	}
	for i := range 3 {
		if err := c.WantRank(i, 3); err != nil {
			return err
		}
	}
	hidden := c.Shape(2).Dim(hiddenAt)
	if c.Has("hidden_size") {
		n := c.Int("hidden_size")
		if n <= 0 {
			return c.AttrErrorf("hidden_size", "is %d, must be positive", n)
		}
		d, ok := graph.MergeDim(hidden, graph.Known(n))
		if !ok {
			return c.AttrErrorf("hidden_size", "is %d, but R %v says %v", n, c.Shape(2), hidden)
		}
		hidden = d
	}
	x := c.Shape(0)
	steps, batch, input := x.Dim(0), x.Dim(1), x.Dim(2)
	if batchFirst {
		steps, batch = batch, steps
	}
	dirs := graph.Known(directions)
	times := func(n int) graph.Dim {
		if h, ok := hidden.Size(); ok && h <= math.MaxInt32/8 {
			return graph.Known(n * h)
		}
		return graph.Dim{}
	}
	state := []graph.Dim{dirs, batch, hidden}
	y := []graph.Dim{steps, dirs, batch, hidden}
	if batchFirst {
		state = []graph.Dim{batch, dirs, hidden}
		y = []graph.Dim{batch, steps, dirs, hidden}
	}
	for i, want := range [][]graph.Dim{
		1: weights(dirs, times(gates), input),
		2: weights(dirs, times(gates), hidden),
		3: {dirs, times(2 * gates)},
		4: {batch},
		5: state,
		6: state,
		7: {dirs, times(3)},
	} {
		if want == nil || !c.HasInput(i) {
			continue
		}
		if _, ok := graph.Merge(c.Shape(i), graph.ShapeOf(want...)); !ok {
			return c.InputErrorf(i, "has shape %v, must be %v for %d direction(s), %d gate(s), hidden size %v and input %v", c.Shape(i), graph.ShapeOf(want...), directions, gates, hidden, x)
		}
	}
	c.SetDims(0, y...)
	c.SetDims(1, state...)
	c.SetDims(2, state...)
	return nil
}
