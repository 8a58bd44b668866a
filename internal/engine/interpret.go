package engine

import (
	"context"
	"errors"
	"fmt"

	"gort/ep"
	"gort/graph"
	"gort/op"
	"gort/tensor"
)

// Interpreter runs a graph node by node, with shapes found anew each time and
// memory from the heap. It is how constants are folded, and the independent
// answer that tests hold the planned executor against. Its provider's memory
// must be the host's.
type Interpreter struct {
	Provider ep.Provider
	Env      *op.Env
}

// Run computes a graph's outputs. captures are the outer values that a subgraph
// reads, by implicit index. A missing input takes the default its initializer gives.
func (it *Interpreter) Run(ctx context.Context, g *graph.Graph, inputs, captures []tensor.Value) ([]tensor.Value, error) {
	order, err := g.Order()
	if err != nil {
		return nil, err
	}
	vals := make([]tensor.Value, g.ValueBound())
	for v := range g.Values() {
		if v.Const != nil {
			vals[v.ID] = v.Const
		}
	}
	for i, id := range g.Inputs() {
		if i < len(inputs) && inputs[i] != nil {
			vals[id] = inputs[i]
		}
	}
	for _, c := range g.Captures {
		if c.Implicit < len(captures) {
			vals[c.Inner] = captures[c.Implicit]
		}
	}
	at := func(ids []graph.ValueID) []tensor.Value {
		out := make([]tensor.Value, len(ids))
		for i, id := range ids {
			if id != graph.NoValue {
				out[i] = vals[id]
			}
		}
		return out
	}
	for _, id := range order {
		n := g.Node(id)
		out, err := it.Node(ctx, n, at(n.Inputs()), at(n.Implicit()))
		if err != nil {
			return nil, err
		}
		for i, o := range n.Outputs() {
			if o != graph.NoValue {
				vals[o] = out[i]
			}
		}
	}
	return at(g.Outputs()), nil
}

// Evaluate implements optimize.Evaluator: nil values mean that the provider does
// not run the node.
func (it *Interpreter) Evaluate(ctx context.Context, n *graph.Node, inputs []tensor.Value) ([]tensor.Value, error) {
	out, err := it.Node(ctx, n, inputs, nil)
	var declined *UnsupportedError
	if errors.As(err, &declined) {
		return nil, nil
	}
	return out, err
}

// Node computes one node. Function operators without a kernel run by their body.
func (it *Interpreter) Node(ctx context.Context, n *graph.Node, inputs, captures []tensor.Value) ([]tensor.Value, error) {
	if f := it.Env.Function(n); f != nil {
		return it.function(ctx, n, f, inputs, captures)
	}
	def, err := it.Env.Lookup(n)
	if err != nil {
		return nil, fmt.Errorf("node %q: %w", n.Label(), err)
	}
	in, implicit := make([]op.Fact, len(inputs)), make([]op.Fact, len(captures))
	for i, v := range inputs {
		if v != nil {
			in[i] = op.FactOf(v)
		}
	}
	for i, v := range captures {
		if v != nil {
			implicit[i] = op.FactOf(v)
		}
	}
	out := make([]op.Fact, len(n.Outputs()))
	if err := it.Env.NodeDef(def, n, in, implicit, out); err != nil {
		return nil, err
	}
	q := newQuery(n, def, in, out)
	match := it.Provider.Supports(q)
	if !match.Supported {
		f, err := it.Env.Expand(def, n, in)
		if err != nil {
			return nil, err
		}
		if f == nil {
			return nil, &UnsupportedError{Nodes: []UnsupportedNode{newUnsupported(n, out, Refusal{it.Provider.Name(), match.Reason})}}
		}
		return it.function(ctx, n, f, inputs, captures)
	}
	k, err := it.Provider.Kernel(q)
	if err != nil {
		return nil, nodeError(n, in, it.Provider.Name(), err)
	}
	call := &heapCall{inv: ep.Invocation{
		Inputs: make([]ep.Arg, len(inputs)), Outputs: make([]ep.Arg, len(out)), Wanted: make([]bool, len(out)),
	}}
	call.inv.Alloc = call
	for i, v := range inputs {
		call.inv.Inputs[i] = hostArg(v)
	}
	strided, _ := k.(ep.StridedInputs)
	for i := range call.inv.Inputs {
		if t := call.inv.In(i); t != nil && !t.IsContiguous() && (strided == nil || !strided.StridedInput(i)) {
			call.inv.Inputs[i] = hostArg(t.Contiguous())
		}
	}
	for i, o := range n.Outputs() {
		if call.inv.Wanted[i] = o != graph.NoValue; !call.inv.Wanted[i] {
			continue
		}
		if s, ok := out[i].Type.Shape.Concrete(); ok && out[i].Type.IsTensor() && !def.DataDependent && out[i].Type.DType.Valid() {
			if _, err := call.AllocateOutput(i, out[i].Type.DType, s); err != nil {
				return nil, nodeError(n, in, it.Provider.Name(), err)
			}
		}
	}
	for _, sub := range n.Subgraphs() {
		call.inv.Subgraphs = append(call.inv.Subgraphs, &interpretedSubgraph{it, sub, captures})
	}
	if s, ok := k.(ep.Scratcher); ok {
		shapes := make([]tensor.Shape, len(inputs))
		for i := range shapes {
			if t := call.inv.In(i); t != nil {
				shapes[i] = t.Shape()
			}
		}
		t, err := tensor.New(tensor.Uint8, s.Scratch(shapes))
		if err != nil {
			return nil, nodeError(n, in, it.Provider.Name(), err)
		}
		call.inv.Scratch = hostArg(t)
	}
	if err := k.Run(ctx, &call.inv); err != nil {
		return nil, nodeError(n, in, it.Provider.Name(), err)
	}
	res := make([]tensor.Value, len(out))
	for i := range res {
		res[i] = call.inv.Outputs[i].Value
		if res[i] == nil && call.inv.Wanted[i] {
			return nil, nodeError(n, in, it.Provider.Name(), fmt.Errorf("the kernel did not make output %d", i))
		}
	}
	return res, nil
}

