package difftest

import (
	"context"
	"errors"
	"fmt"

	"gort/graph"
	"gort/op"
	"gort/tensor"
)

// Result is what came of one call.
type Result struct {
	Case    *Case
	Model   []byte
	Want    []tensor.Value // ONNX Runtime's answer; gort's own where Refused is set or there is no ONNX Runtime
	Refused string         // why ONNX Runtime has no answer
	// Disagreement says which way differs from what, and where; "" when all agree.
	Disagreement string
}

// Check runs a call all ways. ort may be nil. The error is one of the machinery, or
// of a call that no model can be made of.
func (gen *Generator) Check(ctx context.Context, d *op.Def, c *Case, ort *ORT) (*Result, error) {
	r := &Result{Case: c}
	var err error
	if r.Model, err = c.Model(nil); err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	var answers []Answer
	list := ways(d)
	for _, w := range list {
		answers = append(answers, w.run(ctx, r.Model, c.Fed()))
	}
	first := answers[0]
	if first.Types != nil {
		if r.Model, err = c.Model(first.Types); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	reference := "gort"
	if ort != nil {
		asked := c
		if c.Twin != nil {
			asked = c.Twin
		}
		want, err := gen.ask(ctx, ort, asked, first.Types)
		var refused *RefusedError
		switch {
		case errors.As(err, &refused):
			r.Refused = refused.Reason
		case err != nil:
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		default:
			r.Want, reference = want, "ONNX Runtime"
		}
	}
	if r.Want == nil {
		r.Want = first.Outputs
		if first.Err != nil {
			if r.Refused == "" {
				r.Disagreement = "gort fails: " + first.Err.Error()
			}
			return r, nil
		}
	}
	for i, a := range answers {
		err := a.Err
		if err == nil {
			err = gen.compare(a.Outputs, r.Want)
		}
		if err != nil {
			r.Disagreement = fmt.Sprintf("%s differs from %s: %v", list[i].Name, reference, err)
			return r, nil
		}
	}
	return r, nil
}

// ask returns ONNX Runtime's answer to a call with outputs of these types, where it
// lacks the element types in those that stand for them.
func (gen *Generator) ask(ctx context.Context, ort *ORT, c *Case, types []graph.Type) ([]tensor.Value, error) {
	want, err := ort.answer(ctx, c, types)
	if errors.As(err, new(*RefusedError)) {
		wide, ok, failed := c.widened(gen.Wide)
		if !ok || failed != nil {
			return nil, errors.Join(err, failed)
		}
		if want, err = ort.answer(ctx, wide, wideTypes(types, gen.Wide)); err == nil {
			want, err = narrowed(want, types)
		}
	}
	if err != nil || c.Back == nil {
		return want, err
	}
	return c.Back(want)
}

// answer has ONNX Runtime compute a call whose outputs have these types.
func (o ORT) answer(ctx context.Context, c *Case, types []graph.Type) ([]tensor.Value, error) {
	model, err := c.model(types, partsBorder{})
	if err != nil {
		return nil, fmt.Errorf("what ONNX Runtime is asked: %w", err)
	}
	list := plain(types, c.asked())
	want, err := o.Run(ctx, model, fedParts(c.Fed()), partTypes(list))
	if err != nil {
		return nil, err
	}
	return joinParts(want, list), nil
}

// asked counts the outputs that are asked for.
func (c *Case) asked() (n int) {
	for _, a := range c.Outputs {
		if a {
			n++
		}
	}
	return n
}

// plain gives the types of n outputs without shapes; unknown ones match any tensor.
func plain(types []graph.Type, n int) []tensor.Type {
	out := make([]tensor.Type, n)
	for i := range out {
		out[i] = tensor.TensorOf(tensor.Undefined)
		if i < len(types) && types[i].IsKnown() {
			out[i] = types[i].WithoutShape()
		}
	}
	return out
}
