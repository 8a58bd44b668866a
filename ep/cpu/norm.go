package cpu

import (
	"context"
	"fmt"

	"gort/ep"
	"gort/internal/kernel/norm"
	"gort/internal/parallel"
	"gort/op"
	"gort/tensor"
)

var (
	instanceNormTypes = ByType{tensor.Float32: newGroupNorm[float32], tensor.Float64: newGroupNorm[float64]}
	rmsNormTypes      = ByType{tensor.Float32: newRMSNorm[float32], tensor.Float64: newRMSNorm[float64]}
	lrnTypes          = ByType{tensor.Float32: newLRN[float32], tensor.Float64: newLRN[float64]}
	lpNormTypes       = ByType{tensor.Float32: newLpNorm[float32], tensor.Float64: newLpNorm[float64]}
	meanVarianceTypes = ByType{tensor.Float32: newMeanVariance[float32], tensor.Float64: newMeanVariance[float64]}
	layerNormTypes    = ByType{tensor.Float32: newLayerNorm[float32], tensor.Float64: newLayerNorm[float64]}
)

// wideFloats are the element types that kernels of this family compute in.
const wideFloats = op.DTypes(1<<tensor.Float32 | 1<<tensor.Float64)

var normBindings = []Binding{
	{Op: "BatchNormalization", Types: map[string]op.DTypes{"T": wideFloats, "T1": wideFloats, "T2": wideFloats, "U": wideFloats}, ViaFloat32: true, OneWidth: true, New: batchNormTypes.Input(0)},
	{Op: "InstanceNormalization", Types: map[string]op.DTypes{"T": wideFloats}, ViaFloat32: true, New: instanceNormTypes.Input(0)},
	{Op: "GroupNormalization", Types: map[string]op.DTypes{"T": wideFloats}, ViaFloat32: true, New: instanceNormTypes.Input(0)},
	{Op: "LayerNormalization", Types: map[string]op.DTypes{"T": wideFloats}, ViaFloat32: true, New: layerNormTypes.Input(0)},
	{Op: "RMSNormalization", Types: map[string]op.DTypes{"T": wideFloats, "V": wideFloats}, ViaFloat32: true, OneWidth: true, New: rmsNormTypes.Input(0)},
	{Op: "LRN", Types: map[string]op.DTypes{"T": wideFloats}, ViaFloat32: true, New: lrnTypes.Input(0)},
	{Op: "LpNormalization", Types: map[string]op.DTypes{"T": wideFloats}, ViaFloat32: true, New: lpNormTypes.Input(0)},
	{Op: "MeanVarianceNormalization", From: 9, Types: map[string]op.DTypes{"T": wideFloats}, ViaFloat32: true, New: meanVarianceTypes.Input(0)},
}

// groupNorm is GroupNormalization, and InstanceNormalization when groups is 0.
type groupNorm[T norm.Float] struct {
	pool    *parallel.Pool
	groups  int
	epsilon float64
}

func newGroupNorm[T norm.Float](b *Build) (ep.Kernel, error) {
	return &groupNorm[T]{b.Pool, b.Int("num_groups"), float64(b.Float("epsilon"))}, nil
}

// Run implements ep.Kernel.
func (k *groupNorm[T]) Run(ctx context.Context, inv *ep.Invocation) error {
	s := inv.In(0).Shape()
	groups := k.groups
	if groups == 0 {
		groups = s[1]
	}
	if s.Size() == 0 {
		return nil
	}
	return norm.Groups(ctx, k.pool, s[0], s[1], s[2:].Size(), groups, k.epsilon, tensor.Elements[T](inv.In(1)), tensor.Elements[T](inv.In(2)),
		tensor.Elements[T](inv.In(0)), tensor.Elements[T](inv.Out(0)))
}

// rowNorm is what normalisations over the dimensions from axis on share.
type rowNorm struct {
	pool    *parallel.Pool
	axis    int
	epsilon float64
}

func newRowNorm(b *Build) rowNorm {
	return rowNorm{b.Pool, b.Int("axis"), float64(b.Float("epsilon"))}
}

// row returns how many elements are normalised together.
func (k *rowNorm) row(x tensor.Shape) (int, error) {
	axis, err := tensor.Axis(k.axis, len(x))
	if err != nil {
		return 0, err
	}
	return x[axis:].Size(), nil
}

// rowParameter returns scale or bias as one row of n elements, or as many as the
// input x has when rows differ.
func rowParameter[T tensor.Element](p *tensor.Tensor, x tensor.Shape, n int) ([]T, error) {
	if p == nil {
		return nil, nil
	}
	axis := len(x)
	for size := 1; size < n; {
		axis--
		size *= x[axis]
	}
	if axis < len(x) && p.Shape().Equal(x[axis:]) || p.Size() == n && len(p.Shape()) <= len(x)-axis {
		return tensor.Elements[T](p), nil
	}
	shape := x
	if len(p.Shape()) <= len(x)-axis {
		shape = x[axis:]
	}
	wide, err := p.BroadcastTo(shape...)
	if err != nil {
		return nil, err
	}
	return tensor.Elements[T](wide.Contiguous()), nil
}

