package strided

import (
	"context"
	"unsafe"

	"gort/internal/kernel/element"
	"gort/internal/parallel"
	"gort/internal/simd"
	"gort/tensor"
)

// Copy carries out a move from src to dst, which have one element type and do
// not overlap. Where src has elements that m does not name they are not read,
// and elements of dst that it does not name stay as they are. Moves that leave a
// tensor's storage panic. The error is that of ctx.
func Copy(ctx context.Context, pool *parallel.Pool, dst, src *tensor.Tensor, m Move) error {
	if m.empty {
		return nil
	}
	m.DstAt += dst.Offset()
	m.SrcAt += src.Offset()
	m.sort()
	bits := dst.DType().Bits()
	if bits == 0 {
		return run(ctx, pool, element.Storage[string](dst), element.Storage[string](src), &m)
	}
	d, s := dst.Storage(), src.Storage()
	if bits < 8 {
		if !m.scale(8 / bits) {
			return copyPacked(ctx, d, s, bits, &m)
		}
		bits = 8
	}
	// A run that is a power of two of words, up to 16 bytes, is one wider word.
	if k := m.inner().n; m.rank > 1 && k <= 16 && k&(k-1) == 0 && bits*k <= 128 && m.scale(k) {
		bits *= k
	}
	switch bits {
	case 8:
		return run(ctx, pool, d, s, &m)
	case 16:
		return run(ctx, pool, element.Cast[uint16](d), element.Cast[uint16](s), &m)
	case 32:
		return run(ctx, pool, element.Cast[uint32](d), element.Cast[uint32](s), &m)
	case 64:
		return run(ctx, pool, element.Cast[uint64](d), element.Cast[uint64](s), &m)
	}
	return run(ctx, pool, element.Cast[[2]uint64](d), element.Cast[[2]uint64](s), &m)
}

// Work is cut into pieces of about chunkBytes; less than twice that stays on one thread.
const chunkBytes = 32 << 10

// nest is a move made ready: outer loops around either a line, in pieces, or a
// tile of lines.
type nest[T element.Word] struct {
	d, s []T
	move Move
	// row is the innermost loop and col, when tiled, the one that is contiguous
	// in the source; outer are the others.
	row, col dim
	tiled    bool
	lines    int // of a strip of a tile
	outer    [maxDims]dim
	rank     int
	count    int // product of the outer loops
	pieces   int // pieces of a line, or strips of a tile
}

func run[T element.Word](ctx context.Context, pool *parallel.Pool, d, s []T, m *Move) error {
	size := m.size() * int(unsafe.Sizeof(d[0]))
	if size < 2*chunkBytes {
		n := prepare(d, s, m)
		n.items(0, n.count*n.pieces)
		return ctx.Err()
	}
	return runParallel(ctx, pool, d, s, m, size)
}

// runParallel is a function of its own because what its closure holds is on the heap.
func runParallel[T element.Word](ctx context.Context, pool *parallel.Pool, d, s []T, m *Move, size int) error {
	n := prepare(d, s, m)
	all := n.count * n.pieces
	return pool.For(ctx, all, max(1, all*chunkBytes/size), n.items)
}

func prepare[T element.Word](d, s []T, m *Move) nest[T] {
	n := nest[T]{d: d, s: s, move: *m, row: m.inner(), count: 1, pieces: 1}
	last := max(m.rank-1, 0)
	col := -1
	if n.row.d == 1 && n.row.s != 1 && n.row.s != 0 {
		for i := last - 1; i >= 0; i-- {
			if m.dims[i].s == 1 {
				col = i
				break
			}
		}
	}
	for i, l := range m.dims[:last] {
		if i == col {
			n.col, n.tiled = l, true
			continue
		}
		n.outer[n.rank] = l
		n.rank++
		n.count *= l.n
	}
	if n.tiled {
		n.lines = stripLines(int(unsafe.Sizeof(d[0])), n.row.n)
		n.pieces = (n.col.n + n.lines - 1) / n.lines
	} else {
		n.pieces = max(1, n.row.n*int(unsafe.Sizeof(d[0]))/chunkBytes)
	}
	return n
}

