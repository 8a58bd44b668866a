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
			f.block(a, x[lo*features:(lo+n)*features], features, scores, voted)
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
func (f *Forest[T]) block(a Aggregate, x []T, features int, scores []T, voted []bool) {
	single := f.nTargets == 1 && (a == Sum || a == Average)
	if single {
		for i := range voted {
			voted[i] = true
		}
	}
	for _, root := range f.roots {
		for i, at := 0, 0; at < len(x); i, at = i+1, at+features {
			leaf := f.walk(root, x[at:at+features])
			switch {
			case single:
				scores[i] += leaf.split
			default:
				f.vote(a, leaf.child, scores[i*f.nTargets:], voted[i*f.nTargets:])
			}
		}
	}
}

// vote adds a leaf's votes to a row.
func (f *Forest[T]) vote(a Aggregate, leaf int32, scores []T, voted []bool) {
	for v := f.starts[leaf]; v < f.starts[leaf+1]; v++ {
		t, w := f.targets[v], f.weights[v]
		switch {
		case a == Sum || a == Average:
			scores[t] += w
		case !voted[t], a == Min && w < scores[t], a == Max && w > scores[t]:
			scores[t] = w
		}
		voted[t] = true
	}
}

// walk goes down a tree to its leaf.
func (f *Forest[T]) walk(at int32, x []T) *node[T] {
	nodes := f.nodes
	n := &nodes[at]
	if f.rules == nil {
		for n.feature >= 0 {
			next := n.child
			if !(x[n.feature] <= n.split) {
				next++
			}
			n = &nodes[next]
		}
		return n
	}
	for n.feature >= 0 {
		next := n.child
		if !f.holds(f.rules[at], x[n.feature], n.split) {
			next++
		}
		at = next
		n = &nodes[at]
	}
	return n
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
