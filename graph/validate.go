package graph

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Defect is one broken invariant.
type Defect struct {
	Where string // such as: graph "main": node "conv1"
	What  string
}

func (d Defect) String() string { return d.Where + ": " + d.What }

// ValidationError lists every defect found.
type ValidationError struct{ Defects []Defect }

// shownDefects bounds an error's text; the value has them all.
const shownDefects = 10

func (e *ValidationError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "graph: %d defects", len(e.Defects))
	for i, d := range e.Defects {
		if i == shownDefects {
			fmt.Fprintf(&b, "\n\t… and %d more", len(e.Defects)-i)
			break
		}
		b.WriteString("\n\t" + d.String())
	}
	return b.String()
}

// Validate checks every invariant of the model: its graph, its functions, that
// functions do not call each other in rings, and that references to attributes
// name attributes of the function. It fails with *ValidationError.
func (m *Model) Validate() error {
	v := validator{seen: map[*Graph]bool{}}
	if m.Graph == nil {
		v.report("model", "there is no graph")
	} else {
		v.top(m.Graph, graphName(m.Graph))
	}
	complete := true
	for _, k := range m.functionKeys() {
		f := m.Functions[k]
		where := fmt.Sprintf("function %q", k)
		switch {
		case f == nil || f.Graph == nil:
			v.report(where, "there is no body")
			complete = false
		case f.Key != k:
			v.report(where, "it is listed under another key than its own, %q", f.Key)
		default:
			v.function(f, where)
		}
	}
	if complete && v.intact {
		if _, err := m.CallOrder(); err != nil {
			v.report("model", "%v", err)
		}
	}
	return v.err()
}

// Validate checks every invariant of the graph and its subgraphs: that links agree
// both ways, that names are unique, that what is read is made, captured or given,
// that there is no cycle, that captures match the implicit inputs of their nodes,
// and that constants fit their declared types. It fails with *ValidationError.
func (g *Graph) Validate() error {
	v := validator{seen: map[*Graph]bool{}, inBody: true}
	v.graph(g, graphName(g))
	return v.err()
}

func graphName(g *Graph) string { return fmt.Sprintf("graph %q", g.Name) }

// validator collects defects.
type validator struct {
	defects []Defect
	seen    map[*Graph]bool
	fn      *Function // whose body is being checked, nil outside
	inBody  bool      // references to attributes are allowed, and unknown ones not checked when fn is nil
	intact  bool      // the graph may be walked
}

func (v *validator) report(where, format string, args ...any) {
	v.defects = append(v.defects, Defect{where, fmt.Sprintf(format, args...)})
}

func (v *validator) err() error {
	if len(v.defects) == 0 {
		return nil
	}
	return &ValidationError{v.defects}
}

// top checks a graph that nothing surrounds.
func (v *validator) top(g *Graph, where string) {
	if len(g.Captures) > 0 {
		v.report(where, "it captures %d values, but nothing surrounds it", len(g.Captures))
	}
	v.intact = v.graph(g, where)
}

func (v *validator) function(f *Function, where string) {
	for i, name := range f.Attrs {
		if name == "" || slices.Contains(f.Attrs[:i], name) {
			v.report(where, "attribute %q is unnamed or listed twice", name)
		}
	}
	for i, a := range f.Defaults {
		if a.Name == "" || slices.Contains(f.Attrs, a.Name) || slices.ContainsFunc(f.Defaults[:i], func(o Attr) bool { return o.Name == a.Name }) {
			v.report(where, "attribute %q is unnamed or listed twice", a.Name)
		}
		if a.Ref != "" {
			v.report(where, "the default of attribute %q is a reference", a.Name)
		}
	}
	v.fn, v.inBody = f, true
	intact := v.intact
	v.top(f.Graph, where)
	v.intact = v.intact && intact
	v.fn, v.inBody = nil, false
}

// graph checks a graph and what is inside it, and reports whether its links can
// be followed without meeting what is not there.
func (v *validator) graph(g *Graph, where string) bool {
	if v.seen[g] {
		v.report(where, "the graph is inside itself or belongs to two nodes")
		return false
	}
	v.seen[g] = true
	before := len(v.defects)
	v.names(g, where)
	v.values(g, where)
	v.captures(g, where)
	v.border(g, where)
	for id, n := range g.nodes {
		if n != nil {
			v.node(g, n, NodeID(id), where)
		}
	}
	if live := countLive(g.nodes); live != g.live {
		v.report(where, "it counts %d nodes and has %d", g.live, live)
	}
	intact := len(v.defects) == before
	if intact {
		var cycle *CycleError
		if _, err := g.Order(); errors.As(err, &cycle) {
			v.report(where, "nodes %q form a cycle", cycle.Nodes)
		}
	}
	for _, n := range g.nodes {
		if n != nil {
			intact = v.subgraphs(g, n, where) && intact
		}
	}
	return intact
}

func countLive(nodes []*Node) int {
	live := 0
	for _, n := range nodes {
		if n != nil {
			live++
		}
	}
	return live
}

// subgraphs checks the graphs among a node's attributes.
func (v *validator) subgraphs(g *Graph, n *Node, where string) bool {
	where = fmt.Sprintf("%s: node %q", where, n.Label())
	list := n.Subgraphs()
	if len(list) == 0 && len(n.implicit) > 0 {
		v.report(where, "it has %d implicit inputs but no subgraph", len(n.implicit))
	}
	intact := true
	for _, s := range list {
		if s == nil {
			v.report(where, "a subgraph is nil")
			intact = false
			continue
		}
		at := where + ": " + graphName(s)
		for _, c := range s.Captures {
			v.capture(g, n, s, c, at)
		}
		intact = v.graph(s, at) && intact
	}
	return intact
}
