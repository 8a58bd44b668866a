package cpu

import (
	"context"
	"fmt"

	"gort/ep"
	"gort/graph"
	"gort/tensor"
)

var controlBindings = []Binding{
	{Op: "If", New: newIf},
	{Op: "Loop", New: newLoop},
	{Op: "Scan", To: 8, New: newScan8},
	{Op: "Scan", From: 9, New: newScan},
}

// bodyAt is the place of a graph attribute among the node's subgraphs.
func bodyAt(b *Build, name string) (int, error) {
	at := 0
	for _, a := range b.Node.Attrs {
		switch v := a.Value.(type) {
		case *graph.Graph:
			if a.Name == name {
				return at, nil
			}
			at++
		case []*graph.Graph:
			at += len(v)
		}
	}
	return 0, b.AttrErrorf(name, "is required")
}

// truth reads a condition: one bool.
func truth(v tensor.Value, what string) (bool, error) {
	t, ok := v.(*tensor.Tensor)
	if !ok || t.DType() != tensor.Bool || t.Size() != 1 {
		return false, fmt.Errorf("%s is %v, must be one bool", what, v)
	}
	return tensor.Elements[bool](t.Contiguous())[0], nil
}

// give makes a value output i. What may be memory of an input is copied, for
// that memory is borrowed.
func give(inv *ep.Invocation, i int, v tensor.Value) error {
	t, ok := v.(*tensor.Tensor)
	if !ok || !borrowed(inv, t) {
		return inv.SetOut(i, v)
	}
	out, err := inv.NewOut(i, t.DType(), t.Shape()...)
	if err != nil || out == nil {
		return err
	}
	return tensor.Copy(out, t)
}

func borrowed(inv *ep.Invocation, t *tensor.Tensor) bool {
	for i := range inv.Inputs {
		in := inv.In(i)
		if in == nil {
			continue
		}
		if a, b := in.Storage(), t.Storage(); in == t || len(a) > 0 && len(b) > 0 && &a[0] == &b[0] {
			return true
		}
	}
	return false
}

// branches is an If.
type branches struct{ then, other int }

func newIf(b *Build) (ep.Kernel, error) {
	then, err := bodyAt(b, "then_branch")
	if err != nil {
		return nil, err
	}
	other, err := bodyAt(b, "else_branch")
	return branches{then, other}, err
}

// Run implements ep.Kernel.
func (k branches) Run(ctx context.Context, inv *ep.Invocation) error {
	cond, err := truth(inv.InValue(0), "the condition")
	if err != nil {
		return err
	}
	body := inv.Subgraphs[k.other]
	if cond {
		body = inv.Subgraphs[k.then]
	}
	out, err := body.Run(ctx, nil)
	if err != nil {
		return err
	}
	for i, v := range out {
		if err := give(inv, i, v); err != nil {
			return err
		}
	}
	return nil
}