// layerNorm is LayerNormalization.
type layerNorm[T norm.Float] struct{ rowNorm }

func newLayerNorm[T norm.Float](b *Build) (ep.Kernel, error) {
	return &layerNorm[T]{newRowNorm(b)}, nil
}

// Run implements ep.Kernel.
func (k *layerNorm[T]) Run(ctx context.Context, inv *ep.Invocation) error {
	x := inv.In(0)
	n, err := k.row(x.Shape())
	if err != nil {
		return err
	}
	scale, err := rowParameter[T](inv.In(1), x.Shape(), n)
	if err != nil {
		return fmt.Errorf("input 1 (Scale): %w", err)
	}
	bias, err := rowParameter[T](inv.In(2), x.Shape(), n)
	if err != nil {
		return fmt.Errorf("input 2 (B): %w", err)
	}
	y, makeY := inv.Out(0), inv.Wants(0)
	var out []T
	if makeY {
		out = tensor.Elements[T](y)
	} else {
		out = make([]T, x.Size())
	}
	mean, keepMean := statistics[T](inv.Out(1))
	inverse, keepInverse := statistics[T](inv.Out(2))
	if err := norm.Layer(ctx, k.pool, n, k.epsilon, tensor.Elements[T](x), scale, bias, out, mean, inverse); err != nil {
		return err
	}
	keepMean()
	keepInverse()
	return nil
}

// statistics returns room for statistics in the type of the computation, and
// what stores them in an output of type float.
func statistics[T norm.Float](t *tensor.Tensor) (values []T, store func()) {
	if t == nil {
		return nil, func() {}
	}
	if t.DType() == tensor.DTypeOf[T]() {
		return tensor.Elements[T](t), func() {}
	}
	values = make([]T, t.Size())
	return values, func() {
		for i := range tensor.Elements[float32](t) {
			tensor.Elements[float32](t)[i] = float32(values[i])
		}
	}
}

// rmsNorm is RMSNormalization, and SimplifiedLayerNormalization, which also gives the
// inverse root mean square of each row.
type rmsNorm[T norm.Float] struct{ rowNorm }

func newRMSNorm[T norm.Float](b *Build) (ep.Kernel, error) {
	return &rmsNorm[T]{newRowNorm(b)}, nil
}

// Run implements ep.Kernel.
func (k *rmsNorm[T]) Run(ctx context.Context, inv *ep.Invocation) error {
	x := inv.In(0)
	n, err := k.row(x.Shape())
	if err != nil {
		return err
	}
	scale, err := rowParameter[T](inv.In(1), x.Shape(), n)
	if err != nil {
		return fmt.Errorf("input 1 (scale): %w", err)
	}
	inverse, keep := statistics[T](inv.Out(1))
	if err := norm.RMS(ctx, k.pool, n, k.epsilon, tensor.Elements[T](x), scale, tensor.Elements[T](inv.Out(0)), inverse); err != nil {
		return err
	}
	keep()
	return nil
}

func newLRN[T norm.Float](b *Build) (ep.Kernel, error) {
	size := b.Int("size")
	alpha, beta, bias := float64(b.Float("alpha")), float64(b.Float("beta")), float64(b.Float("bias"))
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		s := inv.In(0).Shape()
		return norm.LRN(ctx, b.Pool, s[0], s[1], s[2:].Size(), size, alpha, beta, bias, tensor.Elements[T](inv.In(0)), tensor.Elements[T](inv.Out(0)))
	}), nil
}

func newLpNorm[T norm.Float](b *Build) (ep.Kernel, error) {
	p, attr := b.Int("p"), b.Int("axis")
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		s := inv.In(0).Shape()
		axis, err := tensor.Axis(attr, len(s))
		if err != nil {
			return err
		}
		return norm.Lp(ctx, b.Pool, s[:axis].Size(), s[axis], s[axis+1:].Size(), p, tensor.Elements[T](inv.In(0)), tensor.Elements[T](inv.Out(0)))
	}), nil
}

func newMeanVariance[T norm.Float](b *Build) (ep.Kernel, error) {
	axes := b.IntsAsInt("axes")
	return Func(func(_ context.Context, inv *ep.Invocation) error {
		s := inv.In(0).Shape()
		reduced := make([]bool, len(s))
		for _, a := range axes {
			d, err := tensor.Axis(a, len(s))
			if err != nil {
				return err
			}
			reduced[d] = true
		}
		norm.MeanVariance(s, reduced, tensor.Elements[T](inv.In(0)), tensor.Elements[T](inv.Out(0)))
		return nil
	}), nil
}
