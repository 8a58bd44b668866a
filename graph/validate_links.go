package graph

import (
	"fmt"

	"gort/tensor"
)

// names checks that names and values belong to each other one to one.
func (v *validator) names(g *Graph, where string) {
	live := 0
	for id, x := range g.values {
		if x == nil {
			continue
		}
		live++
		at := fmt.Sprintf("%s: value %q", where, x.Name)
		if x.ID != ValueID(id) {
			v.report(at, "it has id %d in place %d", x.ID, id)
		}
		if x.Name == "" {
			v.report(at, "it has no name")
		}
		if found, ok := g.byName[x.Name]; !ok || found != ValueID(id) {
			v.report(at, "its name finds value %d, not %d", found, id)
		}
	}
	if len(g.byName) == live {
		return
	}
	for name, id := range g.byName {
		if x := g.Value(id); x == nil || x.Name != name {
			v.report(where, "the name %q finds value %d, which does not bear it", name, id)
		}
	}
}

// values checks what each value says of its producer, its uses and its constant.
func (v *validator) values(g *Graph, where string) {
	captured := make(map[ValueID]bool, len(g.Captures))
	for _, c := range g.Captures {
		captured[c.Inner] = true
	}
	for _, x := range g.values {
		if x == nil {
			continue
		}
		at := fmt.Sprintf("%s: value %q", where, x.Name)
		if x.producer != NoNode {
			n := g.Node(x.producer)
			switch {
			case n == nil:
				v.report(at, "its producer %d does not exist", x.producer)
			case x.output < 0 || x.output >= len(n.outputs) || n.outputs[x.output] != x.ID:
				v.report(at, "it is not output %d of its producer %q", x.output, n.Label())
			}
			if x.input >= 0 {
				v.report(at, "it is an input and made by a node")
			}
		}
		if x.input >= 0 && (x.input >= len(g.inputs) || g.inputs[x.input] != x.ID) {
			v.report(at, "it is not input %d of the graph", x.input)
		}
		if len(x.uses) > 0 && x.producer == NoNode && x.input < 0 && x.Const == nil && !captured[x.ID] {
			v.report(at, "it is read but nothing gives it a value")
		}
		for i, u := range x.uses {
			v.use(g, x, i, u, at)
		}
		if x.Const != nil {
			v.constant(x, at)
		}
	}
}

// use checks that the place where a value says it is read agrees.
func (v *validator) use(g *Graph, x *Value, i int, u Use, at string) {
	ids, pos, holder := g.outputs, g.outPos, "the graph's outputs"
	if u.Node != NoNode {
		n := g.Node(u.Node)
		if n == nil {
			v.report(at, "it is read by node %d, which does not exist", u.Node)
			return
		}
		ids, pos, holder = n.inputs, n.inPos, fmt.Sprintf("the inputs of node %q", n.Label())
		if u.Implicit {
			ids, pos, holder = n.implicit, n.implPos, fmt.Sprintf("the implicit inputs of node %q", n.Label())
		}
	}
	switch {
	case u.Slot < 0 || u.Slot >= len(ids) || ids[u.Slot] != x.ID:
		v.report(at, "it is not number %d among %s", u.Slot, holder)
	case u.Slot >= len(pos) || pos[u.Slot] != i:
		v.report(at, "number %d among %s does not know it as use %d", u.Slot, holder, i)
	}
}

func (v *validator) constant(x *Value, at string) {
	exact := TypeOf(x.Const)
	if _, ok := MergeType(x.Type, exact); !ok {
		v.report(at, "its type is %v but its constant is %v", x.Type, exact)
	}
}

// border checks the graph's inputs and outputs.
func (v *validator) border(g *Graph, where string) {
	for i, id := range g.inputs {
		if x := g.Value(id); x == nil {
			v.report(where, "input %d is value %d, which does not exist", i, id)
		} else if x.input != i {
			v.report(where, "input %d, %q, knows itself as input %d", i, x.Name, x.input)
		}
	}
	v.links(g, g.outputs, g.outPos, Use{Node: NoNode}, where, "output")
}

// node checks one node's links and attributes.
func (v *validator) node(g *Graph, n *Node, id NodeID, where string) {
	where = fmt.Sprintf("%s: node %q", where, n.Label())
	if n.ID != id {
		v.report(where, "it has id %d in place %d", n.ID, id)
	}
	if n.Op == "" {
		v.report(where, "it has no operator")
	}
	v.links(g, n.inputs, n.inPos, Use{Node: id}, where, "input")
	v.links(g, n.implicit, n.implPos, Use{Node: id, Implicit: true}, where, "implicit input")
	for i, o := range n.outputs {
		if o == NoValue {
			continue
		}
		if x := g.Value(o); x == nil {
			v.report(where, "output %d is value %d, which does not exist", i, o)
		} else if x.producer != id || x.output != i {
			v.report(where, "output %d, %q, says that it is output %d of node %d", i, x.Name, x.output, x.producer)
		}
	}
	v.attributes(n, where)
}

