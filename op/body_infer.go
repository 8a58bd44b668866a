package op

import "gort/graph"

// bodyOpset is the version of ai.onnx in which the bodies of operators from outside
// the specification are written.
const bodyOpset = 21

// inferByBody is the shape function of operators whose function body says it all: the
// body is put in the node's place in a graph of its own, and that graph inferred.
func inferByBody(c *Context) error {
	f, err := c.env.Expand(c.Def, c.Node, c.in)
	if err != nil || f == nil {
		return err
	}
	g := graph.New(c.Node.Op)
	spec := graph.NodeSpec{Name: c.Node.Label(), Domain: c.Node.Domain, Op: c.Node.Op, Opset: c.Node.Opset, Attrs: c.Node.Attrs}
	var facts []Fact
	for i, id := range c.Node.Inputs() {
		if id == graph.NoValue {
			spec.Inputs = append(spec.Inputs, id)
			continue
		}
		v := g.NewValue(c.in[i].Type)
		if err := g.AddInput(v); err != nil {
			return err
		}
		spec.Inputs, facts = append(spec.Inputs, v), append(facts, c.in[i])
	}
	for _, id := range c.Node.Outputs() {
		if id != graph.NoValue {
			id = g.NewValue(graph.Type{})
		}
		spec.Outputs = append(spec.Outputs, id)
	}
	id, err := g.AddNode(spec)
	if err != nil {
		return err
	}
	for _, o := range spec.Outputs {
		if o != graph.NoValue {
			if err := g.AddOutput(o); err != nil {
				return err
			}
		}
	}
	if err := Inline(g, id, f); err != nil {
		return err
	}
	inner, err := c.env.Graph(g, facts, nil)
	if err != nil {
		return err
	}
	made := g.Outputs() // other values than before: those of the body
	for i, id := range spec.Outputs {
		if id != graph.NoValue {
			c.SetOutput(i, inner[made[0]])
			made = made[1:]
		}
	}
	return nil
}
