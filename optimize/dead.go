package optimize

import (
	"context"

	"gort/graph"
)

// Dead removes nodes that no output depends on, and constants that nothing reads.
// The inputs of a graph stay, read or not: they are what a caller gives.
type Dead struct{}

// Name implements Pass.
func (Dead) Name() string { return "dead" }

// Run implements Pass. Removing a node may leave the producers of its inputs
// unread, so those are looked at next: the work is the number of links removed.
func (Dead) Run(_ context.Context, s *State) (bool, error) {
	changed := false
	var work []*graph.Node
	for n := range s.Graph.Nodes() {
		work = append(work, n)
	}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if s.Graph.Node(n.ID) == nil || s.read(n) {
			continue
		}
		var producers []*graph.Node
		for _, list := range [2][]graph.ValueID{n.Inputs(), n.Implicit()} {
			for _, id := range list {
				if v := s.Graph.Value(id); v != nil {
					if p, _ := v.Producer(); p != graph.NoNode {
						producers = append(producers, s.Graph.Node(p))
					}
				}
			}
		}
		if s.removeNode(n) {
			changed = true
			work = append(work, producers...)
		}
	}
	for v := range s.Graph.Values() {
		if v.IsConstant() && len(v.Uses()) == 0 {
			if p, _ := v.Producer(); p == graph.NoNode && s.Graph.RemoveValue(v.ID) == nil {
				changed = true
			}
		}
	}
	return changed, nil
}

// read reports whether anything reads an output of a node.
func (s *State) read(n *graph.Node) bool {
	for _, id := range n.Outputs() {
		if id != graph.NoValue && len(s.Graph.Value(id).Uses()) > 0 {
			return true
		}
	}
	return false
}