func (it *Interpreter) function(ctx context.Context, n *graph.Node, f *graph.Function, inputs, captures []tensor.Value) ([]tensor.Value, error) {
	g, err := op.Instantiate(f, n)
	if err != nil {
		return nil, err
	}
	return it.Run(ctx, g, inputs, captures)
}

// heapCall gives a kernel outputs from the heap.
type heapCall struct{ inv ep.Invocation }

func (c *heapCall) AllocateOutput(i int, d tensor.DType, shape tensor.Shape) (*ep.Arg, error) {
	t, err := tensor.New(d, shape...)
	if err != nil {
		return nil, err
	}
	c.inv.Outputs[i] = hostArg(t)
	return &c.inv.Outputs[i], nil
}

func (c *heapCall) SetOutput(i int, v tensor.Value) error {
	c.inv.Outputs[i] = hostArg(v)
	return nil
}

func hostArg(v tensor.Value) ep.Arg {
	a := ep.Arg{Value: v}
	if t, ok := v.(*tensor.Tensor); ok {
		a.DType, a.Shape = t.DType(), t.Shape()
	}
	return a
}

type interpretedSubgraph struct {
	it       *Interpreter
	g        *graph.Graph
	captures []tensor.Value
}

func (s *interpretedSubgraph) NumInputs() int  { return len(s.g.Inputs()) }
func (s *interpretedSubgraph) NumOutputs() int { return len(s.g.Outputs()) }
func (s *interpretedSubgraph) Run(ctx context.Context, inputs []tensor.Value) ([]tensor.Value, error) {
	return s.it.Run(ctx, s.g, inputs, s.captures)
}

// newQuery describes a node to a provider.
func newQuery(n *graph.Node, def *op.Def, in, out []op.Fact) *ep.Query {
	q := &ep.Query{Node: n, Def: def, Opset: n.Opset, Inputs: make([]ep.Operand, len(n.Inputs())), Outputs: make([]ep.Operand, len(n.Outputs()))}
	for i, id := range n.Inputs() {
		if id != graph.NoValue {
			q.Inputs[i] = ep.Operand{Present: true, Type: in[i].Type, Const: in[i].Const}
		}
	}
	for i, id := range n.Outputs() {
		if id != graph.NoValue {
			q.Outputs[i] = ep.Operand{Present: true, Type: out[i].Type}
		}
	}
	return q
}
