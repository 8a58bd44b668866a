package difftest

import "gort/tensor"

// contribBlockquantGenerators call products with block-quantized weights.
var contribBlockquantGenerators = []Generator{
	{Domain: microsoft, Op: "MatMulNBits", Make: matMulNBits},
}

func matMulNBits(g *G) {
	d := g.DType("T1")
	bits, block := Pick(g, 4, 4, 8), Pick(g, 16, 32)
	k, n := g.Between(1, 3)*block-Pick(g, 0, 0, 5), g.Between(1, 5)
	blocks := (k + block - 1) / block
	bytes := func(lo, hi float64, shape ...int) *tensor.Tensor { return g.Range(tensor.Uint8, lo, hi, shape...) }
	g.In(g.Range(d, -2, 2, append(g.Sizes(1, 2), k)...))
	g.Const(bytes(0, 255, n, blocks, block*bits/8))
	g.Const(g.Range(d, 1.0/16, 1, n*blocks))
	zero, group, bias := g.Maybe(), bits == 4 && g.OneIn(3), g.OneIn(3)
	switch {
	case zero:
		z := g.DType("T3")
		if z == tensor.Uint8 {
			// With packed zero points and g_idx the two runtimes disagree, and ONNX
			// Runtime's documentation does not settle how they go together.
			group = false
			g.Const(bytes(0, 255, n*((blocks*bits+7)/8)))
		} else {
			if !g.Forces("T3") && z != d {
				g.Skip()
			}
			g.Const(g.Range(z, 4, 12, n*blocks))
		}
	case group || bias:
		g.Omit()
	}
	if group {
		list := make([]int32, k)
		for i := range list {
			list[i] = int32(g.IntN(blocks))
		}
		g.Const(tensor.Must(tensor.FromSlice(list, k)))
	} else if bias {
		g.Omit()
	}
	if bias {
		g.Const(g.Tensor(d, n))
	}
	g.Attr("K", k)
	g.Attr("N", n)
	if bits != 4 || g.Maybe() {
		g.Attr("bits", bits)
	}
	g.Attr("block_size", block)
}
