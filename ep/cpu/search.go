package cpu

import (
	"context"
	"fmt"

	"gort/ep"
	"gort/internal/kernel/gather"
	"gort/internal/kernel/search"
	"gort/internal/parallel"
	"gort/op"
	"gort/tensor"
)

var (
	orderedTypes = map[string]op.DTypes{"T": op.SetOf(search.ArgTypes()...)}
	uniqueTypes  = map[string]op.DTypes{"T": op.SetOf(search.UniqueTypes()...)}
)

var searchBindings = []Binding{
	{Op: "TopK", Types: orderedTypes, ViaFloat32: true, New: newTopK},
	{Op: "NonZero", New: newFunc(nonZero)},
	{Op: "Unique", Types: uniqueTypes, ViaFloat32: true, New: newUnique},
	{Op: "ArgMax", Types: orderedTypes, ViaFloat32: true, New: newArg(false)},
	{Op: "ArgMin", Types: orderedTypes, ViaFloat32: true, New: newArg(true)},
	{Op: "NonMaxSuppression", New: newNonMaxSuppression},
}

func newArg(smallest bool) func(b *Build) (ep.Kernel, error) {
	return func(b *Build) (ep.Kernel, error) {
		axis, pool := b.Int("axis"), b.Pool
		e := search.Extreme{Min: smallest, Last: b.Bool("select_last_index")}
		return Func(func(ctx context.Context, inv *ep.Invocation) error {
			in := inv.In(0)
			a, err := tensor.Axis(axis, in.Rank())
			if in.Rank() == 0 {
				if in, err = in.Reshape(1); err != nil {
					return err
				}
			} else if err != nil {
				return err
			}
			return search.Arg(ctx, pool, tensor.Elements[int64](inv.Out(0)), in, a, e)
		}), nil
	}
}

func newTopK(b *Build) (ep.Kernel, error) {
	axis, pool, fixed := b.Int("axis"), b.Pool, b.IntOr("k", -1)
	smallest := b.Def.Signature().Attr("largest") != nil && !b.Bool("largest")
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		in, k := inv.In(0), fixed
		a, err := tensor.Axis(axis, in.Rank())
		if err != nil {
			return err
		}
		if t := inv.In(1); t != nil {
			if t.Size() != 1 {
				return fmt.Errorf("the number K has shape %v, must be one number", t.Shape())
			}
			v := tensor.Elements[int64](t)[0]
			if v < 0 || v > int64(in.Shape()[a]) {
				return fmt.Errorf("the number K is %d, allowed are 0 to %d, the size of axis %d", v, in.Shape()[a], a)
			}
			k = int(v)
		}
		var at []int64
		if t := inv.Out(1); t != nil {
			at = tensor.Elements[int64](t)
		}
		return search.TopK(ctx, pool, inv.Out(0), at, in, a, k, smallest)
	}), nil
}

func nonZero(ctx context.Context, inv *ep.Invocation) error {
	in := inv.In(0)
	found := search.FindNonzero(in)
	out, err := inv.NewOut(0, tensor.Int64, in.Rank(), found.Count())
	if err != nil || out == nil {
		return err
	}
	return found.Coordinates(ctx, tensor.Elements[int64](out), in.Shape())
}

// unique finds the distinct elements, or slices along an axis.
type unique struct {
	pool   *parallel.Pool
	flat   bool
	axis   int
	sorted bool
	// lists are the outputs after the first.
	lists func(g *search.Groups) [][]int64
}

func newUnique(b *Build) (ep.Kernel, error) {
	return unique{b.Pool, !b.Has("axis"), b.Int("axis"), b.Bool("sorted"), func(g *search.Groups) [][]int64 {
		return [][]int64{g.First, g.Inverse, g.Counts}
	}}, nil
}

// Run implements ep.Kernel.
func (k unique) Run(ctx context.Context, inv *ep.Invocation) error {
	in, axis := inv.In(0), 0
	var err error
	if k.flat {
		in, err = in.Reshape(in.Size())
	} else {
		axis, err = tensor.Axis(k.axis, in.Rank())
	}
	if err != nil {
		return err
	}
	// What is compared lies together: the axis comes first.
	items := in
	if axis > 0 {
		if items, err = stepsFirst(ctx, k.pool, in, axis); err != nil {
			return err
		}
	}
	n, run := items.Shape()[0], 1
	for _, d := range items.Shape()[1:] {
		run *= d
	}
	g, err := search.Unique(ctx, items, n, run, k.sorted)
	if err != nil {
		return err
	}
	shape := in.Shape().Clone()
	shape[axis] = len(g.First)
	out, err := inv.NewOut(0, in.DType(), shape...)
	if err != nil {
		return err
	}
	if out != nil {
		first, err := tensor.FromSlice(g.First)
		if err != nil {
			return err
		}
		if err := gather.Gather(ctx, k.pool, out, in, first, axis); err != nil {
			return err
		}
	}
	for i, list := range k.lists(&g) {
		t, err := inv.NewOut(1+i, tensor.Int64, len(list))
		if err != nil {
			return err
		}
		if t != nil {
			copy(tensor.Elements[int64](t), list)
		}
	}
	return nil
}

func newNonMaxSuppression(b *Build) (ep.Kernel, error) {
	centre, pool := b.Bool("center_point_box"), b.Pool
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		boxes, scores := inv.In(0), inv.In(1)
		p := search.Suppression{Centre: centre, NumBoxes: boxes.Shape()[1], NumBatchs: boxes.Shape()[0], NumClass: scores.Shape()[1]}
		for i := 2; i < 5; i++ {
			if t := inv.In(i); t != nil && t.Size() != 1 {
				return fmt.Errorf("input %d has shape %v, must be one number", i, t.Shape())
			}
		}
		if t := inv.In(2); t != nil {
			p.Most = tensor.Elements[int64](t)[0]
		}
		if t := inv.In(3); t != nil {
			if p.Overlap = tensor.Elements[float32](t)[0]; !(p.Overlap >= 0 && p.Overlap <= 1) {
				return fmt.Errorf("iou_threshold is %v, allowed are 0 to 1", p.Overlap)
			}
		}
		if t := inv.In(4); t != nil {
			p.HasScore, p.Score = true, tensor.Elements[float32](t)[0]
		}
		chosen, err := search.Suppress(ctx, pool, tensor.Elements[float32](boxes), tensor.Elements[float32](scores), p)
		if err != nil {
			return err
		}
		out, err := inv.NewOut(0, tensor.Int64, len(chosen)/3, 3)
		if err != nil || out == nil {
			return err
		}
		copy(tensor.Elements[int64](out), chosen)
		return nil
	}), nil
}
