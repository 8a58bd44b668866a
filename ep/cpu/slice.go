package cpu

import (
	"context"
	"fmt"

	"gort/ep"
	"gort/internal/kernel/slice"
	"gort/internal/kernel/strided"
	"gort/internal/parallel"
	"gort/op"
	"gort/tensor"
)

var sliceBindings = []Binding{
	{Op: "Concat", New: newConcat},
	{Op: "Split", Check: checkSplit, New: newSplit},
	{Op: "Slice", New: newSlice},
	{Op: "Pad", New: newPad},
	{Op: "Tile", New: newTile},
	{Op: "DepthToSpace", New: newDepthToSpace},
	{Op: "SpaceToDepth", New: newSpaceToDepth},
	{Op: "CenterCropPad", New: newCenterCropPad},
	{Op: "ReverseSequence", New: newReverseSequence},
	{Op: "Trilu", New: newTrilu},
}

// window is a kernel whose only output is a copy of strided parts of its first
// input; where they are contiguous it is a view.
type window struct {
	pool *parallel.Pool
	// move says which parts, for an output of a shape.
	move func(inv *ep.Invocation, out tensor.Shape) (strided.Move, error)
}

// View implements ep.Viewer.
func (k window) View(_ int, inv *ep.Invocation, out tensor.Shape) (ep.View, bool) {
	m, err := k.move(inv, out)
	return ep.View{Offset: m.SrcAt}, err == nil && m.Gapless()
}

// Run implements ep.Kernel.
func (k window) Run(ctx context.Context, inv *ep.Invocation) error {
	out := inv.Out(0)
	m, err := k.move(inv, out.Shape())
	if err != nil {
		return err
	}
	return strided.Copy(ctx, k.pool, out, inv.In(0), m)
}

func newConcat(b *Build) (ep.Kernel, error) {
	axis, pool := b.IntOr("axis", 1), b.Pool
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		out := inv.Out(0)
		axis, err := tensor.Axis(axis, out.Rank())
		if err != nil {
			return err
		}
		at := 0
		for i := range inv.Inputs {
			in := inv.In(i)
			if err := slice.CopyInto(ctx, pool, out, in, axis, at); err != nil {
				return err
			}
			at += in.Shape()[axis]
		}
		return nil
	}), nil
}

// split cuts its input along an axis.
type split struct {
	pool        *parallel.Pool
	axis, parts int
	sizes       []int64
}

func checkSplit(b *Build) string {
	if b.Since() == 1 && b.HasInput(1) {
		return "version 1 of Split is supported with its sizes as an attribute, not as an input; convert the model to opset 13 or later"
	}
	return ""
}

func newSplit(b *Build) (ep.Kernel, error) {
	return split{pool: b.Pool, axis: b.Int("axis"), parts: b.IntOr("num_outputs", len(b.Outputs)), sizes: b.Ints("split")}, nil
}

// part says where along the axis output i lies.
func (k split) part(i int, inv *ep.Invocation) (axis, at, n int, err error) {
	shape := inv.In(0).Shape()
	if axis, err = tensor.Axis(k.axis, len(shape)); err != nil {
		return 0, 0, 0, err
	}
	dim, sizes := shape[axis], k.sizes
	if t := inv.In(1); t != nil {
		sizes = tensor.Elements[int64](t)
	}
	if sizes == nil {
		chunk := op.SplitChunk(dim, k.parts)
		at = min(i*chunk, dim)
		return axis, at, min(chunk, dim-at), nil
	}
	for j, size := range sizes[:i+1] {
		at += n
		if size < 0 || size > int64(dim-at) {
			return 0, 0, 0, fmt.Errorf("split[%d] is %d, %d are left of axis %d of size %d", j, size, dim-at, axis, dim)
		}
		n = int(size)
	}
	return axis, at, n, nil
}

// View implements ep.Viewer.
func (k split) View(i int, inv *ep.Invocation, _ tensor.Shape) (ep.View, bool) {
	axis, at, n, err := k.part(i, inv)
	if err != nil {
		return ep.View{}, false
	}
	m := slice.Part(inv.In(0).Shape(), axis, at, n)
	return ep.View{Offset: m.SrcAt}, m.Gapless()
}

// Run implements ep.Kernel.
func (k split) Run(ctx context.Context, inv *ep.Invocation) error {
	in := inv.In(0)
	for i := range inv.Outputs {
		if !inv.Wants(i) {
			continue
		}
		axis, at, n, err := k.part(i, inv)
		if err != nil {
			return err
		}
		out := inv.Out(i)
		if out == nil { // more sizes than shape functions look at
			shape := in.Shape().Clone()
			shape[axis] = n
			if out, err = inv.NewOut(i, in.DType(), shape...); err != nil {
				return err
			}
		}
		if err := strided.Copy(ctx, k.pool, out, in, slice.Part(in.Shape(), axis, at, n)); err != nil {
			return err
		}
	}
	return nil
}

