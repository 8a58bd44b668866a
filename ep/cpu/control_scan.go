package cpu

import (
	"context"
	"fmt"

	"gort/ep"
	"gort/graph"
	"gort/internal/kernel/slice"
	"gort/internal/kernel/strided"
	"gort/internal/parallel"
	"gort/op"
	"gort/tensor"
)

// scan is a Scan from version 9 on.
type scan struct {
	pool      *parallel.Pool
	body      int
	layout    op.ScanLayout
	inAxes    []int64 // nil means 0
	inBack    []int64 // nil means forward
	outAxes   []int64
	outBack   []int64
	pieceType []graph.Type // of the scan outputs' pieces, as declared
}

func newScan(b *Build) (ep.Kernel, error) {
	at, err := bodyAt(b, "body")
	if err != nil {
		return nil, err
	}
	l, ok := op.ScanLayoutOf(b.Attrs, len(b.Inputs))
	if !ok {
		return nil, b.AttrErrorf("body", "does not fit %d inputs with num_scan_inputs %d", len(b.Inputs), l.Inputs)
	}
	k := scan{
		pool: b.Pool, body: at, layout: l,
		inAxes: b.Ints("scan_input_axes"), inBack: b.Ints("scan_input_directions"),
		outAxes: b.Ints("scan_output_axes"), outBack: b.Ints("scan_output_directions"),
	}
	if l.First == 1 {
		k.inBack = b.Ints("directions")
	}
	g := b.Graph("body")
	for i := range l.Outputs {
		k.pieceType = append(k.pieceType, emptyType(b, g, l.States+i, l.States+i))
	}
	return k, nil
}

func at(list []int64, i int) int {
	if i < len(list) {
		return int(list[i])
	}
	return 0
}

// stepsFirst returns a contiguous tensor whose first axis is the scanned one.
func stepsFirst(ctx context.Context, pool *parallel.Pool, t *tensor.Tensor, axis int) (*tensor.Tensor, error) {
	if axis == 0 {
		return t.Contiguous(), nil
	}
	perm := []int{axis}
	for i := range t.Shape() {
		if i != axis {
			perm = append(perm, i)
		}
	}
	v, err := t.Transpose(perm...)
	if err != nil {
		return nil, err
	}
	out, err := tensor.New(t.DType(), v.Shape()...)
	if err != nil {
		return nil, err
	}
	return out, strided.Copy(ctx, pool, out, t, strided.Transposed(t, perm))
}

// item is element i along the first axis of a contiguous tensor.
func item(t *tensor.Tensor, i int) (*tensor.Tensor, error) {
	shape := t.Shape()[1:]
	size := shape.Size()
	v, err := t.View(shape, nil, t.Offset()+i*size)
	if err != nil {
		return nil, err
	}
	return v.Contiguous(), nil
}

// Run implements ep.Kernel.
func (k scan) Run(ctx context.Context, inv *ep.Invocation) error {
	l := k.layout
	states := make([]tensor.Value, l.States)
	for i := range states {
		states[i] = inv.InValue(i)
	}
	scanned, steps := make([]*tensor.Tensor, l.Inputs), 0
	for i := range scanned {
		t := inv.In(l.States + i)
		axis, err := tensor.Axis(at(k.inAxes, i), t.Rank())
		if err != nil {
			return fmt.Errorf("scan input %d: %w", i, err)
		}
		if scanned[i], err = stepsFirst(ctx, k.pool, t, axis); err != nil {
			return err
		}
		if n := t.Shape()[axis]; i == 0 {
			steps = n
		} else if n != steps {
			return fmt.Errorf("scan input %d has %d steps along axis %d, scan input 0 has %d", i, n, axis, steps)
		}
	}
	collect := func(i, step int, piece *tensor.Tensor) error {
		axis, err := tensor.Axis(at(k.outAxes, i), piece.Rank()+1)
		if err != nil {
			return fmt.Errorf("scan output %d: %w", i, err)
		}
		shape := append(append(append(tensor.Shape{}, piece.Shape()[:axis]...), steps), piece.Shape()[axis:]...)
		out, err := inv.NewOut(l.States+i, piece.DType(), shape...)
		if err != nil || out == nil {
			return err
		}
		if at(k.outBack, i) == 1 {
			step = steps - 1 - step
		}
		shape = shape.Clone()
		shape[axis] = 1
		if piece, err = piece.Contiguous().Reshape(shape...); err != nil {
			return err
		}
		return slice.CopyInto(ctx, k.pool, out, piece, axis, step)
	}
	if err := k.steps(ctx, inv, states, scanned, steps, steps, collect); err != nil {
		return err
	}
	for i, v := range states {
		if err := give(inv, i, v); err != nil {
			return err
		}
	}
	if steps > 0 {
		return nil
	}
	for i, t := range k.pieceType {
		shape := emptyShape(t)
		axis, err := tensor.Axis(at(k.outAxes, i), len(shape))
		if err != nil {
			return fmt.Errorf("scan output %d: %w", i, err)
		}
		copy(shape[:axis], shape[1:axis+1])
		shape[axis] = 0
		if out := inv.Out(l.States + i); out == nil {
			if _, err := inv.NewOut(l.States+i, t.DType, shape...); err != nil {
				return err
			}
		}
	}
	return nil
}

// steps runs the body n times, of which total is the length of the scanned
// tensors, replaces states by what it makes of them, and hands its other outputs
// to collect.
func (k scan) steps(ctx context.Context, inv *ep.Invocation, states []tensor.Value, scanned []*tensor.Tensor, n, total int, collect func(i, step int, piece *tensor.Tensor) error) error {
	body := inv.Subgraphs[k.body]
	in := make([]tensor.Value, len(states)+len(scanned))
	for step := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		copy(in, states)
		for i, t := range scanned {
			from := step
			if at(k.inBack, i) == 1 {
				from = n - 1 - step
			}
			v, err := item(t, from)
			if err != nil {
				return err
			}
			in[len(states)+i] = v
		}
		out, err := body.Run(ctx, in)
		if err != nil {
			return fmt.Errorf("step %d of %d: %w", step, total, err)
		}
		copy(states, out)
		for i, v := range out[len(states):] {
			t, ok := v.(*tensor.Tensor)
			if !ok {
				return fmt.Errorf("step %d: scan output %d is %v, must be a tensor", step, i, v)
			}
			if err := collect(i, step, t); err != nil {
				return fmt.Errorf("step %d: %w", step, err)
			}
		}
	}
	return nil
}
