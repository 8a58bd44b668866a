package strided

// maxDims bounds the dimensions of a move that count: each has two or more
// elements, so this many need more elements than any memory holds.
const maxDims = 40

// dim is one loop: n steps of d elements in the destination, s in the source.
type dim struct{ n, d, s int }

// Move says which elements are copied where. The zero Move copies one element;
// each Add makes it a loop around, or rather within, what was there before.
type Move struct {
	// DstAt and SrcAt are the places of the first element, counted in elements
	// from the tensors' own first elements.
	DstAt, SrcAt int

	dims  [maxDims]dim
	rank  int
	empty bool
}

// Add adds an inner loop of n steps of dst and src elements. Loops that go
// through both sides without a gap become one. src may be 0 or negative.
func (m *Move) Add(n, dst, src int) {
	if n <= 0 {
		m.empty = true
		return
	}
	if n == 1 || m.empty {
		return
	}
	if m.rank > 0 {
		if o := &m.dims[m.rank-1]; o.d == dst*n && o.s == src*n {
			*o = dim{o.n * n, dst, src}
			return
		}
	}
	m.dims[m.rank] = dim{n, dst, src}
	m.rank++
}

// AddShape adds a loop for each dimension, outermost first.
func (m *Move) AddShape(shape, dst, src []int) {
	for i, n := range shape {
		m.Add(n, dst[i], src[i])
	}
}

// inner returns the innermost loop; of a single element, a loop of one step.
func (m *Move) inner() dim {
	if m.rank == 0 {
		return dim{1, 1, 1}
	}
	return m.dims[m.rank-1]
}

// size is the number of elements.
func (m *Move) size() int {
	n := 1
	for _, d := range m.dims[:m.rank] {
		n *= d.n
	}
	return n
}

// sort orders the loops such that the innermost has the shortest step in the
// destination, and merges again what became neighbours.
func (m *Move) sort() {
	for i := 1; i < m.rank; i++ {
		if m.dims[i-1].d < m.dims[i].d {
			m.sortLoops()
			return
		}
	}
}

func (m *Move) sortLoops() {
	for i := 1; i < m.rank; i++ {
		for k := i; k > 0 && m.dims[k-1].d < m.dims[k].d; k-- {
			m.dims[k-1], m.dims[k] = m.dims[k], m.dims[k-1]
		}
	}
	old := *m
	m.rank = 0
	for _, d := range old.dims[:old.rank] {
		m.Add(d.n, d.d, d.s)
	}
}

// scale divides every step but the innermost's and both places by k, drops
// factor k of the innermost loop, and reports whether all of that is whole: the
// move then is one of words k times as wide.
func (m *Move) scale(k int) bool {
	in := m.inner()
	if m.rank == 0 || in.d != 1 || in.s != 1 || in.n%k != 0 || m.DstAt%k != 0 || m.SrcAt%k != 0 {
		return false
	}
	for _, d := range m.dims[:m.rank-1] {
		if d.d%k != 0 || d.s%k != 0 {
			return false
		}
	}
	m.DstAt /= k
	m.SrcAt /= k
	for i := range m.dims[:m.rank-1] {
		m.dims[i].d /= k
		m.dims[i].s /= k
	}
	if in.n /= k; in.n == 1 {
		m.rank--
	} else {
		m.dims[m.rank-1].n = in.n
	}
	return true
}

// Gapless reports whether the move takes neighbours to neighbours throughout,
// so that the destination is a window of the source, SrcAt elements from its start.
func (m *Move) Gapless() bool {
	return m.empty || m.rank == 0 || m.rank == 1 && m.dims[0].d == 1 && m.dims[0].s == 1
}
