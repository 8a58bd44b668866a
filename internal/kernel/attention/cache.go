package attention

import (
	"context"

	"gort/internal/parallel"
)

// Append joins a cache [batch, heads, past, size], empty when nil, and new rows
// to one [batch, heads, past+rows, size].
func Append[T Float](ctx context.Context, p *parallel.Pool, batch, heads, past, rows, size int, cache []T, add Heads[T], out []T) error {
	total := past + rows
	return p.For(ctx, batch*heads, max(1, chunkWork/(total*size+1)), func(lo, hi int) {
		for h := lo; h < hi; h++ {
			dst := out[h*total*size : (h+1)*total*size]
			copy(dst, cache[min(h*past*size, len(cache)):][:past*size])
			from := add.Data
			at := h/heads*add.Batch + h%heads*add.Head
			for r := range rows {
				copy(dst[(past+r)*size:(past+r+1)*size], from[at+r*add.Row:])
			}
		}
	})
}

// Place fills a cache [batch, heads, present, size]: of each batch the first rows of
// an older one [batch, heads, past, size], as many as first says, then n new rows, and
// zeros behind them.
func Place[T Float](ctx context.Context, p *parallel.Pool, batch, heads, size, past, present int, first []int64, old []T, add Heads[T], n int, out []T) error {
	return p.For(ctx, batch*heads, max(1, chunkWork/(present*size+1)), func(lo, hi int) {
		for h := lo; h < hi; h++ {
			b := h / heads
			dst, at := out[h*present*size:(h+1)*present*size], int(first[b])
			copy(dst[:at*size], old[min(h*past*size, len(old)):])
			from := add.at(b, h%heads)
			for r := range n {
				copy(dst[(at+r)*size:(at+r+1)*size], from[r*add.Row:])
			}
			clear(dst[(at+n)*size:])
		}
	})
}
