package main

import (
	"fmt"
	"strings"

	"gort"
	"gort/graph"
	"gort/op"
)

// memoryReport is an estimate of what a run holds at once.
type memoryReport struct {
	Parameters  int64    `json:"parameters"`
	Activations int64    `json:"activations"`       // at the node where they are most
	Unknown     int      `json:"unknown,omitempty"` // values whose size depends on data
	Shapes      []string `json:"shapes,omitempty"`  // of the inputs, as counted
}

func (m memoryReport) describe() string {
	s := fmt.Sprintf("%s parameters, %s activations", byteSize(m.Parameters), byteSize(m.Activations))
	if len(m.Shapes) > 0 {
		s += " for " + strings.Join(m.Shapes, ", ")
	}
	if m.Unknown > 0 {
		s += fmt.Sprintf("; %d values of unknown size left out", m.Unknown)
	}
	return s
}

// estimateMemory infers the main graph's shapes for the inputs' and adds up, node
// by node, the values that are still needed. Subgraphs and scratch space are not
// counted, and a planner can do better where values share memory.
func estimateMemory(m *graph.Model, inputs []gort.ValueInfo, shapes *shapeFlags) memoryReport {
	var r memoryReport
	facts := make([]op.Fact, len(inputs))
	for i, in := range inputs {
		if !in.Type.IsTensor() || in.Optional {
			continue
		}
		s, _ := shapes.shape(in)
		if !in.Type.Shape.IsRanked() && shapes.shapes[in.Name] == nil {
			continue
		}
		facts[i].Type = graph.TensorType(in.Type.DType, graph.Fixed(s...))
		r.Shapes = append(r.Shapes, fmt.Sprintf("%s=%v", in.Name, s))
	}
	g := m.Graph
	order, err := g.Order()
	if err != nil {
		return r
	}
	// Nodes that can not be inferred leave values of unknown size.
	known, _ := op.NewEnv(m).Graph(g, facts, nil)
	sizes := r.sizes(g, known)

	last := make([]int, g.ValueBound()) // place of the last node that reads a value
	for at, id := range order {
		n := g.Node(id)
		for _, list := range [][]graph.ValueID{n.Inputs(), n.Implicit(), n.Outputs()} {
			for _, v := range list {
				if v != graph.NoValue {
					last[v] = at
				}
			}
		}
	}
	for _, id := range g.Outputs() {
		last[id] = len(order)
	}
	ends := make([]int64, len(order)+1) // bytes that are last read at a place
	live := int64(0)
	for _, id := range g.Inputs() {
		live += sizes[id]
		ends[last[id]] += sizes[id]
	}
	r.Activations = live
	for at, id := range order {
		for _, v := range g.Node(id).Outputs() {
			if v != graph.NoValue {
				live += sizes[v]
				ends[last[v]] += sizes[v]
			}
		}
		r.Activations = max(r.Activations, live)
		live -= ends[at]
	}
	return r
}

// sizes returns the bytes of each value that a run makes, by id.
func (r *memoryReport) sizes(g *graph.Graph, facts []op.Fact) []int64 {
	sizes := make([]int64, g.ValueBound())
	for v := range g.Values() {
		if v.Const != nil || int(v.ID) >= len(facts) || facts[v.ID].Const != nil {
			continue
		}
		t := facts[v.ID].Type
		shape, ok := t.Shape.Concrete()
		if !ok || !t.IsTensor() {
			r.Unknown++
			continue
		}
		if n, err := shape.NumElements(); err == nil {
			sizes[v.ID] = int64(t.DType.Bytes(n))
		}
	}
	return sizes
}
