package optimize

import (
	"fmt"
	"slices"

	"gort/graph"
	"gort/op"
	"gort/tensor"
)

// gradientDomain is the domain of the operator Gradient.
const gradientDomain = "ai.onnx.preview.training"

// LowerGradients replaces every Gradient node of a graph by nodes that compute the
// derivatives, in subgraphs as well. It is no matter of optimisation: no provider
// has a kernel for what depends on the graph around it. So it has to run first, as
// long as values have the names that the nodes' attributes use.
//
// The derivatives are made backwards from the node's y, by the Gradient rule of each
// operator between there and xs. An operator that has a body but no rule is
// replaced by its body first. It fails with *op.Error when a node does not fit the
// graph and with *op.NoGradientError when an operator has no derivative. A graph
// that inference refuses is left as it is: whoever builds it reports the error.
func LowerGradients(g *graph.Graph, env *op.Env) error {
	l := &lowering{env: env, root: g, active: map[*graph.Node]bool{}}
	for {
		at, n := firstGradient(g)
		if n == nil {
			return nil
		}
		if err := l.infer(); err != nil {
			return nil
		}
		if err := l.node(at, n); err != nil {
			return err
		}
	}
}

func isGradient(n *graph.Node) bool { return n.Domain == gradientDomain && n.Op == "Gradient" }

// firstGradient finds a Gradient node and its graph, nil when there is none.
func firstGradient(g *graph.Graph) (*graph.Graph, *graph.Node) {
	for n := range g.Nodes() {
		if isGradient(n) {
			return g, n
		}
		for _, sub := range n.Subgraphs() {
			if at, found := firstGradient(sub); found != nil {
				return at, found
			}
		}
	}
	return nil, nil
}

// lowering is what lowering the nodes of one model shares.
type lowering struct {
	env    *op.Env
	root   *graph.Graph
	facts  map[*graph.Graph][]op.Fact
	active map[*graph.Node]bool // Gradient nodes being lowered, which one another's y may depend on
}

func (l *lowering) infer() error {
	l.facts = map[*graph.Graph][]op.Fact{}
	l.env.OnSubgraph = func(_ *graph.Node, sub *graph.Graph, f []op.Fact) { l.facts[sub] = f }
	defer func() { l.env.OnSubgraph = nil }()
	var err error
	l.facts[l.root], err = l.env.Graph(l.root, nil, nil)
	return err
}

// node replaces one Gradient node.
func (l *lowering) node(g *graph.Graph, n *graph.Node) error {
	d := &derivation{lowering: l, g: g, n: n, sum: map[graph.ValueID]graph.ValueID{}}
	if err := d.read(); err != nil {
		return err
	}
	if l.active[n] {
		return d.errorf("attribute y", "%q depends on the derivative that is to be taken of it", d.yName)
	}
	l.active[n] = true
	defer delete(l.active, n)
	if err := d.open(); err != nil {
		return err
	}
	if err := d.substitute(); err != nil {
		return err
	}
	if err := l.infer(); err != nil {
		return err
	}
	if err := d.backwards(); err != nil {
		return err
	}
	return d.finish()
}

// derivation is the lowering of one Gradient node.
type derivation struct {
	*lowering
	g       *graph.Graph
	n       *graph.Node
	yName   string
	xs      int             // how many of the named values are differentiated by
	sources []graph.ValueID // the values that xs and zs name
	y       graph.ValueID
	nodes   []graph.NodeID                  // what makes y of the sources, in order
	sum     map[graph.ValueID]graph.ValueID // the gradients found so far
}

func (d *derivation) errorf(where, format string, args ...any) error {
	return &op.Error{Node: d.n.Label(), Domain: d.n.Domain, Op: d.n.Op, Opset: d.n.Opset, Where: where, Reason: fmt.Sprintf(format, args...)}
}

// read finds the values that the attributes name.
func (d *derivation) read() error {
	def, err := d.env.Lookup(d.n)
	if err != nil {
		return err
	}
	a := op.Attrs{Node: d.n, Def: def}
	for _, attr := range []string{"xs", "zs"} {
		for _, name := range a.Strings(attr) {
			id, ok := d.g.Lookup(name)
			if !ok {
				return d.errorf("attribute "+attr, "names %q, which is no value of graph %q", name, d.g.Name)
			}
			d.sources = append(d.sources, id)
		}
	}
	d.xs, d.yName = len(a.Strings("xs")), a.String("y")
	if len(d.n.Inputs()) != len(d.sources) {
		return d.errorf("", "%d inputs for the %d values that xs and zs name", len(d.n.Inputs()), len(d.sources))
	}
	var ok bool
	if d.y, ok = d.g.Lookup(d.yName); !ok {
		return d.errorf("attribute y", "names %q, which is no value of graph %q", d.yName, d.g.Name)
	}
	return nil
}

