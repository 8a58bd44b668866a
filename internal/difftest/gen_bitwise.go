package difftest

import "gort/tensor"

// bitwiseGenerators call operators on the bits of integers.
var bitwiseGenerators = []Generator{
	{Op: "BitwiseAnd", Make: bitwise},
	{Op: "BitwiseOr", Make: bitwise},
	{Op: "BitwiseXor", Make: bitwise},
	{Op: "BitwiseNot", Make: func(g *G) { g.In(g.bits(g.DType("T"), g.Shape(0, 4))) }},
	{Op: "BitShift", Make: bitShift},
}

// bits returns integers of which the highest bits are set as well.
func (g *G) bits(d tensor.DType, shape []int) *tensor.Tensor {
	list := make([]uint64, tensor.Shape(shape).Size())
	for i := range list {
		list[i] = g.Uint64()
	}
	return tensor.Must(tensor.Convert(fromSlice(list, shape), d, tensor.ConvertOptions{}))
}

func bitwise(g *G) {
	d, shape := g.DType("T"), g.Shape(0, 4)
	a, b := shape, g.Broadcastable(shape)
	if g.Maybe() {
		a, b = b, a
	}
	g.In(g.bits(d, a))
	g.Either(g.bits(d, b))
}

// bitShift shifts by less than there are bits; by more, the specification says nothing.
func bitShift(g *G) {
	d, shape := g.DType("T"), g.Shape(0, 4)
	a, b := shape, g.Broadcastable(shape)
	if g.Maybe() {
		a, b = b, a
	}
	g.In(g.bits(d, a))
	g.Either(g.Range(d, 0, float64(d.Bits()-1), b...))
	g.Attr("direction", Pick(g, "LEFT", "RIGHT"))
}
