package engine

import (
	"context"
	"errors"
	"fmt"

	"gort/ep"
	"gort/graph"
	"gort/op"
	"gort/optimize"
	"gort/tensor"
)

// program is a graph made ready: nodes in order, each with its kernel. It does
// not change once built, but for the plans it collects.
type program struct {
	s     *Session
	g     *graph.Graph
	facts []op.Fact // what is known for every run, by value id
	nodes []*node   // in execution order
	plans planCache
}

// node is a graph node with what runs it.
type node struct {
	*graph.Node
	def      *op.Def
	provider ep.ID
	kernel   ep.Kernel
	viewer   ep.Viewer
	reuse    []ep.Reuse
	strided  ep.StridedInputs
	scratch  ep.Scratcher
	subs     []*program
	packed   []bool // constant inputs that the kernel keeps in a form of its own
}

// builder holds what building the programs of one session shares.
type builder struct {
	s        *Session
	env      *op.Env
	ctx      context.Context
	facts    map[*graph.Graph][]op.Fact // of subgraphs, from the last inference
	rejected []UnsupportedNode
}

// build turns the model's graph into a program, and every subgraph with it.
func (s *Session) build(ctx context.Context, m *graph.Model) error {
	b := &builder{s: s, ctx: ctx, facts: map[*graph.Graph][]op.Fact{}}
	b.env = &op.Env{Registry: s.registry, Functions: m.Functions}
	if err := b.inline(m.Graph, 0); err != nil {
		return err
	}
	if err := optimize.LowerGradients(m.Graph, b.env); err != nil {
		return err
	}
	if n := m.Graph.NumNodes(); n > s.opts.MaxNodes {
		return &LimitError{What: "nodes", Value: int64(n), Limit: int64(s.opts.MaxNodes)}
	}
	cpu := s.host()
	o := optimize.Options{Level: s.opts.Level, Evaluator: &Interpreter{Provider: cpu, Env: &op.Env{Registry: s.registry}}}
	if err := optimize.Run(ctx, m.Graph, b.env, o); err != nil {
		return err
	}
	shareConstants(m.Graph)
	if err := b.infer(m.Graph); err != nil {
		return err
	}
	if err := b.expand(m.Graph, b.facts[m.Graph], 0); err != nil {
		return err
	}
	if err := b.providerPasses(m.Graph); err != nil {
		return err
	}
	root, err := b.program(m.Graph)
	if err != nil {
		return err
	}
	if len(b.rejected) > 0 {
		return &UnsupportedError{Nodes: b.rejected}
	}
	s.root = root
	return nil
}

// infer derives the facts of a graph and of every subgraph.
func (b *builder) infer(g *graph.Graph) error {
	clear(b.facts)
	b.env.OnSubgraph = func(_ *graph.Node, sub *graph.Graph, facts []op.Fact) { b.facts[sub] = facts }
	facts, err := b.env.Graph(g, nil, nil)
	b.env.OnSubgraph = nil
	if err != nil {
		return b.explain(g, err)
	}
	b.facts[g] = facts
	return nil
}

// explain turns unknown operators into the error that lists every unsupported node.
func (b *builder) explain(g *graph.Graph, err error) error {
	var unknown *op.UnknownError
	if !errors.As(err, &unknown) {
		return err
	}
	e := &UnsupportedError{}
	var walk func(g *graph.Graph)
	walk = func(g *graph.Graph) {
		for n := range g.Nodes() {
			if _, lookup := b.env.Lookup(n); lookup != nil {
				e.Nodes = append(e.Nodes, newUnsupported(n, nil, Refusal{"definitions", lookup.Error()}))
			}
			for _, sub := range n.Subgraphs() {
				walk(sub)
			}
		}
	}
	walk(g)
	return e
}

