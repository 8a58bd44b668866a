package jpeg2000

// tagTree codes a grid of numbers, annex B.10.2: a node above has the least of up to
// 2 x 2 numbers below. Numbers become known bit by bit, as far as they are asked for.
type tagTree struct {
	nodes []tagNode // the leaves row by row, then the levels above
}

type tagNode struct {
	parent int32 // -1 of the root
	low    int32 // the number is at least that
	known  bool  // the number is low
}

// newTagTree makes a tree of a grid that is not empty.
func newTagTree(w, h int) *tagTree {
	n := 0
	for a, b := w, h; ; a, b = (a+1)/2, (b+1)/2 {
		if n += a * b; a*b == 1 {
			break
		}
	}
	t := &tagTree{make([]tagNode, n)}
	at := 0
	for w*h > 1 {
		above := at + w*h
		for i := range w * h {
			t.nodes[at+i].parent = int32(above + i/w/2*((w+1)/2) + i%w/2)
		}
		at, w, h = above, (w+1)/2, (h+1)/2
	}
	t.nodes[at].parent = -1
	return t
}

// less reads as much as is needed to say whether a leaf's number is less than limit.
func (t *tagTree) less(r *headerBits, leaf, limit int) bool {
	var path [32]int32
	depth := 0
	for n := int32(leaf); n >= 0; n = t.nodes[n].parent {
		path[depth] = n
		depth++
	}
	low := int32(0)
	var node *tagNode
	for depth--; depth >= 0; depth-- {
		node = &t.nodes[path[depth]]
		node.low = max(node.low, low)
		for !node.known && node.low < int32(limit) {
			if r.bit() == 1 {
				node.known = true
			} else {
				node.low++
			}
		}
		low = node.low
	}
	return node.known && node.low < int32(limit)
}
