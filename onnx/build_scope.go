package onnx

import "gort/graph"

// scope is a graph under construction: where names of its subgraphs are looked for.
type scope struct {
	builder *builder
	graph   *graph.Graph
	outer   *scope // nil for the main graph and function bodies
	owner   *ownerNode
}

// ownerNode is the node that a subgraph belongs to, before it is added to its graph.
type ownerNode struct {
	implicit []graph.ValueID
	index    map[graph.ValueID]int
}

// capture returns the place of an outer value among the node's implicit inputs.
func (n *ownerNode) capture(outside graph.ValueID) int {
	if i, ok := n.index[outside]; ok {
		return i
	}
	if n.index == nil {
		n.index = map[graph.ValueID]int{}
	}
	i := len(n.implicit)
	n.index[outside] = i
	n.implicit = append(n.implicit, outside)
	return i
}

// lookup finds a name in the graph or, as a capture, in the graphs around it.
func (s *scope) lookup(name string) (graph.ValueID, bool, error) {
	if id, ok := s.graph.Lookup(name); ok {
		return id, true, nil
	}
	if s.outer == nil {
		return graph.NoValue, false, nil
	}
	outside, ok, err := s.outer.lookup(name)
	if !ok || err != nil {
		return graph.NoValue, false, err
	}
	if err := s.builder.count("graph " + quote(s.graph.Name)); err != nil {
		return graph.NoValue, false, err
	}
	id, err := s.graph.AddValue(name, s.outer.graph.Value(outside).Type)
	if err != nil {
		return graph.NoValue, false, err
	}
	s.graph.Captures = append(s.graph.Captures, graph.Capture{Implicit: s.owner.capture(outside), Inner: id})
	return id, true, nil
}

// count admits one more value. What a deep subgraph captures takes one value at
// each level, so that a small file could otherwise ask for very many.
func (b *builder) count(where string) error {
	if *b.values++; *b.values > b.model.config.limits.MaxValues {
		return &LimitError{"MaxValues", where, *b.values, b.model.config.limits.MaxValues}
	}
	return nil
}
