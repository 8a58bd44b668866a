package difftest

import (
	"fmt"

	"gort/graph"
	"gort/tensor"
)

// contribGenerationGenerators call searches for sequences of tokens, with random
// decoders so small that they are part of the stored call.
var contribGenerationGenerators = []Generator{
	{Domain: microsoft, Op: "GreedySearch", Make: greedySearch},
	{Domain: microsoft, Op: "BeamSearch", Make: beamSearch},
}

// tokenSearch is what the calls of searches have in common.
type tokenSearch struct{ vocabulary, batch, prompt, length, end, pad int }

// noise returns elements of which no two sums are likely to be equal, so that the best
// token never depends on the order of additions.
func (g *G) noise(scale float64, shape ...int) *tensor.Tensor {
	n := 1
	for _, d := range shape {
		n *= d
	}
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(scale * g.NormFloat64())
	}
	return fromSlice(list, shape)
}

// gptDecoder returns a decoder of one or two layers that has the inputs and outputs of
// a GPT, and whose logits depend on all of them: the embeddings of tokens and positions
// are added, kept as past, and summed over the tokens that the mask leaves.
func (g *G) gptDecoder(vocabulary, length int) *graph.Graph {
	layers, heads, width := g.Between(1, 2), g.Between(1, 2), g.Between(2, 3)
	hidden := heads * width
	d := graph.New("decoder")
	value := func(name string, t tensor.DType, dims ...int) graph.ValueID {
		list := make([]graph.Dim, len(dims))
		for i, n := range dims {
			if n >= 0 {
				list[i] = graph.Known(n)
			}
		}
		return must(d.AddValue(name, graph.TensorType(t, graph.ShapeOf(list...))))
	}
	input := func(name string, t tensor.DType, dims ...int) graph.ValueID {
		id := value(name, t, dims...)
		if err := d.AddInput(id); err != nil {
			panic(err)
		}
		return id
	}
	constant := func(t *tensor.Tensor) graph.ValueID {
		return must(d.AddConst(fmt.Sprint("decoder_c", d.ValueBound()), t))
	}
	into := func(out graph.ValueID, op string, attrs []graph.Attr, in ...graph.ValueID) graph.ValueID {
		must(d.AddNode(graph.NodeSpec{Op: op, Opset: plainOpset, Attrs: attrs, Inputs: in, Outputs: []graph.ValueID{out}}))
		return out
	}
	node := func(op string, attrs []graph.Attr, in ...graph.ValueID) graph.ValueID {
		return into(must(d.AddValue(fmt.Sprint("decoder_v", d.ValueBound()), graph.Type{})), op, attrs, in...)
	}
	axis := func(n int64) []graph.Attr { return []graph.Attr{graph.NewAttr("axis", n)} }
	longs := func(v ...int64) graph.ValueID { return constant(fromSlice(v, []int{len(v)})) }

	ids, at, mask := input("input_ids", tensor.Int32, -1, -1), input("position_ids", tensor.Int32, -1, -1), input("attention_mask", tensor.Int32, -1, -1)
	x := node("Add", nil, node("Gather", nil, constant(g.noise(1, vocabulary, hidden)), ids), node("Gather", nil, constant(g.noise(0.5, length+1, hidden)), at))
	split := node("Transpose", []graph.Attr{graph.NewAttr("perm", []int64{0, 2, 1, 3})}, node("Reshape", nil, x, longs(0, 0, int64(heads), int64(width))))
	kept := node("Unsqueeze", nil, node("Cast", []graph.Attr{graph.NewAttr("to", int64(1))}, mask), longs(1, 3))
	state, presents := x, []graph.ValueID{}
	for layer := range layers {
		past := input(fmt.Sprint("past_", layer), tensor.Float32, 2, -1, heads, -1, width)
		key := node("Unsqueeze", nil, split, longs(0))
		now := node("Concat", axis(0), key, node("Mul", nil, key, constant(g.noise(1, 1))))
		present := into(value(fmt.Sprint("present_", layer), tensor.Float32, 2, -1, heads, -1, width), "Concat", axis(3), past, now)
		presents = append(presents, present)
		one := node("Gather", axis(0), present, constant(tensor.Scalar(int64(1-layer))))
		sum := node("ReduceSum", nil, node("Mul", nil, one, kept), longs(2)) // [batch, heads, 1, width]
		flat := node("Reshape", nil, sum, longs(0, 1, int64(hidden)))
		state = node("Add", nil, state, node("Tanh", nil, node("MatMul", nil, flat, constant(g.noise(1, hidden, hidden)))))
	}
	logits := into(value("logits", tensor.Float32, -1, -1, vocabulary), "MatMul", nil, state, constant(g.noise(1.5, hidden, vocabulary)))
	for _, id := range append([]graph.ValueID{logits}, presents...) {
		if err := d.AddOutput(id); err != nil {
			panic(err)
		}
	}
	return d
}

