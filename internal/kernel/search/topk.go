package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"gort/internal/parallel"
	"gort/tensor"
)

type topKernel interface {
	topK(ctx context.Context, pool *parallel.Pool, values *tensor.Tensor, at []int64, src *tensor.Tensor, axis, k int, smallest bool) error
}

// TopK writes the k largest (or smallest) elements along an axis and their
// indices, best first; of equal ones the first comes first, and NaN counts as
// larger than all numbers. values or at may be nil.
func TopK(ctx context.Context, pool *parallel.Pool, values *tensor.Tensor, at []int64, src *tensor.Tensor, axis, k int, smallest bool) error {
	kernel, ok := argKernels[src.DType()].(topKernel)
	if !ok {
		return fmt.Errorf("no order of %v", src.DType())
	}
	if n := src.Shape()[axis]; k < 0 || k > n {
		return fmt.Errorf("k is %d, allowed are 0 to %d, the size of axis %d", k, n, axis)
	}
	if k == 0 || src.Size() == 0 {
		return nil
	}
	return kernel.topK(ctx, pool, values, at, src, axis, k, smallest)
}

// entry is one candidate: more is better, then the lower index.
type entry struct {
	key uint64
	at  int
}

func (a entry) worse(b entry) bool { return a.key < b.key || a.key == b.key && a.at > b.at }

// entries keeps working memory between runs.
var entries = sync.Pool{New: func() any { return new([]entry) }}

func (numbers[T]) topK(ctx context.Context, pool *parallel.Pool, values *tensor.Tensor, at []int64, src *tensor.Tensor, axis, k int, smallest bool) error {
	t := top[T]{src: tensor.Elements[T](src), at: at, k: k, n: src.Shape()[axis], inner: 1, smallest: smallest}
	if values != nil {
		t.values = tensor.Elements[T](values)
	}
	for _, d := range src.Shape()[axis+1:] {
		t.inner *= d
	}
	return pool.For(ctx, len(t.src)/t.n, max(1, 4096/t.n), t.lines)
}

// top is a TopK over lines of n elements, inner apart.
type top[T number] struct {
	src, values []T
	at          []int64
	k, n, inner int
	smallest    bool
}

func (t *top[T]) lines(lo, hi int) {
	buf := entries.Get().(*[]entry)
	defer entries.Put(buf)
	for l := lo; l < hi; l++ {
		o, j := l/t.inner, l%t.inner
		from := t.src[o*t.n*t.inner+j:]
		*buf = t.choose((*buf)[:0], from)
		to := o*t.k*t.inner + j
		for _, e := range *buf {
			if t.values != nil {
				t.values[to] = from[e.at*t.inner]
			}
			if t.at != nil {
				t.at[to] = int64(e.at)
			}
			to += t.inner
		}
	}
}

func (t *top[T]) key(v T) uint64 {
	k := keyOf(v)
	if t.smallest {
		return ^k
	}
	return k
}

// choose returns the k best of a line in order.
func (t *top[T]) choose(best []entry, line []T) []entry {
	if t.k > t.n/4 {
		for i := range t.n {
			best = append(best, entry{t.key(line[i*t.inner]), i})
		}
		sortEntries(best)
		return best[:t.k]
	}
	for i := range t.k {
		best = append(best, entry{t.key(line[i*t.inner]), i})
	}
	// A heap whose root is the worst of the best. Most elements do not even come
	// close, which one comparison tells.
	for i := t.k/2 - 1; i >= 0; i-- {
		sink(best, i)
	}
	bound := line[best[0].at*t.inner]
	for i := t.k; i < t.n; i++ {
		v := line[i*t.inner]
		if t.smallest && v >= bound || !t.smallest && v <= bound {
			continue
		}
		if e := (entry{t.key(v), i}); best[0].worse(e) {
			best[0] = e
			sink(best, 0)
			bound = line[best[0].at*t.inner]
		}
	}
	sortEntries(best)
	return best
}

func sortEntries(list []entry) {
	slices.SortFunc(list, func(a, b entry) int {
		if c := cmp.Compare(b.key, a.key); c != 0 {
			return c
		}
		return a.at - b.at
	})
}

// sink restores the heap below i.
func sink(h []entry, i int) {
	for {
		c := 2*i + 1
		if c >= len(h) {
			return
		}
		if c+1 < len(h) && h[c+1].worse(h[c]) {
			c++
		}
		if !h[c].worse(h[i]) {
			return
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}
