package graph

import (
	"cmp"
	"fmt"
	"slices"
)

// String names the function as domain.name:overload.
func (k FunctionKey) String() string {
	s := k.Name
	if k.Domain != "" {
		s = k.Domain + "." + s
	}
	if k.Overload != "" {
		s += ":" + k.Overload
	}
	return s
}

// RecursionError says that functions call each other in a ring, which ONNX forbids.
type RecursionError struct {
	Functions []FunctionKey // each calls the next; the last calls the first
}

func (e *RecursionError) Error() string {
	return fmt.Sprintf("functions call each other in a ring: %v", e.Functions)
}

// Callee returns the model-local function that a node calls, or nil when the node
// is an operator.
func (m *Model) Callee(n *Node) *Function {
	return m.Functions[FunctionKey{NormalDomain(n.Domain), n.Op, n.Overload}]
}

// CallOrder lists the model's functions so that each comes after those it calls.
// The order depends on nothing but the model. It fails with *RecursionError.
func (m *Model) CallOrder() ([]FunctionKey, error) {
	keys := m.functionKeys()
	c := callWalk{model: m, state: make(map[FunctionKey]int, len(keys))}
	for _, k := range keys {
		if err := c.visit(k); err != nil {
			return nil, err
		}
	}
	return c.order, nil
}

// functionKeys lists the functions in an order that depends on nothing else.
func (m *Model) functionKeys() []FunctionKey {
	keys := make([]FunctionKey, 0, len(m.Functions))
	for k := range m.Functions {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, compareKeys)
	return keys
}

func compareKeys(a, b FunctionKey) int {
	return cmp.Or(cmp.Compare(a.Domain, b.Domain), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Overload, b.Overload))
}

// callWalk is a depth-first walk over calls. It keeps its own stack: a chain of
// calls is as long as a file makes it.
type callWalk struct {
	model *Model
	state map[FunctionKey]int // 1 while open, 2 when done
	order []FunctionKey
}

func (c *callWalk) visit(root FunctionKey) error {
	if c.state[root] != 0 {
		return nil
	}
	type frame struct {
		key   FunctionKey
		calls []FunctionKey
	}
	open := func(k FunctionKey) frame {
		c.state[k] = 1
		return frame{k, c.model.calls(c.model.Functions[k].Graph)}
	}
	stack := []frame{open(root)}
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if len(f.calls) == 0 {
			c.state[f.key] = 2
			c.order = append(c.order, f.key)
			stack = stack[:len(stack)-1]
			continue
		}
		next := f.calls[0]
		f.calls = f.calls[1:]
		switch c.state[next] {
		case 0:
			stack = append(stack, open(next))
		case 1:
			err := &RecursionError{}
			start := slices.IndexFunc(stack, func(f frame) bool { return f.key == next })
			for _, f := range stack[start:] {
				err.Functions = append(err.Functions, f.key)
			}
			return err
		}
	}
	return nil
}

// calls lists the functions that a graph and its subgraphs call, each once.
func (m *Model) calls(g *Graph) []FunctionKey {
	var out []FunctionKey
	seen := map[FunctionKey]bool{}
	var walk func(*Graph)
	walk = func(g *Graph) {
		if g == nil {
			return
		}
		for n := range g.Nodes() {
			if f := m.Callee(n); f != nil && !seen[f.Key] {
				seen[f.Key] = true
				out = append(out, f.Key)
			}
			for _, s := range n.Subgraphs() {
				walk(s)
			}
		}
	}
	walk(g)
	return out
}
