package cpu

import (
	"context"
	"fmt"

	"gort/ep"
	"gort/internal/kernel/generation"
	"gort/op"
	"gort/tensor"
)

var contribGenerationBindings = []Binding{
	{Domain: microsoft, Op: "GreedySearch", Types: generationTypes, New: newGreedySearch},
	{Domain: microsoft, Op: "BeamSearch", Types: generationTypes, New: newBeamSearch},
}

var generationTypes = map[string]op.DTypes{"T": op.SetOf(tensor.Float32), "I": op.SetOf(tensor.Int32)}

// mostTokens is the longest sequence, as in ONNX Runtime.
const mostTokens = 4096

// searchInputs says which inputs of a search the rules are.
type searchInputs struct{ repetition, mask int }

// tokenSearch is what the searches have in common.
type tokenSearch struct {
	decoder, first int // places among the subgraphs; first runs the first step
	heads, width   int // of the pasts
	vocabulary     int // 0 for all logits
	end, pad       int
	ngram          int
	inputs         searchInputs
}

func newTokenSearch(b *Build, inputs searchInputs) (tokenSearch, error) {
	s := tokenSearch{vocabulary: max(b.Int("vocab_size"), 0), end: b.Int("eos_token_id"), pad: b.Int("pad_token_id"), ngram: b.Int("no_repeat_ngram_size"), inputs: inputs}
	var err error
	if s.decoder, err = bodyAt(b, "decoder"); err != nil {
		return s, err
	}
	s.first = s.decoder
	if b.Graph("init_decoder") != nil {
		if s.first, err = bodyAt(b, "init_decoder"); err != nil {
			return s, err
		}
	}
	g := b.Graph("decoder")
	if len(g.Inputs()) < 4 {
		return s, b.AttrErrorf("decoder", "has %d inputs, must have 4 or more", len(g.Inputs()))
	}
	past := g.Value(g.Inputs()[3]).Type.Shape
	heads, known := past.Dim(2).Size()
	width, alsoKnown := past.Dim(4).Size()
	if !known || !alsoKnown {
		return s, b.AttrErrorf("decoder", "declares its past as %v, dimensions 2 and 4 must be known", past)
	}
	s.heads, s.width = heads, width
	return s, nil
}

// number reads an input that is one number.
func number[T tensor.Element](inv *ep.Invocation, i int, omitted T) (T, error) {
	t := inv.In(i)
	if t == nil {
		return omitted, nil
	}
	if t.Size() != 1 {
		return omitted, fmt.Errorf("input %d has shape %v, must be one number", i, t.Shape())
	}
	return tensor.Elements[T](t)[0], nil
}

func int32s(inv *ep.Invocation, i int) []int32 {
	t := inv.In(i)
	if t == nil {
		return nil
	}
	return tensor.Elements[int32](t)
}

// tokenRun is one run: the prompts, and what the decoder is given next.
type tokenRun struct {
	*tokenSearch
	inv       *ep.Invocation
	rules     generation.Rules
	prompts   [][]int32
	length    int // of the longest sequence
	beams     int
	step      int
	tokens    *tensor.Tensor
	positions []int32 // of the next tokens
	at        *tensor.Tensor
	mask      [][]int32
	past      []tensor.Value
}

// start reads the inputs. Each prompt gets beams rows.
func (s *tokenSearch) start(inv *ep.Invocation, beams int) (*tokenRun, error) {
	prompt := inv.In(0)
	if prompt.Rank() != 2 {
		return nil, fmt.Errorf("input_ids has shape %v, must have 2 dimensions", prompt.Shape())
	}
	batch, n := prompt.Shape()[0], prompt.Shape()[1]
	length, err := number[int32](inv, 1, mostTokens)
	if err != nil {
		return nil, err
	}
	if int(length) <= n || length > mostTokens || n < 1 {
		return nil, fmt.Errorf("max_length is %d and the prompt has %d tokens; max_length must be larger, and at most %d", length, n, mostTokens)
	}
	least, err := number[int32](inv, 2, 0)
	if err != nil {
		return nil, err
	}
	repetition, err := number[float32](inv, s.inputs.repetition, 1)
	if err != nil {
		return nil, err
	}
	if !(repetition > 0) {
		return nil, fmt.Errorf("repetition_penalty is %v, must be greater than 0", repetition)
	}
	r := &tokenRun{tokenSearch: s, inv: inv, length: int(length), beams: beams}
	r.rules = generation.Rules{
		Vocabulary: s.vocabulary, Repetition: repetition, NGram: s.ngram, MinLength: int(least), End: s.end, RowsPerMask: beams,
		Mask: int32s(inv, s.inputs.mask), PrefixMask: int32s(inv, s.inputs.mask+1),
	}
	given := int32s(inv, s.inputs.mask+2)
	if given != nil && len(given) != batch*n {
		return nil, fmt.Errorf("attention_mask has %d elements, must have %d", len(given), batch*n)
	}
	ids := tensor.Elements[int32](prompt)
	var tokens, positions []int32
	for i := range batch {
		row := ids[i*n : (i+1)*n]
		r.prompts = append(r.prompts, row)
		mask, at := make([]int32, n), make([]int32, n)
		next := int32(0)
		for j, t := range row {
			if given != nil {
				mask[j] = given[i*n+j]
			} else if int(t) != s.pad {
				mask[j] = 1
			}
			// Positions count the tokens that are no padding, whatever the mask says.
			if int(t) != s.pad {
				at[j] = next
				next++
			}
		}
		for range beams {
			tokens, positions = append(tokens, row...), append(positions, at...)
			r.mask = append(r.mask, append(make([]int32, 0, length), mask...))
			r.positions = append(r.positions, next)
		}
	}
	rows := batch * beams
	if r.tokens, err = tensor.FromSlice(tokens, rows, n); err != nil {
		return nil, err
	}
	if r.at, err = tensor.FromSlice(positions, rows, n); err != nil {
		return nil, err
	}
	empty, err := tensor.New(tensor.Float32, 2, rows, s.heads, 0, s.width)
	if err != nil {
		return nil, err
	}
	for range inv.Subgraphs[s.decoder].NumInputs() - 3 {
		r.past = append(r.past, empty)
	}
	return r, nil
}

