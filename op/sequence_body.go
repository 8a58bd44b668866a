package op

import (
	"fmt"
	"strings"

	"gort/tensor"
)

// sequenceMapBody is a Loop over the first sequence, which appends what the node's
// graph makes to one sequence an output. Other inputs that are sequences give the
// element of the same number.
func sequenceMapBody(c *Context) (Body, error) {
	g, err := c.body("body")
	if err != nil {
		return Body{}, err
	}
	var args, made, carried, next, start []string
	for i := range c.NumInputs() {
		name := formal(c.sig.Inputs, i)
		switch t := c.Type(i); {
		case i == 0 || t.Kind == tensor.KindSequence:
			name = "SequenceAt (" + name + ", i)"
		case !t.IsKnown():
			return Body{}, nil
		}
		args = append(args, name)
	}
	var lines strings.Builder
	for i, o := range g.Outputs() {
		d := g.Value(o).Type.DType
		if d == tensor.Undefined {
			return Body{}, nil
		}
		made = append(made, fmt.Sprintf("made_%d", i))
		carried = append(carried, fmt.Sprintf("so_far_%d", i))
		next = append(next, fmt.Sprintf("longer_%d", i))
		start = append(start, fmt.Sprintf("SequenceEmpty <dtype = %d> ()", d))
		fmt.Fprintf(&lines, "longer_%[1]d = SequenceInsert (so_far_%[1]d, made_%[1]d)\n", i)
	}
	outs := make([]string, c.NumOutputs())
	for i := range outs {
		if c.HasOutput(i) {
			outs[i] = formal(c.sig.Outputs, i)
		}
	}
	return Body{21, fmt.Sprintf(`
		%s = Loop <body = (i, go, %s) => (go, %s) {
			%s = @body (%s)
			%s
		}> (SequenceLength (input_sequence), , %s)`,
		strings.Join(outs, ", "), strings.Join(carried, ", "), strings.Join(next, ", "),
		strings.Join(made, ", "), strings.Join(args, ", "), lines.String(), strings.Join(start, ", "))}, nil
}