// inline replaces calls of model-local functions by their nodes, in every graph.
func (b *builder) inline(g *graph.Graph, depth int) error {
	if depth > maxNesting {
		return &LimitError{What: "nesting of functions and subgraphs", Value: int64(depth), Limit: maxNesting}
	}
	for n := range g.Nodes() { // nodes that a function brings are visited too
		if f := b.env.Function(n); f != nil {
			if err := op.Inline(g, n.ID, f); err != nil {
				return err
			}
			if g.NumNodes() > b.s.opts.MaxNodes {
				return &LimitError{What: "nodes", Node: n.Label(), Value: int64(g.NumNodes()), Limit: int64(b.s.opts.MaxNodes)}
			}
			continue
		}
		for _, sub := range n.Subgraphs() {
			if err := b.inline(sub, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

const maxNesting = 64

// expand replaces function operators that no provider takes by their bodies,
// again until nothing changes.
func (b *builder) expand(g *graph.Graph, facts []op.Fact, depth int) error {
	if depth > maxNesting {
		return &LimitError{What: "nesting of function bodies", Value: int64(depth), Limit: maxNesting}
	}
	var nodes []*graph.Node
	for n := range g.Nodes() {
		nodes = append(nodes, n)
	}
	changed := false
	for _, n := range nodes {
		done, err := b.expandNode(g, n, facts)
		if err != nil {
			return err
		}
		changed = changed || done
	}
	if !changed {
		return b.expandInside(g, facts, depth)
	}
	if g.NumNodes() > b.s.opts.MaxNodes {
		return &LimitError{What: "nodes", Value: int64(g.NumNodes()), Limit: int64(b.s.opts.MaxNodes)}
	}
	fresh, err := b.inferAgain(g)
	if err != nil {
		return err
	}
	return b.expand(g, fresh, depth+1)
}

// expandInside expands the graphs that the nodes of a graph hold. It comes last,
// when the facts cover what the expansion of the graph itself has made.
func (b *builder) expandInside(g *graph.Graph, facts []op.Fact, depth int) error {
	for n := range g.Nodes() {
		for _, sub := range n.Subgraphs() {
			f, ok := b.facts[sub]
			if !ok {
				// The operator's shape function did not look into this graph.
				var err error
				if f, err = b.inferAgainUnknown(sub, factsOf(n.Implicit(), facts)); err != nil {
					return err
				}
			}
			if err := b.expand(sub, f, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *builder) expandNode(g *graph.Graph, n *graph.Node, facts []op.Fact) (bool, error) {
	def, err := b.env.Lookup(n)
	if err != nil || def.Body == nil {
		return false, err
	}
	in, out := factsOf(n.Inputs(), facts), factsOf(n.Outputs(), facts)
	if _, _, refusals := b.place(newQuery(n, def, in, out)); len(refusals) == 0 {
		return false, nil
	}
	f, err := b.env.Expand(def, n, in)
	if err != nil || f == nil {
		return false, err
	}
	return true, op.Inline(g, n.ID, f)
}

// shareConstants gives subgraphs the outer constants they capture as constants
// of their own, so that shapes inside follow from them.
func shareConstants(g *graph.Graph) {
	for n := range g.Nodes() {
		for _, sub := range n.Subgraphs() {
			kept := sub.Captures[:0]
			for _, c := range sub.Captures {
				outer := g.Value(n.Implicit()[c.Implicit])
				if outer != nil && outer.IsConstant() {
					sub.Value(c.Inner).Const = outer.Const
					continue
				}
				kept = append(kept, c)
			}
			sub.Captures = kept
			shareConstants(sub)
		}
	}
}

// inferAgain derives the facts of a graph that changed from those of its inputs
// and captures.
func (b *builder) inferAgain(g *graph.Graph) ([]op.Fact, error) {
	old := b.facts[g]
	inputs := factsOf(g.Inputs(), old)
	var captures []op.Fact
	for _, c := range g.Captures {
		for len(captures) <= c.Implicit {
			captures = append(captures, op.Fact{})
		}
		captures[c.Implicit] = old[c.Inner]
	}
	b.env.OnSubgraph = func(_ *graph.Node, sub *graph.Graph, facts []op.Fact) { b.facts[sub] = facts }
	defer func() { b.env.OnSubgraph = nil }()
	facts, err := b.env.Graph(g, inputs, captures)
	if err != nil {
		return nil, err
	}
	b.facts[g] = facts
	return facts, nil
}

func factsOf(ids []graph.ValueID, facts []op.Fact) []op.Fact {
	out := make([]op.Fact, len(ids))
	for i, id := range ids {
		if id != graph.NoValue && int(id) < len(facts) {
			out[i] = facts[id]
		}
	}
	return out
}

// place asks the providers in order and returns the first that takes a node, or
// every one's reason.
func (b *builder) place(q *ep.Query) (ep.ID, ep.Match, []Refusal) {
	var refusals []Refusal
	for _, id := range b.s.providers.Order() {
		p := b.s.providers.Provider(id)
		m := p.Supports(q)
		if m.Supported {
			return id, m, nil
		}
		refusals = append(refusals, Refusal{p.Name(), m.Reason})
	}
	return 0, ep.Match{}, refusals
}

// providerPasses lets providers rewrite what is placed on them, and infers anew
// where they did.
func (b *builder) providerPasses(g *graph.Graph) error {
	if b.s.opts.Level != optimize.LevelAll {
		return nil
	}
	for _, id := range b.s.providers.Order() {
		p, ok := b.s.providers.Provider(id).(ep.PassProvider)
		if !ok {
			continue
		}
		name := b.s.providers.Provider(id).Name()
		changed := false
		for _, sub := range graphsOf(g) {
			facts, ok := b.facts[sub]
			if !ok {
				continue
			}
			if err := b.placeAll(sub, facts); err != nil {
				return err
			}
			did, err := optimize.RunProvider(b.ctx, sub, b.env, facts, name, p.Passes())
			if err != nil {
				return err
			}
			changed = changed || did
		}
		if changed {
			if err := b.infer(g); err != nil {
				return err
			}
		}
	}
	return nil
}

// graphsOf lists a graph and the graphs inside it, outer ones first.
func graphsOf(g *graph.Graph) []*graph.Graph {
	list := []*graph.Graph{g}
	for n := range g.Nodes() {
		for _, sub := range n.Subgraphs() {
			list = append(list, graphsOf(sub)...)
		}
	}
	return list
}

// placeAll notes on each node of a graph the provider that would take it; empty
// where none does.
func (b *builder) placeAll(g *graph.Graph, facts []op.Fact) error {
	for n := range g.Nodes() {
		def, err := b.env.Lookup(n)
		if err != nil {
			return err
		}
		n.Provider = ""
		q := newQuery(n, def, factsOf(n.Inputs(), facts), factsOf(n.Outputs(), facts))
		if id, _, refusals := b.place(q); len(refusals) == 0 {
			n.Provider = b.s.providers.Provider(id).Name()
		}
	}
	return nil
}

// program makes the kernels of a graph and of its subgraphs. Nodes that no
// provider takes are collected, so that all are reported at once.
func (b *builder) program(g *graph.Graph) (*program, error) {
	facts := b.facts[g]
	order, err := g.Order()
	if err != nil {
		return nil, err
	}
	claimed := map[graph.NodeID]ep.ID{}
	for _, id := range b.s.providers.Order() {
		if c, ok := b.s.providers.Provider(id).(ep.NodeClaimer); ok {
			for _, n := range c.Claims(g) {
				if _, taken := claimed[n]; !taken {
					claimed[n] = id
				}
			}
		}
	}
	p := &program{s: b.s, g: g, facts: facts}
	p.plans.limit = b.s.opts.MaxPlans
	for _, id := range order {
		n, err := b.node(g, g.Node(id), facts, claimed)
		if err != nil {
			return nil, err
		}
		if n != nil {
			p.nodes = append(p.nodes, n)
		}
	}
	return p, nil
}

func (b *builder) node(g *graph.Graph, gn *graph.Node, facts []op.Fact, claimed map[graph.NodeID]ep.ID) (*node, error) {
	def, err := b.env.Lookup(gn)
	if err != nil {
		return nil, err
	}
	in, out := factsOf(gn.Inputs(), facts), factsOf(gn.Outputs(), facts)
	q := newQuery(gn, def, in, out)
	id, ok := claimed[gn.ID]
	if !ok {
		var refusals []Refusal
		if id, _, refusals = b.place(q); len(refusals) > 0 {
			b.rejected = append(b.rejected, newUnsupported(gn, out, refusals...))
			return nil, nil
		}
	}
	provider := b.s.providers.Provider(id)
	k, err := provider.Kernel(q)
	if err != nil {
		b.rejected = append(b.rejected, newUnsupported(gn, out, Refusal{provider.Name(), err.Error()}))
		return nil, nil
	}
	gn.Provider = provider.Name()
	n := &node{Node: gn, def: def, provider: id, kernel: k}
	n.viewer, _ = k.(ep.Viewer)
	n.strided, _ = k.(ep.StridedInputs)
	n.scratch, _ = k.(ep.Scratcher)
	if r, ok := k.(ep.InPlacer); ok {
		n.reuse = r.InPlace()
	}
	if pp, ok := k.(ep.Prepacker); ok {
		consts := make([]*tensor.Tensor, len(in))
		for i := range in {
			consts[i] = in[i].Const
		}
		if n.packed, err = pp.Prepack(b.ctx, consts); err != nil {
			return nil, nodeError(gn, in, provider.Name(), fmt.Errorf("prepacking constant inputs: %w", err))
		}
	}
	for _, sub := range gn.Subgraphs() {
		if b.facts[sub] == nil {
			// The operator's shape function did not look into this graph.
			if _, err := b.inferAgainUnknown(sub, factsOf(gn.Implicit(), facts)); err != nil {
				return nil, err
			}
		}
		sp, err := b.program(sub)
		if err != nil {
			return nil, err
		}
		n.subs = append(n.subs, sp)
	}
	return n, nil
}

// inferAgainUnknown infers a subgraph from what it declares and what it captures.
func (b *builder) inferAgainUnknown(g *graph.Graph, captures []op.Fact) ([]op.Fact, error) {
	b.env.OnSubgraph = func(_ *graph.Node, sub *graph.Graph, facts []op.Fact) { b.facts[sub] = facts }
	defer func() { b.env.OnSubgraph = nil }()
	facts, err := b.env.Graph(g, nil, captures)
	if err != nil {
		return nil, err
	}
	b.facts[g] = facts
	return facts, nil
}
