package mltree

import (
	"fmt"
	"math"
	"slices"
)

// Float lists the types that ensembles compute in.
type Float interface{ float32 | float64 }

// node is a branch or a leaf. A branch goes to nodes[child+1] when the comparison
// holds and to nodes[child] otherwise. A leaf leads to itself: no x is <= NaN, its
// split. So a walk needs no test for leaves, and may go on at one for nothing.
type node[T Float] struct {
	split   T
	feature int32
	child   int32
}

// rule is what sets a branch apart from a plain x <= split.
type rule struct {
	mode    Mode // LEQ, LT, EQ or Member
	missing bool // NaN counts as true
	members int32
}

// Forest is a flattened ensemble.
type Forest[T Float] struct {
	nodes    []node[T]
	rules    []rule // for each node; nil when all compare x <= split and NaN is false
	members  [][]T
	roots    []int32
	leaves   []int32 // for each node, which leaf it is
	sums     []T     // for each node, a leaf's weights together: all there is to know with one target
	starts   []int32 // of each leaf's votes, and the end
	targets  []int32
	weights  []T
	nTargets int
	features int // one more than the largest index
}

// Targets is the number of targets or classes.
func (f *Forest[T]) Targets() int { return f.nTargets }

// New flattens an ensemble. It fails when a branch, leaf or target does not exist
// and when a branch is reached twice.
func New[T Float](src *Source) (*Forest[T], error) {
	if src.Targets < 1 {
		return nil, fmt.Errorf("the ensemble has %d targets, needs at least one", src.Targets)
	}
	f := &Forest[T]{nTargets: src.Targets}
	seen := make([]bool, len(src.Branches))
	plain := true
	if err := f.votes(src); err != nil {
		return nil, err
	}
	type item struct {
		from Child
		at   int32
	}
	var todo []item
	for _, root := range src.Roots {
		f.roots = append(f.roots, int32(len(f.nodes)))
		todo = append(todo, item{root, f.grow(1)})
		for len(todo) > 0 {
			it := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if it.from < 0 {
				leaf := ^int(it.from)
				if leaf >= len(src.Leaves) {
					return nil, fmt.Errorf("leaf %d does not exist, there are %d", leaf, len(src.Leaves))
				}
				f.leaf(it.at, leaf, src.Leaves[leaf])
				continue
			}
			i := int(it.from)
			if i >= len(src.Branches) {
				return nil, fmt.Errorf("node %d does not exist, there are %d", i, len(src.Branches))
			}
			if seen[i] {
				return nil, fmt.Errorf("node %d is reached twice, which makes no tree", i)
			}
			seen[i] = true
			b := &src.Branches[i]
			if b.Feature < 0 || b.Feature > math.MaxInt32-1 {
				return nil, fmt.Errorf("node %d tests feature %d, which no input has", i, b.Feature)
			}
			if len(f.nodes) > math.MaxInt32-2 {
				return nil, fmt.Errorf("the ensemble has too many nodes")
			}
			f.features = max(f.features, b.Feature+1)
			r, yes, no := f.rule(b)
			child := f.grow(2)
			f.nodes[it.at] = node[T]{split: T(b.Split), feature: int32(b.Feature), child: child}
			f.rules[it.at] = r
			plain = plain && r == rule{}
			todo = append(todo, item{no, child}, item{yes, child + 1})
		}
	}
	if plain {
		f.rules = nil
	}
	return f, nil
}

func (f *Forest[T]) grow(n int) int32 {
	at := int32(len(f.nodes))
	f.nodes = append(f.nodes, make([]node[T], n)...)
	f.rules = append(f.rules, make([]rule, n)...)
	f.leaves = append(f.leaves, make([]int32, n)...)
	f.sums = append(f.sums, make([]T, n)...)
	return at
}

// rule reduces the modes to four: x > s is not x <= s, and so on, where NaN, for
// which both are false, changes sides.
func (f *Forest[T]) rule(b *Branch) (r rule, yes, no Child) {
	r, yes, no = rule{mode: b.Mode, missing: b.Missing}, b.Yes, b.No
	swap := func(m Mode) { r.mode, r.missing, yes, no = m, !b.Missing, b.No, b.Yes }
	nan := b.Split != b.Split // comparisons are false but for !=
	switch {
	case b.Mode == GT && nan, b.Mode == GTE && nan:
		r.mode = EQ
	case b.Mode == GT:
		swap(LEQ)
	case b.Mode == GTE:
		swap(LT)
	case b.Mode == NEQ:
		// NaN differs from every number.
		r.mode, r.missing, yes, no = EQ, false, b.No, b.Yes
	case b.Mode == Member:
		set := make([]T, 0, len(b.Members))
		for _, v := range b.Members {
			set = append(set, T(v))
		}
		slices.Sort(set)
		r.members = int32(len(f.members))
		f.members = append(f.members, set)
	}
	return r, yes, no
}

// votes lays out what the leaves vote for.
func (f *Forest[T]) votes(src *Source) error {
	f.starts = append(f.starts, 0)
	for i, votes := range src.Leaves {
		for _, v := range votes {
			if v.Target < 0 || v.Target >= src.Targets {
				return fmt.Errorf("leaf %d votes for target %d, allowed are 0 to %d", i, v.Target, src.Targets-1)
			}
			f.targets = append(f.targets, int32(v.Target))
			f.weights = append(f.weights, T(v.Weight))
		}
		f.starts = append(f.starts, int32(len(f.targets)))
	}
	return nil
}

func (f *Forest[T]) leaf(at int32, i int, votes []Vote) {
	f.nodes[at] = node[T]{split: T(math.NaN()), child: at}
	f.leaves[at] = int32(i)
	for _, v := range votes {
		f.sums[at] += T(v.Weight)
	}
}
