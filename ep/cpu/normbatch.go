package cpu

import (
	"context"
	"fmt"
	"slices"

	"gort/ep"
	"gort/internal/kernel/norm"
	"gort/internal/parallel"
	"gort/tensor"
)

var batchNormTypes = ByType{tensor.Float32: newBatchNorm[float32], tensor.Float64: newBatchNorm[float64]}

// batchNorm is BatchNormalization with given statistics or, in training, those
// of the batch.
type batchNorm[T norm.Float] struct {
	pool       *parallel.Pool
	training   bool
	perElement bool // early versions: statistics for each element of an image
	epsilon    float64
	momentum   float64

	a, b []T // of constant parameters
}

func newBatchNorm[T norm.Float](b *Build) (ep.Kernel, error) {
	k := &batchNorm[T]{pool: b.Pool, epsilon: float64(b.Float("epsilon")), momentum: float64(b.Float("momentum"))}
	switch since := b.Since(); {
	case since < 7:
		k.training = !b.Bool("is_test")
		k.perElement = !b.Bool("spatial")
	case since < 14:
		// The number of outputs tells.
		for i := 1; i < len(b.Outputs); i++ {
			k.training = k.training || b.HasOutput(i)
		}
		k.perElement = since < 9 && !b.Bool("spatial")
	default:
		k.training = b.Bool("training_mode")
	}
	return k, nil
}

// Prepack implements ep.Prepacker.
func (k *batchNorm[T]) Prepack(_ context.Context, consts []*tensor.Tensor) ([]bool, error) {
	done := make([]bool, len(consts))
	if k.training || slices.Contains(consts[1:5], nil) {
		return done, nil
	}
	var p [5][]T
	for i := 1; i < 5; i++ {
		p[i], done[i] = tensor.Elements[T](consts[i].Contiguous()), true
		if len(p[i]) != len(p[1]) {
			return nil, fmt.Errorf("input %d has %d elements, input 1 has %d", i, len(p[i]), len(p[1]))
		}
	}
	k.a, k.b = make([]T, len(p[1])), make([]T, len(p[1]))
	norm.Coefficients(k.a, k.b, p[1], p[2], p[3], p[4], k.epsilon)
	return done, nil
}

// InPlace implements ep.InPlacer.
func (k *batchNorm[T]) InPlace() []ep.Reuse {
	if k.training {
		return nil
	}
	return []ep.Reuse{{Output: 0, Input: 0}}
}

// Scratch implements ep.Scratcher.
func (k *batchNorm[T]) Scratch(inputs []tensor.Shape) int {
	if k.a != nil {
		return 0
	}
	channels, _ := k.split(inputs[0])
	return 4 * 8 * channels
}

// split returns how many elements statistics have and how many elements share one.
func (k *batchNorm[T]) split(x tensor.Shape) (channels, plane int) {
	switch {
	case len(x) == 1:
		return 1, 1
	case k.perElement:
		return x[1:].Size(), 1
	}
	return x[1], x[2:].Size()
}

// Run implements ep.Kernel.
func (k *batchNorm[T]) Run(ctx context.Context, inv *ep.Invocation) error {
	x := inv.In(0)
	channels, plane := k.split(x.Shape())
	a, b := k.a, k.b
	if a == nil {
		scratch, err := scratchOf[T](inv)
		if err != nil {
			return err
		}
		a, b = scratch[:channels], scratch[channels:2*channels]
		var p [5][]T
		for i := 1; i < 5; i++ {
			if p[i] = tensor.Elements[T](inv.In(i)); len(p[i]) != channels {
				return fmt.Errorf("input %d has %d elements, must be %d for input %v", i, len(p[i]), channels, x.Shape())
			}
		}
		if k.training {
			mean, variance := scratch[2*channels:3*channels], scratch[3*channels:4*channels]
			if err := k.train(ctx, inv, p, channels, plane, mean, variance); err != nil {
				return err
			}
			p[3], p[4] = mean, variance
		}
		norm.Coefficients(a, b, p[1], p[2], p[3], p[4], k.epsilon)
	}
	if channels == 0 || len(a) != channels {
		if x.Size() == 0 {
			return nil
		}
		return fmt.Errorf("the statistics have %d elements, must be %d for input %v", len(a), channels, x.Shape())
	}
	y := outElements[T](inv, 0)
	if y == nil {
		return nil
	}
	return norm.Channels(ctx, k.pool, plane, a, b, tensor.Elements[T](x), y)
}

// train computes the statistics of the batch and writes the running and saved
// ones: running = given*momentum + batch*(1-momentum).
func (k *batchNorm[T]) train(ctx context.Context, inv *ep.Invocation, p [5][]T, channels, plane int, mean, variance []T) error {
	x := inv.In(0)
	if err := norm.BatchMoments(ctx, k.pool, x.Shape()[0], channels, plane, tensor.Elements[T](x), mean, variance); err != nil {
		return err
	}
	for i, batch := range [2][]T{mean, variance} {
		running := outElements[T](inv, 1+i)
		for c := range running {
			running[c] = T(float64(p[3+i][c])*k.momentum + float64(batch[c])*(1-k.momentum))
		}
		if saved := outElements[T](inv, 3+i); saved != nil {
			copy(saved, batch)
		}
	}
	return nil
}

// scratchOf returns the scratch memory as elements.
func scratchOf[T tensor.Element](inv *ep.Invocation) ([]T, error) {
	raw := inv.ScratchBytes()
	d := tensor.DTypeOf[T]()
	n := len(raw) * 8 / d.Bits()
	t, err := tensor.FromBytes(d, raw[:d.Bytes(n)], n)
	if err != nil {
		return nil, err
	}
	return tensor.Data[T](t)
}
