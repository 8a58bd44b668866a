package op

import (
	"math/bits"

	"gort/graph"
)

// Mixtures of experts (com.microsoft): a router picks for each row k of the experts,
// which are two layers each; the result is the weighted sum of theirs.
var contribMoEDefs = []Def{
	{Domain: "com.microsoft", Name: "MoE", Since: 1,
		Inputs:  "input: T; router_probs: T; fc1_experts_weights: T; fc1_experts_bias?: T; fc2_experts_weights: T; fc2_experts_bias?: T; fc3_experts_weights?: T; fc3_experts_bias?: T",
		Outputs: "output: T",
		Attrs:   "activation_alpha: float = 1; activation_beta: float = 0; activation_type: string = relu; k: int = 1; normalize_routing_weights: int = 0; swiglu_fusion: int = 0; swiglu_limit: float; use_sparse_mixer: int = 0",
		Types:   "T = float float16 bfloat16",
		Infer:   inferMoE},
	// Floating-point weights, with scales of their own and for activations (inputs 15
	// to 20), are for other devices than CPUs.
	{Domain: "com.microsoft", Name: "QMoE", Since: 1,
		Inputs:  "input: T; router_probs: T; fc1_experts_weights: T1; fc1_scales?: T2; fc1_experts_bias?: T; fc2_experts_weights: T1; fc2_scales?: T2; fc2_experts_bias?: T; fc3_experts_weights?: T1; fc3_scales?: T2; fc3_experts_bias?: T; fc1_zero_points?: T1; fc2_zero_points?: T1; fc3_zero_points?: T1; router_weights?: T",
		Outputs: "output: T",
		Attrs:   "accuracy_level: int = 0; activation_alpha: float = 1; activation_beta: float = 0; activation_type: string = relu; block_size: int = 0; expert_weight_bits: int = 4; k: int = 1; normalize_routing_weights: int = 0; quant_type: string = int; swiglu_fusion: int = 0; swiglu_limit: float; use_sparse_mixer: int = 0; weights_prepacked: int = -1",
		Types:   "T = float float16 bfloat16; T1 = uint8; T2 = float float16 bfloat16",
		Infer:   inferQMoE},
}

// expertLayer is where a layer of the experts has its inputs; -1 for none.
type expertLayer struct{ weights, scales, bias, zeros int }

var (
	moeLayers  = [3]expertLayer{{2, -1, 3, -1}, {4, -1, 5, -1}, {6, -1, 7, -1}}
	qmoeLayers = [3]expertLayer{{2, 3, 4, 11}, {5, 6, 7, 12}, {8, 9, 10, 13}}
)

func inferMoE(c *Context) error {
	if err := c.wantRouting(); err != nil {
		return err
	}
	return c.wantExperts(moeLayers, 32, 0)
}

func inferQMoE(c *Context) error {
	if err := c.wantRouting(); err != nil {
		return err
	}
	width, block := c.Int("expert_weight_bits"), c.Int("block_size")
	if width != 2 && width != 4 && width != 8 {
		return c.AttrErrorf("expert_weight_bits", "is %d, allowed are 2, 4 and 8", width)
	}
	if block != 0 && (block < 16 || block > maxBlock || bits.OnesCount(uint(block)) != 1) {
		return c.AttrErrorf("block_size", "is %d, must be 0 (one block a row) or a power of two from 16 to %d", block, maxBlock)
	}
	if l := c.Int("accuracy_level"); l < 0 || l > 4 {
		return c.AttrErrorf("accuracy_level", "is %d, allowed are 0 to 4", l)
	}
	if c.HasInput(14) {
		if _, ok := graph.Merge(c.Shape(14), c.Shape(1)); !ok {
			return c.InputErrorf(14, "shape %v must be that of router_probs, %v", c.Shape(14), c.Shape(1))
		}
	}
	if q := c.String("quant_type"); q != "int" {
		return c.AttrErrorf("quant_type", "is %q, must be int", q)
	}
	if c.Int("weights_prepacked") == 1 {
		return c.AttrErrorf("weights_prepacked", "is 1: the weights are in a form of one device; export the model without it")
	}
	for _, l := range qmoeLayers {
		if c.HasInput(l.weights) && !c.HasInput(l.scales) {
			return c.InputErrorf(l.scales, "is missing: integer weights come with scales")
		}
	}
	return c.wantExperts(qmoeLayers, width, block)
}

