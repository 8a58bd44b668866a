package engine

import (
	"slices"
)

// arenaAlign is the alignment of values in the arena, in bytes: a cache line,
// and the widest vector register there is.
const arenaAlign = 64

// lifetimes finds for every slot the last step that reads its memory, lets
// outputs take over the memory of inputs that end there, and lists for each step
// the dynamic slots that nothing reads after it.
func (c *compiler) lifetimes() {
	end := int32(len(c.steps))
	for _, o := range c.outputs {
		c.touch(o, end)
	}
	// Backwards, so that what a step's outputs need is known when it is reached.
	for i := int32(len(c.steps)) - 1; i >= 0; i-- {
		st := &c.steps[i]
		until := i
		if st.kind == stepDynamic && st.node.viewer != nil {
			for _, o := range st.out { // an output may turn out to be a window of an input
				if o >= 0 {
					until = max(until, c.slots[c.rootOf(o)].last)
				}
			}
		}
		for _, list := range [2][]int32{st.in, st.outer} {
			for _, s := range list {
				if s >= 0 {
					c.touch(s, until)
				}
			}
		}
		for _, o := range st.out {
			if o >= 0 {
				c.touch(o, i)
			}
		}
	}
	for s := range c.slots {
		if c.slots[s].kind == slotDynamic && c.slots[s].last < end && c.slots[s].last >= 0 {
			st := &c.steps[c.slots[s].last]
			st.release = append(st.release, int32(s))
		}
	}
}

func (c *compiler) touch(s, step int32) {
	r := c.rootOf(s)
	c.slots[r].last = max(c.slots[r].last, step)
	c.slots[s].last = max(c.slots[s].last, step)
}

// assignArena gives planned values offsets such that values alive at the same
// time do not overlap: a free list, best fit, over the steps in order. The cost
// is the number of values times the number of gaps, which stays small because
// neighbours merge.
func (c *compiler) assignArena() {
	merged := c.mergeInPlace()
	starts, ends := make([][]int32, len(c.steps)), make([][]int32, len(c.steps))
	for s := range c.slots {
		sl := &c.slots[s]
		if sl.kind != slotArena || merged[s] >= 0 {
			continue
		}
		starts[sl.first] = append(starts[sl.first], int32(s))
		if sl.last < int32(len(c.steps)) {
			ends[sl.last] = append(ends[sl.last], int32(s))
		}
	}
	free := make([]freeList, len(c.arena))
	for i := range c.steps {
		for _, s := range starts[i] {
			sl := &c.slots[s]
			f := &free[sl.provider]
			sl.offset = f.take(align(sl.size))
			c.arena[sl.provider] = f.top
		}
		for _, s := range ends[i] {
			free[c.slots[s].provider].give(c.slots[s].offset, align(c.slots[s].size))
		}
	}
	for i := range c.arena {
		c.arena[i] = max(c.arena[i], free[i].top)
	}
	for s := range c.slots {
		r := int32(s)
		for merged[r] >= 0 {
			r = merged[r]
		}
		if r != int32(s) {
			c.slots[s].offset = c.slots[r].offset
		}
	}
}

func align(n int64) int64 { return (max(n, 1) + arenaAlign - 1) &^ (arenaAlign - 1) }

// mergeInPlace lets an output lie where an input of the same size lies whose
// last reader is the step itself. It returns for each slot the slot it joins, or -1.
func (c *compiler) mergeInPlace() []int32 {
	merged := make([]int32, len(c.slots))
	for i := range merged {
		merged[i] = -1
	}
	owner := func(s int32) int32 {
		s = c.rootOf(s)
		for merged[s] >= 0 {
			s = merged[s]
		}
		return s
	}
	for i := range c.steps {
		st := &c.steps[i]
		if st.kind != stepRun {
			continue
		}
		for _, r := range st.node.reuse {
			if r.Output >= len(st.out) || r.Input >= len(st.in) || st.out[r.Output] < 0 || st.in[r.Input] < 0 {
				continue
			}
			out, in := st.out[r.Output], st.in[r.Input]
			o, own := &c.slots[out], owner(in)
			w := &c.slots[own]
			if o.kind != slotArena || merged[out] >= 0 || w.kind != slotArena || w.provider != o.provider || w.last != int32(i) || w.size != o.size {
				continue
			}
			if v := &c.slots[in]; v.elem != 0 || v.strides != nil || v.dtype.Bits() != o.dtype.Bits() {
				continue
			}
			// Another operand that is a different window of the same memory would be
			// overwritten while it is read.
			if slices.ContainsFunc(st.in, func(s int32) bool { return s >= 0 && s != in && owner(s) == own }) {
				continue
			}
			merged[out] = own
			w.last = o.last
			break
		}
	}
	return merged
}

// freeList hands out ranges of an arena.
type freeList struct {
	gaps []gap // ascending, never adjacent
	top  int64 // end of what was ever handed out
}

type gap struct{ offset, size int64 }

func (f *freeList) take(size int64) int64 {
	best := -1
	for i, g := range f.gaps {
		if g.size >= size && (best < 0 || g.size < f.gaps[best].size) {
			best = i
		}
	}
	if best >= 0 {
		g := &f.gaps[best]
		at := g.offset
		if g.size == size {
			f.gaps = slices.Delete(f.gaps, best, best+1)
		} else {
			g.offset += size
			g.size -= size
		}
		return at
	}
	// A gap at the end grows rather than leave a hole.
	if n := len(f.gaps); n > 0 && f.gaps[n-1].offset+f.gaps[n-1].size == f.top {
		at := f.gaps[n-1].offset
		f.gaps = f.gaps[:n-1]
		f.top = at + size
		return at
	}
	at := f.top
	f.top += size
	return at
}

func (f *freeList) give(offset, size int64) {
	i, _ := slices.BinarySearchFunc(f.gaps, offset, func(g gap, o int64) int {
		switch {
		case g.offset < o:
			return -1
		case g.offset > o:
			return 1
		}
		return 0
	})
	f.gaps = slices.Insert(f.gaps, i, gap{offset, size})
	if i+1 < len(f.gaps) && offset+size == f.gaps[i+1].offset {
		f.gaps[i].size += f.gaps[i+1].size
		f.gaps = slices.Delete(f.gaps, i+1, i+2)
	}
	if i > 0 && f.gaps[i-1].offset+f.gaps[i-1].size == offset {
		f.gaps[i-1].size += f.gaps[i].size
		f.gaps = slices.Delete(f.gaps, i, i+1)
	}
}

// findPatches lists the operands that a run has to fill in.
func (c *compiler) findPatches() {
	changes := func(s int32) bool {
		if s < 0 {
			return false
		}
		switch c.slots[c.rootOf(s)].kind {
		case slotInput, slotCapture, slotOutput, slotDynamic:
			return true
		}
		return false
	}
	for i := range c.steps {
		st := &c.steps[i]
		for k, s := range st.in {
			if changes(s) {
				st.patch = append(st.patch, int32(k))
			}
		}
		for k, s := range st.out {
			if changes(s) {
				st.patched = append(st.patched, int32(k))
			}
		}
	}
}
