package optimize

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"sort"
	"strings"

	"gort/graph"
	"gort/tensor"
)

// Duplicates merges nodes that compute the same from the same inputs (common
// subexpressions), and small constants of equal elements:
//
//	a = Exp(x), b = Exp(x), Add(a, b)  →  a = Exp(x), Add(a, a)
//
// Two nodes are the same when operator, version, inputs, attributes and the number
// of outputs are: into how many parts Split cuts may depend on that. Nodes that
// differ from run to run stay apart, and so do nodes with subgraphs. Constants are
// compared bit for bit, so 0 and -0 stay apart and equal NaNs do not.
type Duplicates struct{}

// Name implements Pass.
func (Duplicates) Name() string { return "duplicates" }

// maxMergedBytes bounds the constants that are compared: large ones are hardly
// ever equal and cost a read of the whole model.
const maxMergedBytes = 4 << 10

// Run implements Pass. Nodes are looked at in execution order, so that two equal
// chains merge from their start.
func (Duplicates) Run(_ context.Context, s *State) (bool, error) {
	changed := s.mergeConstants()
	order, err := s.Graph.Order()
	if err != nil {
		return changed, err
	}
	seen := map[string]*graph.Node{}
	for _, id := range order {
		n := s.Graph.Node(id)
		if !s.pure(n) {
			continue
		}
		key, ok := nodeKey(n)
		if !ok {
			continue
		}
		first, dup := seen[key]
		if !dup {
			seen[key] = n
			continue
		}
		if s.mergeNodes(first, n) {
			changed = true
		}
	}
	return changed, nil
}

// mergeNodes makes readers of n read first instead. The outputs that both are
// asked for have to be the same ones.
func (s *State) mergeNodes(first, n *graph.Node) bool {
	for i, o := range n.Outputs() {
		if o != graph.NoValue && (i >= len(first.Outputs()) || first.Outputs()[i] == graph.NoValue) {
			return false
		}
	}
	for i, o := range n.Outputs() {
		if o != graph.NoValue && !s.replace(o, first.Outputs()[i]) {
			return false
		}
	}
	return s.removeNode(n)
}

// nodeKey writes down all that a node's result depends on. It gives up on
// attributes that are large or have no short form.
func nodeKey(n *graph.Node) (string, bool) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %d %v %d", n.Domain, n.Op, n.Opset, n.Inputs(), len(n.Outputs()))
	attrs := slices.Clone(n.Attrs)
	sort.Slice(attrs, func(i, j int) bool { return attrs[i].Name < attrs[j].Name })
	for _, a := range attrs {
		fmt.Fprintf(&b, " %q=", a.Name)
		switch v := a.Value.(type) {
		case *tensor.Tensor:
			k, ok := constKey(v)
			if !ok {
				return "", false
			}
			b.WriteString(k)
		case float32, int64, string, []float32, []int64, []string, graph.Type:
			fmt.Fprintf(&b, "%d %q", a.Kind, fmt.Sprintf("%#v", v))
		default:
			return "", false
		}
	}
	return b.String(), true
}

// constKey writes down a small constant: its type, shape and elements.
func constKey(t *tensor.Tensor) (string, bool) {
	if t.DType() == tensor.String || t.NumBytes() > maxMergedBytes {
		return "", false
	}
	raw, err := t.Contiguous().Bytes()
	if err != nil {
		return "", false
	}
	return fmt.Sprintf("%v %v %q", t.DType(), t.Shape(), raw), true
}

func (s *State) mergeConstants() bool {
	changed := false
	seed := maphash.MakeSeed()
	type entry struct {
		key string
		id  graph.ValueID
	}
	seen := map[uint64][]entry{}
	for v := range s.Graph.Values() {
		if !v.IsConstant() || len(v.Uses()) == 0 {
			continue
		}
		key, ok := constKey(v.Const)
		if !ok {
			continue
		}
		h := maphash.String(seed, key)
		i := slices.IndexFunc(seen[h], func(e entry) bool { return e.key == key })
		if i < 0 {
			seen[h] = append(seen[h], entry{key, v.ID})
			continue
		}
		if s.Graph.ReplaceUses(v.ID, seen[h][i].id) == nil {
			changed = true
		}
	}
	return changed
}
