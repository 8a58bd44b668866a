package eptest

import (
	"fmt"
	"runtime/debug"
	"strings"

	"gort/ep"
	"gort/graph"
	"gort/op"
	"gort/tensor"
)

var nodeChecks = []check{
	{name: "supports and kernel agree", run: checkNodes},
	{name: "unknown operator", run: checkUnknownOperator},
}

// identityGraph is a graph of one Identity node over float32 [2, 3].
func (x *subject) identityGraph() (*graph.Graph, *graph.Node) {
	x.Helper()
	g := graph.New("identity")
	in, err := g.AddValue("x", float32Type(2, 3))
	if err == nil {
		err = g.AddInput(in)
	}
	if err != nil {
		x.Fatalf("%v", err)
	}
	out := g.NewValue(float32Type(2, 3))
	id, err := g.AddNode(graph.NodeSpec{Name: "identity", Op: "Identity", Opset: 14, Inputs: []graph.ValueID{in}, Outputs: []graph.ValueID{out}})
	if err == nil {
		err = g.AddOutput(out)
	}
	if err != nil {
		x.Fatalf("%v", err)
	}
	return g, g.Node(id)
}

func (x *subject) identityQuery() *ep.Query {
	x.Helper()
	def, err := op.Standard().Lookup("", "Identity", 14)
	if err != nil {
		x.Fatalf("%v", err)
	}
	_, n := x.identityGraph()
	operand := []ep.Operand{{Present: true, Type: float32Type(2, 3)}}
	return &ep.Query{Node: n, Def: def, Opset: 14, Inputs: operand, Outputs: operand}
}

func checkUnknownOperator(x *subject) {
	q := x.identityQuery()
	q.Def = &op.Def{Domain: "eptest", Name: "NoSuchOperator", Since: 1, Inputs: "X: T", Outputs: "Y: T", Types: "T = float"}
	q.Node.Domain, q.Node.Op, q.Node.Opset, q.Opset = "eptest", "NoSuchOperator", 1, 1
	if m := x.p.Supports(q); m.Supported || m.Reason == "" {
		x.Errorf("Supports of an operator that nobody has answers %+v, want a decline with a reason", m)
	}
	if k, err := x.p.Kernel(q); err == nil {
		x.Errorf("Kernel of an operator that nobody has is %v", k)
	}
}

// checkNodes asks about every definition with facts that inference accepts.
func checkNodes(x *subject) {
	asked, accepted, queries := 0, 0, 0
	for _, def := range x.registry.All() {
		if def.Deprecated {
			continue
		}
		a := answer{def: def}
		for q := range plausible(x.registry, def) {
			queries++
			a.check(x.p, q)
		}
		if a.asked {
			asked++
		}
		if a.accepted {
			accepted++
		}
		if a.defect != "" {
			x.Errorf("%s version %d (%d of its queries): %s", def.Name, def.Since, a.defects, a.defect)
		}
	}
	x.Logf("%d queries about %d definitions; the provider takes %d of them in some form", queries, asked, accepted)
}

// answer collects what a provider says of one definition.
type answer struct {
	def             *op.Def
	asked, accepted bool
	defect          string // the first one
	defects         int
}

func (a *answer) errorf(q *ep.Query, format string, args ...any) {
	a.defects++
	if a.defect == "" {
		a.defect = fmt.Sprintf(format, args...) + "\n\tfor " + describe(q)
	}
}

func (a *answer) check(p ep.Provider, q *ep.Query) {
	a.asked = true
	defer func() {
		if r := recover(); r != nil {
			a.errorf(q, "panic: %v\n%s", r, debug.Stack())
		}
	}()
	m, again := p.Supports(q), p.Supports(q)
	if m.Supported != again.Supported || m.Reason != again.Reason {
		a.errorf(q, "Supports answers %+v, and then %+v", m, again)
	}
	k, err := p.Kernel(q)
	switch {
	case !m.Supported:
		if strings.TrimSpace(m.Reason) == "" {
			a.errorf(q, "Supports declines without a reason")
		}
		if k == nil && err == nil {
			a.errorf(q, "Kernel returns neither a kernel nor an error")
		}
		return
	case err != nil:
		a.errorf(q, "Supports accepts, Kernel fails: %v", err)
		return
	case k == nil:
		a.errorf(q, "Supports accepts, Kernel returns nil")
		return
	}
	a.accepted = true
	if m.Cost.Bytes < 0 || m.Cost.Flops < 0 || m.Cost.Launches < 0 {
		a.errorf(q, "Supports gives the cost %+v, want nothing negative", m.Cost)
	}
	if m.InputLayouts != nil && len(m.InputLayouts) != len(q.Inputs) || m.OutputLayouts != nil && len(m.OutputLayouts) != len(q.Outputs) {
		a.errorf(q, "Supports names %d input and %d output layouts for %d inputs and %d outputs", len(m.InputLayouts), len(m.OutputLayouts), len(q.Inputs), len(q.Outputs))
	}
	a.checkKernel(q, k)
}

// checkKernel asks what a kernel says of itself.
func (a *answer) checkKernel(q *ep.Query, k ep.Kernel) {
	if r, ok := k.(ep.InPlacer); ok {
		for _, r := range r.InPlace() {
			if r.Output < 0 || r.Input < 0 {
				a.errorf(q, "InPlace names output %d over input %d", r.Output, r.Input)
			}
		}
	}
	if s, ok := k.(ep.StridedInputs); ok {
		for i := range q.Inputs {
			s.StridedInput(i)
		}
	}
	shapes, known := make([]tensor.Shape, len(q.Inputs)), true
	for i, o := range q.Inputs {
		if o.Present && o.Type.IsTensor() {
			s, ok := o.Type.Shape.Concrete()
			shapes[i], known = s, known && ok
		}
	}
	if !known {
		return
	}
	if s, ok := k.(ep.Scratcher); ok {
		if n := s.Scratch(shapes); n < 0 {
			a.errorf(q, "Scratch asks for %d bytes", n)
		}
	}
	if c, ok := k.(ep.Capturable); ok {
		if ok, reason := c.Capturable(shapes); !ok && strings.TrimSpace(reason) == "" {
			a.errorf(q, "Capturable says no without a reason")
		}
	}
}

// describe prints a query.
func describe(q *ep.Query) string {
	var s strings.Builder
	list := func(ops []ep.Operand) {
		s.WriteByte('(')
		for i, o := range ops {
			if i > 0 {
				s.WriteString(", ")
			}
			switch {
			case !o.Present:
				s.WriteString("omitted")
			case !o.Type.IsKnown():
				s.WriteString("unknown")
			default:
				s.WriteString(o.Type.String())
			}
		}
		s.WriteByte(')')
	}
	s.WriteString(q.Node.Op)
	list(q.Inputs)
	s.WriteString(" → ")
	list(q.Outputs)
	for _, a := range q.Node.Attrs {
		fmt.Fprintf(&s, " %s=%v", a.Name, a.Value)
	}
	return s.String()
}
