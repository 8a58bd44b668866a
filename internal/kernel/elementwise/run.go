package elementwise

import (
	"context"
	"sync"
	"unsafe"

	"gort/internal/parallel"
)

// Grains: how many elements are worth a thread's attention.
const (
	GrainCheap = 1 << 15 // about one instruction an element
	GrainDear  = 1 << 12 // an exponential or the like
)

type (
	// Loop1 computes dst[i] = f(a[i]). dst may be the same slice as a.
	Loop1[A, R any] func(dst []R, a []A)
	// Loop2 computes dst[i] = f(a[i&ma], b[i&mb]). An operand that advances may be
	// the same slice as dst.
	Loop2[A, B, R any] func(dst []R, a []A, b []B, ma, mb int)
	// Loop3 computes dst[i] = f(a[i&ma], b[i&mb], c[i&mc]).
	Loop3[A, B, C, R any] func(dst []R, a []A, b []B, c []C, ma, mb, mc int)
)

// Unary runs a loop over all elements.
func Unary[A, R any](ctx context.Context, pool *parallel.Pool, grain int, loop Loop1[A, R], dst []R, a []A) error {
	if len(dst) <= grain {
		loop(dst, a[:len(dst)])
		return nil
	}
	return splitUnary(ctx, pool, grain, loop, dst, a)
}

// splitUnary is a function of its own so that short runs allocate no closure.
func splitUnary[A, R any](ctx context.Context, pool *parallel.Pool, grain int, loop Loop1[A, R], dst []R, a []A) error {
	return pool.For(ctx, len(dst), grain, func(lo, hi int) { loop(dst[lo:hi], a[lo:hi]) })
}

// Binary runs a loop over the broadcast of two operands. out is the shape of dst.
func Binary[A, B, R any](ctx context.Context, pool *parallel.Pool, grain int, loop Loop2[A, B, R], dst []R, out []int, a []A, sa []int, b []B, sb []int) error {
	if len(dst) == 0 {
		return nil
	}
	if len(dst) <= grain && flat(dst, a) && flat(dst, b) {
		loop(dst, a, b, flatMask(dst, a), flatMask(dst, b))
		return nil
	}
	j := binaryJob[A, B, R]{loop: loop, dst: dst, a: a, b: b}
	if err := j.walk.plan(out, sa, sb); err != nil {
		return err
	}
	if len(dst) <= grain {
		j.run(0, len(dst))
		return nil
	}
	return j.split(ctx, pool, grain)
}

type binaryJob[A, B, R any] struct {
	loop Loop2[A, B, R]
	dst  []R
	a    []A
	b    []B
	walk walk
}

func (j binaryJob[A, B, R]) split(ctx context.Context, pool *parallel.Pool, grain int) error {
	return pool.For(ctx, len(j.dst), grain, func(lo, hi int) { j.run(lo, hi) })
}

func (j *binaryJob[A, B, R]) run(lo, hi int) {
	w := &j.walk
	if w.isShort() {
		j.runShort(lo, hi)
		return
	}
	ma, mb := w.mask(0), w.mask(1)
	var c cursor
	w.seek(&c, lo)
	for lo < hi {
		n := w.stretch(&c, hi-lo)
		j.loop(j.dst[lo:lo+n], j.a[c.at[0]:], j.b[c.at[1]:], ma, mb)
		w.advance(&c, n)
		lo += n
	}
}

// runShort is run for short rows: their elements are gathered first.
func (j *binaryJob[A, B, R]) runShort(lo, hi int) {
	a, b := newOperand(&j.walk, 0, j.a), newOperand(&j.walk, 1, j.b)
	for lo < hi {
		n := min(hi-lo, gatherLen)
		j.loop(j.dst[lo:lo+n], a.read(&j.walk, lo, n), b.read(&j.walk, lo, n), -1, -1)
		lo += n
	}
	a.free()
	b.free()
}

