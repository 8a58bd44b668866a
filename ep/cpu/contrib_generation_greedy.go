package cpu

import (
	"context"

	"gort/ep"
	"gort/internal/kernel/generation"
	"gort/tensor"
)

// greedySearch takes the likeliest token at each step.
type greedySearch struct{ tokenSearch }

func newGreedySearch(b *Build) (ep.Kernel, error) {
	s, err := newTokenSearch(b, searchInputs{repetition: 3, mask: 4})
	return &greedySearch{s}, err
}

// Run implements ep.Kernel. It extends each prompt until all have met the end token,
// which itself is not kept.
func (k *greedySearch) Run(ctx context.Context, inv *ep.Invocation) error {
	r, err := k.start(inv, 1)
	if err != nil {
		return err
	}
	batch := len(r.prompts)
	sequences, ended := make([][]int32, batch), make([]bool, batch)
	for i, p := range r.prompts {
		sequences[i] = append(make([]int32, 0, r.length), p...)
	}
	left := batch
	for n := len(r.firstPrompt()); n < r.length && left > 0; n++ {
		scores, err := r.logits(ctx)
		if err != nil {
			return err
		}
		r.rules.Apply(scores, sequences, r.step)
		next := make([]int32, batch)
		for i := range next {
			v := r.rules.Vocabulary
			next[i] = int32(generation.Largest(scores[i*v : (i+1)*v]))
			if ended[i] || int(next[i]) == r.end {
				if !ended[i] {
					ended[i] = true
					left--
				}
				next[i] = int32(r.pad)
			}
			sequences[i] = append(sequences[i], next[i])
		}
		if err := r.feed(next, nil); err != nil {
			return err
		}
	}
	out, err := inv.NewOut(0, tensor.Int32, batch, r.length)
	if err != nil || out == nil {
		return err
	}
	dst := tensor.Elements[int32](out)
	for i, s := range sequences {
		// What follows when all have ended is 0 in ONNX Runtime, not the pad token.
		row := dst[i*r.length : (i+1)*r.length]
		clear(row[copy(row, s):])
	}
	return nil
}

func (r *tokenRun) firstPrompt() []int32 {
	if len(r.prompts) == 0 {
		return nil
	}
	return r.prompts[0]
}
