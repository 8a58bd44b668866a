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
		n.pieces = (n.col.n + stripLen - 1) / stripLen
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

// A strip is stripLen lines of the destination, done in blocks of blockLen
// columns: the lines of both sides stay in the first-level cache.
const (
	stripLen = 16
	blockLen = 64
)

// strip transposes lines piece*stripLen… of a tile.
func (n *nest[T]) strip(do, so, piece int) {
	first := piece * stripLen
	lines := min(stripLen, n.col.n-first)
	do += first * n.col.d
	so += first
	ldd, lds := n.col.d, n.row.s
	for at := 0; at < n.row.n; at += blockLen {
		block(n.d[do+at:], n.s[so+at*lds:], n.s, so+at*lds, ldd, lds, lines, min(blockLen, n.row.n-at))
	}
}

// block does d[j*ldd+i] = s[j+i*lds] for lines j and columns i. all and at are
// for strides that go backwards: s is all from at on.
func block[T element.Word](d, s, all []T, at, ldd, lds, lines, cols int) {
	j := 0
	if unsafe.Sizeof(d[0]) == 4 && lds > 0 {
		df, sf := *(*[]float32)(unsafe.Pointer(&d)), *(*[]float32)(unsafe.Pointer(&s))
		for ; j+8 <= lines; j += 8 {
			i := 0
			for ; i+8 <= cols; i += 8 {
				simd.Transpose8x8(df[j*ldd+i:], ldd, sf[j+i*lds:], lds)
			}
			for ; i < cols; i++ {
				for k := j; k < j+8; k++ {
					df[k*ldd+i] = sf[k+i*lds]
				}
			}
		}
	}
	for ; j < lines; j++ {
		row := d[j*ldd:][:cols]
		from := at + j
		for i := range row {
			row[i] = all[from]
			from += lds
		}
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
