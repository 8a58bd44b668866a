package tokens

import (
	"context"
	"fmt"

	"gort/internal/kernel/gemm"
	"gort/internal/parallel"
	"gort/internal/simd"
)

// WordConv embeds words: the embeddings of a word's characters pass through filters as
// wide as a window, and of each filter the largest tanh counts.
type WordConv struct {
	Length  int // characters of a word, those that are padding included
	Window  int // characters of a window, from 1 to Length
	Size    int // elements of a character, 1 or more
	Filters []float32
	Bias    []float32
	Chars   []float32 // rows of Size
}

// count returns how many windows a word has; 0 of a word without characters. A word is
// as long as it has positive numbers, but no shorter than a window, and empty when its
// first number is not positive.
func (w *WordConv) count(word []int32) int {
	if word[0] <= 0 {
		return 0
	}
	n := 0
	for _, c := range word {
		if c > 0 {
			n++
		}
	}
	return max(n-w.Window, 0) + 1
}

// block is how many words are embedded at a time.
const block = 64

// Run embeds words. Words without characters become 0; ONNX Runtime leaves their
// elements as they were.
func (w *WordConv) Run(ctx context.Context, pool *parallel.Pool, words []int32, y []float32) error {
	wide, filters := w.Window*w.Size, len(w.Bias)
	var windows, product []float32
	for lo := 0; lo*w.Length < len(words); lo += block {
		part := words[lo*w.Length:]
		part = part[:min(block*w.Length, len(part))]
		windows = windows[:0]
		for at := 0; at < len(part); at += w.Length {
			word := part[at:][:w.Length]
			for i := range w.count(word) {
				var err error
				if windows, err = w.window(windows, word[i:][:w.Window]); err != nil {
					return err
				}
			}
		}
		m := len(windows) / wide
		if cap(product) < m*filters {
			product = make([]float32, m*filters)
		}
		product = product[:m*filters]
		if err := gemm.Float32(ctx, pool, false, true, m, filters, wide, 1, windows, wide, w.Filters, wide, 0, product, filters); err != nil {
			return err
		}
		w.largest(part, product, y[lo*filters:])
	}
	return nil
}

// window appends the embeddings of the characters of a window.
func (w *WordConv) window(to []float32, chars []int32) ([]float32, error) {
	for _, c := range chars {
		if c < 0 || int(c) >= len(w.Chars)/w.Size {
			return nil, fmt.Errorf("character %d of a word is out of range, allowed are 0 to %d", c, len(w.Chars)/w.Size-1)
		}
		to = append(to, w.Chars[int(c)*w.Size:][:w.Size]...)
	}
	return to, nil
}

// largest adds the bias to the product of each window and keeps, for each word and
// filter, the largest tanh. tanh rises, so the largest argument has it.
func (w *WordConv) largest(words []int32, product, y []float32) {
	filters := len(w.Bias)
	for at := 0; at < len(words); at += w.Length {
		row := y[at/w.Length*filters:][:filters]
		n := w.count(words[at:][:w.Length])
		if n == 0 {
			clear(row)
			continue
		}
		copy(row, product)
		for i := 1; i < n; i++ {
			for f, v := range product[i*filters:][:filters] {
				row[f] = max(row[f], v)
			}
		}
		product = product[n*filters:]
		for f, b := range w.Bias {
			row[f] += b
		}
		simd.Tanh(row, row)
	}
}
