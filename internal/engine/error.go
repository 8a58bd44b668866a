package engine

import (
	"fmt"
	"strings"

	"gort/graph"
	"gort/op"
)

// Refusal is a provider's reason for not taking a node.
type Refusal struct {
	Provider string
	Reason   string
}

// UnsupportedNode is a node that no provider takes.
type UnsupportedNode struct {
	Node     string // label
	Domain   string
	Op       string
	Opset    int
	Types    []string // of the outputs, as far as inferred
	Refusals []Refusal
}

// UnsupportedError lists every node of a model that no provider takes.
type UnsupportedError struct{ Nodes []UnsupportedNode }

func (e *UnsupportedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d node(s) can not be run:", len(e.Nodes))
	for _, n := range e.Nodes {
		name := n.Op
		if n.Domain != "" {
			name = n.Domain + "." + name
		}
		fmt.Fprintf(&b, "\n  node %q (%s, opset %d)", n.Node, name, n.Opset)
		for _, r := range n.Refusals {
			fmt.Fprintf(&b, "\n    %s: %s", r.Provider, r.Reason)
		}
	}
	return b.String()
}

func newUnsupported(n *graph.Node, out []op.Fact, refusals ...Refusal) UnsupportedNode {
	u := UnsupportedNode{Node: n.Label(), Domain: n.Domain, Op: n.Op, Opset: n.Opset, Refusals: refusals}
	for _, f := range out {
		u.Types = append(u.Types, f.Type.String())
	}
	return u
}

// NodeError says which node failed, on what inputs, and why.
type NodeError struct {
	Node     string
	Domain   string
	Op       string
	Opset    int
	Provider string
	Inputs   []string // types and shapes
	Err      error
}

func (e *NodeError) Error() string {
	name := e.Op
	if e.Domain != "" {
		name = e.Domain + "." + name
	}
	return fmt.Sprintf("node %q (%s, opset %d) on %s with inputs [%s]: %v", e.Node, name, e.Opset, e.Provider, strings.Join(e.Inputs, ", "), e.Err)
}

// Unwrap returns the cause.
func (e *NodeError) Unwrap() error { return e.Err }

func nodeError(n *graph.Node, in []op.Fact, provider string, err error) error {
	e := &NodeError{Node: n.Label(), Domain: n.Domain, Op: n.Op, Opset: n.Opset, Provider: provider, Err: err}
	for i := range in {
		if i < len(n.Inputs()) && n.Inputs()[i] == graph.NoValue {
			e.Inputs = append(e.Inputs, "omitted")
		} else {
			e.Inputs = append(e.Inputs, in[i].Type.String())
		}
	}
	return e
}

func (e *LimitError) Error() string {
	s := fmt.Sprintf("%s: %d exceeds the limit of %d; raise the session's limit if the model is to be trusted", e.What, e.Value, e.Limit)
	if e.Node != "" {
		s = fmt.Sprintf("node %q: %s", e.Node, s)
	}
	return s
}
