package generation

import (
	"fmt"
	"math"
	"slices"
)

// Hypothesis is a finished sequence; its score is the sum of its tokens' log
// probabilities divided by length^penalty.
type Hypothesis struct {
	Tokens []int32
	Score  float32
}

// hypotheses are the best finished sequences of one of a batch, best first.
type hypotheses struct {
	list []Hypothesis
	done bool
}

// Beams is the state of a beam search: Width sequences for each of Batch.
type Beams struct {
	Batch, Width  int
	LengthPenalty float32
	EarlyStopping bool
	End, Pad      int32
	// Sequences are the rows, those of one of the batch together; Scores are their
	// sums of log probabilities.
	Sequences [][]int32
	Scores    []float32
	found     []hypotheses
}

// NewBeams starts Width equal sequences for each of a batch. All but the first have
// a score so low that the first step takes only successors of the first.
func NewBeams(b Beams, prompts [][]int32, capacity int) *Beams {
	b.Batch = len(prompts)
	b.found = make([]hypotheses, b.Batch)
	for _, p := range prompts {
		for j := range b.Width {
			b.Sequences = append(b.Sequences, append(make([]int32, 0, capacity), p...))
			score := float32(0)
			if j > 0 {
				score = -1e9
			}
			b.Scores = append(b.Scores, score)
		}
	}
	return &b
}

func (b *Beams) normalize(sum float32, length int) float32 {
	return sum / float32(math.Pow(float64(length), float64(b.LengthPenalty)))
}

func (b *Beams) add(batch int, tokens []int32, sum float32) {
	h := &b.found[batch]
	item := Hypothesis{slices.Clone(tokens), b.normalize(sum, len(tokens))}
	if len(h.list) == b.Width {
		if item.Score <= h.list[b.Width-1].Score {
			return
		}
		h.list = h.list[:b.Width-1]
	}
	at := len(h.list)
	for at > 0 && item.Score > h.list[at-1].Score {
		at--
	}
	h.list = slices.Insert(h.list, at, item)
}

// candidate is a successor of a row: its token and the row within its part of the batch.
type candidate struct {
	score float32
	index int
}

// best returns the n largest of scores, largest first, of equal ones the first.
func best(scores []float32, n int) []candidate {
	var list []candidate
	for i, s := range scores {
		at := len(list)
		for at > 0 && s > list[at-1].score {
			at--
		}
		if at == n {
			continue
		}
		if len(list) == n {
			list = list[:n-1]
		}
		list = slices.Insert(list, at, candidate{s, i})
	}
	return list
}

// Step takes the scores of all successors, vocabulary for each row with the rows' own
// scores added, and moves on to the best. It returns the rows they follow and their tokens.
func (b *Beams) Step(scores []float32, vocabulary int) (from []int, tokens []int32, err error) {
	from, tokens = make([]int, len(b.Sequences)), make([]int32, len(b.Sequences))
	next := make([]float32, len(b.Sequences))
	var tops []candidate
	for first := 0; first < len(b.Sequences); first += b.Width {
		tops = append(tops, best(scores[first*vocabulary:(first+b.Width)*vocabulary], 2*b.Width)...)
	}
	if len(tops) < 2*len(b.Sequences) {
		return nil, nil, fmt.Errorf("a vocabulary of %d has no %d successors for %d beams", vocabulary, 2*b.Width, b.Width)
	}
	for batch := range b.Batch {
		first := batch * b.Width
		h := &b.found[batch]
		if h.done {
			for j := range b.Width {
				from[first+j], tokens[first+j] = first+j, b.Pad
			}
			continue
		}
		list := tops[2*first : 2*(first+b.Width)]
		kept := 0
		length := len(b.Sequences[first])
		for rank, c := range list {
			if kept == b.Width {
				break
			}
			row, token := first+c.index/vocabulary, int32(c.index%vocabulary)
			if token != b.End {
				from[first+kept], tokens[first+kept], next[first+kept] = row, token, c.score
				kept++
			} else if rank < b.Width {
				b.add(batch, b.Sequences[row], c.score)
			}
		}
		if kept < b.Width {
			return nil, nil, fmt.Errorf("a vocabulary of %d has no %d successors for %d beams", vocabulary, 2*b.Width, b.Width)
		}
		if len(h.list) == b.Width {
			// ONNX Runtime looks for the best score where that of a batch half as far on would be.
			top := float32(math.Inf(-1))
			for _, c := range tops[first : first+2*b.Width] {
				top = max(top, c.score)
			}
			h.done = b.EarlyStopping || h.list[b.Width-1].Score >= b.normalize(top, length)
		}
	}
	old := b.Sequences
	b.Sequences = make([][]int32, len(old))
	for i, row := range from {
		b.Sequences[i] = append(append(make([]int32, 0, cap(old[row])), old[row]...), tokens[i])
	}
	b.Scores = next
	return from, tokens, nil
}

// Done reports whether no step can change the result.
func (b *Beams) Done() bool {
	for i := range b.found {
		if !b.found[i].done {
			return false
		}
	}
	return true
}

// Finish adds the unfinished sequences and returns the n best of each of the batch.
func (b *Beams) Finish(n int) [][]Hypothesis {
	out := make([][]Hypothesis, b.Batch)
	for batch := range out {
		if !b.found[batch].done {
			for j := range b.Width {
				row := batch*b.Width + j
				b.add(batch, b.Sequences[row], b.Scores[row])
			}
		}
		out[batch] = b.found[batch].list[:n]
	}
	return out
}
