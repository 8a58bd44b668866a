package op

import (
	"fmt"

	"gort/graph"
)

// Instantiate returns a copy of a function's graph for one call: references to
// attributes are replaced by the values the call gives, or by the defaults.
func Instantiate(f *graph.Function, call *graph.Node) (*graph.Graph, error) {
	given := map[string]graph.Attr{}
	for _, d := range f.Defaults {
		given[d.Name] = d
	}
	for _, a := range call.Attrs {
		given[a.Name] = a
	}
	for _, name := range f.Attrs {
		if _, ok := given[name]; !ok {
			return nil, nodeError(call, "attribute "+name, "the function requires it but the call does not give it")
		}
	}
	if len(call.Inputs()) > len(f.Graph.Inputs()) || len(call.Outputs()) > len(f.Graph.Outputs()) {
		return nil, nodeError(call, "", "%d inputs and %d outputs, the function has %d and %d", len(call.Inputs()), len(call.Outputs()), len(f.Graph.Inputs()), len(f.Graph.Outputs()))
	}
	g := f.Graph.Clone()
	bindAttrs(g, given)
	return g, nil
}

// bindAttrs fills in attribute references throughout a graph. A reference to an
// attribute that the call leaves out, and that has no default, is dropped.
func bindAttrs(g *graph.Graph, given map[string]graph.Attr) {
	for n := range g.Nodes() {
		kept := n.Attrs[:0]
		for _, a := range n.Attrs {
			if a.Ref != "" {
				v, ok := given[a.Ref]
				if !ok {
					continue
				}
				a.Kind, a.Value, a.Ref = v.Kind, v.Value, v.Ref
			}
			kept = append(kept, a)
		}
		n.Attrs = kept
		for _, sub := range n.Subgraphs() {
			bindAttrs(sub, given)
		}
	}
}

// Inline replaces a node that calls a function by the function's nodes. Values
// get fresh names under the node's; the outputs keep theirs.
func Inline(g *graph.Graph, id graph.NodeID, f *graph.Function) error {
	call := g.Node(id)
	body, err := Instantiate(f, call)
	if err != nil {
		return err
	}
	mapped := map[graph.ValueID]graph.ValueID{}
	for i, in := range body.Inputs() {
		mapped[in] = graph.NoValue
		if i < len(call.Inputs()) {
			mapped[in] = call.Inputs()[i]
		}
	}
	for _, c := range body.Captures {
		mapped[c.Inner] = call.Implicit()[c.Implicit]
	}
	made, err := splice(g, body, mapped, call.Label()+"/")
	if err != nil {
		return err
	}
	renames := map[graph.ValueID]string{}
	for i, o := range call.Outputs() {
		if o == graph.NoValue {
			continue
		}
		to := made[i]
		if to == graph.NoValue {
			return fmt.Errorf("op: output %d of function %s is an input that node %q omits", i, f.Key.Name, call.Label())
		}
		name, w := g.Value(o).Name, g.Value(to)
		if p, _ := w.Producer(); p != graph.NoNode && !w.IsOutput() {
			renames[to] = name
		}
		if err := g.ReplaceUses(o, to); err != nil {
			return err
		}
	}
	if err := g.RemoveNode(id); err != nil {
		return err
	}
	for to, name := range renames {
		if err := g.Rename(to, name); err != nil {
			return err
		}
	}
	return nil
}

// splice adds the nodes of a body to a graph. mapped says which values of the
// graph the body's inputs and captures are; other values get fresh names under a
// prefix. It returns the values that the body's outputs became.
func splice(g, body *graph.Graph, mapped map[graph.ValueID]graph.ValueID, prefix string) ([]graph.ValueID, error) {
	order, err := body.Order()
	if err != nil {
		return nil, err
	}
	mapped[graph.NoValue] = graph.NoValue
	value := func(id graph.ValueID) (graph.ValueID, error) {
		if to, ok := mapped[id]; ok {
			return to, nil
		}
		v := body.Value(id)
		name := prefix + v.Name
		if _, taken := g.Lookup(name); taken {
			name = ""
		}
		to, err := g.AddValue(name, v.Type)
		if err != nil {
			return graph.NoValue, err
		}
		if v.Const != nil {
			g.Value(to).Const = v.Const
		}
		mapped[id] = to
		return to, nil
	}
	values := func(ids []graph.ValueID) ([]graph.ValueID, error) {
		out := make([]graph.ValueID, len(ids))
		for i, id := range ids {
			if out[i], err = value(id); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	for _, nid := range order {
		n := body.Node(nid)
		spec := graph.NodeSpec{Name: prefix + n.Label(), Domain: n.Domain, Op: n.Op, Overload: n.Overload, Opset: n.Opset, Attrs: n.Attrs, Doc: n.Doc}
		if spec.Inputs, err = values(n.Inputs()); err != nil {
			return nil, err
		}
		if spec.Implicit, err = values(n.Implicit()); err != nil {
			return nil, err
		}
		if spec.Outputs, err = values(n.Outputs()); err != nil {
			return nil, err
		}
		if _, err := g.AddNode(spec); err != nil {
			return nil, err
		}
	}
	return values(body.Outputs())
}
