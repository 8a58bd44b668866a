package cpu

import (
	"context"
	"fmt"

	"gort/ep"
	"gort/graph"
	"gort/internal/kernel/slice"
	"gort/internal/kernel/strided"
	"gort/internal/parallel"
	"gort/tensor"
)

var sequenceBindings = []Binding{
	{Op: "SequenceAt", New: newFunc(sequenceAt)},
	{Op: "SequenceConstruct", New: newFunc(sequenceConstruct)},
	{Op: "SequenceEmpty", New: newSequenceEmpty},
	{Op: "SequenceErase", New: newFunc(sequenceErase)},
	{Op: "SequenceInsert", New: newFunc(sequenceInsert)},
	{Op: "SequenceLength", New: newFunc(sequenceLength)},
	{Op: "SequenceMap", New: newSequenceMap},
	{Op: "SplitToSequence", New: newSplitToSequence},
	{Op: "ConcatFromSequence", New: newConcatFromSequence},
	{Op: "Optional", New: newOptional},
	{Op: "OptionalGetElement", New: newFunc(optionalGetElement)},
	{Op: "OptionalHasElement", New: newFunc(optionalHasElement)},
}

// newFunc makes kernels of a function that needs nothing from the build.
func newFunc(f Func) func(*Build) (ep.Kernel, error) {
	return func(*Build) (ep.Kernel, error) { return f, nil }
}

// sequenceIn returns an input that is a sequence.
func sequenceIn(inv *ep.Invocation, i int) (*tensor.Sequence, error) {
	s, ok := inv.InValue(i).(*tensor.Sequence)
	if !ok {
		return nil, fmt.Errorf("input %d is %v, must be a sequence", i, inv.InValue(i))
	}
	return s, nil
}

// position reads an index into a sequence of n; most is the largest index allowed.
func position(inv *ep.Invocation, i, n, most, otherwise int) (int, error) {
	t := inv.In(i)
	if t == nil {
		return otherwise, nil
	}
	if t.Size() != 1 {
		return 0, fmt.Errorf("the position has shape %v, must be one number", t.Shape())
	}
	var buf [1]int64
	v := indices(buf[:0], t)[0]
	if v < -int64(n) || v > int64(most) {
		return 0, fmt.Errorf("position %d is out of range, allowed are %d to %d for a sequence of %d", v, -n, most, n)
	}
	if v < 0 {
		v += int64(n)
	}
	return int(v), nil
}

// own is a value that may stay in a sequence or optional: tensors are copied, for
// the memory of operands is used again.
func own(v tensor.Value) tensor.Value {
	if t, ok := v.(*tensor.Tensor); ok {
		return t.Clone()
	}
	return v
}

// hand makes a value output i, by copying where its memory is already there.
func hand(inv *ep.Invocation, i int, v tensor.Value) error {
	t, ok := v.(*tensor.Tensor)
	if out := inv.Out(i); ok && out != nil {
		return tensor.Copy(out, t)
	}
	return inv.SetOut(i, v)
}

func sequenceAt(_ context.Context, inv *ep.Invocation) error {
	s, err := sequenceIn(inv, 0)
	if err != nil {
		return err
	}
	n := len(s.Items)
	i, err := position(inv, 1, n, n-1, 0)
	if err != nil {
		return err
	}
	return hand(inv, 0, s.Items[i])
}

func sequenceConstruct(_ context.Context, inv *ep.Invocation) error {
	s := &tensor.Sequence{Items: make([]tensor.Value, len(inv.Inputs))}
	for i := range inv.Inputs {
		s.Items[i] = own(inv.InValue(i))
		s.Elem = s.Items[i].Type()
	}
	return inv.SetOut(0, s)
}

func newSequenceEmpty(b *Build) (ep.Kernel, error) {
	elem := tensor.TensorOf(tensor.DType(b.IntOr("dtype", int(tensor.Float32))))
	return Func(func(_ context.Context, inv *ep.Invocation) error {
		return inv.SetOut(0, &tensor.Sequence{Elem: elem})
	}), nil
}

func sequenceErase(_ context.Context, inv *ep.Invocation) error {
	s, err := sequenceIn(inv, 0)
	if err != nil {
		return err
	}
	n := len(s.Items)
	if n == 0 {
		return fmt.Errorf("nothing to erase: the sequence is empty")
	}
	i, err := position(inv, 1, n, n-1, n-1)
	if err != nil {
		return err
	}
	items := append(append(make([]tensor.Value, 0, n-1), s.Items[:i]...), s.Items[i+1:]...)
	return inv.SetOut(0, &tensor.Sequence{Elem: s.Elem, Items: items})
}

