package difftest

import (
	"errors"

	"gort/graph"
	"gort/tensor"
)

// flexGenerators call attention with graphs over its scores, which ONNX Runtime lacks:
// kernel and function body have to agree.
var flexGenerators = []Generator{
	{Domain: "ai.onnx.preview", Op: "FlexAttention", Make: flexAttention},
}

func flexAttention(g *G) {
	d := g.DType("T1")
	batch, kvHeads, rows, keys := g.Between(1, 2), g.Between(1, 2), g.Between(1, 4), g.Between(1, 5)
	heads, size, vsize := kvHeads*g.Between(1, 2), g.Between(1, 5), g.Between(1, 5)
	g.In(g.Range(d, -2, 2, batch, heads, rows, size))
	g.In(g.Range(d, -2, 2, batch, kvHeads, keys, size))
	g.In(g.Range(d, -2, 2, batch, kvHeads, keys, vsize))
	g.MaybeAttr("scale", float32(0.5))
	between := d
	if d == tensor.Float16 || d == tensor.BFloat16 {
		between = tensor.Float32
	}
	if g.OneIn(3) && d != tensor.Float64 { // narrower scores round once more in the function body
		between = Pick(g, tensor.Float32, tensor.Float64)
		g.Attr("softmax_precision", int(between))
	}
	if g.Maybe() {
		g.Attr("score_mod", scoreGraph("Tanh", between))
	}
	if g.Maybe() {
		g.Attr("prob_mod", scoreGraph("Sqrt", between))
	}
}

// scoreGraph is a graph of one node that keeps type and shape.
func scoreGraph(name string, d tensor.DType) *graph.Graph {
	sub := graph.New(name)
	x, err := sub.AddValue("x", graph.TensorType(d, graph.Shape{}))
	y, errY := sub.AddValue("y", graph.TensorType(d, graph.Shape{}))
	_, errNode := sub.AddNode(graph.NodeSpec{Name: "mod", Op: name, Opset: plainOpset, Inputs: []graph.ValueID{x}, Outputs: []graph.ValueID{y}})
	if err := errors.Join(err, errY, sub.AddInput(x), errNode, sub.AddOutput(y)); err != nil {
		panic(err) // nothing that is drawn could be the reason
	}
	return sub
}
