package cpu

import (
	"context"

	"gort/ep"
	"gort/internal/kernel/elementwise"
	"gort/internal/parallel"
	"gort/tensor"
)

const microsoft = "com.microsoft"

var biasedActivations = ByType{tensor.Float32: newBiasedActivation[float32], tensor.Float64: newBiasedActivation[float64]}

var contribActivationBindings = []Binding{
	{Domain: microsoft, Op: "Gelu", Types: floatTypes, ViaFloat32: true, New: activations.Input(0)},
	{Domain: microsoft, Op: "QuickGelu", Types: floatTypes, ViaFloat32: true, New: activations.Input(0)},
	{Domain: microsoft, Op: "FastGelu", Types: floatTypes, ViaFloat32: true, New: biasedActivations.Input(0)},
	{Domain: microsoft, Op: "BiasGelu", Types: floatTypes, ViaFloat32: true, New: biasedActivations.Input(0)},
}

// contribLoops are the loops of operators whose name is not that of the function.
var contribLoops = map[string]string{"FastGelu": "GeluTanh", "BiasGelu": "Gelu", "QuickGelu": "Swish"}

// biasedActivation applies a function to x plus a bias along the last dimension.
type biasedActivation[T elementwise.Float] struct {
	pool  *parallel.Pool
	grain int
	loop  elementwise.Loop1[T, T]
	add   elementwise.Loop2[T, T, T]
}

func newBiasedActivation[T elementwise.Float](b *Build) (ep.Kernel, error) {
	name := contribLoops[b.Def.Name]
	return &biasedActivation[T]{b.Pool, grainOf(name), elementwise.Activation[T](name, elementwise.Params{}), elementwise.Arithmetic[T]("Add")}, nil
}

// InPlace implements ep.InPlacer.
func (k *biasedActivation[T]) InPlace() []ep.Reuse { return []ep.Reuse{{Output: 0, Input: 0}} }

// Run implements ep.Kernel.
func (k *biasedActivation[T]) Run(ctx context.Context, inv *ep.Invocation) error {
	dst, x := tensor.Elements[T](inv.Out(0)), tensor.Elements[T](inv.In(0))
	if inv.In(1) == nil {
		return elementwise.Unary(ctx, k.pool, k.grain, k.loop, dst, x)
	}
	bias := tensor.Elements[T](inv.In(1))
	n := len(bias)
	if n == 0 {
		return nil
	}
	return k.pool.For(ctx, len(x)/n, max(1, k.grain/n), func(lo, hi int) {
		for r := lo; r < hi; r++ {
			row := dst[r*n:][:n]
			k.add(row, x[r*n:][:n], bias, -1, -1)
			k.loop(row, row)
		}
	})
}