// Ternary runs a loop over the broadcast of three operands. out is the shape of dst.
func Ternary[A, B, C, R any](ctx context.Context, pool *parallel.Pool, grain int, loop Loop3[A, B, C, R], dst []R, out []int, a []A, sa []int, b []B, sb []int, c []C, sc []int) error {
	if len(dst) == 0 {
		return nil
	}
	j := ternaryJob[A, B, C, R]{loop: loop, dst: dst, a: a, b: b, c: c}
	if err := j.walk.plan(out, sa, sb, sc); err != nil {
		return err
	}
	if len(dst) <= grain {
		j.run(0, len(dst))
		return nil
	}
	return j.split(ctx, pool, grain)
}

type ternaryJob[A, B, C, R any] struct {
	loop Loop3[A, B, C, R]
	dst  []R
	a    []A
	b    []B
	c    []C
	walk walk
}

func (j ternaryJob[A, B, C, R]) split(ctx context.Context, pool *parallel.Pool, grain int) error {
	return pool.For(ctx, len(j.dst), grain, func(lo, hi int) { j.run(lo, hi) })
}

func (j *ternaryJob[A, B, C, R]) run(lo, hi int) {
	w := &j.walk
	if w.isShort() {
		j.runShort(lo, hi)
		return
	}
	ma, mb, mc := w.mask(0), w.mask(1), w.mask(2)
	var c cursor
	w.seek(&c, lo)
	for lo < hi {
		n := w.stretch(&c, hi-lo)
		j.loop(j.dst[lo:lo+n], j.a[c.at[0]:], j.b[c.at[1]:], j.c[c.at[2]:], ma, mb, mc)
		w.advance(&c, n)
		lo += n
	}
}

// runShort is run for short rows: their elements are gathered first.
func (j *ternaryJob[A, B, C, R]) runShort(lo, hi int) {
	w := &j.walk
	a, b, c := newOperand(w, 0, j.a), newOperand(w, 1, j.b), newOperand(w, 2, j.c)
	for lo < hi {
		n := min(hi-lo, gatherLen)
		j.loop(j.dst[lo:lo+n], a.read(w, lo, n), b.read(w, lo, n), c.read(w, lo, n), -1, -1, -1)
		lo += n
	}
	a.free()
	b.free()
	c.free()
}

const (
	// shortRow is the length below which rows cost more than gathering them.
	shortRow = 24
	// gatherLen is how many elements are gathered at a time.
	gatherLen = 512
)

// isShort reports whether the rows are so short that gathering pays.
func (w *walk) isShort() bool { return w.rank > 1 && w.dims[0] < shortRow }

// operand reads an operand as if it had the result's shape.
type operand[T any] struct {
	j      int
	src    []T
	tmp    []T // nil when src itself is in the result's order
	memory *gathered
}

// gathered is memory for elements of any type without pointers.
type gathered [gatherLen][2]uint64

var gatheredPool = sync.Pool{New: func() any { return new(gathered) }}

func newOperand[T any](w *walk, j int, src []T) operand[T] {
	o := operand[T]{j: j, src: src}
	switch any(src).(type) {
	case []string:
		o.tmp = make([]T, gatherLen)
	default:
		if !w.full(j) {
			o.memory = gatheredPool.Get().(*gathered)
			o.tmp = unsafe.Slice((*T)(unsafe.Pointer(o.memory)), gatherLen)
		}
	}
	return o
}

func (o *operand[T]) free() {
	if o.memory != nil {
		gatheredPool.Put(o.memory)
	}
}

func (o *operand[T]) read(w *walk, lo, n int) []T {
	if o.tmp == nil {
		return o.src[lo:][:n]
	}
	gather(w, o.j, o.tmp[:n], o.src, lo)
	return o.tmp[:n]
}

// flat reports whether an operand is as long as the result or a single number.
func flat[R, A any](dst []R, a []A) bool { return len(a) == len(dst) || len(a) == 1 }

func flatMask[R, A any](dst []R, a []A) int {
	if len(a) == len(dst) {
		return -1
	}
	return 0
}
