package graph

import (
	"maps"
	"slices"
)

// Clone returns a deep copy with the same ids. Edits of one are not seen by the
// other; constants, tensors in attributes among them, are shared.
func (m *Model) Clone() *Model {
	c := *m
	c.Metadata = maps.Clone(m.Metadata)
	c.Opsets = maps.Clone(m.Opsets)
	c.Graph = m.Graph.Clone()
	c.Functions = maps.Clone(m.Functions)
	for k, f := range c.Functions {
		c.Functions[k] = f.Clone()
	}
	return &c
}

// Clone returns a deep copy with the same ids. Constants are shared.
func (f *Function) Clone() *Function {
	c := *f
	c.Attrs = slices.Clone(f.Attrs)
	c.Defaults = cloneAttrs(f.Defaults)
	c.Opsets = maps.Clone(f.Opsets)
	c.Graph = f.Graph.Clone()
	return &c
}

// Clone returns a deep copy of the graph and its subgraphs with the same ids, of
// which the copy gives none again either. Constants are shared. The clone of nil is nil.
func (g *Graph) Clone() *Graph {
	if g == nil {
		return nil
	}
	c := *g
	c.Captures = slices.Clone(g.Captures)
	c.inputs = slices.Clone(g.inputs)
	c.outputs = slices.Clone(g.outputs)
	c.outPos = slices.Clone(g.outPos)
	c.byName = maps.Clone(g.byName)
	c.nodes = make([]*Node, len(g.nodes))
	for i, n := range g.nodes {
		if n != nil {
			c.nodes[i] = n.clone()
		}
	}
	c.values = make([]*Value, len(g.values))
	for i, v := range g.values {
		if v != nil {
			w := *v
			w.uses = slices.Clone(v.uses)
			c.values[i] = &w
		}
	}
	return &c
}

func (n *Node) clone() *Node {
	c := *n
	c.Attrs = cloneAttrs(n.Attrs)
	c.inputs = slices.Clone(n.inputs)
	c.implicit = slices.Clone(n.implicit)
	c.outputs = slices.Clone(n.outputs)
	c.inPos = slices.Clone(n.inPos)
	c.implPos = slices.Clone(n.implPos)
	return &c
}

func cloneAttrs(attrs []Attr) []Attr {
	out := slices.Clone(attrs)
	for i := range out {
		switch v := out[i].Value.(type) {
		case *Graph:
			out[i].Value = v.Clone()
		case []*Graph:
			list := make([]*Graph, len(v))
			for k, g := range v {
				list[k] = g.Clone()
			}
			out[i].Value = list
		case []float32:
			out[i].Value = slices.Clone(v)
		case []int64:
			out[i].Value = slices.Clone(v)
		case []string:
			out[i].Value = slices.Clone(v)
		}
	}
	return out
}