// trace lists the nodes that make y, none of them behind a source, in order.
func (d *derivation) trace() error {
	order, err := d.g.Order()
	if err != nil {
		return err
	}
	wanted := map[graph.NodeID]bool{}
	seen := map[graph.ValueID]bool{}
	for stack := []graph.ValueID{d.y}; len(stack) > 0; {
		id := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if id == graph.NoValue || seen[id] || slices.Contains(d.sources, id) {
			continue
		}
		seen[id] = true
		p, _ := d.g.Value(id).Producer()
		if p == graph.NoNode || wanted[p] {
			continue
		}
		wanted[p] = true
		stack = append(append(stack, d.g.Node(p).Inputs()...), d.g.Node(p).Implicit()...)
	}
	d.nodes = d.nodes[:0]
	for _, id := range order {
		if wanted[id] {
			d.nodes = append(d.nodes, id)
		}
	}
	return nil
}

// open replaces what stands between y and the sources and has no rule of its own:
// other Gradient nodes, calls of functions, and operators with nothing but a body.
func (d *derivation) open() error {
	for again := true; again; {
		again = false
		if err := d.trace(); err != nil {
			return err
		}
		moves := d.moving()
		for i, id := range d.nodes {
			n := d.g.Node(id)
			if isGradient(n) {
				if err := d.lowering.node(d.g, n); err != nil {
					return err
				}
				again = true
				break
			}
			if !moves[i] {
				continue
			}
			f := d.env.Function(n)
			if f == nil {
				def, err := d.env.Lookup(n)
				if err != nil {
					return err
				}
				if def.Gradient != nil {
					continue
				}
				if f, err = d.env.Expand(def, n, d.factsOf(n.Inputs())); err != nil {
					return err
				}
			}
			if f == nil {
				return &op.NoGradientError{Node: n.Label(), Domain: n.Domain, Op: n.Op, Opset: n.Opset}
			}
			// The name of what it makes stays, as another node's y may be it.
			if err := op.Inline(d.g, id, f); err != nil {
				return err
			}
			again = true
		}
		if again {
			if err := d.infer(); err != nil {
				return err
			}
			// What an attribute names may have been replaced by a value of that name.
			d.sources = d.sources[:0]
			if err := d.read(); err != nil {
				return err
			}
		}
	}
	return nil
}

// moving reports which nodes make a float of what is differentiated by.
func (d *derivation) moving() []bool {
	needs := d.needed()
	out := make([]bool, len(d.nodes))
	for i, id := range d.nodes {
		out[i] = slices.ContainsFunc(d.g.Node(id).Outputs(), func(o graph.ValueID) bool { return needs[o] })
	}
	return out
}

// needed marks the values between the differentiated ones and y through which a
// change may pass: floats, or what may turn out to be one.
func (d *derivation) needed() map[graph.ValueID]bool {
	needs := map[graph.ValueID]bool{}
	for _, id := range d.sources[:d.xs] {
		needs[id] = true
	}
	for _, id := range d.nodes {
		n := d.g.Node(id)
		if !slices.ContainsFunc(slices.Concat(n.Inputs(), n.Implicit()), func(v graph.ValueID) bool { return needs[v] }) {
			continue
		}
		for _, o := range n.Outputs() {
			if o == graph.NoValue {
				continue
			}
			t := d.fact(o).Type
			needs[o] = !t.IsKnown() || !t.IsTensor() || t.DType == tensor.Undefined || op.FloatBFTypes.Has(t.DType)
		}
	}
	return needs
}

func (d *derivation) fact(id graph.ValueID) op.Fact {
	if facts := d.facts[d.g]; id != graph.NoValue && int(id) < len(facts) {
		return facts[id]
	}
	return op.Fact{}
}

func (d *derivation) factsOf(ids []graph.ValueID) []op.Fact {
	out := make([]op.Fact, len(ids))
	for i, id := range ids {
		out[i] = d.fact(id)
	}
	return out
}

// substitute computes y anew where the node's inputs are not the named values: what
// depends on those is copied, and reads the inputs instead.
func (d *derivation) substitute() error {
	if slices.Equal(d.sources, d.n.Inputs()) {
		return nil
	}
	now := map[graph.ValueID]graph.ValueID{graph.NoValue: graph.NoValue}
	for i, id := range d.sources {
		now[id] = d.n.Inputs()[i]
	}
	replaced := func(ids []graph.ValueID) (out []graph.ValueID, any bool) {
		for _, id := range ids {
			to, ok := now[id]
			if !ok {
				to = id
			}
			any = any || ok && id != graph.NoValue
			out = append(out, to)
		}
		return out, any
	}
	for i, id := range d.nodes {
		n := d.g.Node(id)
		inputs, some := replaced(n.Inputs())
		implicit, more := replaced(n.Implicit())
		if !some && !more {
			continue
		}
		spec := graph.NodeSpec{Name: n.Label() + "/" + d.n.Label(), Domain: n.Domain, Op: n.Op, Overload: n.Overload, Opset: n.Opset, Inputs: inputs, Implicit: implicit}
		for _, a := range n.Attrs {
			if sub, ok := a.Value.(*graph.Graph); ok {
				a.Value = sub.Clone()
			}
			spec.Attrs = append(spec.Attrs, a)
		}
		for _, o := range n.Outputs() {
			to := graph.NoValue
			if o != graph.NoValue {
				to = d.g.NewValue(graph.Type{})
				now[o] = to
			}
			spec.Outputs = append(spec.Outputs, to)
		}
		var err error
		if d.nodes[i], err = d.g.AddNode(spec); err != nil {
			return err
		}
	}
	d.sources, _ = replaced(d.sources)
	if to, ok := now[d.y]; ok {
		d.y = to
	}
	return nil
}

