package cpu

import (
	"context"
	"fmt"
	"math"

	"gort/ep"
	"gort/internal/kernel/pool"
	"gort/internal/parallel"
	"gort/op"
	"gort/tensor"
)

var (
	maxPoolTypes = ByType{
		tensor.Float32: newMaxPool32, tensor.Float64: newMaxPool(math.Inf(-1)),
		tensor.Int8: newMaxPool[int8](math.MinInt8), tensor.Uint8: newMaxPool[uint8](0),
	}
	averagePoolTypes   = ByType{tensor.Float32: newAveragePool32, tensor.Float64: newAveragePool64}
	lpPoolTypes        = ByType{tensor.Float32: newLpPool[float32], tensor.Float64: newLpPool[float64]}
	globalAverageTypes = ByType{tensor.Float32: newGlobal(pool.MeanOf), tensor.Float64: newGlobal(pool.MeanOf64)}
	globalMaxTypes     = ByType{tensor.Float32: newGlobal(pool.MaxOf), tensor.Float64: newGlobal(pool.MaxOf64)}
	globalLpTypes      = ByType{tensor.Float32: newGlobalLp[float32], tensor.Float64: newGlobalLp[float64]}
	unpoolTypes        = ByType{
		tensor.Float16: newUnpool[tensor.F16], tensor.BFloat16: newUnpool[tensor.BF16],
		tensor.Float32: newUnpool[float32], tensor.Float64: newUnpool[float64],
	}
	roiAlignTypes   = ByType{tensor.Float32: newRoiAlign[float32], tensor.Float64: newRoiAlign[float64]}
	maxRoiPoolTypes = ByType{tensor.Float32: newMaxRoiPool[float32], tensor.Float64: newMaxRoiPool[float64]}
)

var poolBindings = []Binding{
	{Op: "MaxPool", Types: map[string]op.DTypes{"T": maxPoolTypes.Types()}, ViaFloat32: true, New: maxPoolTypes.Input(0)},
	{Op: "AveragePool", Types: map[string]op.DTypes{"T": averagePoolTypes.Types()}, ViaFloat32: true, New: averagePoolTypes.Input(0)},
	{Op: "LpPool", Types: map[string]op.DTypes{"T": lpPoolTypes.Types()}, ViaFloat32: true, New: lpPoolTypes.Input(0)},
	{Op: "GlobalAveragePool", Types: map[string]op.DTypes{"T": globalAverageTypes.Types()}, ViaFloat32: true, New: globalAverageTypes.Input(0)},
	{Op: "GlobalMaxPool", Types: map[string]op.DTypes{"T": globalMaxTypes.Types()}, ViaFloat32: true, New: globalMaxTypes.Input(0)},
	{Op: "GlobalLpPool", Types: map[string]op.DTypes{"T": globalLpTypes.Types()}, ViaFloat32: true, New: globalLpTypes.Input(0)},
	{Op: "MaxUnpool", Types: map[string]op.DTypes{"T1": unpoolTypes.Types()}, New: unpoolTypes.Input(0)},
	{Op: "MaxRoiPool", Types: map[string]op.DTypes{"T": maxRoiPoolTypes.Types()}, ViaFloat32: true, New: maxRoiPoolTypes.Input(0)},
	{Op: "RoiAlign", Types: map[string]op.DTypes{"T1": roiAlignTypes.Types()}, ViaFloat32: true, New: roiAlignTypes.Input(0)},
}

// pooling is what the poolings with a window share.
type pooling struct {
	win     op.Window
	pool    *parallel.Pool
	windows perShape[*pool.Window]
}

func (k *pooling) window(x tensor.Shape) (*pool.Window, error) { return k.windows.get(k.derive, x) }

func (k *pooling) derive(s ...tensor.Shape) (*pool.Window, error) {
	x := s[0]
	if len(x) != len(k.win.Kernel)+2 {
		return nil, fmt.Errorf("input %v has rank %d, kernel_shape %v needs %d", x, len(x), k.win.Kernel, len(k.win.Kernel)+2)
	}
	out, begin, err := k.win.Resolve(x[2:])
	if err != nil {
		return nil, err
	}
	w := &pool.Window{Planes: x[0] * x[1], Input: x[2:], Output: out, Begin: begin, End: make([]int, len(out)),
		Kernel: k.win.Kernel, Strides: k.win.Strides, Dilations: k.win.Dilations}
	for i := range out {
		w.End[i] = k.win.End(i, x[2+i], out[i], begin[i])
	}
	return w, nil
}

