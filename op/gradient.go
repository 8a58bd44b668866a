package op

import (
	"fmt"
	"regexp"
	"strings"

	"gort/graph"
)

// GradientContext is what a gradient rule sees of a node: inputs as a shape
// function does, outputs, and which gradients are to be made.
//
// The text that a rule returns is in the notation of Body, with names by position:
// x0, x1, … are the node's inputs, y0, … its outputs and dy0, … their gradients,
// all of which are given for outputs that the node makes; it makes dx0, … for the
// inputs that Wants names. A wanted gradient that the text does not make is zero.
//
//	dx0 = Mul (dy0, x1)
type GradientContext struct {
	*Context
	outputs []Fact
	wanted  []bool
}

// Wants reports whether input i's gradient is to be made.
func (c *GradientContext) Wants(i int) bool { return i < len(c.wanted) && c.wanted[i] }

// Output returns everything known of output i.
func (c *GradientContext) Output(i int) Fact {
	if i < 0 || i >= len(c.outputs) {
		return Fact{}
	}
	return c.outputs[i]
}

// NoGradientError says that a Gradient node needs the derivative of an operator
// that has none here.
type NoGradientError struct {
	Node, Domain, Op string
	Opset            int
	Reason           string // what in particular; empty when there is no rule at all
}

func (e *NoGradientError) Error() string {
	reason := e.Reason
	if reason == "" {
		reason = "the operator has no gradient rule and no function body"
	}
	return fmt.Sprintf("node %q (%s, opset %d) can not be differentiated: %s; give the session a definition of the operator with a Gradient, or list a value behind the node in xs or zs", e.Node, qualified(e.Domain, e.Op), e.Opset, reason)
}

// noGradient says why the node at hand has no gradient.
func (c *GradientContext) noGradient(format string, args ...any) error {
	n := c.Node
	return &NoGradientError{n.Label(), n.Domain, n.Op, n.Opset, fmt.Sprintf(format, args...)}
}

var gradientName = regexp.MustCompile(`^(x|y|dy)[0-9]+$`)

// Gradient returns a function that makes the gradients of a node's inputs. Its
// inputs are the node's inputs, then its outputs, then the gradients of these; its
// outputs are the gradients of the wanted inputs, in order. Where made is false,
// that gradient is zero and the function does not have it. It returns nil when the
// definition has no rule.
func (e *Env) Gradient(d *Def, n *graph.Node, in, out []Fact, wanted []bool) (f *graph.Function, made []bool, err error) {
	if d.Gradient == nil {
		return nil, nil, nil
	}
	c := &GradientContext{&Context{Attrs: Attrs{n, d}, env: e, sig: d.Signature(), in: in, out: make([]Fact, len(n.Outputs()))}, out, wanted}
	if err := c.check(); err != nil {
		return nil, nil, err
	}
	rule, err := d.Gradient(c)
	if err != nil {
		return nil, nil, err
	}
	f = &graph.Function{
		Key:    graph.FunctionKey{Domain: n.Domain, Name: n.Op + "Gradient"},
		Opsets: map[string]int{"": rule.Opset},
		Graph:  graph.New(n.Op + "Gradient"),
	}
	if made, err = newBodyBuilder(c.Context, f.Graph, rule.Opset).gradient(c, rule.Text); err != nil {
		return nil, nil, fmt.Errorf("op: gradient of %s-%d: %w", d.Name, d.Since, err)
	}
	return f, made, nil
}

func (b *bodyBuilder) gradient(c *GradientContext, text string) (made []bool, err error) {
	b.omitted = gradientName.MatchString
	for i := range c.Node.Inputs() {
		if err := b.input(fmt.Sprintf("x%d", i), c.DType(i)); err != nil {
			return nil, err
		}
	}
	for _, prefix := range []string{"y", "dy"} {
		for i := range c.Node.Outputs() {
			if err := b.input(fmt.Sprintf("%s%d", prefix, i), c.Output(i).Type.DType); err != nil {
				return nil, err
			}
		}
	}
	if err := b.lines(text); err != nil {
		return nil, err
	}
	made = make([]bool, len(c.Node.Inputs()))
	for i := range made {
		name := fmt.Sprintf("dx%d", i)
		if _, made[i] = b.scope.g.Lookup(name); !made[i] || !c.Wants(i) {
			made[i] = false
			continue
		}
		if err := b.output(name); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// Splice adds the nodes of a function, as Expand and Gradient return them, to a
// graph, and returns the values that its outputs became. implicit are the outer
// values that it captures.
func Splice(g *graph.Graph, f *graph.Function, prefix string, inputs, implicit []graph.ValueID) ([]graph.ValueID, error) {
	mapped := map[graph.ValueID]graph.ValueID{}
	for i, in := range f.Graph.Inputs() {
		mapped[in] = graph.NoValue
		if i < len(inputs) {
			mapped[in] = inputs[i]
		}
	}
	for _, c := range f.Graph.Captures {
		mapped[c.Inner] = implicit[c.Implicit]
	}
	return splice(g, f.Graph, mapped, prefix)
}

// Sum is the lines that make dx and a number, the gradient of input i, of a gradient
// that has the shape of output 0, to which the input was broadcast. They are empty
// when it is not wanted.
func (c *GradientContext) Sum(i int, gradient string) string {
	if !c.Wants(i) {
		return ""
	}
	from, to := c.Output(0).Type.Shape, c.Shape(i)
	have, okHave := from.Rank()
	rank, ok := to.Rank()
	if ok && okHave && have >= rank {
		axes, certain := broadcastAxes(from, to)
		switch {
		case certain && len(axes) == 0:
			return fmt.Sprintf("dx%d = Identity (%s)\n", i, gradient)
		case certain:
			list := strings.Trim(strings.ReplaceAll(fmt.Sprint(axes), " ", ", "), "[]")
			return fmt.Sprintf("dx%[1]d = Reshape <allowzero = 1> (ReduceSum <keepdims = 0> (%[2]s, [%[3]s]), Shape (x%[1]d))\n", i, gradient, list)
		}
	}
	// The axes are known when it runs: where the shapes, lined up at their ends, differ.
	return fmt.Sprintf(`
		wide%[1]d = Identity (%[2]s)
		to%[1]d = Shape (x%[1]d)
		from%[1]d = Shape (wide%[1]d)
		aligned%[1]d = Concat <axis = 0> (Expand (1, Sub (Shape (from%[1]d), Shape (to%[1]d))), to%[1]d)
		along%[1]d = Reshape (NonZero (Not (Equal (aligned%[1]d, from%[1]d))), [-1])
		dx%[1]d = Reshape <allowzero = 1> (ReduceSum <noop_with_empty_axes = 1> (wide%[1]d, along%[1]d), to%[1]d)
	`, i, gradient)
}

// broadcastAxes lists the axes of from along which a value of shape to was
// broadcast; certain is false when the shapes do not decide it.
func broadcastAxes(from, to graph.Shape) (axes []int, certain bool) {
	extra := len(from.Dims()) - len(to.Dims())
	for k, d := range from.Dims() {
		if k < extra {
			axes = append(axes, k)
			continue
		}
		switch e := to.Dims()[k-extra]; {
		case e.Same(d):
		case e.Is(1):
			axes = append(axes, k) // and where the other has one element as well, it is summed alone
		case !e.IsKnown():
			return nil, false
		}
	}
	return axes, true
}