// backwards goes from y to the sources and collects gradients.
func (d *derivation) backwards() error {
	needs := d.needed()
	if !needs[d.y] {
		return nil
	}
	ones, err := d.filled(d.y, 1)
	if err != nil {
		return err
	}
	d.sum[d.y] = ones
	for _, id := range slices.Backward(d.nodes) {
		n := d.g.Node(id)
		wanted, any := make([]bool, len(n.Inputs())), false
		for i, v := range n.Inputs() {
			wanted[i] = v != graph.NoValue && needs[v]
			any = any || wanted[i]
		}
		reached := slices.ContainsFunc(n.Outputs(), func(o graph.ValueID) bool { _, ok := d.sum[o]; return ok })
		if !reached {
			continue
		}
		if slices.ContainsFunc(n.Implicit(), func(v graph.ValueID) bool { return needs[v] }) {
			return &op.NoGradientError{Node: n.Label(), Domain: n.Domain, Op: n.Op, Opset: n.Opset, Reason: "its graphs read what is differentiated by"}
		}
		if !any {
			continue
		}
		if err := d.through(n, wanted); err != nil {
			return err
		}
	}
	return nil
}

// through adds the gradients of a node's inputs.
func (d *derivation) through(n *graph.Node, wanted []bool) error {
	def, err := d.env.Lookup(n)
	if err != nil {
		return err
	}
	f, made, err := d.env.Gradient(def, n, d.factsOf(n.Inputs()), d.factsOf(n.Outputs()), wanted)
	if err != nil {
		return err
	}
	if f == nil {
		return &op.NoGradientError{Node: n.Label(), Domain: n.Domain, Op: n.Op, Opset: n.Opset}
	}
	inputs := slices.Concat(n.Inputs(), n.Outputs())
	for _, o := range n.Outputs() {
		g, ok := d.sum[o]
		switch {
		case o == graph.NoValue:
			g = graph.NoValue
		case !ok:
			if g, err = d.filled(o, 0); err != nil {
				return err
			}
		}
		inputs = append(inputs, g)
	}
	outs, err := op.Splice(d.g, f, d.n.Label()+"/"+n.Label()+"/", inputs, nil)
	if err != nil {
		return err
	}
	for i, v := range n.Inputs() {
		if !made[i] {
			continue
		}
		g := outs[0]
		outs = outs[1:]
		if before, ok := d.sum[v]; ok {
			if g, err = d.add("Add", before, g); err != nil {
				return err
			}
		}
		d.sum[v] = g
	}
	return nil
}

// loweredOpset is the version of ai.onnx of the nodes that lowering itself adds.
const loweredOpset = 21

func (d *derivation) add(operator string, inputs ...graph.ValueID) (graph.ValueID, error) {
	out := d.g.NewValue(graph.Type{})
	_, err := d.g.AddNode(graph.NodeSpec{Name: fmt.Sprintf("%s/%s_%d", d.n.Label(), operator, out), Op: operator, Opset: loweredOpset, Inputs: inputs, Outputs: []graph.ValueID{out}})
	return out, err
}

// filled is a number, as often as a value has elements and in its type.
func (d *derivation) filled(like graph.ValueID, number float64) (graph.ValueID, error) {
	t, err := d.g.AddConst("", tensor.Scalar(number))
	if err != nil {
		return t, err
	}
	if t, err = d.add("CastLike", t, like); err != nil {
		return t, err
	}
	shape, err := d.add("Shape", like)
	if err != nil {
		return shape, err
	}
	return d.add("Expand", t, shape)
}

// finish makes what reads the node's outputs read the gradients, which take over
// their names: another Gradient node's y may be one of them.
func (d *derivation) finish() error {
	names := map[graph.ValueID]string{}
	for i, o := range d.n.Outputs() {
		if o == graph.NoValue {
			continue
		}
		g, ok := d.sum[d.sources[i]]
		var err error
		if !ok {
			if g, err = d.filled(d.sources[i], 0); err != nil {
				return err
			}
		}
		if g, err = d.add("Identity", g); err != nil {
			return err
		}
		names[g] = d.g.Value(o).Name
		d.g.Value(g).Type = d.g.Value(o).Type
		if err := d.g.ReplaceUses(o, g); err != nil {
			return err
		}
	}
	if err := d.g.RemoveNode(d.n.ID); err != nil {
		return err
	}
	for id, name := range names {
		if err := d.g.Rename(id, name); err != nil {
			return err
		}
	}
	return nil
}
