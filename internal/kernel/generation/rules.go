// Package generation holds what searches for sequences of tokens have in common:
// rules that change the scores of next tokens, and the beams of a beam search with their
// finished hypotheses. Models are run elsewhere.
package generation

import "math"

// Rules change the scores of the next token of every row, in the order of the fields.
// A forbidden token has the least finite score.
type Rules struct {
	Vocabulary int
	// Repetition divides positive and multiplies negative scores of the tokens that a
	// row has already; 1 changes nothing.
	Repetition float32
	// NGram forbids tokens that would repeat a run of so many tokens; 0 allows all.
	NGram int
	// Mask forbids the tokens where it is 0, in all rows.
	Mask []int32
	// PrefixMask is such a mask for each of the batch, for the first step only.
	PrefixMask []int32
	// RowsPerMask is how many rows share one of PrefixMask.
	RowsPerMask int
	// MinLength forbids End in shorter rows.
	MinLength, End int
}

// Apply changes scores, which has Vocabulary elements for each row of sequences.
// step counts from 1.
func (r *Rules) Apply(scores []float32, sequences [][]int32, step int) {
	for i, sequence := range sequences {
		row := scores[i*r.Vocabulary : (i+1)*r.Vocabulary]
		if r.Repetition != 1 {
			penalize(row, sequence, r.Repetition)
		}
		if r.NGram > 0 && r.NGram <= len(sequence) {
			forbidRepeats(row, sequence, r.NGram)
		}
		forbidMasked(row, r.Mask)
		if step == 1 && r.PrefixMask != nil {
			forbidMasked(row, r.PrefixMask[i/r.RowsPerMask*r.Vocabulary:])
		}
		if len(sequence) < r.MinLength {
			forbid(row, int32(r.End))
		}
	}
}

func forbid(row []float32, token int32) {
	if token >= 0 && int(token) < len(row) {
		row[token] = -math.MaxFloat32
	}
}

func forbidMasked(row []float32, mask []int32) {
	if mask == nil {
		return
	}
	for j := range row {
		if mask[j] == 0 {
			row[j] = -math.MaxFloat32
		}
	}
}

// penalize changes the score of each token of the sequence once.
func penalize(row []float32, sequence []int32, penalty float32) {
	seen := make([]bool, len(row))
	for _, t := range sequence {
		if t < 0 || int(t) >= len(row) || seen[t] {
			continue
		}
		seen[t] = true
		if row[t] < 0 {
			row[t] *= penalty
		} else {
			row[t] /= penalty
		}
	}
}

// forbidRepeats forbids what followed earlier on the n-1 tokens at the sequence's end.
func forbidRepeats(row []float32, sequence []int32, n int) {
	end := sequence[len(sequence)-(n-1):]
next:
	for j := 0; j+n <= len(sequence); j++ {
		for k, t := range end {
			if sequence[j+k] != t {
				continue next
			}
		}
		forbid(row, sequence[j+n-1])
	}
}

// LogSoftmax replaces each row of scores by the logarithms of its probabilities.
func LogSoftmax(scores []float32, row int) {
	for ; len(scores) >= row && row > 0; scores = scores[row:] {
		top := scores[0]
		for _, v := range scores[:row] {
			top = max(top, v)
		}
		sum := 0.0
		for _, v := range scores[:row] {
			sum += math.Exp(float64(v - top))
		}
		log := math.Log(sum)
		for i, v := range scores[:row] {
			scores[i] = float32(float64(v-top) - log)
		}
	}
}

// Largest returns the index of the first of the largest scores.
func Largest(row []float32) int {
	best := 0
	for i, v := range row {
		if v > row[best] {
			best = i
		}
	}
	return best
}
