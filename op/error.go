package op

import (
	"fmt"

	"gort/graph"
)

// UnknownError says that no definition holds for an operator at a version.
type UnknownError struct {
	Domain, Op string
	Opset      int
	First      int // the version that first has the operator; 0 when none does
}

func (e *UnknownError) Error() string {
	name := qualified(e.Domain, e.Op)
	if e.First > 0 {
		return fmt.Sprintf("operator %s does not exist in opset %d; it came with opset %d, so the model's opset import is too old for it", name, e.Opset, e.First)
	}
	return fmt.Sprintf("operator %s (opset %d) is not known; check its domain and spelling, or give its definition and kernel to the session", name, e.Opset)
}

// Error says that a node breaks its operator's definition.
type Error struct {
	Node   string // label of the node
	Domain string
	Op     string
	Opset  int
	Where  string // "input 1 (scale)", "attribute axis", or empty
	Reason string // what was found and what is allowed
}

func (e *Error) Error() string {
	s := fmt.Sprintf("node %q (%s, opset %d)", e.Node, qualified(e.Domain, e.Op), e.Opset)
	if e.Where != "" {
		s += ": " + e.Where
	}
	return s + ": " + e.Reason
}

func nodeError(n *graph.Node, where, format string, args ...any) *Error {
	return &Error{Node: n.Label(), Domain: n.Domain, Op: n.Op, Opset: n.Opset, Where: where, Reason: fmt.Sprintf(format, args...)}
}
