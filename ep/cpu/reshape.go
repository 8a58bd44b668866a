package cpu

import (
	"context"

	"gort/ep"
	"gort/internal/kernel/strided"
	"gort/internal/parallel"
	"gort/tensor"
)

var reshapeBindings = []Binding{
	{Op: "Reshape", New: newAlias},
	{Op: "Flatten", New: newAlias},
	{Op: "Squeeze", New: newAlias},
	{Op: "Unsqueeze", New: newAlias},
	{Op: "Identity", New: newAlias},
	{Op: "Expand", New: newExpand},
	{Op: "Transpose", New: newTranspose},
	{Op: "Shape", New: newShape},
	{Op: "Size", New: newSize},
}

// alias is a kernel whose output is its first input under another shape.
type alias struct{}

func newAlias(*Build) (ep.Kernel, error) { return alias{}, nil }

// View implements ep.Viewer.
func (alias) View(int, *ep.Invocation, tensor.Shape) (ep.View, bool) { return ep.View{}, true }

// Run implements ep.Kernel, for values that are no tensors and for when the
// output must not share memory with the input.
func (alias) Run(_ context.Context, inv *ep.Invocation) error {
	out := inv.Out(0)
	if out == nil {
		return inv.SetOut(0, inv.InValue(0))
	}
	in, err := inv.In(0).Contiguous().Reshape(out.Shape()...)
	if err != nil {
		return err
	}
	return tensor.Copy(out, in)
}

func newExpand(b *Build) (ep.Kernel, error) {
	return window{b.Pool, func(inv *ep.Invocation, out tensor.Shape) (strided.Move, error) {
		return strided.Expanded(inv.In(0), out), nil
	}}, nil
}

// transpose reorders dimensions.
type transpose struct {
	pool *parallel.Pool
	perm []int
}

func newTranspose(b *Build) (ep.Kernel, error) {
	return transpose{b.Pool, b.IntsAsInt("perm")}, nil
}

// StridedInput implements ep.StridedInputs.
func (transpose) StridedInput(int) bool { return true }

// View implements ep.Viewer: where only dimensions of size 1 move, nothing does.
func (k transpose) View(_ int, inv *ep.Invocation, _ tensor.Shape) (ep.View, bool) {
	m := strided.Transposed(inv.In(0), k.perm)
	return ep.View{}, m.Gapless()
}

// Run implements ep.Kernel.
func (k transpose) Run(ctx context.Context, inv *ep.Invocation) error {
	return strided.Copy(ctx, k.pool, inv.Out(0), inv.In(0), strided.Transposed(inv.In(0), k.perm))
}

func newShape(b *Build) (ep.Kernel, error) {
	first := b.Int("start")
	return Func(func(_ context.Context, inv *ep.Invocation) error {
		out := tensor.Elements[int64](inv.Out(0))
		s := inv.In(0).Shape()
		start := first
		if start < 0 {
			start += len(s)
		}
		start = max(start, 0)
		for i := range out {
			out[i] = int64(s[start+i])
		}
		return nil
	}), nil
}

func newSize(*Build) (ep.Kernel, error) {
	return Func(func(_ context.Context, inv *ep.Invocation) error {
		tensor.Elements[int64](inv.Out(0))[0] = int64(inv.In(0).Size())
		return nil
	}), nil
}
