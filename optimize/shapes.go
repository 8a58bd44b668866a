package optimize

import (
	"context"

	"gort/graph"
)

// FoldShapes replaces integer values that shape inference knows in full by
// constants, though the tensors whose shapes they read are not constant. Such are
// the chains that exporters write around a Reshape, for x of shape [N, 3, 4]:
//
//	Gather(Shape(x), 1)                  →  3
//	Concat(Shape(x)[1:], [-1])           →  [3, 4, -1]
//	Concat(Shape(x)[:1], [12])           stays: N is not known
//
// The nodes stay, unread, for Dead to remove.
type FoldShapes struct{}

// Name implements Pass.
func (FoldShapes) Name() string { return "fold-shapes" }

// Run implements Pass.
func (FoldShapes) Run(_ context.Context, s *State) (bool, error) {
	changed := false
	for n := range s.Graph.Nodes() {
		if !s.pure(n) {
			continue
		}
		for _, id := range n.Outputs() {
			if id == graph.NoValue || len(s.Graph.Value(id).Uses()) == 0 {
				continue
			}
			if t := s.Fact(id).Value(); t != nil && s.replaceByConstant(id, t) {
				changed = true
			}
		}
	}
	return changed, nil
}
