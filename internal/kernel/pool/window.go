package pool

// Window describes a pooling. The slices have one element for each spatial
// dimension.
type Window struct {
	Planes        int // batch times channels
	Input, Output []int
	Kernel        []int
	Strides       []int
	Dilations     []int
	Begin, End    []int // padding
}

func product(s []int) int {
	n := 1
	for _, v := range s {
		n *= v
	}
	return n
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// taps returns which taps of the window of output o fall inside the input in
// dimension d: those of [first, last), the first of which reads element at.
func (w *Window) taps(d, o int) (first, last, at int) {
	start := o*w.Strides[d] - w.Begin[d]
	if start < 0 {
		first = ceilDiv(-start, w.Dilations[d])
	}
	last = w.Kernel[d]
	if start < w.Input[d] {
		last = min(last, ceilDiv(w.Input[d]-start, w.Dilations[d]))
	} else {
		last = 0
	}
	return first, max(first, last), start + first*w.Dilations[d]
}

// padded returns how many taps of output o fall inside the input and its padding.
func (w *Window) padded(d, o int) int {
	start := o*w.Strides[d] - w.Begin[d]
	return min(w.Kernel[d], max(0, ceilDiv(w.Input[d]+w.End[d]-start, w.Dilations[d])))
}

// rows visits the input rows that the output row with these outer coordinates
// reads: visit gets the index of each row's first element within the plane.
// at is working memory of three times the outer dimensions.
func (w *Window) rows(outer, at []int, visit func(row int)) {
	n := len(outer)
	left, pos, first := at[:n], at[n:2*n], at[2*n:3*n]
	count := w.startRows(outer, left, pos, first)
	for range count {
		row := 0
		for d := range n {
			row = row*w.Input[d] + pos[d]
		}
		visit(row * w.Input[n])
		for d := n - 1; d >= 0; d-- {
			pos[d] += w.Dilations[d]
			if left[d]--; left[d] > 0 {
				break
			}
			a, b, _ := w.taps(d, outer[d])
			left[d], pos[d] = b-a, first[d]
		}
	}
}

// startRows sets up the walk of rows and returns how many there are.
func (w *Window) startRows(outer, left, pos, first []int) int {
	count := 1
	for d, o := range outer {
		a, b, p := w.taps(d, o)
		left[d], pos[d], first[d] = b-a, p, p
		count *= b - a
	}
	return count
}

// coordinates writes those of output row r.
func (w *Window) coordinates(outer []int, r int) {
	for d := len(outer) - 1; d >= 0; d-- {
		outer[d] = r % w.Output[d]
		r /= w.Output[d]
	}
}

// inlineWork is the number of elements read below which a pooling is not worth
// waking a worker.
const inlineWork = 32 << 10

// rowsAndGrain returns the number of output rows of a plane and how many rows
// make a chunk of work worth handing to a thread.
func (w *Window) rowsAndGrain() (rows, grain int) {
	last := len(w.Output) - 1
	rows = product(w.Output[:last])
	work := float64(w.Output[last])
	for d, k := range w.Kernel {
		work *= float64(min(k, w.Input[d]+1))
	}
	return rows, max(1, int(inlineWork/max(work, 1)))
}
