package op

import (
	"gort/graph"
	"gort/tensor"
)

// Searches for sequences of tokens (com.microsoft): a decoder, given as a graph, is run
// again and again with the tokens found so far. Of the two kinds of model that ONNX
// Runtime knows, GPT (model_type 0) and encoder-decoder (1), these definitions describe
// the first: input_ids are tokens that the sequences continue, never features, and
// decoder_start_token_id, with which an encoder's sequences begin, has no use.
var contribGenerationDefs = []Def{
	{Domain: "com.microsoft", Name: "GreedySearch", Since: 1,
		Inputs:        "input_ids: I; max_length: I; min_length?: I; repetition_penalty?: T; vocab_mask?: I; prefix_vocab_mask?: I; attention_mask?: I",
		Outputs:       "sequences: I",
		Attrs:         "decoder!: graph; decoder_start_token_id: int = -1; encoder: graph; eos_token_id!: int; init_decoder: graph; model_type: int = 0; no_repeat_ngram_size: int = 0; pad_token_id!: int; vocab_size: int = -1",
		Types:         "T = float; I = int32",
		Infer:         inferGreedySearch,
		DataDependent: true},
	{Domain: "com.microsoft", Name: "BeamSearch", Since: 1,
		Inputs:        "input_ids: I; max_length: I; min_length?: I; num_beams: I; num_return_sequences: I; length_penalty?: T; repetition_penalty?: T; vocab_mask?: I; prefix_vocab_mask?: I; attention_mask?: I; decoder_input_ids?: I; logits_processor?: I",
		Outputs:       "sequences: I; sequences_scores?: T; scores?: T",
		Attrs:         "decoder!: graph; decoder_start_token_id: int = -1; early_stopping: int = 0; encoder: graph; eos_token_id!: int; init_decoder: graph; model_type: int = 0; no_repeat_ngram_size: int = 0; pad_token_id!: int; vocab_size: int = -1",
		Types:         "T = float; I = int32",
		Infer:         inferBeamSearch,
		DataDependent: true},
}

func inferGreedySearch(c *Context) error {
	vocabulary, err := c.wantDecoder()
	if err != nil {
		return err
	}
	if err := c.wantPrompt(4, vocabulary, 1, 2); err != nil {
		return err
	}
	c.SetDims(0, c.Shape(0).Dim(0), c.oneDim(1))
	return nil
}

func inferBeamSearch(c *Context) error {
	vocabulary, err := c.wantDecoder()
	if err != nil {
		return err
	}
	if err := c.wantPrompt(7, vocabulary, 1, 2, 3, 4, 5, 6, 11); err != nil {
		return err
	}
	for _, i := range []int{10, 11} {
		if c.HasInput(i) {
			return c.InputErrorf(i, "is for models with an encoder; leave it out")
		}
	}
	batch, beams, returned := c.Shape(0).Dim(0), c.oneDim(3), c.oneDim(4)
	if n, ok := beams.Size(); ok && (n < 1 || n > 128) {
		return c.InputErrorf(3, "is %d, allowed are 1 to 128", n)
	}
	c.SetDims(0, batch, returned, c.oneDim(1))
	c.SetDims(1, batch, returned)
	var steps graph.Dim
	length, lengthKnown := c.oneDim(1).Size()
	if prompt, ok := c.Shape(0).Dim(1).Size(); ok && lengthKnown && length > prompt {
		steps = graph.Known(length - prompt)
	}
	c.SetDims(2, steps, batch, beams, vocabulary)
	return nil
}

// oneDim is the size that input i, one number, gives.
func (c *Context) oneDim(i int) graph.Dim {
	v, ok := c.KnownInts(i)
	if !ok || len(v) != 1 || v[0] < 0 || v[0] > 1<<20 {
		return graph.Dim{}
	}
	return graph.Known(int(v[0]))
}

