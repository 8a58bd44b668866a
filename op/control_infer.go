package op

import (
	"errors"

	"gort/graph"
	"gort/tensor"
)

// wantOne checks that input i, when given, is one element: a scalar, or as
// exporters have it a tensor of one element of any rank.
func (c *Context) wantOne(i int) error {
	s := c.Shape(i)
	for _, d := range s.Dims() {
		if d.IsKnown() && !d.Is(1) {
			return c.InputErrorf(i, "shape %v, must be one element", s)
		}
	}
	return nil
}

// inferIf infers the branch that a known condition takes, or both, and then what
// they have in common.
func inferIf(c *Context) error {
	if err := c.wantOne(0); err != nil {
		return err
	}
	for _, name := range []string{"then_branch", "else_branch"} {
		g, err := c.body(name)
		if err != nil {
			return err
		}
		if n := len(g.Outputs()); n != c.NumOutputs() {
			return c.AttrErrorf(name, "has %d outputs, the node has %d", n, c.NumOutputs())
		}
	}
	if cond, ok := c.KnownInts(0); ok && len(cond) == 1 {
		name := "else_branch"
		if cond[0] != 0 {
			name = "then_branch"
		}
		facts, err := c.Subgraph(c.Graph(name), nil)
		for i, f := range facts {
			c.SetOutput(i, f)
		}
		return err
	}
	then, err1 := c.Subgraph(c.Graph("then_branch"), nil)
	other, err2 := c.Subgraph(c.Graph("else_branch"), nil)
	// Exporters guard what only fits some inputs by an If. A branch that does not
	// fit the shapes known here is one that is not taken, so only what nobody
	// can run is an error.
	var unknown *UnknownError
	switch err := errors.Join(err1, err2); {
	case err1 != nil && err2 != nil, errors.As(err, &unknown):
		return err
	case err1 != nil:
		then = dropFacts(other)
	case err2 != nil:
		other = dropFacts(then)
	}
	for i := range then {
		t, ok := graph.UnionType(then[i].Type, other[i].Type)
		if !ok {
			return c.Errorf("output %d is %v in then_branch, but %v in else_branch", i, then[i].Type, other[i].Type)
		}
		c.SetType(i, t)
	}
	return nil
}

func dropFacts(facts []Fact) []Fact {
	out := make([]Fact, len(facts))
	for i, f := range facts {
		out[i].Type = graph.FromTensorType(f.Type.WithoutShape())
	}
	return out
}

// body returns a graph attribute. It is missing where a function's attribute was
// to supply it and there is none.
func (c *Context) body(name string) (*graph.Graph, error) {
	if g := c.Graph(name); g != nil {
		return g, nil
	}
	return nil, c.AttrErrorf(name, "has no graph")
}

// oneElement describes the iteration number and condition of a loop body: a
// scalar, unless the body declares a vector of one.
func oneElement(g *graph.Graph, input int, d tensor.DType) graph.Type {
	if g.Value(g.Inputs()[input]).Type.Shape.HasRank(1) {
		return graph.TensorType(d, graph.Fixed(1))
	}
	return graph.TensorType(d, graph.ShapeOf())
}

// inferLoop infers the body until the types of what it carries from iteration to
// iteration are stable: they are what holds before every iteration.
func inferLoop(c *Context) error {
	body, err := c.body("body")
	if err != nil {
		return err
	}
	for i := range 2 {
		if err := c.wantOne(i); err != nil {
			return err
		}
	}
	carried := max(c.NumInputs()-2, 0)
	scans := len(body.Outputs()) - 1 - carried
	switch {
	case len(body.Inputs()) != carried+2:
		return c.AttrErrorf("body", "has %d inputs, must have 2 and one for each of the %d carried values", len(body.Inputs()), carried)
	case scans < 0:
		return c.AttrErrorf("body", "has %d outputs, must have a condition and one for each of the %d carried values", len(body.Outputs()), carried)
	case c.NumOutputs() > carried+scans:
		return c.Errorf("%d outputs, the body gives %d", c.NumOutputs(), carried+scans)
	}
	in := make([]Fact, carried+2)
	in[0].Type = oneElement(body, 0, tensor.Int64)
	// The body only runs while the condition holds.
	in[1].Type = oneElement(body, 1, tensor.Bool)
	if shape, ok := in[1].Type.Shape.Concrete(); ok {
		in[1].Const = tensor.Must(tensor.FromSlice([]bool{true}, shape...))
	}
	for i := range carried {
		in[2+i].Type = c.Type(2 + i)
	}
	out, err := c.fixpoint(body, in, in[2:], 1)
	if err != nil {
		return err
	}
	for i := range carried {
		t := in[2+i].Type
		if after := out[1+i].Type; fillsOptional(t, after) {
			t = graph.FromTensorType(after.WithoutShape())
		}
		c.SetType(i, t)
	}
	trips := c.trips(out[0])
	for i := range scans {
		t := out[1+carried+i].Type
		if t.IsKnown() && !t.IsTensor() {
			return c.AttrErrorf("body", "scan output %d is %v, must be a tensor", i, t)
		}
		c.SetType(carried+i, stacked(t, 0, trips))
	}
	return nil
}

