package cpu

import (
	"context"

	"gort/ep"
	"gort/internal/kernel/softmax"
	"gort/internal/parallel"
	"gort/tensor"
)

var softmaxes = ByType{tensor.Float32: newSoftmax[float32], tensor.Float64: newSoftmax[float64]}

var softmaxBindings = []Binding{
	{Op: "Softmax", Types: floatTypes, ViaFloat32: true, New: softmaxes.Input(0)},
	{Op: "LogSoftmax", Types: floatTypes, ViaFloat32: true, New: softmaxes.Input(0)},
	{Op: "Hardmax", Types: floatTypes, ViaFloat32: true, New: softmaxes.Input(0)},
}

// softmaxKernel is Softmax, LogSoftmax or Hardmax.
type softmaxKernel[T softmax.Float] struct {
	pool *parallel.Pool
	kind softmax.Kind
	axis int
	flat bool // before opset 13: the dimensions from axis on are one vector
}

func newSoftmax[T softmax.Float](b *Build) (ep.Kernel, error) {
	kind := map[string]softmax.Kind{"Softmax": softmax.Soft, "LogSoftmax": softmax.Log, "Hardmax": softmax.Hard}[b.Def.Name]
	return &softmaxKernel[T]{b.Pool, kind, b.Int("axis"), b.Since() < 13}, nil
}

// InPlace implements ep.InPlacer.
func (k *softmaxKernel[T]) InPlace() []ep.Reuse { return []ep.Reuse{{Output: 0, Input: 0}} }

// Run implements ep.Kernel.
func (k *softmaxKernel[T]) Run(ctx context.Context, inv *ep.Invocation) error {
	in := inv.In(0)
	shape, axis := in.Shape(), k.axis
	if len(shape) == 0 {
		shape, axis = tensor.Shape{1}, 0
	}
	var layout softmax.Layout
	if k.flat && axis == len(shape) {
		layout = softmax.From(shape, axis)
	} else {
		a, err := tensor.Axis(axis, len(shape))
		if err != nil {
			return err
		}
		if layout = softmax.Along(shape, a); k.flat {
			layout = softmax.From(shape, a)
		}
	}
	return softmax.Run(ctx, k.pool, k.kind, tensor.Elements[T](inv.Out(0)), tensor.Elements[T](in), layout)
}
