package difftest

import "gort/tensor"

// contribGateGenerators call gates, states and other small operators that ONNX Runtime
// adds.
var contribGateGenerators = []Generator{
	{Domain: microsoft, Op: "GatedAdd", Make: func(g *G) {
		d, shape := g.DType("T"), g.Sizes(1, 4)
		g.In(g.Tensor(d, shape...))
		g.In(g.Tensor(d, shape...))
		g.In(g.Tensor(d, append(append([]int(nil), shape[:len(shape)-1]...), 1)...))
	}},
	{Domain: microsoft, Op: "GatedRMSNorm", Make: func(g *G) {
		d, shape, n := g.DType("T"), g.Sizes(1, 3), g.Between(1, 6)
		shape[len(shape)-1] = n * Pick(g, 1, 1, 2, 3)
		g.In(g.Tensor(d, shape...))
		g.Either(g.Range(d, 0.5, 2, n))
		g.In(g.Tensor(d, shape...))
		g.MaybeAttr("epsilon", float32(0.25))
	}},
	{Domain: microsoft, Op: "LinearAttentionGate", Make: func(g *G) {
		d, shape := g.DType("T"), g.Sizes(1, 3)
		heads := shape[len(shape)-1]
		g.In(g.Tensor(d, shape...))
		g.Either(g.Range(tensor.Float32, -1, 1, heads))
		g.Either(g.Range(tensor.Float32, -2, 0, heads))
		if g.Maybe() {
			g.In(g.Tensor(d, shape...))
			g.OutputCount(2)
		}
	}},
	{Domain: microsoft, Op: "EngramGate", Make: func(g *G) {
		d := g.DType("T")
		shape := []int{g.Between(1, 3), g.Between(1, 4), g.Between(1, 3), g.Between(1, 6)}
		g.In(g.Tensor(d, shape...))
		g.In(g.Tensor(d, shape...))
		g.In(g.Tensor(d, shape[0], shape[1], shape[3]))
		g.Either(g.Range(d, 0.5, 2, shape[2:]...))
		g.Either(g.Range(d, 0.5, 2, shape[2:]...))
		if g.Maybe() {
			g.Either(g.Range(d, 0.5, 2, shape[2:]...))
			g.OutputCount(2)
		}
		g.MaybeAttr("epsilon", float32(0.25))
	}},
	{Domain: microsoft, Op: "LinearAttention", Make: linearAttentionCall},
	{Domain: microsoft, Op: "CausalConvWithState", Make: causalConvCall},
	{Domain: microsoft, Op: "Inverse", Make: func(g *G) {
		// A large diagonal keeps matrices far from singular.
		d, n := g.DType("T"), g.Between(1, 5)
		x := tensor.Must(tensor.Convert(g.Range(tensor.Float64, -1, 1, append(g.Sizes(0, 2), n, n)...), tensor.Float64, tensor.ConvertOptions{}))
		list := tensor.Elements[float64](x)
		for i := range list {
			if i/n%n == i%n {
				list[i] += float64(Pick(g, -8, 8))
			}
		}
		g.In(tensor.Must(tensor.Convert(x, d, tensor.ConvertOptions{})))
	}},
	{Domain: microsoft, Op: "ConvTransposeWithDynamicPads", Make: func(g *G) {
		d, rank := g.DType("T"), g.Between(1, 3)
		group, per, out := g.Between(1, 2), g.Between(1, 3), g.Between(1, 3)
		x, w := []int{g.Between(1, 2), group * per}, []int{group * per, out}
		strides, pads := make([]int, rank), make([]int, 2*rank)
		for i := range rank {
			k, n := g.Between(1, 3), g.Between(2, 4)
			x, w = append(x, n), append(w, k)
			strides[i], pads[i], pads[rank+i] = g.Between(1, 2), g.IntN(2), 0
		}
		g.In(g.Tensor(d, x...))
		g.Either(g.Range(d, -1, 1, w...))
		g.Either(Ints(tensor.Int64, pads...))
		if g.Maybe() {
			g.Either(g.Tensor(d, group*out))
		}
		g.Attr("strides", strides)
		g.Attr("group", group)
		g.MaybeAttr("kernel_shape", w[2:])
	}},
	{Domain: microsoft, Op: "MaxpoolWithMask", Make: func(g *G) {
		v := g.window(g.Between(1, 3), false)
		g.In(g.Tensor(g.DType("T"), append([]int{g.Between(1, 2), g.Between(1, 3)}, v.in...)...))
		// One plane, as ONNX Runtime looks in the wrong place with more; and the first
		// element is on, as it does not look at it with more than one dimension.
		mask := g.Range(tensor.Int32, 0, 1, append([]int{1, 1}, v.in...)...)
		tensor.Elements[int32](mask)[0] = 1
		g.In(mask)
		g.Attr("kernel_shape", v.kernel)
		g.attrs(v)
	}},
	{Domain: microsoft, Op: "MRotaryEmbedding", Make: func(g *G) {
		d := g.DType("T")
		batch, heads, rows := g.Between(1, 3), g.Between(1, 3), g.Between(1, 4)
		sections := []int{g.Between(1, 2), g.IntN(3), g.IntN(3)}
		if g.Maybe() {
			g.Attr("mrope_layout", 1)
			sections[1] = sections[0]
			sections[2] = sections[0]
		}
		half := sections[0] + sections[1] + sections[2]
		size := 2 * half
		if g.OneIn(3) {
			size += 2 * g.Between(1, 2)
			g.Attr("rotary_embedding_dim", 2*half)
		}
		g.Attr("mrope_section", sections)
		g.Attr("num_heads", heads)
		g.MaybeAttr("interleaved", g.IntN(2))
		g.MaybeAttr("scale", float32(0.5))
		if g.Maybe() {
			g.In(g.Tensor(d, batch, rows, heads*size))
		} else {
			g.In(g.Tensor(d, batch, heads, rows, size))
		}
		g.In(g.Range(tensor.Int64, 0, float64(rows+2), 3, batch, rows))
		g.Const(g.Range(d, -1, 1, rows+3, half))
		g.Const(g.Range(d, -1, 1, rows+3, half))
	}},
}
