package cpu

import (
	"context"
	"fmt"

	"gort/ep"
	"gort/internal/kernel/generation"
	"gort/tensor"
)

// mostBeams is the largest num_beams, as in ONNX Runtime.
const mostBeams = 128

// beamSearch keeps the best num_beams sequences of each prompt.
type beamSearch struct {
	tokenSearch
	early bool
}

func newBeamSearch(b *Build) (ep.Kernel, error) {
	s, err := newTokenSearch(b, searchInputs{repetition: 6, mask: 7})
	return &beamSearch{s, b.Bool("early_stopping")}, err
}

// Run implements ep.Kernel.
func (k *beamSearch) Run(ctx context.Context, inv *ep.Invocation) error {
	beams, err := number[int32](inv, 3, 1)
	if err != nil {
		return err
	}
	returned, err := number[int32](inv, 4, 1)
	if err != nil {
		return err
	}
	if beams < 1 || beams > mostBeams || returned < 1 || returned > beams {
		return fmt.Errorf("num_beams is %d and num_return_sequences %d, allowed are 1 to %d and 1 to num_beams", beams, returned, mostBeams)
	}
	penalty, err := number[float32](inv, 5, 1)
	if err != nil {
		return err
	}
	r, err := k.start(inv, int(beams))
	if err != nil {
		return err
	}
	state := generation.NewBeams(generation.Beams{Width: int(beams), LengthPenalty: penalty, EarlyStopping: k.early, End: int32(k.end), Pad: int32(k.pad)}, r.prompts, r.length)
	var trace []float32
	first := len(r.firstPrompt())
	for n := first; n < r.length && !state.Done(); n++ {
		scores, err := r.logits(ctx)
		if err != nil {
			return err
		}
		v := r.rules.Vocabulary
		generation.LogSoftmax(scores, v)
		r.rules.Apply(scores, state.Sequences, r.step)
		for i, s := range state.Scores {
			for j := range scores[i*v : (i+1)*v] {
				scores[i*v+j] += s
			}
		}
		if inv.Wants(2) {
			trace = append(trace, scores...)
		}
		from, tokens, err := state.Step(scores, v)
		if err != nil {
			return err
		}
		if n+1 < r.length {
			if err := r.feed(tokens, from); err != nil {
				return err
			}
		}
	}
	if err := writeHypotheses(inv, state.Finish(int(returned)), int(returned), r.length, int32(k.pad)); err != nil {
		return err
	}
	out, err := inv.NewOut(2, tensor.Float32, r.length-first, len(r.prompts), int(beams), r.rules.Vocabulary)
	if err != nil || out == nil {
		return err
	}
	// Steps that an early end left out have no scores.
	dst := tensor.Elements[float32](out)
	clear(dst[copy(dst, trace):])
	return nil
}

// writeHypotheses makes sequences and sequences_scores.
func writeHypotheses(inv *ep.Invocation, found [][]generation.Hypothesis, returned, length int, pad int32) error {
	sequences, err := inv.NewOut(0, tensor.Int32, len(found), returned, length)
	if err != nil {
		return err
	}
	if sequences != nil {
		dst := tensor.Elements[int32](sequences)
		for i := range dst {
			dst[i] = pad
		}
		for i, list := range found {
			for j, h := range list {
				copy(dst[(i*returned+j)*length:][:length], h.Tokens)
			}
		}
	}
	scores, err := inv.NewOut(1, tensor.Float32, len(found), returned)
	if err != nil || scores == nil {
		return err
	}
	dst := tensor.Elements[float32](scores)
	for i, list := range found {
		for j, h := range list {
			dst[i*returned+j] = h.Score
		}
	}
	return nil
}
