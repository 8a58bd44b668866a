package cpu

import (
	"context"

	"gort/ep"
	"gort/internal/kernel/elementwise"
	"gort/internal/kernel/loss"
	"gort/internal/kernel/softmax"
	"gort/internal/parallel"
	"gort/tensor"
)

var losses = ByType{tensor.Float32: newLoss[float32], tensor.Float64: newLoss[float64]}

var lossBindings = []Binding{
	{Op: "NegativeLogLikelihoodLoss", Types: floatTypes, ViaFloat32: true, New: losses.Input(0)},
	{Op: "SoftmaxCrossEntropyLoss", Types: floatTypes, ViaFloat32: true, New: losses.Input(0)},
}

// lossKernel is a loss of log-probabilities, which are the first input or, with
// softmax, its LogSoftmax.
type lossKernel[T loss.Float] struct {
	pool    *parallel.Pool
	opts    loss.Options
	softmax bool
	logp    bool // the LogSoftmax is an output too
}

func newLoss[T loss.Float](b *Build) (ep.Kernel, error) {
	k := &lossKernel[T]{pool: b.Pool, softmax: b.Def.Name == "SoftmaxCrossEntropyLoss", logp: b.HasOutput(1)}
	k.opts = loss.Options{
		Reduction: map[string]loss.Reduction{"none": loss.None, "sum": loss.Sum, "mean": loss.Mean}[b.String("reduction")],
		Ignore:    b.Has("ignore_index"), Index: b.Int64("ignore_index"),
	}
	return k, nil
}

// Scratch implements ep.Scratcher: memory for the LogSoftmax.
func (k *lossKernel[T]) Scratch(inputs []tensor.Shape) int {
	if !k.softmax || k.logp || len(inputs) == 0 {
		return 0
	}
	return tensor.DTypeOf[T]().Bytes(inputs[0].Size())
}

// Run implements ep.Kernel.
func (k *lossKernel[T]) Run(ctx context.Context, inv *ep.Invocation) error {
	scores := inv.In(0)
	shape, logp := scores.Shape(), tensor.Elements[T](scores)
	layout := softmax.Along(shape, 1)
	if k.softmax && len(logp) > 0 {
		into := inv.Out(1)
		if into == nil {
			t, err := tensor.FromBytes(scores.DType(), inv.ScratchBytes()[:scores.NumBytes()], shape...)
			if err != nil {
				return err
			}
			into = t
		}
		dst, err := elementwise.View[T](into)
		if err != nil {
			return err
		}
		if err := softmax.Run(ctx, k.pool, softmax.Log, dst, logp, layout); err != nil {
			return err
		}
		logp = dst
	}
	var weight []T
	if w := inv.In(2); w != nil {
		weight = tensor.Elements[T](w)
	}
	dst, labels := tensor.Elements[T](inv.Out(0)), inv.In(1)
	if labels.DType() == tensor.Int32 {
		return loss.NegativeLogLikelihood(dst, logp, tensor.Elements[int32](labels), weight, layout.Outer, layout.N, layout.Inner, k.opts)
	}
	return loss.NegativeLogLikelihood(dst, logp, tensor.Elements[int64](labels), weight, layout.Outer, layout.N, layout.Inner, k.opts)
}
