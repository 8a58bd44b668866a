package difftest

import (
	"slices"

	"gort/tensor"
)

// scan makes scans along any axis in both directions. The states of its bodies are
// sums, or what was scanned the step before.
func scan(g *G) {
	g.controlOpset()
	old := g.Since() < 9
	steps, batch := g.Between(1, 4), g.Between(1, 3)
	if !old && g.OneIn(20) { // which ONNX Runtime refuses
		steps = 0
	}
	t := g.Type("V")
	if old {
		if g.OneIn(3) {
			lens := make([]int, batch)
			for i := range lens {
				lens[i] = g.Between(1, steps)
			}
			g.In(Ints(tensor.Int64, lens...))
		} else {
			g.Omit()
		}
	}
	s := g.Body()
	inputs, nStates := g.Between(1, 2), g.IntN(3)
	item := g.Sizes(0, 2)
	dims := func(i int) []int {
		if i == 0 {
			return item
		}
		return g.Sizes(0, 2)
	}
	typ := func(i int) tensor.Type {
		if i == 0 {
			return t
		}
		return Pick(g, tensor.TensorOf(tensor.Float32), tensor.TensorOf(tensor.Int64), t)
	}
	// State i is of the type and shape of scan input i, so that one can become the other.
	types, shapes := make([]tensor.Type, 2), make([][]int, 2)
	for i := range types {
		types[i], shapes[i] = typ(i), dims(i)
	}
	var states, scanned, out []Operand
	for i := range nStates {
		states = append(states, s.In(types[i], shapes[i]))
		shape := shapes[i]
		if old {
			shape = append([]int{batch}, shape...)
		}
		g.In(g.Tensor(types[i].DType, shape...))
	}
	var inAxes, inBack []int
	for i := range inputs {
		scanned = append(scanned, s.In(types[i], shapes[i]))
		shape := slices.Clone(shapes[i])
		if old {
			shape = append([]int{batch, steps}, shape...)
		} else {
			axis := g.IntN(len(shape) + 1)
			shape = slices.Insert(shape, axis, steps)
			inAxes = append(inAxes, g.fromEither(axis, len(shape)))
		}
		inBack = append(inBack, g.IntN(2))
		g.In(g.Tensor(types[i].DType, shape...))
	}
	for i, st := range states {
		switch {
		case i < inputs && s.adds(st.Type.DType) && g.Maybe():
			out = append(out, s.Do("Add", st.Type, st.Dims, nil, st, scanned[i]))
		case i < inputs && g.Maybe():
			out = append(out, s.pass(scanned[i]))
		case g.Maybe() && s.passes(st.Type):
			out = append(out, s.make(st.Type, st.Dims))
		default:
			out = append(out, s.pass(st))
		}
	}
	outputs := g.IntN(3)
	if nStates == 0 {
		outputs = max(outputs, 1)
	}
	var outAxes, outBack []int
	for range outputs {
		o := Pick(g, append(slices.Clone(states), scanned...)...)
		if g.Maybe() && s.passes(o.Type) {
			o = s.make(o.Type, g.Sizes(0, 2))
		} else {
			o = s.pass(o)
		}
		out = append(out, o)
		outAxes = append(outAxes, g.fromEither(g.IntN(len(o.Dims)+1), len(o.Dims)+1))
		outBack = append(outBack, g.IntN(2))
	}
	g.Attr("body", s.Out(out...))
	g.Attr("num_scan_inputs", inputs)
	if old {
		g.MaybeAttr("directions", inBack)
	} else {
		// Without axes they are 0, which the inputs then have to be made for.
		if slices.ContainsFunc(inAxes, func(a int) bool { return a != 0 }) || g.Maybe() {
			g.Attr("scan_input_axes", inAxes)
		}
		g.MaybeAttr("scan_input_directions", inBack)
		if outputs > 0 {
			g.MaybeAttr("scan_output_axes", outAxes)
			g.MaybeAttr("scan_output_directions", outBack)
		}
	}
	g.OutputCount(nStates + outputs)
}

// fromEither counts an axis from the front or from the back.
func (g *G) fromEither(axis, rank int) int {
	if g.Maybe() {
		return axis - rank
	}
	return axis
}

// pass is Copy, or the value itself where Identity does not take its type.
func (s *Sub) pass(o Operand) Operand {
	if s.passes(o.Type) {
		return s.Copy(o)
	}
	return o
}
