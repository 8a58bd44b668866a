package cpu

import (
	"context"
	"fmt"

	"gort/ep"
	"gort/internal/kernel/elementwise"
	"gort/internal/parallel"
	"gort/op"
	"gort/tensor"
)

var ranges = ByType{
	tensor.Float32: newRange[float32], tensor.Float64: newRange[float64],
	tensor.Int16: newRange[int16], tensor.Int32: newRange[int32], tensor.Int64: newRange[int64],
}

var constantBindings = []Binding{
	{Op: "Constant", New: newConstant},
	{Op: "ConstantOfShape", New: newConstantOfShape},
	{Op: "EyeLike", New: newEyeLike},
	{Op: "Range", Types: map[string]op.DTypes{"T": ranges.Types()}, ViaFloat32: true, New: ranges.Input(0)},
}

func newConstant(b *Build) (ep.Kernel, error) {
	value, err := op.ConstantValue(b.Attrs)
	if err != nil {
		return nil, err
	}
	return Func(func(_ context.Context, inv *ep.Invocation) error {
		if out := inv.Out(0); out != nil {
			return tensor.Copy(out, value)
		}
		return inv.SetOut(0, value)
	}), nil
}

func newConstantOfShape(b *Build) (ep.Kernel, error) {
	value := b.Tensor("value")
	if value == nil {
		value = tensor.Scalar(float32(0))
	}
	value, err := value.Contiguous().Reshape()
	if err != nil {
		return nil, err
	}
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		out := inv.Out(0)
		if out == nil {
			return fmt.Errorf("input 0 gives no shape that could be made")
		}
		return fill(ctx, b.Pool, out, value)
	}), nil
}

// fill sets all elements of out to a scalar of its type.
func fill(ctx context.Context, pool *parallel.Pool, out, value *tensor.Tensor) error {
	switch out.DType().Bits() {
	case 8:
		return fillBits[uint8](ctx, pool, out, value)
	case 16:
		return fillBits[uint16](ctx, pool, out, value)
	case 32:
		return fillBits[uint32](ctx, pool, out, value)
	case 64:
		return fillBits[uint64](ctx, pool, out, value)
	}
	wide, err := value.BroadcastTo(out.Shape()...)
	if err != nil {
		return err
	}
	return tensor.Copy(out, wide)
}

func fillBits[T elementwise.Bits](ctx context.Context, pool *parallel.Pool, out, value *tensor.Tensor) error {
	dst, err := elementwise.View[T](out)
	if err != nil {
		return err
	}
	v, err := elementwise.View[T](value)
	if err != nil {
		return err
	}
	return pool.For(ctx, len(dst), 4*elementwise.GrainCheap, func(lo, hi int) {
		for i := range dst[lo:hi] {
			dst[lo+i] = v[0]
		}
	})
}

func newEyeLike(b *Build) (ep.Kernel, error) {
	k := b.Int("k")
	d := b.OutDType(0)
	one, err := tensor.Convert(tensor.Scalar(uint8(1)), d, tensor.ConvertOptions{})
	if err != nil {
		return nil, err
	}
	zero, err := tensor.New(d)
	if err != nil {
		return nil, err
	}
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		out := inv.Out(0)
		if err := fill(ctx, b.Pool, out, zero); err != nil {
			return err
		}
		// The diagonal is a vector that steps one row and one column at a time.
		rows, cols := out.Shape()[0], out.Shape()[1]
		row, col := max(0, -k), max(0, k)
		if k < -rows || k > cols {
			return nil
		}
		n := min(rows-row, cols-col)
		if n <= 0 {
			return nil
		}
		diagonal, err := out.View(tensor.Shape{n}, []int{cols + 1}, out.Offset()+row*cols+col)
		if err != nil {
			return err
		}
		ones, err := one.BroadcastTo(n)
		if err != nil {
			return err
		}
		return tensor.Copy(diagonal, ones)
	}), nil
}

func newRange[T elementwise.Number](b *Build) (ep.Kernel, error) {
	float := b.DType(0).Class() == tensor.ClassFloat
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		v := [3]T{2: 1}
		for i := range v {
			if inv.In(i) == nil { // only the step may be omitted
				continue
			}
			in := tensor.Elements[T](inv.In(i))
			if len(in) != 1 {
				return fmt.Errorf("input %d has shape %v, must be a scalar", i, inv.In(i).Shape())
			}
			v[i] = in[0]
		}
		start, limit, delta := v[0], v[1], v[2]
		if delta == 0 {
			return fmt.Errorf("input 2 (delta) is 0, the range would not end")
		}
		n, ok := 0, true
		if float {
			n, ok = op.RangeLenFloat(float64(start), float64(limit), float64(delta), b.DType(0))
		} else {
			n, ok = op.RangeLen(int64(start), int64(limit), int64(delta))
		}
		if !ok {
			return fmt.Errorf("the range from %v to %v by %v is too long", start, limit, delta)
		}
		out, err := inv.NewOut(0, b.DType(0), n)
		if err != nil || out == nil {
			return err
		}
		dst := tensor.Elements[T](out)
		return b.Pool.For(ctx, n, elementwise.GrainCheap, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				step := T(i) * delta
				dst[i] = start + step
			}
		})
	}), nil
}
