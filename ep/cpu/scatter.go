package cpu

import (
	"context"

	"gort/ep"
	"gort/internal/kernel/gather"
	"gort/op"
	"gort/tensor"
)

var reducedTypes = map[string]op.DTypes{"T": op.SetOf(gather.ReducedTypes()...)}

var scatterBindings = []Binding{
	{Op: "Scatter", New: newScatterElements},
	{Op: "ScatterElements", Check: checkNoReduction, New: newScatterElements},
	{Op: "ScatterElements", Types: reducedTypes, ViaFloat32: true, New: newReduceElements},
	{Op: "ScatterND", Check: checkNoReduction, New: newScatterND},
	{Op: "ScatterND", Types: reducedTypes, ViaFloat32: true, New: newReduceND},
	{Op: "TensorScatter", New: newTensorScatter},
}

// checkNoReduction lets the binding that moves elements of any type decline to
// the one that computes.
func checkNoReduction(b *Build) string {
	if r := b.String("reduction"); r != "" && r != "none" {
		return "reduction " + r + " needs numbers"
	}
	return ""
}

// scatter copies its first input and writes into the copy.
type scatter struct {
	write func(ctx context.Context, out *tensor.Tensor, inv *ep.Invocation) error
}

// InPlace implements ep.InPlacer.
func (scatter) InPlace() []ep.Reuse { return []ep.Reuse{{Output: 0, Input: 0}} }

// Run implements ep.Kernel.
func (k scatter) Run(ctx context.Context, inv *ep.Invocation) error {
	out, in := inv.Out(0), inv.In(0)
	if !sameMemory(out, in) {
		if err := tensor.Copy(out, in); err != nil {
			return err
		}
	}
	return k.write(ctx, out, inv)
}

// sameMemory reports whether two tensors of one size start at one place.
func sameMemory(a, b *tensor.Tensor) bool {
	s, t := a.Storage(), b.Storage()
	return len(s) > 0 && len(t) > 0 && &s[0] == &t[0] && a.Offset() == b.Offset()
}

func newScatterElements(b *Build) (ep.Kernel, error) {
	axis := b.Int("axis")
	return scatter{write: func(ctx context.Context, out *tensor.Tensor, inv *ep.Invocation) error {
		a, err := tensor.Axis(axis, out.Rank())
		if err != nil {
			return err
		}
		return gather.ScatterElements(ctx, out, inv.In(1), inv.In(2), a)
	}}, nil
}

func newReduceElements(b *Build) (ep.Kernel, error) {
	axis := b.Int("axis")
	r, err := reduction(b)
	if err != nil {
		return nil, err
	}
	return scatter{write: func(ctx context.Context, out *tensor.Tensor, inv *ep.Invocation) error {
		a, err := tensor.Axis(axis, out.Rank())
		if err != nil {
			return err
		}
		return gather.ReduceElements(ctx, out, inv.In(1), inv.In(2), a, r)
	}}, nil
}

func reduction(b *Build) (gather.Reduction, error) {
	r, ok := gather.Reductions[b.String("reduction")]
	if !ok {
		return 0, b.AttrErrorf("reduction", "is %q, known are none, add, mul, min, max", b.String("reduction"))
	}
	return r, nil
}

func newScatterND(b *Build) (ep.Kernel, error) {
	return scatter{write: func(ctx context.Context, out *tensor.Tensor, inv *ep.Invocation) error {
		return gather.ScatterSlices(ctx, out, inv.In(1), inv.In(2))
	}}, nil
}

func newReduceND(b *Build) (ep.Kernel, error) {
	r, err := reduction(b)
	if err != nil {
		return nil, err
	}
	return scatter{write: func(ctx context.Context, out *tensor.Tensor, inv *ep.Invocation) error {
		return gather.ReduceSlices(ctx, out, inv.In(1), inv.In(2), r)
	}}, nil
}

func newTensorScatter(b *Build) (ep.Kernel, error) {
	axis, circular := b.Int("axis"), b.String("mode") == "circular"
	pool := b.Pool
	return scatter{write: func(ctx context.Context, out *tensor.Tensor, inv *ep.Invocation) error {
		a, err := tensor.Axis(axis, out.Rank())
		if err != nil {
			return err
		}
		return gather.ScatterCache(ctx, pool, out, inv.In(1), indices(nil, inv.In(2)), a, circular)
	}}, nil
}
