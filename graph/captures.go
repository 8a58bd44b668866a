package graph

import "slices"

// PruneCaptures drops what the subgraphs of a node no longer read from outside:
// captures whose inner value has no use left, with that value, and then the
// node's implicit inputs that no capture needs. Passes that edit subgraphs call it
// afterwards, innermost nodes first. It reports whether anything was dropped.
func (g *Graph) PruneCaptures(id NodeID) bool {
	n := g.Node(id)
	if n == nil || len(n.implicit) == 0 {
		return false
	}
	subgraphs := n.Subgraphs()
	needed := make([]bool, len(n.implicit))
	changed := false
	for _, s := range subgraphs {
		s.Captures = slices.DeleteFunc(s.Captures, func(c Capture) bool {
			if v := s.Value(c.Inner); v != nil && len(v.uses) > 0 {
				needed[c.Implicit] = true
				return false
			}
			if s.Value(c.Inner) != nil {
				s.dropValue(c.Inner)
			}
			changed = true
			return true
		})
	}
	moved := make([]int, len(n.implicit)) // new index of each old one
	kept := n.implicit[:0]
	pos := n.implPos[:0]
	for i, v := range n.implicit {
		if !needed[i] {
			g.dropUse(v, n.implPos[i])
			changed = true
			continue
		}
		moved[i] = len(kept)
		g.values[v].uses[n.implPos[i]].Slot = len(kept)
		kept, pos = append(kept, v), append(pos, n.implPos[i])
	}
	n.implicit, n.implPos = kept, pos
	for _, s := range subgraphs {
		for i := range s.Captures {
			s.Captures[i].Implicit = moved[s.Captures[i].Implicit]
		}
	}
	return changed
}