// fixpoint infers a body until the types of its states, a part of in that the
// outputs from first on replace, no longer change. It returns the facts of the outputs.
func (c *Context) fixpoint(body *graph.Graph, in, states []Fact, first int) ([]Fact, error) {
	const patience = 8
	for round := 0; ; round++ {
		out, err := c.Subgraph(body, in)
		if err != nil {
			return nil, err
		}
		stable := true
		for i := range states {
			if fillsOptional(states[i].Type, out[first+i].Type) {
				continue
			}
			t, ok := graph.UnionType(states[i].Type, out[first+i].Type)
			if !ok {
				return nil, c.AttrErrorf("body", "makes of carried value %d, %v, a %v", i, states[i].Type, out[first+i].Type)
			}
			if round >= patience {
				t = graph.FromTensorType(t.WithoutShape())
			}
			if !sameType(t, states[i].Type) {
				states[i] = Fact{Type: t}
				stable = false
			}
		}
		if stable {
			return out, nil
		}
	}
}

// fillsOptional reports whether a body makes of an optional what it may hold: the
// value enters the next iteration as an optional again.
func fillsOptional(before, after graph.Type) bool {
	if before.Kind != tensor.KindOptional || before.Elem == nil || after.Kind == tensor.KindOptional {
		return false
	}
	_, ok := graph.UnionType(*before.Elem, after)
	return ok && after.IsKnown()
}

func sameType(a, b graph.Type) bool {
	return a.WithoutShape().Equal(b.WithoutShape()) && a.Shape.Equal(b.Shape) &&
		((a.Elem == nil) == (b.Elem == nil)) && (a.Elem == nil || sameType(*a.Elem, *b.Elem))
}

// trips is how often a Loop runs its body, given what is known of the body's
// condition.
func (c *Context) trips(cond Fact) graph.Dim {
	isTrue := func(f Fact, given bool) (value, known bool) {
		if !given {
			return true, true
		}
		v, ok := IntsOf(f.Const).Known()
		return ok && len(v) == 1 && v[0] != 0, ok && len(v) == 1
	}
	start, known := isTrue(c.Input(1), c.HasInput(1))
	if known && !start {
		return graph.Known(0)
	}
	m, ok := c.KnownInts(0)
	if !ok || len(m) != 1 {
		return graph.Dim{}
	}
	n := graph.Known(int(max(m[0], 0)))
	if n.Is(0) {
		return n
	}
	if goesOn, sure := isTrue(cond, true); sure && goesOn && known {
		return n
	}
	return graph.Dim{}
}

// stacked is the type of tensors of type t lined up along a new axis.
func stacked(t graph.Type, axis int, n graph.Dim) graph.Type {
	if !t.IsKnown() {
		return t
	}
	rank, ok := t.Shape.Rank()
	if !ok || axis > rank {
		return graph.TensorType(t.DType, graph.Shape{})
	}
	dims := make([]graph.Dim, 0, rank+1)
	dims = append(append(append(dims, t.Shape.Dims()[:axis]...), n), t.Shape.Dims()[axis:]...)
	return graph.TensorType(t.DType, graph.ShapeOf(dims...))
}