// wantRouting checks the attributes that both have, and the rows' shape.
func (c *Context) wantRouting() error {
	switch a := c.String("activation_type"); a {
	case "relu", "gelu", "silu", "identity":
	case "swiglu":
		switch f := c.Int("swiglu_fusion"); {
		case f < 0 || f > 2:
			return c.AttrErrorf("swiglu_fusion", "is %d, allowed are 0 (gate in fc1, the other in fc3), 1 (both in fc1, alternating) and 2 (both in fc1, one after the other)", f)
		case f == 0 && !c.HasInput(c.fc3()):
			return c.AttrErrorf("swiglu_fusion", "is 0, which needs fc3_experts_weights")
		case f != 0 && c.HasInput(c.fc3()):
			return c.InputErrorf(c.fc3(), "is given, but swiglu_fusion is %d: fc1 holds its weights", f)
		}
	default:
		return c.AttrErrorf("activation_type", "is %q, allowed are relu, gelu, silu, identity and swiglu", a)
	}
	if limit := c.Float("swiglu_limit"); c.Has("swiglu_limit") && !(limit >= 0) {
		return c.AttrErrorf("swiglu_limit", "is %v, must not be negative", limit)
	}
	k := c.Int("k")
	if n, ok := c.Shape(1).Dim(1).Size(); k < 1 || ok && k > n {
		return c.AttrErrorf("k", "is %d, must be 1 or more, and no more than there are experts in router_probs %v", k, c.Shape(1))
	}
	if c.Bool("use_sparse_mixer") && k != 2 {
		return c.AttrErrorf("use_sparse_mixer", "is set, which needs k = 2; it is %d", k)
	}
	if r, ok := c.Shape(0).Rank(); ok && r != 2 && r != 3 {
		return c.InputErrorf(0, "shape %v has rank %d, must have 2 or 3", c.Shape(0), r)
	}
	if err := c.WantRank(1, 2); err != nil {
		return err
	}
	if s := c.Shape(0); s.IsRanked() {
		dims := s.Dims()
		if _, ok := graph.MergeDim(product(dims[:len(dims)-1]), c.Shape(1).Dim(0)); !ok {
			return c.InputErrorf(1, "shape %v must have a row for each of the input, which is %v", c.Shape(1), s)
		}
	}
	c.SetShape(0, c.Shape(0))
	return nil
}

// fc3 is the input with the third layer's weights.
func (c *Context) fc3() int {
	if c.Def.Name == "MoE" {
		return moeLayers[2].weights
	}
	return qmoeLayers[2].weights
}

// wantExperts checks the shapes of the experts' layers: weights are [experts, out, in]
// with 8/width elements in a byte (width 32: numbers), or written as [experts, in,
// out] though they lie in memory as the others, as older exporters have it.
func (c *Context) wantExperts(layers [3]expertLayer, width, block int) error {
	perByte := max(8/width, 1)
	hidden, experts := c.Shape(0).Dim(-1), c.Shape(1).Dim(1)
	if !c.Shape(0).IsRanked() {
		hidden = graph.Dim{}
	}
	fused := 1
	if c.String("activation_type") == "swiglu" && c.Int("swiglu_fusion") != 0 {
		fused = 2
	}
	inner := graph.Dim{} // the width between the layers
	if w := c.Shape(layers[1].weights); w.HasRank(3) {
		a, okA := w.Dim(1).Size()
		b, okB := w.Dim(2).Size()
		h, okH := hidden.Size()
		if all, ok := mulSize(a, b); okA && okB && okH && h > 0 && ok && all <= maxWeights {
			inner = graph.Known(all * perByte / h)
		}
	}
	for i, l := range layers {
		if !c.HasInput(l.weights) {
			continue
		}
		out, in := times(inner, fused), hidden
		switch i {
		case 1:
			out, in = hidden, inner
		case 2:
			out = inner
		}
		if err := c.wantLayer(l, experts, out, in, perByte, block); err != nil {
			return err
		}
	}
	return nil
}

func (c *Context) wantLayer(l expertLayer, experts, out, in graph.Dim, perByte, block int) error {
	w := c.Shape(l.weights)
	if err := c.WantRank(l.weights, 3); err != nil {
		return err
	}
	if n, ok := in.Size(); ok && n%perByte != 0 {
		return c.InputErrorf(l.weights, "shape %v has rows of %d elements, %d of which are in a byte; such rows can not be told apart", w, n, perByte)
	}
	shape, legacy := graph.ShapeOf(experts, out, split(in, perByte)), graph.ShapeOf(experts, in, split(out, perByte))
	if _, ok := graph.Merge(w, shape); !ok {
		if _, ok := graph.Merge(w, legacy); !ok {
			return c.InputErrorf(l.weights, "shape %v must be %v: experts, outputs, inputs", w, shape)
		}
	}
	want := func(i int, shape graph.Shape) error {
		if i < 0 || !c.HasInput(i) {
			return nil
		}
		if _, ok := graph.Merge(c.Shape(i), shape); !ok {
			return c.InputErrorf(i, "shape %v must be %v", c.Shape(i), shape)
		}
		return nil
	}
	if err := want(l.bias, graph.ShapeOf(experts, out)); err != nil {
		return err
	}
	scales, zeros := graph.ShapeOf(experts, out), graph.ShapeOf(experts, units(out, perByte))
	if block > 0 {
		blocks := units(in, block)
		scales, zeros = graph.ShapeOf(experts, out, blocks), graph.ShapeOf(experts, out, units(blocks, perByte))
	}
	if err := want(l.scales, scales); err != nil {
		return err
	}
	return want(l.zeros, zeros)
}

// split is a dimension that is cut into parts of n elements.
func split(d graph.Dim, n int) graph.Dim {
	if n == 1 {
		return d
	}
	if size, ok := d.Size(); ok {
		return graph.Known(size / n)
	}
	return graph.Dim{}
}
