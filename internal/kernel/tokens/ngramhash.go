package tokens

import (
	"context"
	"fmt"

	"gort/internal/parallel"
)

// ID is the types of token numbers that are hashed.
type ID interface{ int32 | int64 }

// NGramHash hashes the n-grams that end at each token: the tokens, each times a factor
// of its distance, joined by exclusive or, modulo the sizes of the heads of that n.
type NGramHash[T ID] struct {
	Longest, Each int // n runs from 2 to Longest, with Each heads
	Factors       []T
	Sizes         []T // of the heads
	Offsets       []T // added to the hashes; may be nil
	Missing       T   // stands before the first token, and for what a boundary hides
	Reset         bool
	// Length is how many tokens a row of ids has. Past holds the Longest-1 tokens
	// before each row, Segments the segment of each token; both may be nil.
	Length   int
	IDs      []T
	Past     []T
	Segments []int32
}

// state is how many tokens before a row matter.
func (h *NGramHash[T]) state() int { return h.Longest - 1 }

// history fills row with the tokens before and of a row of ids.
func (h *NGramHash[T]) history(row []T, b int) {
	n := h.state()
	if h.Past != nil {
		copy(row, h.Past[b*n:][:n])
	} else {
		for i := range n {
			row[i] = h.Missing
		}
	}
	copy(row[n:], h.IDs[b*h.Length:][:h.Length])
}

// Run writes the hashes, one for each head of each token, and the tokens that matter
// for what follows each row. present may be nil.
func (h *NGramHash[T]) Run(ctx context.Context, pool *parallel.Pool, batch int, hashes, present []T) error {
	for i, s := range h.Sizes {
		if s <= 0 {
			return fmt.Errorf("vocab_sizes[%d] is %d, must be positive", i, s)
		}
	}
	n := h.state()
	heads := n * h.Each
	return pool.For(ctx, batch, max(1, 1<<12/(1+h.Length*(heads+h.Longest))), func(lo, hi int) {
		row := make([]T, n+h.Length)
		for b := lo; b < hi; b++ {
			h.history(row, b)
			boundary := -1 // the last token that may not be seen
			for t := range h.Length {
				if t&0xfff == 0 && ctx.Err() != nil {
					return // For reports it
				}
				at := n + t
				if h.Reset && row[at-1] == h.Missing ||
					h.Segments != nil && t > 0 && h.Segments[b*h.Length+t] != h.Segments[b*h.Length+t-1] {
					boundary = at - 1
				}
				h.token(row, at, boundary, hashes[(b*h.Length+t)*heads:][:heads])
			}
			if present != nil {
				copy(present[b*n:][:n], row[h.Length:])
			}
		}
	})
}

// token writes the hashes of the n-grams that end at a place of a row.
func (h *NGramHash[T]) token(row []T, at, boundary int, out []T) {
	mix := row[at] * h.Factors[0]
	for k := 1; k < h.Longest; k++ {
		id := h.Missing
		if at-k > boundary {
			id = row[at-k]
		}
		mix ^= id * h.Factors[k]
		for i := (k - 1) * h.Each; i < k*h.Each; i++ {
			v := mix % h.Sizes[i]
			if v < 0 {
				v += h.Sizes[i]
			}
			if h.Offsets != nil {
				v += h.Offsets[i]
			}
			out[i] = v
		}
	}
}