func newSlice(b *Build) (ep.Kernel, error) {
	attrs := [4][]int64{b.Ints("starts"), b.Ints("ends"), b.Ints("axes")}
	return window{b.Pool, func(inv *ep.Invocation, _ tensor.Shape) (strided.Move, error) {
		shape := inv.In(0).Shape()
		var rangeBuf [8]slice.Range
		ranges := rangeBuf[:0]
		for _, n := range shape {
			ranges = append(ranges, slice.Range{Count: n, Step: 1})
		}
		args := attrs
		var buf [4][8]int64
		for i := range args {
			if t := inv.In(1 + i); t != nil {
				args[i] = indices(buf[i][:0], t)
			}
		}
		starts, ends, axes, steps := args[0], args[1], args[2], args[3]
		for i := range starts {
			a, step := int64(i), int64(1)
			if axes != nil {
				a = axes[i]
			}
			if steps != nil {
				step = steps[i]
			}
			axis, err := tensor.Axis(int(a), len(shape))
			if err != nil {
				return strided.Move{}, err
			}
			if step == 0 {
				return strided.Move{}, fmt.Errorf("step %d is 0", i)
			}
			first, count := op.SliceRange(shape[axis], starts[i], ends[i], step)
			ranges[axis] = slice.Range{First: first, Count: count, Step: int(step)}
		}
		return slice.Sliced(shape, ranges), nil
	}}, nil
}

func newPad(b *Build) (ep.Kernel, error) {
	mode, ok := slice.Modes[b.String("mode")]
	if !ok {
		return nil, b.AttrErrorf("mode", "is %q, known are constant, reflect, edge and wrap", b.String("mode"))
	}
	pads := append(b.Ints("pads"), b.Ints("paddings")...)
	var fixed *tensor.Tensor
	if b.Def.Signature().Attr("value") != nil {
		var err error
		if fixed, err = tensor.Convert(tensor.Scalar(b.Float("value")), b.DType(0), tensor.ConvertOptions{}); err != nil {
			return nil, err
		}
	}
	pool := b.Pool
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		in := inv.In(0)
		pads, value := pads, fixed
		if t := inv.In(1); t != nil {
			pads = tensor.Elements[int64](t)
		}
		if t := inv.In(2); t != nil {
			if value = t; t.Size() != 1 {
				return fmt.Errorf("constant_value has shape %v, must be one element", t.Shape())
			}
		}
		var beforeBuf [8]int
		before := append(beforeBuf[:0], make([]int, in.Rank())...)
		var axesBuf [8]int64
		axes := indices(axesBuf[:0], inv.In(3))
		for i := range len(pads) / 2 {
			axis := i
			if axes != nil {
				var err error
				if axis, err = tensor.Axis(int(axes[i]), in.Rank()); err != nil {
					return err
				}
			}
			before[axis] = int(pads[i])
		}
		return slice.Pad(ctx, pool, inv.Out(0), in, before, mode, value)
	}), nil
}

func newTile(b *Build) (ep.Kernel, error) {
	old := b.Since() < 6
	return window{b.Pool, func(inv *ep.Invocation, _ tensor.Shape) (strided.Move, error) {
		shape := inv.In(0).Shape()
		var buf [8]int
		repeats := buf[:0]
		if old {
			n, axis, err := op.TileAxis(inv.In(1), inv.In(2), len(shape))
			if err != nil {
				return strided.Move{}, err
			}
			for i := range shape {
				repeats = append(repeats, 1)
				if i == axis {
					repeats[i] = n
				}
			}
		} else {
			for _, n := range tensor.Elements[int64](inv.In(1)) {
				repeats = append(repeats, int(n))
			}
		}
		return slice.Tiled(shape, repeats), nil
	}}, nil
}

func newDepthToSpace(b *Build) (ep.Kernel, error) {
	size, columnFirst := b.Int("blocksize"), b.String("mode") == "CRD"
	return window{b.Pool, func(inv *ep.Invocation, _ tensor.Shape) (strided.Move, error) {
		return slice.DepthToSpaced(inv.In(0).Shape(), size, columnFirst), nil
	}}, nil
}

func newSpaceToDepth(b *Build) (ep.Kernel, error) {
	size := b.Int("blocksize")
	return window{b.Pool, func(inv *ep.Invocation, _ tensor.Shape) (strided.Move, error) {
		return slice.SpaceToDepthed(inv.In(0).Shape(), size), nil
	}}, nil
}

func newCenterCropPad(b *Build) (ep.Kernel, error) {
	pool := b.Pool
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		return slice.Centre(ctx, pool, inv.Out(0), inv.In(0))
	}), nil
}

func newReverseSequence(b *Build) (ep.Kernel, error) {
	time, pool := b.Int("time_axis"), b.Pool
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		return slice.ReverseSequence(ctx, pool, inv.Out(0), inv.In(0), tensor.Elements[int64](inv.In(1)), time)
	}), nil
}

// trilu keeps one triangle of matrices.
type trilu struct {
	pool  *parallel.Pool
	upper bool
}

func newTrilu(b *Build) (ep.Kernel, error) { return trilu{b.Pool, b.Bool("upper")}, nil }

// InPlace implements ep.InPlacer.
func (trilu) InPlace() []ep.Reuse { return []ep.Reuse{{Output: 0, Input: 0}} }

// Run implements ep.Kernel.
func (k trilu) Run(ctx context.Context, inv *ep.Invocation) error {
	var diagonal int64
	if t := inv.In(1); t != nil {
		if t.Size() != 1 {
			return fmt.Errorf("k has shape %v, must be one number", t.Shape())
		}
		diagonal = tensor.Elements[int64](t)[0]
	}
	return slice.Trilu(ctx, k.pool, inv.Out(0), inv.In(0), diagonal, k.upper)
}
