package difftest

import "gort/tensor"

// contribMoEGenerators call mixtures of experts, as far as ONNX Runtime's CPU kernels
// go: without fc3, swiglu with alternating operands only, without a sparse mixer.
var contribMoEGenerators = []Generator{
	{Domain: microsoft, Op: "MoE", Make: mixtureOfExperts},
	// Terms of the sums are far larger than some of their results, and ONNX Runtime
	// adds them up in another order.
	{Domain: microsoft, Op: "QMoE", Make: quantizedExperts, ATol: 1e-4},
}

// experts draws what both have: attributes, the rows and the router's logits. wide is
// how many times as wide as the other the first layer is.
func (g *G) experts(d tensor.DType, hidden int) (experts, wide int) {
	experts = g.Between(1, 4)
	k := g.Between(1, min(experts, 3))
	wide = 1
	if k != 1 || g.Maybe() {
		g.Attr("k", k)
	}
	if a := Pick(g, "relu", "gelu", "silu", "identity", "swiglu", "swiglu"); a == "swiglu" {
		wide = 2
		g.Attr("swiglu_fusion", 1)
		g.Attr("activation_type", a)
		g.MaybeAttr("activation_alpha", float32(1.702))
		g.MaybeAttr("activation_beta", float32(1))
		g.MaybeAttr("swiglu_limit", float32(1.5))
	} else if a != "relu" || g.Maybe() {
		g.Attr("activation_type", a)
	}
	g.MaybeAttr("normalize_routing_weights", g.IntN(2))
	shape := []int{g.Between(1, 7), hidden}
	rows := shape[0]
	if g.Maybe() {
		shape = []int{g.Between(1, 3), g.Between(1, 3), hidden}
		rows = shape[0] * shape[1]
	}
	g.In(g.Range(d, -1, 1, shape...))
	g.In(g.Range(d, -3, 3, rows, experts))
	return experts, wide
}

func mixtureOfExperts(g *G) {
	d := g.DType("T")
	if d == tensor.Float16 && !g.Forces("T") {
		g.Skip() // ONNX Runtime's CPU kernel does not transpose weights of that type
	}
	hidden, inner := g.Between(1, 8), g.Between(1, 8)
	experts, wide := g.experts(d, hidden)
	layer := func(out, in int) {
		shape := []int{experts, out, in}
		g.Either(g.Range(d, -1, 1, shape...))
		if g.Maybe() {
			g.Either(g.Range(d, -1, 1, experts, out))
		} else {
			g.Omit()
		}
	}
	layer(wide*inner, hidden)
	layer(hidden, inner)
}

func quantizedExperts(g *G) {
	d := g.DType("T")
	scale := d
	if g.Forces("T2") {
		scale = g.DType("T2")
	}
	bits, block := Pick(g, 2, 4, 8), Pick(g, 0, 0, 16)
	hidden, inner := 8*g.Between(1, 2), 8*g.Between(1, 2)
	if block > 0 {
		// With one block a row ONNX Runtime reads zero points as if there were none.
		hidden, inner = 2*block, 2*block
	}
	experts, wide := g.experts(d, hidden)
	layer := func(out, in int) (zeros *tensor.Tensor) {
		g.Const(g.bytes(experts, out, in*bits/8))
		scales, z := []int{experts, out}, []int{experts, (out*bits + 7) / 8}
		if block > 0 {
			scales, z = []int{experts, out, in / block}, []int{experts, out, (in/block*bits + 7) / 8}
		}
		g.Const(g.smallScales(scale, bits, scales...))
		if g.Maybe() {
			g.Either(g.Range(d, -1, 1, experts, out))
		} else {
			g.Omit()
		}
		return g.bytes(z...)
	}
	z1, z2 := layer(wide*inner, hidden), layer(hidden, inner)
	if zeros, weights := g.Maybe(), g.OneIn(3); zeros || weights {
		for range 3 {
			g.Omit()
		}
		if zeros {
			g.Const(z1)
			g.Const(z2)
		} else {
			g.Omit()
			g.Omit()
		}
		if weights {
			g.Omit()
			router := g.c.Inputs[1].Value.(*tensor.Tensor)
			g.In(g.Range(d, 0, 2, router.Shape()...))
		}
	}
	if bits != 4 || g.Maybe() {
		g.Attr("expert_weight_bits", bits)
	}
	if block > 0 {
		g.Attr("block_size", block)
	}
}

// smallScales returns scales that make numbers of the size of one out of elements of
// bits, exact in every floating-point type of 16 bits and more.
func (g *G) smallScales(d tensor.DType, bits int, shape ...int) *tensor.Tensor {
	t := g.Range(tensor.Float32, 1, 2, shape...)
	for i, v := range tensor.Elements[float32](t) {
		tensor.Elements[float32](t)[i] = v / float32(int(1)<<bits)
	}
	return tensor.Must(tensor.Convert(t, d, tensor.ConvertOptions{}))
}