// links checks that each value in a list of what is read knows of it. Only the
// inputs of a node may be omitted.
func (v *validator) links(g *Graph, ids []ValueID, pos []int, u Use, where, what string) {
	if len(ids) != len(pos) {
		v.report(where, "it has %d %ss and %d positions of them", len(ids), what, len(pos))
		return
	}
	for i, id := range ids {
		if id == NoValue && u.Node != NoNode && !u.Implicit {
			continue
		}
		x := g.Value(id)
		if x == nil {
			v.report(where, "%s %d is value %d, which does not exist", what, i, id)
			continue
		}
		u.Slot = i
		if pos[i] < 0 || pos[i] >= len(x.uses) || x.uses[pos[i]] != u {
			v.report(where, "%s %d, %q, does not know that it is read there", what, i, x.Name)
		}
	}
}

// captures checks what a subgraph itself says of its captures.
func (v *validator) captures(g *Graph, where string) {
	seen := make(map[ValueID]bool, len(g.Captures))
	for i, c := range g.Captures {
		x := g.Value(c.Inner)
		switch {
		case x == nil:
			v.report(where, "capture %d is value %d, which does not exist", i, c.Inner)
		case seen[c.Inner]:
			v.report(where, "value %q is captured twice", x.Name)
		case x.producer != NoNode || x.input >= 0:
			v.report(where, "value %q is captured, but it is an input or made by a node", x.Name)
		}
		seen[c.Inner] = true
	}
}

// capture checks a capture against the node that holds the subgraph.
func (v *validator) capture(g *Graph, n *Node, s *Graph, c Capture, where string) {
	if c.Implicit < 0 || c.Implicit >= len(n.implicit) {
		v.report(where, "it captures implicit input %d of %d", c.Implicit, len(n.implicit))
		return
	}
	outer, inner := g.Value(n.implicit[c.Implicit]), s.Value(c.Inner)
	if outer == nil || inner == nil {
		return // reported where the links are
	}
	if _, ok := MergeType(outer.Type, inner.Type); !ok {
		v.report(where, "it captures %q of type %v as %q of type %v", outer.Name, outer.Type, inner.Name, inner.Type)
	}
}

// attributes checks names, kinds and references.
func (v *validator) attributes(n *Node, where string) {
	seen := make(map[string]bool, len(n.Attrs))
	for _, a := range n.Attrs {
		at := fmt.Sprintf("%s: attribute %q", where, a.Name)
		if a.Name == "" || seen[a.Name] {
			v.report(at, "it is unnamed or given twice")
		}
		seen[a.Name] = true
		if a.Ref != "" {
			v.reference(a, at)
			continue
		}
		if !a.fits() {
			v.report(at, "it is a %v but holds a %T", a.Kind, a.Value)
		}
	}
}

func (v *validator) reference(a Attr, at string) {
	switch {
	case !v.inBody:
		v.report(at, "it refers to attribute %q of a function, but the node is in none", a.Ref)
		return
	case a.Value != nil:
		v.report(at, "it refers to attribute %q and has a value of its own", a.Ref)
	}
	if v.fn == nil {
		return
	}
	for _, name := range v.fn.Attrs {
		if name == a.Ref {
			return
		}
	}
	for _, d := range v.fn.Defaults {
		if d.Name == a.Ref {
			if a.Kind != AttrUndefined && d.Kind != a.Kind {
				v.report(at, "it is a %v but refers to %q, a %v", a.Kind, a.Ref, d.Kind)
			}
			return
		}
	}
	v.report(at, "it refers to attribute %q, which the function does not have", a.Ref)
}

// fits reports whether the value's Go type is that of the kind.
func (a Attr) fits() bool {
	switch v := a.Value.(type) {
	case float32, int64, string, []float32, []int64, []string, []*tensor.Tensor, []*Graph, []*Sparse, Type, []Type:
		return NewAttr(a.Name, v).Kind == a.Kind
	case *tensor.Tensor:
		return v != nil && a.Kind == AttrTensor
	case *Graph:
		return v != nil && a.Kind == AttrGraph
	case *Sparse:
		return v != nil && a.Kind == AttrSparse
	}
	return false
}