func sequenceInsert(_ context.Context, inv *ep.Invocation) error {
	s, err := sequenceIn(inv, 0)
	if err != nil {
		return err
	}
	n := len(s.Items)
	i, err := position(inv, 2, n, n, n)
	if err != nil {
		return err
	}
	v := inv.InValue(1)
	if len(s.Items) > 0 && !v.Type().Equal(s.Elem) {
		return fmt.Errorf("cannot insert %v into a sequence of %v", v.Type(), s.Elem)
	}
	items := make([]tensor.Value, 0, n+1)
	items = append(append(append(items, s.Items[:i]...), own(v)), s.Items[i:]...)
	return inv.SetOut(0, &tensor.Sequence{Elem: v.Type(), Items: items})
}

func sequenceLength(_ context.Context, inv *ep.Invocation) error {
	s, err := sequenceIn(inv, 0)
	if err != nil {
		return err
	}
	tensor.Elements[int64](inv.Out(0))[0] = int64(len(s.Items))
	return nil
}

// sequenceMap runs a body for each element of its first input.
type sequenceMap struct {
	body  int
	elems []tensor.Type // of the outputs, for empty sequences
}

func newSequenceMap(b *Build) (ep.Kernel, error) {
	at, err := bodyAt(b, "body")
	if err != nil {
		return nil, err
	}
	k := sequenceMap{body: at}
	g := b.Graph("body")
	for i, o := range g.Outputs() {
		t := g.Value(o).Type
		if i < len(b.Outputs) && b.Outputs[i].Type.Elem != nil {
			if m, ok := graph.MergeType(*b.Outputs[i].Type.Elem, t); ok {
				t = m
			}
		}
		k.elems = append(k.elems, t.WithoutShape())
	}
	return k, nil
}

// Run implements ep.Kernel.
func (k sequenceMap) Run(ctx context.Context, inv *ep.Invocation) error {
	first, err := sequenceIn(inv, 0)
	if err != nil {
		return err
	}
	out := make([]*tensor.Sequence, len(k.elems))
	for i := range out {
		out[i] = &tensor.Sequence{Elem: k.elems[i], Items: make([]tensor.Value, 0, len(first.Items))}
	}
	in := make([]tensor.Value, len(inv.Inputs))
	for n := range first.Items {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i := range in {
			in[i] = inv.InValue(i)
			s, ok := in[i].(*tensor.Sequence)
			if !ok {
				continue
			}
			if len(s.Items) != len(first.Items) {
				return fmt.Errorf("input %d is a sequence of %d, input 0 one of %d", i, len(s.Items), len(first.Items))
			}
			in[i] = s.Items[n]
		}
		res, err := inv.Subgraphs[k.body].Run(ctx, in)
		if err != nil {
			return fmt.Errorf("element %d: %w", n, err)
		}
		for i, v := range res {
			if t, ok := v.(*tensor.Tensor); ok && borrowed(inv, t) {
				v = t.Clone()
			}
			out[i].Items = append(out[i].Items, v)
			out[i].Elem = v.Type()
		}
	}
	for i, s := range out {
		if err := inv.SetOut(i, s); err != nil {
			return err
		}
	}
	return nil
}

// splitToSequence cuts a tensor along an axis.
type splitToSequence struct {
	pool *parallel.Pool
	axis int
	keep bool
}

func newSplitToSequence(b *Build) (ep.Kernel, error) {
	return splitToSequence{b.Pool, b.Int("axis"), b.Bool("keepdims")}, nil
}

// sizes returns the sizes of the parts of a dimension.
func (k splitToSequence) sizes(split *tensor.Tensor, dim int) ([]int64, error) {
	chunk := int64(1)
	if split != nil {
		list := indices(nil, split)
		if split.Rank() > 0 {
			total := int64(0)
			for i, n := range list {
				if n < 0 || n > int64(dim)-total {
					return nil, fmt.Errorf("split[%d] is %d, %d are left of the dimension %d", i, n, int64(dim)-total, dim)
				}
				total += n
			}
			if total != int64(dim) {
				return nil, fmt.Errorf("split %v adds up to %d, the dimension has %d", list, total, dim)
			}
			return list, nil
		}
		if chunk = list[0]; chunk < 1 {
			return nil, fmt.Errorf("split is %d, must be positive", chunk)
		}
	}
	var out []int64
	for left := int64(dim); left > 0; left -= chunk {
		out = append(out, min(chunk, left))
	}
	return out, nil
}

