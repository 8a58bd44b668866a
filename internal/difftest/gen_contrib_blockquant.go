package difftest

import (
	"math"

	"gort/tensor"
)

// contribBlockquantGenerators call products with block-quantized weights. There is
// none for MatMulFpQ4, which ONNX Runtime runs on CPUs with AVX-512 only.
var contribBlockquantGenerators = []Generator{
	{Domain: microsoft, Op: "MatMulNBits", Make: matMulNBits},
	{Domain: microsoft, Op: "MatMulBnb4", Make: matMulBnb4},
	{Domain: microsoft, Op: "GatherBlockQuantized", Make: gatherBlockQuantized},
}

func (g *G) bytes(shape ...int) *tensor.Tensor { return g.Range(tensor.Uint8, 0, 255, shape...) }

func matMulNBits(g *G) {
	d := g.DType("T1")
	bits, block := Pick(g, 2, 4, 4, 8), Pick(g, 16, 16, 16, 32, 32, 64)
	k, n := g.Between(1, 2)*block-Pick(g, 0, 0, 5), g.Between(1, 5)
	switch {
	case g.OneIn(12):
		block = 256
	case block == 16 && g.OneIn(3):
		n = 18
	}
	blocks := (k + block - 1) / block
	g.In(g.Range(d, -2, 2, append(g.Sizes(1, 2), k)...))
	g.Either(g.bytes(n, blocks, block*bits/8))
	g.Either(g.Range(d, 1.0/16, 1, n*blocks))
	zero, group, bias := g.Maybe(), bits == 4 && g.OneIn(4), g.OneIn(3)
	switch {
	case zero:
		z := g.DType("T3")
		if z == tensor.Uint8 {
			lo, hi := 0.0, 255.0
			if group {
				// With g_idx ONNX Runtime unpacks the zero points and then computes
				// with 8 in place of each; gort computes with what is given.
				lo, hi = 0x88, 0x88
			}
			g.Either(g.Range(tensor.Uint8, lo, hi, n*((blocks*bits+7)/8)))
		} else {
			if !g.Forces("T3") && (z != d || bits != 4) {
				g.Skip()
			}
			g.Either(g.Range(z, 4, 12, n*blocks))
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
		g.Either(g.Tensor(d, n))
	}
	g.Attr("K", k)
	g.Attr("N", n)
	if bits != 4 || g.Maybe() {
		g.Attr("bits", bits)
	}
	g.Attr("block_size", block)
	// At level 4 ONNX Runtime quantizes A.
	g.MaybeAttr("accuracy_level", g.IntN(4))
}

func matMulBnb4(g *G) {
	d := g.DType("T1")
	block := Pick(g, 16, 32, 64, 128)
	k, n := g.Between(1, 70), g.Between(1, 20)
	count := n * k
	g.In(g.Range(d, -2, 2, append(g.Sizes(1, 2), k)...))
	g.Either(g.bytes((count + 1) / 2))
	g.Either(g.Range(d, 1.0/16, 1, (count+block-1)/block))
	g.Attr("K", k)
	g.Attr("N", n)
	g.Attr("block_size", block)
	g.Attr("quant_type", g.IntN(2))
	g.MaybeAttr("training_mode", g.IntN(2))
}

func gatherBlockQuantized(g *G) {
	t, d, ind := g.DType("T1"), g.DType("T2"), g.DType("Tind")
	rank := g.Between(2, 4)
	bits, perByte, float := 4, 1, t.Class() == tensor.ClassFloat
	gather, quantize := g.Axis(rank), g.Axis(rank)
	if t == tensor.Uint8 {
		gather, quantize = Pick(g, 0, -rank), Pick(g, -1, rank-1)
		bits = Pick(g, 2, 4, 8)
		perByte = 8 / bits
	}
	at := (quantize + rank) % rank
	shape := make([]int, rank)
	for i := range shape {
		shape[i] = g.Between(1, 4)
	}
	block := 16
	if g.Maybe() {
		block = Pick(g, 16, 32, 128)
	} else if float && g.Maybe() {
		block = 0
	}
	shape[at] = g.Between(1, 40)
	scales := append([]int(nil), shape...)
	scales[at] *= perByte
	if block > 0 {
		scales[at] = (scales[at] + block - 1) / block
	} else {
		scales[at] = 1
	}
	if float {
		for i := range scales {
			if i != at && g.OneIn(3) {
				scales[i] = 1
			}
		}
	}
	var data *tensor.Tensor
	switch {
	case t == tensor.Uint8:
		data = g.bytes(shape...)
	case float:
		data = g.Range(t, -4, 4, shape...)
	default:
		data = g.Range(t, math.Inf(-1), math.Inf(1), shape...)
	}
	packed := t == tensor.Int4 || t == tensor.Uint4
	if packed {
		g.Const(data) // the program that runs ONNX Runtime feeds no such type
	} else {
		g.Either(data)
	}
	size := shape[(gather+rank)%rank]
	g.In(g.Range(ind, float64(-size), float64(size-1), g.Shape(0, 2)...))
	g.Either(g.Range(d, 1.0/16, 4, scales...))
	if !float && g.Maybe() {
		zeros := append([]int(nil), scales...)
		zeros[at] = (zeros[at] + perByte - 1) / perByte
		if t == tensor.Uint8 {
			g.Either(g.bytes(zeros...))
		} else {
			g.Const(g.Range(t, math.Inf(-1), math.Inf(1), zeros...))
		}
	}
	if bits != 4 || g.Maybe() {
		g.Attr("bits", bits)
	}
	if block != 128 || g.Maybe() {
		g.Attr("block_size", block)
	}
	if quantize != 1 || g.Maybe() {
		g.Attr("quantize_axis", quantize)
	}
	if gather != 0 || g.Maybe() {
		g.Attr("gather_axis", gather)
	}
}
