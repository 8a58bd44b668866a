package cpu

import (
	"context"

	"gort/ep"
	"gort/internal/kernel/resize"
	"gort/internal/kernel/search"
	"gort/internal/kernel/slice"
	"gort/internal/kernel/strided"
	"gort/op"
	"gort/tensor"
)

var (
	gridTypes  = map[string]op.DTypes{"T1": wideFloats}
	cropTypes  = ByType{tensor.Float32: newCropAndResize[float32], tensor.Float64: newCropAndResize[float64]}
	rangeTypes = map[string]op.DTypes{"T": ranges.Types()}
)

var contribTensorBindings = []Binding{
	{Domain: microsoft, Op: "ExpandDims", New: newAlias},
	{Domain: microsoft, Op: "GatherND", New: newGatherND},
	{Domain: microsoft, Op: "Pad", New: newPad},
	{Domain: microsoft, Op: "Range", Types: rangeTypes, New: ranges.Input(0)},
	{Domain: microsoft, Op: "Trilu", New: newTrilu},
	{Domain: microsoft, Op: "Unique", Types: uniqueTypes, ViaFloat32: true, New: newContribUnique},
	{Domain: microsoft, Op: "UnfoldTensor", New: newUnfoldTensor},
	{Domain: microsoft, Op: "SampleOp", New: newAlias},
	{Domain: microsoft, Op: "GridSample", Types: gridTypes, ViaFloat32: true, New: gridSampleTypes.Input(0)},
	{Domain: microsoft, Op: "CropAndResize", Types: gridTypes, ViaFloat32: true, New: cropTypes.Input(0)},
	{Op: "DynamicSlice", New: newSlice},
	{Op: "Crop", New: newCrop},
}

// newContribUnique keeps the order of first occurrence and has no output for it.
func newContribUnique(b *Build) (ep.Kernel, error) {
	return unique{pool: b.Pool, flat: true, lists: func(g *search.Groups) [][]int64 {
		return [][]int64{g.Inverse, g.Counts}
	}}, nil
}

func newUnfoldTensor(b *Build) (ep.Kernel, error) {
	dim, size, step := b.Int("dim"), b.Int("size"), b.Int("step")
	return window{b.Pool, func(inv *ep.Invocation, _ tensor.Shape) (strided.Move, error) {
		shape := inv.In(0).Shape()
		axis, err := tensor.Axis(dim, len(shape))
		if err != nil {
			return strided.Move{}, err
		}
		return slice.Unfolded(shape, axis, size, step), nil
	}}, nil
}

// newCrop takes a window of each image, as large as the output and with the left and
// top borders cut off.
func newCrop(b *Build) (ep.Kernel, error) {
	border := b.IntsAsInt("border")
	return window{b.Pool, func(inv *ep.Invocation, out tensor.Shape) (strided.Move, error) {
		ranges := []slice.Range{{Count: out[0], Step: 1}, {Count: out[1], Step: 1},
			{First: border[1], Count: out[2], Step: 1}, {First: border[0], Count: out[3], Step: 1}}
		return slice.Sliced(inv.In(0).Shape(), ranges), nil
	}}, nil
}

func newCropAndResize[T resize.Float](b *Build) (ep.Kernel, error) {
	s := resize.Crops{Nearest: b.String("mode") == "nearest", Outside: float64(b.Float("extrapolation_value"))}
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		x, size, s := inv.In(0), tensor.Elements[int32](inv.In(3)), s
		in := x.Shape()
		s.Images, s.Channels, s.Height, s.Width = in[0], in[1], in[2], in[3]
		s.Rows, s.Columns = int(size[0]), int(size[1])
		at := tensor.Elements[int32](inv.In(2))
		y, err := inv.NewOut(0, x.DType(), len(at), s.Channels, s.Rows, s.Columns)
		if err != nil || y == nil {
			return err
		}
		return resize.Crop(ctx, b.Pool, &s, tensor.Elements[T](x), tensor.Elements[T](inv.In(1)), at, tensor.Elements[T](y))
	}), nil
}
