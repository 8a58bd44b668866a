package cpu

import (
	"context"

	"gort/ep"
	"gort/internal/kernel/matmul"
	"gort/op"
	"gort/tensor"
)

var contribMatmulBindings = []Binding{
	{Domain: microsoft, Op: "Inverse", Types: map[string]op.DTypes{"T": inverseTypes.Types()}, ViaFloat32: true, New: inverseTypes.Input(0)},
}

var inverseTypes = ByType{tensor.Float32: newInverse[float32], tensor.Float64: newInverse[float64]}

func newInverse[T float32 | float64](b *Build) (ep.Kernel, error) {
	pool := b.Pool
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		x := inv.In(0)
		s := x.Shape()
		return matmul.Inverse(ctx, pool, s[len(s)-1], tensor.Elements[T](x), tensor.Elements[T](inv.Out(0)))
	}), nil
}
