package optimize

import (
	"gort/graph"
	"gort/tensor"
)

// replace makes everything that reads old read with instead. What was declared of
// old's type is kept: it may say more than inference finds out.
func (s *State) replace(old, with graph.ValueID) bool {
	o, w := s.Graph.Value(old), s.Graph.Value(with)
	if s.Graph.ReplaceUses(old, with) != nil {
		return false
	}
	if t, ok := graph.MergeType(w.Type, o.Type); ok && !w.IsInput() && w.Const == nil {
		w.Type = t
	}
	return true
}

// replaceByConstant makes everything that reads a value read a constant.
func (s *State) replaceByConstant(id graph.ValueID, t *tensor.Tensor) bool {
	c, err := s.Graph.AddConst("", t)
	if err != nil {
		return false
	}
	return s.Graph.ReplaceUses(id, c) == nil
}

// removeNode removes a node that nothing reads, and the constants only it read.
func (s *State) removeNode(n *graph.Node) bool {
	inputs := append(append([]graph.ValueID(nil), n.Inputs()...), n.Implicit()...)
	if s.Graph.RemoveNode(n.ID) != nil {
		return false
	}
	for _, id := range inputs {
		if v := s.Graph.Value(id); v != nil && v.IsConstant() && len(v.Uses()) == 0 {
			// An input slot may name a value twice; the second time it is gone.
			_ = s.Graph.RemoveValue(id)
		}
	}
	return true
}