// items does the pieces lo to hi of the outer loops' product times pieces.
func (n *nest[T]) items(lo, hi int) {
	if lo >= hi {
		return
	}
	var index [maxDims]int
	do, so := n.move.DstAt, n.move.SrcAt
	o, piece := lo/n.pieces, lo%n.pieces
	for k := n.rank - 1; k >= 0; k-- {
		l := &n.outer[k]
		index[k] = o % l.n
		o /= l.n
		do += index[k] * l.d
		so += index[k] * l.s
	}
	for ; lo < hi; lo++ {
		if n.tiled {
			n.strip(do, so, piece)
		} else {
			n.line(do, so, piece)
		}
		if piece++; piece < n.pieces {
			continue
		}
		piece = 0
		for k := n.rank - 1; k >= 0; k-- {
			l := &n.outer[k]
			index[k]++
			do += l.d
			so += l.s
			if index[k] < l.n {
				break
			}
			do -= l.n * l.d
			so -= l.n * l.s
			index[k] = 0
		}
	}
}

// line copies one piece of the innermost loop.
func (n *nest[T]) line(do, so, piece int) {
	count := n.row.n
	if n.pieces > 1 {
		first := piece * count / n.pieces
		count = (piece+1)*count/n.pieces - first
		do += first * n.row.d
		so += first * n.row.s
	}
	ds, ss := n.row.d, n.row.s
	switch {
	case ds == 1 && ss == 1:
		copy(n.d[do:do+count], n.s[so:so+count])
	case ds == 1 && ss == 0:
		v, d := n.s[so], n.d[do:do+count]
		for i := range d {
			d[i] = v
		}
	case ds == 1:
		d, s := n.d[do:do+count], n.s
		for i := range d {
			d[i] = s[so]
			so += ss
		}
	default:
		d, s := n.d, n.s
		for range count {
			d[do] = s[so]
			do += ds
			so += ss
		}
	}
}

// stripLines is how many lines of the destination, each of n elements, a strip
// of a tile has: as many elements as one cache line of the source holds, so that
// what is loaded is used at once, and more where lines are short.
func stripLines(width, n int) int {
	return max(8, 64/width, 2048/n)
}

// strip transposes some lines of a tile.
func (n *nest[T]) strip(do, so, piece int) {
	first := piece * n.lines
	lines := min(n.lines, n.col.n-first)
	do += first * n.col.d
	so += first
	transpose(n.d[do:], n.s, so, n.col.d, n.row.s, lines, n.row.n)
}

// transpose does d[j*ldd+i] = s[at+i*lds+j] for lines j and columns i. lds may be
// negative.
func transpose[T element.Word](d, s []T, at, ldd, lds, lines, cols int) {
	i := 0
	for ; i+8 <= cols; i += 8 {
		columns8(d[i:], s, at+i*lds, ldd, lds, lines)
	}
	for ; i < cols; i++ {
		to := i
		for _, v := range s[at+i*lds:][:lines] {
			d[to] = v
			to += ldd
		}
	}
}

// columns8 does eight columns of a transpose: eight runs of the source become
// eight neighbours in each line. More runs at a time would push each other out of
// a cache whose sets hold eight lines, since runs often lie a power of two apart.
func columns8[T element.Word](d, s []T, at, ldd, lds, lines int) {
	j := 0
	if unsafe.Sizeof(s[0]) == 4 && lds > 0 {
		df, sf := *(*[]float32)(unsafe.Pointer(&d)), *(*[]float32)(unsafe.Pointer(&s))
		for ; j+8 <= lines; j += 8 {
			simd.Transpose8x8(df[j*ldd:], ldd, sf[at+j:], lds)
		}
	}
	run := func(k int) []T { return s[at+k*lds:][:lines] }
	s0, s1, s2, s3 := run(0), run(1), run(2), run(3)
	s4, s5, s6, s7 := run(4), run(5), run(6), run(7)
	for ; j < lines; j++ {
		row := (*[8]T)(d[j*ldd:])
		row[0], row[1], row[2], row[3] = s0[j], s1[j], s2[j], s3[j]
		row[4], row[5], row[6], row[7] = s4[j], s5[j], s6[j], s7[j]
	}
}

// copyPacked copies 4- and 2-bit elements one by one.
func copyPacked(ctx context.Context, d, s []byte, bits int, m *Move) error {
	var index [maxDims]int
	do, so := m.DstAt, m.SrcAt
	for left := m.size(); left > 0; left-- {
		if left&0xffff == 0 && ctx.Err() != nil {
			break
		}
		element.Set(d, bits, do, element.Get(s, bits, so))
		for k := m.rank - 1; k >= 0; k-- {
			l := &m.dims[k]
			index[k]++
			do += l.d
			so += l.s
			if index[k] < l.n {
				break
			}
			do -= l.n * l.d
			so -= l.n * l.s
			index[k] = 0
		}
	}
	return ctx.Err()
}
