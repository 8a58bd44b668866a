package mltree

import (
	"context"
	"fmt"
	"slices"

	"gort/internal/parallel"
)

// Aggregate is how the votes for a target are put together.
type Aggregate uint8

// Aggregates, numbered as in TreeEnsemble-5.
const (
	Average Aggregate = iota
	Sum
	Min
	Max
)

// Aggregates by the names of TreeEnsembleRegressor.
var Aggregates = map[string]Aggregate{"AVERAGE": Average, "SUM": Sum, "MIN": Min, "MAX": Max}

// blockRows is how many rows go through one tree before the next.
const blockRows = 32

// Predict walks rows of x through the trees and calls finish with each row's
// scores, one a target, and whether any vote was cast for it. Scores are summed in
// T in the order of the trees, whatever the number of threads. finish may change
// the slices; it runs on several threads at once.
func (f *Forest[T]) Predict(ctx context.Context, p *parallel.Pool, a Aggregate, x []T, rows, features int, finish func(row int, scores []T, voted []bool)) error {
	if features < f.features {
		return fmt.Errorf("the input has %d features, the trees test feature %d", features, f.features-1)
	}
	// A thread is worth waking for some thousand steps down the trees.
	grain := max(1, 2000/(8*len(f.roots)+1))
	return p.For(ctx, rows, grain, func(lo, hi int) {
		scores := make([]T, blockRows*f.nTargets)
		voted := make([]bool, blockRows*f.nTargets)
		for ; lo < hi; lo += blockRows {
			n := min(blockRows, hi-lo)
			clear(scores)
			clear(voted)
			f.block(a, x[lo*features:(lo+n)*features], n, features, scores, voted)
			for i := range n {
				s := scores[i*f.nTargets : (i+1)*f.nTargets]
				if a == Average {
					for j := range s {
						s[j] /= T(len(f.roots))
					}
				}
				finish(lo+i, s, voted[i*f.nTargets:(i+1)*f.nTargets])
			}
		}
	})
}

// block adds the votes of all trees for some rows.
func (f *Forest[T]) block(a Aggregate, x []T, rows, features int, scores []T, voted []bool) {
	single := f.nTargets == 1 && (a == Sum || a == Average)
	if single {
		for i := range voted {
			voted[i] = true
		}
	}
	side := 0 // rows that go side by side
	if f.rules == nil && features > 0 {
		side = rows &^ 3
		for _, root := range f.roots {
			for i := 0; i < side; i += 4 {
				for j, leaf := range f.walk4([4]int32{root, root, root, root}, x[i*features:(i+4)*features], features) {
					f.reach(a, single, leaf, i+j, scores, voted)
				}
			}
		}
	}
	for i := side; i < rows; i++ {
		row, roots := x[i*features:(i+1)*features], f.roots
		for ; len(roots) >= 4 && f.rules == nil && features > 0; roots = roots[4:] {
			for _, leaf := range f.walk4([4]int32(roots), row, 0) {
				f.reach(a, single, leaf, i, scores, voted)
			}
		}
		for _, root := range roots {
			f.reach(a, single, f.walk(root, row), i, scores, voted)
		}
	}
}

// reach adds what leaf node at says about a row.
func (f *Forest[T]) reach(a Aggregate, single bool, at int32, row int, scores []T, voted []bool) {
	if single {
		scores[row] += f.sums[at]
		return
	}
	f.vote(a, f.leaves[at], scores[row*f.nTargets:], voted[row*f.nTargets:])
}

// vote adds a leaf's votes to a row.
func (f *Forest[T]) vote(a Aggregate, leaf int32, scores []T, voted []bool) {
	scores, voted = scores[:f.nTargets], voted[:f.nTargets]
	targets, weights := f.targets[f.starts[leaf]:f.starts[leaf+1]], f.weights[f.starts[leaf]:f.starts[leaf+1]]
	weights = weights[:len(targets)]
	if a == Sum || a == Average {
		for i, t := range targets {
			scores[t] += weights[i]
			voted[t] = true
		}
		return
	}
	for i, t := range targets {
		if w := weights[i]; !voted[t] || a == Min && w < scores[t] || a == Max && w > scores[t] {
			scores[t] = w
		}
		voted[t] = true
	}
}

// walk goes down a tree to its leaf.
func (f *Forest[T]) walk(at int32, x []T) int32 {
	nodes := f.nodes
	for {
		n := &nodes[at]
		next := n.child
		if next == at {
			return at
		}
		v := x[n.feature]
		if f.rules == nil {
			next += one(v <= n.split)
		} else {
			next += one(f.holds(f.rules[at], v, n.split))
		}
		at = next
	}
}

// one is 1 for true, without a jump: which way a row goes can not be predicted.
func one(b bool) int32 {
	var n int32
	if b {
		n = 1
	}
	return n
}

// walk4 goes down from four nodes side by side, each with the row that begins
// stride elements after the one before: each waits for memory and comparisons of
// its own, so together they take little longer than one.
func (f *Forest[T]) walk4(from [4]int32, x []T, stride int) [4]int32 {
	nodes := f.nodes
	i0, i1, i2, i3 := from[0], from[1], from[2], from[3]
	for {
		n0, n1 := &nodes[i0], &nodes[i1]
		j0 := n0.child + one(x[int(n0.feature)] <= n0.split)
		j1 := n1.child + one(x[int(n1.feature)+stride] <= n1.split)
		n2, n3 := &nodes[i2], &nodes[i3]
		j2 := n2.child + one(x[int(n2.feature)+2*stride] <= n2.split)
		j3 := n3.child + one(x[int(n3.feature)+3*stride] <= n3.split)
		if (i0^j0)|(i1^j1)|(i2^j2)|(i3^j3) == 0 {
			return [4]int32{i0, i1, i2, i3}
		}
		i0, i1, i2, i3 = j0, j1, j2, j3
	}
}

func (f *Forest[T]) holds(r rule, v, split T) bool {
	if v != v {
		return r.missing
	}
	switch r.mode {
	case LEQ:
		return v <= split
	case LT:
		return v < split
	case EQ:
		return v == split
	}
	_, found := slices.BinarySearch(f.members[r.members], v)
	return found
}
