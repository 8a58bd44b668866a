package cpu

import (
	"context"
	"fmt"
	"math"

	"gort/ep"
	"gort/graph"
	"gort/internal/kernel/slice"
	"gort/tensor"
)

// loop is a Loop.
type loop struct {
	body           int
	iterOne, isOne bool // the body takes the number and the condition as vectors of one
	scanTypes      []graph.Type
}

func newLoop(b *Build) (ep.Kernel, error) {
	at, err := bodyAt(b, "body")
	if err != nil {
		return nil, err
	}
	g := b.Graph("body")
	if len(g.Inputs()) < 2 {
		return nil, b.AttrErrorf("body", "has %d inputs, must have 2 or more", len(g.Inputs()))
	}
	k := loop{
		body:    at,
		iterOne: g.Value(g.Inputs()[0]).Type.Shape.HasRank(1),
		isOne:   g.Value(g.Inputs()[1]).Type.Shape.HasRank(1),
	}
	for i := len(g.Inputs()) - 1; i < len(g.Outputs()); i++ {
		k.scanTypes = append(k.scanTypes, emptyType(b, g, i, i-1))
	}
	return k, nil
}

// emptyType is the type of what body output i gives at each step, for when there
// is no step: what the body declares, else what was inferred of the node's output.
func emptyType(b *Build, g *graph.Graph, i, out int) graph.Type {
	t := g.Value(g.Outputs()[i]).Type
	if t.DType == tensor.Undefined {
		t.DType = b.OutDType(out)
	}
	if r, ok := t.Shape.Rank(); !ok && out < len(b.Outputs) {
		if s := b.Outputs[out].Type.Shape; s.IsRanked() && len(s.Dims()) > r {
			t.Shape = graph.ShapeOf(s.Dims()[1:]...)
		}
	}
	return t
}

// emptyShape is the shape of no elements of a type along a new first axis.
func emptyShape(t graph.Type) tensor.Shape {
	shape := tensor.Shape{0}
	for _, d := range t.Shape.Dims() {
		n, ok := d.Size()
		if !ok {
			n = 0
		}
		shape = append(shape, n)
	}
	return shape
}

func one[T tensor.Element](v T, vector bool) *tensor.Tensor {
	if vector {
		return tensor.Must(tensor.FromSlice([]T{v}))
	}
	return tensor.Scalar(v)
}

// Run implements ep.Kernel.
func (k loop) Run(ctx context.Context, inv *ep.Invocation) error {
	trips := int64(math.MaxInt64)
	if t := inv.In(0); t != nil {
		if t.Size() != 1 {
			return fmt.Errorf("the trip count has shape %v, must be one number", t.Shape())
		}
		trips = tensor.Elements[int64](t)[0]
	}
	goesOn := true
	if v := inv.InValue(1); v != nil {
		var err error
		if goesOn, err = truth(v, "the condition"); err != nil {
			return err
		}
	}
	carried := max(len(inv.Inputs)-2, 0)
	body := inv.Subgraphs[k.body]
	if n := body.NumOutputs(); n != 1+carried+len(k.scanTypes) || body.NumInputs() != 2+carried {
		return fmt.Errorf("the body has %d inputs and %d outputs, which does not fit %d carried values", body.NumInputs(), n, carried)
	}
	in := make([]tensor.Value, 2+carried)
	for i := range carried {
		in[2+i] = inv.InValue(2 + i)
	}
	state := append([]tensor.Value(nil), in[2:]...)
	stacks := make([]slice.Stack, len(k.scanTypes))
	for n := int64(0); n < trips && goesOn; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		in[0], in[1] = one(n, k.iterOne), one(true, k.isOne)
		out, err := body.Run(ctx, in)
		if err != nil {
			return fmt.Errorf("iteration %d: %w", n, err)
		}
		if goesOn, err = truth(out[0], "the condition that the body gives"); err != nil {
			return fmt.Errorf("iteration %d: %w", n, err)
		}
		copy(state, out[1:])
		for i, v := range state {
			in[2+i] = refill(in[2+i], v)
		}
		for i := range stacks {
			if !inv.Wants(carried + i) {
				continue
			}
			t, ok := out[1+carried+i].(*tensor.Tensor)
			if !ok {
				return fmt.Errorf("iteration %d: scan output %d is %v, must be a tensor", n, i, out[1+carried+i])
			}
			if err := stacks[i].Push(t); err != nil {
				return fmt.Errorf("iteration %d: scan output %d %w", n, i, err)
			}
		}
	}
	for i := range carried {
		if err := give(inv, i, state[i]); err != nil {
			return err
		}
	}
	for i := range stacks {
		if err := k.finish(inv, carried+i, &stacks[i], k.scanTypes[i]); err != nil {
			return err
		}
	}
	return nil
}

// refill is what a body that was given old, and made v of it, is given next: an
// optional stays one.
func refill(old, v tensor.Value) tensor.Value {
	if _, was := old.(*tensor.Optional); !was {
		return v
	}
	if _, is := v.(*tensor.Optional); is {
		return v
	}
	return &tensor.Optional{Elem: v.Type(), Value: v}
}

// finish makes a stack output i.
func (k loop) finish(inv *ep.Invocation, i int, s *slice.Stack, empty graph.Type) error {
	if !inv.Wants(i) {
		return nil
	}
	if s.Count() > 0 {
		t, err := s.Tensor()
		if err != nil {
			return err
		}
		return inv.SetOut(i, t)
	}
	if empty.DType == tensor.Undefined {
		return fmt.Errorf("the loop ran no iteration and the element type of output %d is not declared in its body", i)
	}
	_, err := inv.NewOut(i, empty.DType, emptyShape(empty)...)
	return err
}