// windowed is a kernel that computes its first outputs from its first input
// window by window.
type windowed struct {
	pooling
	run runWindowed
}

type runWindowed func(ctx context.Context, k *windowed, w *pool.Window, inv *ep.Invocation) error

// Run implements ep.Kernel.
func (k *windowed) Run(ctx context.Context, inv *ep.Invocation) error {
	w, err := k.window(inv.In(0).Shape())
	if err != nil {
		return err
	}
	return k.run(ctx, k, w, inv)
}

func newWindowed(b *Build, run runWindowed) (ep.Kernel, error) {
	win, err := op.ReadWindow(b.Attrs, b.IntsAsInt("kernel_shape"))
	if err != nil {
		return nil, err
	}
	return &windowed{pooling{win: win, pool: b.Pool}, run}, nil
}

func newMaxPool[T interface {
	pool.Number
	tensor.Element
}](least T) func(b *Build) (ep.Kernel, error) {
	return func(b *Build) (ep.Kernel, error) {
		columnMajor := b.Int("storage_order") == 1
		return newWindowed(b, func(ctx context.Context, k *windowed, w *pool.Window, inv *ep.Invocation) error {
			y := outElements[T](inv, 0)
			if !inv.Wants(0) {
				y = make([]T, inv.Out(1).Size())
			}
			return pool.Max(ctx, k.pool, w, least, tensor.Elements[T](inv.In(0)), y, outElements[int64](inv, 1), columnMajor)
		})
	}
}

// outElements returns the elements of output i, nil when it has none or is not asked for.
func outElements[T tensor.Element](inv *ep.Invocation, i int) []T {
	if t := inv.Out(i); t != nil {
		return tensor.Elements[T](t)
	}
	return nil
}

func newMaxPool32(b *Build) (ep.Kernel, error) {
	if b.HasOutput(1) {
		return newMaxPool(float32(math.Inf(-1)))(b)
	}
	return newWindowed(b, func(ctx context.Context, k *windowed, w *pool.Window, inv *ep.Invocation) error {
		return pool.MaxFloat32(ctx, k.pool, w, tensor.Elements[float32](inv.In(0)), tensor.Elements[float32](inv.Out(0)))
	})
}

func newAveragePool32(b *Build) (ep.Kernel, error) {
	countPadding := b.Bool("count_include_pad")
	return newWindowed(b, func(ctx context.Context, k *windowed, w *pool.Window, inv *ep.Invocation) error {
		return pool.AverageFloat32(ctx, k.pool, w, countPadding, tensor.Elements[float32](inv.In(0)), tensor.Elements[float32](inv.Out(0)))
	})
}

func newAveragePool64(b *Build) (ep.Kernel, error) {
	countPadding := b.Bool("count_include_pad")
	return newWindowed(b, func(ctx context.Context, k *windowed, w *pool.Window, inv *ep.Invocation) error {
		return pool.Average(ctx, k.pool, w, countPadding, tensor.Elements[float64](inv.In(0)), tensor.Elements[float64](inv.Out(0)))
	})
}

// normOrder is the attribute p, a float in the first version.
func normOrder(b *Build) float64 {
	if b.Since() == 1 {
		return float64(b.Float("p"))
	}
	return float64(b.Int("p"))
}

func newLpPool[T pool.Float](b *Build) (ep.Kernel, error) {
	p := normOrder(b)
	return newWindowed(b, func(ctx context.Context, k *windowed, w *pool.Window, inv *ep.Invocation) error {
		return pool.Lp(ctx, k.pool, w, p, tensor.Elements[T](inv.In(0)), tensor.Elements[T](inv.Out(0)))
	})
}

func newGlobal[T pool.Float](reduce func(plane []T) T) func(b *Build) (ep.Kernel, error) {
	return func(b *Build) (ep.Kernel, error) {
		return Func(func(ctx context.Context, inv *ep.Invocation) error {
			s := inv.In(0).Shape()
			return pool.Planes(ctx, b.Pool, s[2:].Size(), tensor.Elements[T](inv.In(0)), tensor.Elements[T](inv.Out(0)), reduce)
		}), nil
	}
}

func newGlobalLp[T pool.Float](b *Build) (ep.Kernel, error) {
	return newGlobal(pool.LpOf[T](normOrder(b)))(b)
}
