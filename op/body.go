package op

import (
	"fmt"
	"slices"

	"gort/graph"
)

// Body is the meaning of an operator in terms of others, and the version of
// ai.onnx it is written in. A line makes one or more values:
//
//	slope = Mul (X, @alpha:X)
//	a, b = Split <axis = -1, num_outputs = 2> (slope)
//	Y = Where (Less (a, 0.0:X), a, Exp (b))
//
// Inputs, outputs and attributes carry the names of the definition; repeated ones
// are numbered, as in inputs_0, inputs_1. An argument is a value, another call that
// makes one value, a literal, or nothing where an input is omitted; an input that
// the node does not give counts as omitted. Numbers are int64 unless they have a
// point or an exponent, then float; [1, 2] is a vector; "x" is a string. x:T is x,
// literal or not, with the element type of the value T. @name is the value of the
// node's attribute; an argument or attribute that refers to an attribute which has
// no value is left out. # starts a comment.
//
// An attribute may be a graph, which sees the values around it:
//
//	last, all = Loop <body = (i, go, sum) => (go, next, sum) {
//		next = Add (sum, step)
//	}> (count, , start)
//
// Where the node has a graph as an attribute, @name (x, y) stands for its nodes.
type Body struct {
	Opset int
	Text  string
}

// body makes a Body of a text that is the same for every node.
func body(opset int, text string) func(*Context) (Body, error) {
	return func(*Context) (Body, error) { return Body{opset, text}, nil }
}

// Expand returns the body of a function operator as a graph.Function made for one
// node: attributes are filled in, and the outer values that the node's own graphs
// read are captures, by index into the node's. It returns nil when the definition
// has no body, or none for what is known of the node.
func (e *Env) Expand(d *Def, n *graph.Node, in []Fact) (*graph.Function, error) {
	// A reference to an attribute of the function around has no value yet.
	if d.Body == nil || slices.ContainsFunc(n.Attrs, func(a graph.Attr) bool { return a.Ref != "" }) {
		return nil, nil
	}
	c := &Context{Attrs: Attrs{n, d}, env: e, sig: d.Signature(), in: in, out: make([]Fact, len(n.Outputs()))}
	if err := c.check(); err != nil {
		return nil, err
	}
	for _, a := range n.Attrs {
		if !a.Holds() {
			return nil, c.AttrErrorf(a.Name, "is said to be a %v, but holds %T", a.Kind, a.Value)
		}
	}
	b, err := d.Body(c)
	if err != nil || b.Text == "" {
		return nil, err
	}
	f := &graph.Function{
		Key:    graph.FunctionKey{Domain: n.Domain, Name: n.Op},
		Opsets: map[string]int{"": b.Opset},
		Graph:  graph.New(n.Op),
	}
	if err := newBodyBuilder(c, f.Graph, b.Opset).build(b.Text); err != nil {
		return nil, fmt.Errorf("op: body of %s-%d: %w", d.Name, d.Since, err)
	}
	return f, nil
}
