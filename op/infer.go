package op

import (
	"errors"
	"fmt"

	"gort/graph"
	"gort/tensor"
)

// Env is what inference needs besides the graph: the definitions and the model's
// functions. It is not safe for concurrent use.
type Env struct {
	Registry  *Registry
	Functions map[graph.FunctionKey]*graph.Function
	// OnSubgraph, when set, is told the facts of each subgraph after it was
	// inferred. A loop body may be inferred more than once; the last time counts.
	OnSubgraph func(owner *graph.Node, g *graph.Graph, facts []Fact)

	depth int
}

// maxDepth bounds how deep subgraphs and functions may nest while inferring.
const maxDepth = 64

// NewEnv returns an Env for a model over the standard definitions.
func NewEnv(m *graph.Model) *Env { return &Env{Registry: Standard(), Functions: m.Functions} }

// Lookup finds the definition of a node's operator.
func (e *Env) Lookup(n *graph.Node) (*Def, error) {
	d, err := e.Registry.Lookup(n.Domain, n.Op, n.Opset)
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Function finds the model-local function a node calls, nil when it calls none.
func (e *Env) Function(n *graph.Node) *graph.Function {
	return e.Functions[graph.FunctionKey{Domain: graph.NormalDomain(n.Domain), Name: n.Op, Overload: n.Overload}]
}

// Graph infers a whole graph and returns the facts of its values by id. inputs
// are facts about the graph's inputs and captures about its captured values; nil
// means what the graph itself declares. All defective nodes are reported, joined
// with errors.Join; facts of values that could not be inferred are what was declared.
func (e *Env) Graph(g *graph.Graph, inputs, captures []Fact) ([]Fact, error) {
	if e.depth >= maxDepth {
		return nil, fmt.Errorf("op: graph %q is nested deeper than %d", g.Name, maxDepth)
	}
	e.depth++
	defer func() { e.depth-- }()
	order, err := g.Order()
	if err != nil {
		return nil, err
	}
	facts := make([]Fact, g.ValueBound())
	for v := range g.Values() {
		facts[v.ID] = Fact{Type: v.Type}
		if v.IsConstant() {
			facts[v.ID].Const = v.Const
			facts[v.ID].Type = graph.TypeOf(v.Const)
		}
	}
	var errs []error
	for i, id := range g.Inputs() {
		if i < len(inputs) && inputs[i].Type.IsKnown() {
			t, ok := graph.MergeType(inputs[i].Type, facts[id].Type)
			if !ok {
				// What a subgraph declares of shapes is often stale; what it is given holds.
				t = inputs[i].Type
				_, ok = graph.MergeType(t.WithUnknownShape(), facts[id].Type.WithUnknownShape())
			}
			if !ok {
				errs = append(errs, fmt.Errorf("op: input %q of graph %q is %v, declared as %v", g.Value(id).Name, g.Name, inputs[i].Type, facts[id].Type))
				continue
			}
			facts[id] = Fact{Type: t, Const: inputs[i].Const, Ints: inputs[i].Ints}
		}
	}
	for _, c := range g.Captures {
		if c.Implicit < len(captures) {
			facts[c.Inner] = captures[c.Implicit]
		}
	}
	var in, implicit, out []Fact
	for _, id := range order {
		n := g.Node(id)
		in, implicit = gather(in[:0], n.Inputs(), facts), gather(implicit[:0], n.Implicit(), facts)
		out = append(out[:0], make([]Fact, len(n.Outputs()))...)
		if err := e.Node(n, in, implicit, out); err != nil {
			errs = append(errs, err)
		}
		for i, o := range n.Outputs() {
			if o == graph.NoValue {
				continue
			}
			t, ok := graph.MergeType(out[i].Type, facts[o].Type)
			if !ok {
				if !out[i].Type.Shape.IsRanked() || !facts[o].Type.Shape.IsRanked() || out[i].Type.DType != facts[o].Type.DType {
					errs = append(errs, nodeError(n, "", "output %d (%q) is inferred as %v, declared as %v", i, g.Value(o).Name, out[i].Type, facts[o].Type))
				}
				t = out[i].Type // exporters leave stale shapes behind; what follows from the operator holds
			}
			out[i].Type = t
			facts[o] = out[i]
		}
	}
	return facts, errors.Join(errs...)
}

func gather(into []Fact, ids []graph.ValueID, facts []Fact) []Fact {
	for _, id := range ids {
		if id == graph.NoValue {
			into = append(into, Fact{})
		} else {
			into = append(into, facts[id])
		}
	}
	return into
}

// Node checks one node against its definition and derives facts about its
// outputs from those of its inputs. out has one element for each output; it is
// written also when an error is returned, with what is still certain.
func (e *Env) Node(n *graph.Node, in, implicit, out []Fact) error {
	if f := e.Function(n); f != nil {
		return e.function(n, f, in, out)
	}
	d, err := e.Lookup(n)
	if err != nil {
		var unknown *UnknownError
		if errors.As(err, &unknown) {
			return fmt.Errorf("node %q: %w", n.Label(), err)
		}
		return err
	}
	return e.NodeDef(d, n, in, implicit, out)
}

// NodeDef is Node for a definition already looked up.
func (e *Env) NodeDef(d *Def, n *graph.Node, in, implicit, out []Fact) error {
	c := &Context{Attrs: Attrs{n, d}, env: e, sig: d.Signature(), in: in, implicit: implicit, out: out}
	if err := c.check(); err != nil {
		return err
	}
	if d.Infer == nil {
		return nil
	}
	return d.Infer(c)
}

// check verifies counts, attributes and types, and sets the outputs' types as
// far as the type constraints decide them.
func (c *Context) check() error {
	n, s := c.Node, c.sig
	given := len(n.Inputs())
	if given < s.MinInputs || s.MaxInputs >= 0 && given > s.MaxInputs {
		return c.Errorf("%d inputs, the operator takes %s", given, span(s.MinInputs, s.MaxInputs))
	}
	if k := len(n.Outputs()); k < s.MinOutputs || s.MaxOutput >= 0 && k > s.MaxOutput {
		return c.Errorf("%d outputs, the operator gives %s", k, span(s.MinOutputs, s.MaxOutput))
	}
	if err := c.checkAttrs(); err != nil {
		return err
	}
	vars := map[string]tensor.Type{}
	for i := range n.Inputs() {
		p := s.Input(i)
		if !c.HasInput(i) {
			if p.Arity == Single {
				return c.InputErrorf(i, "is omitted, but the operator requires it")
			}
			continue
		}
		if !c.in[i].Type.IsKnown() || c.in[i].Type.IsTensor() && c.in[i].Type.DType == tensor.Undefined {
			continue
		}
		t := c.in[i].Type.WithoutShape()
		if set := s.Types[p.Type]; !set.Has(t) {
			return c.InputErrorf(i, "is %v, allowed are %v", t, set)
		}
		if p.Heterogeneous {
			continue
		}
		if bound, ok := vars[p.Type]; ok && !bound.Equal(t) {
			return c.InputErrorf(i, "is %v, but %s is %v by an earlier input", t, p.Type, bound)
		}
		vars[p.Type] = t
	}
	for i := range c.out {
		p := s.Output(i)
		if p.Heterogeneous {
			continue
		}
		if t, ok := vars[p.Type]; ok {
			c.out[i].Type = graph.FromTensorType(t)
		} else if t, ok := s.Types[p.Type].Only(); ok {
			c.out[i].Type = graph.FromTensorType(t)
		}
	}
	return nil
}

func (c *Context) checkAttrs() error {
	for _, a := range c.Node.Attrs {
		d := c.sig.Attr(a.Name)
		if d == nil {
			return c.AttrErrorf(a.Name, "is not an attribute of version %d of the operator", c.Def.Since)
		}
		if a.Ref == "" && a.Kind != d.Kind {
			return c.AttrErrorf(a.Name, "is a %v, must be a %v", a.Kind, d.Kind)
		}
	}
	for _, d := range c.sig.Attrs {
		if d.Required && !c.Has(d.Name) {
			return c.AttrErrorf(d.Name, "is required (%v) but not given", d.Kind)
		}
	}
	return nil
}

func span(lo, hi int) string {
	switch {
	case hi < 0:
		return fmt.Sprintf("%d or more", lo)
	case lo == hi:
		return fmt.Sprint(lo)
	}
	return fmt.Sprintf("%d to %d", lo, hi)
}

// subgraph infers a subgraph and tells OnSubgraph.
func (e *Env) subgraph(owner *graph.Node, g *graph.Graph, inputs, captures []Fact) ([]Fact, error) {
	facts, err := e.Graph(g, inputs, captures)
	if err == nil && e.OnSubgraph != nil {
		e.OnSubgraph(owner, g, facts)
	}
	return facts, err
}

// function infers a call of a model-local function through its body.
func (e *Env) function(n *graph.Node, f *graph.Function, in, out []Fact) error {
	g, err := Instantiate(f, n)
	if err != nil {
		return err
	}
	inputs := make([]Fact, len(g.Inputs()))
	copy(inputs, in)
	facts, err := e.Graph(g, inputs, nil)
	if err != nil {
		return fmt.Errorf("in function %s called by node %q: %w", f.Key.Name, n.Label(), err)
	}
	for i, o := range g.Outputs() {
		if i < len(out) {
			out[i] = facts[o]
		}
	}
	return nil
}
