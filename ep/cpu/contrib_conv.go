package cpu

import (
	"context"
	"fmt"

	"gort/ep"
	"gort/internal/kernel/pool"
	"gort/op"
	"gort/tensor"
)

var contribConvBindings = []Binding{
	{Domain: microsoft, Op: "CausalConvWithState", Types: map[string]op.DTypes{"T": onlyFloat32}, ViaFloat32: true, New: newCausalConv},
	{Domain: microsoft, Op: "MaxpoolWithMask", New: newMaxpoolWithMask},
}

func newMaxpoolWithMask(b *Build) (ep.Kernel, error) {
	return newWindowed(b, func(ctx context.Context, k *windowed, w *pool.Window, inv *ep.Invocation) error {
		x, mask := inv.In(0), inv.In(1)
		if s, m := x.Shape(), mask.Shape(); len(m) != len(s) || !m[2:].Equal(s[2:]) || mask.Size() == 0 {
			return fmt.Errorf("input 1 (M) has shape %v, its planes must be those of X, %v", m, s)
		}
		return pool.MaxMasked(ctx, k.pool, w, tensor.Elements[float32](x), tensor.Elements[int32](mask), tensor.Elements[float32](inv.Out(0)))
	})
}