// logits runs the decoder and returns the logits of each row's last token.
func (r *tokenRun) logits(ctx context.Context) ([]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var flat []int32
	for _, m := range r.mask {
		flat = append(flat, m...)
	}
	mask, err := tensor.FromSlice(flat, len(r.mask), len(flat)/max(len(r.mask), 1))
	if err != nil {
		return nil, err
	}
	body := r.inv.Subgraphs[r.decoder]
	if r.step == 0 {
		body = r.inv.Subgraphs[r.first]
	}
	r.step++
	out, err := body.Run(ctx, append([]tensor.Value{r.tokens, r.at, mask}, r.past...))
	if err != nil {
		return nil, fmt.Errorf("step %d: %w", r.step, err)
	}
	copy(r.past, out[1:])
	t, ok := out[0].(*tensor.Tensor)
	rows := len(r.mask)
	if !ok || t.DType() != tensor.Float32 || t.Rank() != 3 || t.Shape()[0] != rows || t.Shape()[1] < 1 {
		return nil, fmt.Errorf("the decoder makes logits %v, must be float[%d, length, vocabulary]", out[0], rows)
	}
	n, all := t.Shape()[1], t.Shape()[2]
	if r.rules.Vocabulary == 0 {
		r.rules.Vocabulary = all
	}
	v := r.rules.Vocabulary
	switch {
	case v > all || v == 0:
		return nil, fmt.Errorf("the decoder makes %d logits, the vocabulary has %d", all, v)
	case r.rules.Mask != nil && len(r.rules.Mask) != v:
		return nil, fmt.Errorf("vocab_mask has %d elements, the vocabulary %d", len(r.rules.Mask), v)
	case r.rules.PrefixMask != nil && len(r.rules.PrefixMask) != len(r.prompts)*v:
		return nil, fmt.Errorf("prefix_vocab_mask has %d elements, must have %d for each of %d prompts", len(r.rules.PrefixMask), v, len(r.prompts))
	}
	src := tensor.Elements[float32](t.Contiguous())
	scores := make([]float32, 0, rows*v)
	for i := range rows {
		at := (i*n + n - 1) * all
		scores = append(scores, src[at:at+v]...)
	}
	return scores, nil
}

// feed prepares the next step: row i goes on with tokens[i] from row from[i], or
// from itself when from is nil.
func (r *tokenRun) feed(tokens []int32, from []int) error {
	var err error
	if r.tokens, err = tensor.FromSlice(tokens, len(tokens), 1); err != nil {
		return err
	}
	at := make([]int32, len(tokens))
	for i := range at {
		// All rows of one prompt have the same mask and position.
		at[i] = r.positions[i]
		r.positions[i]++
		r.mask[i] = append(r.mask[i], 1)
	}
	if r.at, err = tensor.FromSlice(at, len(at), 1); err != nil {
		return err
	}
	if from == nil {
		return nil
	}
	for i, v := range r.past {
		if r.past[i], err = pickRows(v, from); err != nil {
			return err
		}
	}
	return nil
}

// pickRows gathers rows of a past along its second axis.
func pickRows(v tensor.Value, from []int) (tensor.Value, error) {
	t, ok := v.(*tensor.Tensor)
	if !ok || t.DType() != tensor.Float32 || t.Rank() != 5 || t.Shape()[1] != len(from) {
		return nil, fmt.Errorf("the decoder makes a past %v, must be float[2, %d, heads, length, width]", v, len(from))
	}
	src := tensor.Elements[float32](t.Contiguous())
	rows := t.Shape()[0] * len(from)
	size := len(src) / max(rows, 1)
	dst := make([]float32, 0, len(src))
	for half := range t.Shape()[0] {
		for _, row := range from {
			at := (half*len(from) + row) * size
			dst = append(dst, src[at:at+size]...)
		}
	}
	return tensor.FromSlice(dst, t.Shape()...)
}