// wantPrompt checks the tokens, the masks, of which that of the vocabulary is input
// mask, and the inputs that are one number.
func (c *Context) wantPrompt(mask int, vocabulary graph.Dim, numbers ...int) error {
	if err := c.WantRank(0, 2); err != nil {
		return err
	}
	for _, i := range numbers {
		if err := c.wantOne(i); err != nil {
			return err
		}
	}
	if v, ok := c.KnownInts(1); ok && len(v) == 1 && (v[0] < 1 || v[0] > 4096) {
		return c.InputErrorf(1, "is %d, allowed are 1 to 4096", v[0])
	}
	tokens := c.Shape(0)
	for i, want := range []graph.Shape{graph.ShapeOf(vocabulary), graph.ShapeOf(tokens.Dim(0), vocabulary), tokens} {
		if !c.HasInput(mask + i) {
			continue
		}
		if _, ok := graph.Merge(c.Shape(mask+i), want); !ok {
			return c.InputErrorf(mask+i, "shape %v, must be %v", c.Shape(mask+i), want)
		}
	}
	return nil
}

// wantDecoder checks the attributes that all searches have and the decoder, and
// returns the size of the vocabulary.
func (c *Context) wantDecoder() (graph.Dim, error) {
	var none graph.Dim
	if m := c.Int("model_type"); m != 0 {
		return none, c.AttrErrorf("model_type", "is %d; only 0, a decoder without encoder (GPT), is run: export encoder and decoder as models of their own", m)
	}
	if c.Graph("encoder") != nil {
		return none, c.AttrErrorf("encoder", "is given, but model_type 0 is a decoder without one; leave it out")
	}
	for _, name := range []string{"eos_token_id", "pad_token_id"} {
		if v := c.Int(name); v < 0 {
			return none, c.AttrErrorf(name, "is %d, must not be negative", v)
		}
	}
	if n := c.Int("no_repeat_ngram_size"); n < 0 {
		return none, c.AttrErrorf("no_repeat_ngram_size", "is %d, must not be negative", n)
	}
	var dims graph.Dim
	for _, name := range []string{"decoder", "init_decoder"} {
		if name != "decoder" && c.Graph(name) == nil {
			continue
		}
		g, err := c.body(name)
		if err != nil {
			return none, err
		}
		if dims, err = c.decoder(name, g); err != nil {
			return none, err
		}
	}
	if v := c.Int("vocab_size"); v > 0 {
		if n, ok := dims.Size(); ok && v > n {
			return none, c.AttrErrorf("vocab_size", "is %d, the decoder gives %d logits", v, n)
		}
		return graph.Known(v), nil
	}
	return dims, nil
}

// decoder infers a GPT decoder: input_ids, position_ids, attention_mask and a past for
// each layer, to logits and as many presents. It returns the number of logits.
func (c *Context) decoder(name string, g *graph.Graph) (graph.Dim, error) {
	layers := len(g.Outputs()) - 1
	if layers < 1 || len(g.Inputs()) != layers+3 {
		return graph.Dim{}, c.AttrErrorf(name, "has %d inputs and %d outputs, must have input_ids, position_ids, attention_mask and one past for each layer, and logits and as many presents", len(g.Inputs()), len(g.Outputs()))
	}
	in := make([]Fact, len(g.Inputs()))
	for i := range in {
		in[i].Type = graph.TensorType(tensor.Int32, graph.ShapeOf(graph.Dim{}, graph.Dim{}))
		if i < 3 {
			continue
		}
		t := g.Value(g.Inputs()[i]).Type
		_, heads := t.Shape.Dim(2).Size()
		_, width := t.Shape.Dim(4).Size()
		if t.DType != tensor.Float32 || !t.Shape.HasRank(5) || !heads || !width {
			return graph.Dim{}, c.AttrErrorf(name, "declares input %d as %v, must be float[2, batch, heads, past length, width] with heads and width known", i, t)
		}
		in[i].Type = graph.TensorType(t.DType, graph.ShapeOf(graph.Known(2), graph.Dim{}, t.Shape.Dim(2), graph.Dim{}, t.Shape.Dim(4)))
	}
	out, err := c.Subgraph(g, in)
	if err != nil {
		return graph.Dim{}, err
	}
	logits := out[0].Type
	if logits.DType != tensor.Undefined && logits.DType != tensor.Float32 || logits.Shape.IsRanked() && !logits.Shape.HasRank(3) {
		return graph.Dim{}, c.AttrErrorf(name, "makes logits %v, must be float[batch, length, vocabulary]", logits)
	}
	return logits.Shape.Dim(2), nil
}
