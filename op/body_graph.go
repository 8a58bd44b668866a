package op

import (
	"fmt"
	"strconv"

	"gort/graph"
)

// graphLiteral reads "(inputs) => (outputs) { lines }" as a graph of its own.
func (b *bodyBuilder) graphLiteral() (*graph.Graph, error) {
	s := &bodyScope{g: graph.New("body"), outer: b.scope, captured: map[graph.ValueID]graph.ValueID{}}
	inputs, err := b.names()
	if err != nil {
		return nil, err
	}
	if _, err := b.expect('A', "=>"); err != nil {
		return nil, err
	}
	outputs, err := b.names()
	if err != nil {
		return nil, err
	}
	b.scope = s
	defer func() { b.scope = s.outer }()
	for _, name := range inputs {
		id, err := s.g.AddValue(name, graph.Type{})
		if err != nil {
			return nil, err
		}
		if err := s.g.AddInput(id); err != nil {
			return nil, err
		}
	}
	if _, err := b.expect('{', "{"); err != nil {
		return nil, err
	}
	if err := b.statements('}'); err != nil {
		return nil, err
	}
	for _, name := range outputs {
		id, err := b.value(name)
		if err != nil {
			return nil, err
		}
		// What only passes through is made anew, as the outputs of a graph are.
		if v := s.g.Value(id); v != nil && v.IsOutput() || v == nil {
			return nil, fmt.Errorf("output %q of a graph is omitted or listed twice", name)
		}
		if p, _ := s.g.Value(id).Producer(); p == graph.NoNode {
			if id, err = b.node("Identity", id); err != nil {
				return nil, err
			}
		}
		if err := s.g.AddOutput(id); err != nil {
			return nil, err
		}
	}
	return s.g, nil
}

func (b *bodyBuilder) names() ([]string, error) {
	if _, err := b.expect('(', "list of names"); err != nil {
		return nil, err
	}
	if b.accept(')') {
		return nil, nil
	}
	var out []string
	err := b.list(')', func() error {
		t, err := b.expect('n', "name")
		out = append(out, t.text)
		return err
	})
	return out, err
}

// graphCall adds the nodes of the graph that the operator's node has as an
// attribute, applied to arguments, and names what they make.
func (b *bodyBuilder) graphCall(attr string, names []string) ([]graph.ValueID, error) {
	sub := b.c.Graph(attr)
	if sub == nil {
		return nil, fmt.Errorf("attribute %q has no graph", attr)
	}
	args, err := b.arguments()
	if err != nil {
		return nil, err
	}
	sub = sub.Clone()
	if len(args) != len(sub.Inputs()) || len(names) != len(sub.Outputs()) {
		return nil, fmt.Errorf("graph %q has %d inputs and %d outputs, not %d and %d", attr, len(sub.Inputs()), len(sub.Outputs()), len(args), len(names))
	}
	mapped := map[graph.ValueID]graph.ValueID{}
	for i, in := range sub.Inputs() {
		mapped[in] = args[i]
	}
	for _, c := range sub.Captures {
		if mapped[c.Inner], err = b.scope.outside(c.Implicit); err != nil {
			return nil, err
		}
	}
	made, err := splice(b.scope.g, sub, mapped, attr+"_"+strconv.Itoa(b.scope.g.NumNodes())+"/")
	if err != nil {
		return nil, err
	}
	out := make([]graph.ValueID, len(names))
	for i, id := range made {
		if out[i], err = b.node("Identity", id); err != nil {
			return nil, err
		}
		if names[i] != "" {
			if err := b.scope.g.Rename(out[i], names[i]); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// outside is an outer value that the operator's node reads through its graphs, as
// a value of this graph.
func (s *bodyScope) outside(implicit int) (graph.ValueID, error) {
	name := "outside_" + strconv.Itoa(implicit)
	if s.outer != nil {
		id, err := s.outer.outside(implicit)
		if err != nil {
			return id, err
		}
		return s.capture(id, name)
	}
	if id, ok := s.g.Lookup(name); ok {
		return id, nil
	}
	id, err := s.g.AddValue(name, graph.Type{})
	if err != nil {
		return id, err
	}
	s.g.Captures = append(s.g.Captures, graph.Capture{Implicit: implicit, Inner: id})
	return id, nil
}