// Run implements ep.Kernel.
func (k splitToSequence) Run(ctx context.Context, inv *ep.Invocation) error {
	in := inv.In(0)
	axis, err := tensor.Axis(k.axis, in.Rank())
	if err != nil {
		return err
	}
	sizes, err := k.sizes(inv.In(1), in.Shape()[axis])
	if err != nil {
		return err
	}
	s := &tensor.Sequence{Elem: in.Type(), Items: make([]tensor.Value, 0, len(sizes))}
	at := 0
	for _, n := range sizes {
		shape := in.Shape().Clone()
		shape[axis] = int(n)
		t, err := tensor.New(in.DType(), shape...)
		if err != nil {
			return err
		}
		if err := strided.Copy(ctx, k.pool, t, in, slice.Part(in.Shape(), axis, at, int(n))); err != nil {
			return err
		}
		if !k.keep && inv.In(1) == nil {
			if t, err = t.Reshape(append(shape[:axis:axis], shape[axis+1:]...)...); err != nil {
				return err
			}
		}
		s.Items = append(s.Items, t)
		at += int(n)
	}
	return inv.SetOut(0, s)
}

func newConcatFromSequence(b *Build) (ep.Kernel, error) {
	axis, newAxis, pool := b.Int("axis"), b.Bool("new_axis"), b.Pool
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		s, err := sequenceIn(inv, 0)
		if err != nil {
			return err
		}
		if len(s.Items) == 0 {
			return fmt.Errorf("nothing to join: the sequence is empty")
		}
		items := make([]*tensor.Tensor, len(s.Items))
		at, shape := 0, tensor.Shape(nil)
		for i, v := range s.Items {
			t, ok := v.(*tensor.Tensor)
			if !ok {
				return fmt.Errorf("element %d is %v, must be a tensor", i, v)
			}
			rank := t.Rank()
			if newAxis {
				rank++
			}
			if at, err = tensor.Axis(axis, rank); err != nil {
				return err
			}
			t = t.Contiguous()
			if newAxis {
				wide := append(append(append(tensor.Shape{}, t.Shape()[:at]...), 1), t.Shape()[at:]...)
				if t, err = t.Reshape(wide...); err != nil {
					return err
				}
			}
			if i == 0 {
				shape = t.Shape().Clone()
			} else if err := joins(shape, t.Shape(), at); err != nil {
				return fmt.Errorf("element %d: %w", i, err)
			} else {
				shape[at] += t.Shape()[at]
			}
			items[i] = t
		}
		out, err := inv.NewOut(0, items[0].DType(), shape...)
		if err != nil || out == nil {
			return err
		}
		return slice.Concat(ctx, pool, out, items, at)
	}), nil
}

// joins checks that two shapes agree but for one axis.
func joins(a, b tensor.Shape, axis int) error {
	same := len(a) == len(b)
	for i := 0; same && i < len(a); i++ {
		same = i == axis || a[i] == b[i]
	}
	if !same {
		return fmt.Errorf("shape %v does not fit those before it, %v; only dimension %d may differ", b, a, axis)
	}
	return nil
}

func newOptional(b *Build) (ep.Kernel, error) {
	elem := b.Type("type").WithoutShape()
	return Func(func(_ context.Context, inv *ep.Invocation) error {
		o := &tensor.Optional{Elem: elem}
		if v := inv.InValue(0); v != nil {
			o.Value, o.Elem = own(v), v.Type()
		}
		return inv.SetOut(0, o)
	}), nil
}

func optionalGetElement(_ context.Context, inv *ep.Invocation) error {
	v := inv.InValue(0)
	if o, ok := v.(*tensor.Optional); ok {
		if o.Value == nil {
			return fmt.Errorf("the optional holds nothing; ask OptionalHasElement before")
		}
		return hand(inv, 0, o.Value)
	}
	return give(inv, 0, v)
}

func optionalHasElement(_ context.Context, inv *ep.Invocation) error {
	v := inv.InValue(0)
	if o, ok := v.(*tensor.Optional); ok {
		v = o.Value
	}
	tensor.Elements[bool](inv.Out(0))[0] = v != nil
	return nil
}
