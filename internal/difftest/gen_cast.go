package difftest

import "gort/tensor"

// castGenerators call conversions.
var castGenerators = []Generator{
	{Op: "Cast", Make: cast},
	{Op: "CastLike", Make: castLike},
	{Op: "BitCast", Make: func(g *G) {
		from := g.DType("T1")
		var same []tensor.DType
		for _, d := range g.Def.Signature().Types["T2"].Tensor.List() {
			if d.Bits() == from.Bits() {
				same = append(same, d)
			}
		}
		to := Pick(g, same...)
		if g.Forces("T2") {
			to = g.DType("T2")
			if from.Bits() != to.Bits() {
				g.Skip()
			}
		}
		g.Data(g.Tensor(from, g.Shape(0, 3)...))
		g.Attr("to", int(to))
	}},
}

// castable draws elements of one type that have a counterpart in another: what lies
// beyond an integer type's range, the specification leaves open.
func (g *G) castable(from, to tensor.DType, shape ...int) *tensor.Tensor {
	lo, hi := -3.0, 3.0
	for _, d := range []tensor.DType{from, to} {
		switch {
		case d.Class() == tensor.ClassUint || d == tensor.Float8E8M0:
			lo = 0
		case d.Class() == tensor.ClassInt:
			lo = max(lo, -2)
		}
		if d.Bits() == 2 {
			hi = 1
		}
	}
	if from != tensor.String {
		return g.Range(from, lo, hi, shape...)
	}
	// Numbers as text; quarters are short in decimal too.
	t := g.Range(tensor.Int64, 4*lo, 4*hi, shape...)
	list := make([]float64, t.Size())
	for i, v := range tensor.Elements[int64](t) {
		list[i] = float64(v) / 4
		if to.Class() != tensor.ClassFloat {
			list[i] = float64(v / 4)
		}
	}
	if to.Class() != tensor.ClassFloat {
		whole := tensor.Must(tensor.Convert(fromSlice(list, shape), tensor.Int64, tensor.ConvertOptions{}))
		return tensor.Must(tensor.Convert(whole, tensor.String, tensor.ConvertOptions{}))
	}
	return tensor.Must(tensor.Convert(fromSlice(list, shape), tensor.String, tensor.ConvertOptions{}))
}

// castNames are the types as version 1 of Cast has them.
var castNames = map[tensor.DType]string{
	tensor.Float32: "FLOAT", tensor.Uint8: "UINT8", tensor.Int8: "INT8", tensor.Uint16: "UINT16", tensor.Int16: "INT16", tensor.Int32: "INT32",
	tensor.Int64: "INT64", tensor.Bool: "BOOL", tensor.Float16: "FLOAT16", tensor.Float64: "DOUBLE", tensor.Uint32: "UINT32", tensor.Uint64: "UINT64",
}

func cast(g *G) {
	from, to := g.DType("T1"), g.DType("T2")
	g.Data(g.castable(from, to, g.Shape(0, 3)...))
	if g.Since() == 1 {
		g.AskVersion(6).Attr("to", int(to)) // with which ONNX Runtime begins
		g.Attr("to", castNames[to])
		return
	}
	g.Attr("to", int(to))
	g.castModes(from, to)
}

func castLike(g *G) {
	from, to := g.DType("T1"), g.DType("T2")
	g.Data(g.castable(from, to, g.Shape(0, 3)...))
	g.Data(g.Range(to, 0, 1, g.Shape(0, 2)...))
	g.castModes(from, to)
}

func (g *G) castModes(from, to tensor.DType) {
	if g.Since() >= 19 && to.Class() == tensor.ClassFloat && to.Bits() == 8 {
		g.MaybeAttr("saturate", g.IntN(2))
	}
	if g.Since() >= 24 && to == tensor.Float8E8M0 {
		g.MaybeAttr("round_mode", Pick(g, "up", "down", "nearest"))
	}
}