// search draws the attributes and the prompt.
func (g *G) search() tokenSearch {
	s := tokenSearch{vocabulary: g.Between(11, 20), batch: g.Between(1, 3), prompt: g.Between(1, 5)}
	s.length = s.prompt + g.Between(1, 9)
	s.end, s.pad = g.IntN(s.vocabulary), g.IntN(s.vocabulary)
	g.Attr("decoder", g.gptDecoder(s.vocabulary, s.length))
	g.Attr("eos_token_id", s.end)
	g.Attr("pad_token_id", s.pad)
	g.MaybeAttr("no_repeat_ngram_size", g.IntN(4))
	if g.OneIn(3) {
		g.Attr("vocab_size", s.vocabulary)
	}
	if g.OneIn(4) {
		g.Attr("model_type", 0)
	}
	ids := make([]int32, s.batch*s.prompt)
	for i := range ids {
		ids[i] = int32(g.IntN(s.vocabulary))
	}
	for b := range s.batch {
		// Prompts of unequal length are padded on the left.
		for j := range g.IntN(s.prompt) {
			ids[b*s.prompt+j] = int32(s.pad)
		}
	}
	g.In(fromSlice(ids, []int{s.batch, s.prompt}))
	g.one32(s.length)
	return s
}

// one32 adds an input of one int32.
func (g *G) one32(v int) { g.Either(fromSlice([]int32{int32(v)}, []int{1})) }

// oneFloat adds an input of one float.
func (g *G) oneFloat(v float32) { g.Either(fromSlice([]float32{v}, []int{1})) }

// most32 adds a mask: 1 in keep of keep+1 places.
func (g *G) most32(keep int, shape ...int) {
	n := 1
	for _, d := range shape {
		n *= d
	}
	mask := make([]int32, n)
	for i := range mask {
		if g.IntN(keep+1) > 0 {
			mask[i] = 1
		}
	}
	g.In(fromSlice(mask, shape))
}

// leastLength adds min_length, often omitted.
func (g *G) leastLength(s tokenSearch) {
	if g.Maybe() {
		g.Omit()
		return
	}
	g.one32(g.IntN(s.length))
}

func (g *G) repetition() {
	if g.Maybe() {
		g.Omit()
		return
	}
	g.oneFloat(Pick(g, float32(1), 1.3, 2, 0.7))
}

// masks adds vocab_mask, prefix_vocab_mask and attention_mask, each often omitted.
func (g *G) masks(s tokenSearch) {
	for i, shape := range [][]int{{s.vocabulary}, {s.batch, s.vocabulary}, {s.batch, s.prompt}} {
		if g.Maybe() {
			g.Omit()
			continue
		}
		g.most32(3+2*i, shape...)
	}
}

func greedySearch(g *G) {
	s := g.search()
	g.leastLength(s)
	g.repetition()
	g.masks(s)
}

func beamSearch(g *G) {
	s := g.search()
	g.MaybeAttr("early_stopping", g.IntN(2))
	// ONNX Runtime refuses calls without these two, which the definition calls optional.
	g.one32(g.IntN(s.length))
	beams := g.Between(1, 4)
	g.one32(beams)
	g.one32(g.Between(1, beams))
	g.oneFloat(Pick(g, float32(1), 0.5, 2, 0))
	g.repetition()
	g.masks(s)
	g.OutputCount(g.Between(1, 2))
}
