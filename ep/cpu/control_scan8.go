package cpu

import (
	"context"
	"fmt"

	"gort/ep"
	"gort/internal/kernel/slice"
	"gort/tensor"
)

// scan8 is version 8 of Scan: a scan for each element of a batch, with a length
// of its own.
type scan8 struct{ scan }

func newScan8(b *Build) (ep.Kernel, error) {
	k, err := newScan(b)
	if err != nil {
		return nil, err
	}
	return scan8{k.(scan)}, nil
}

// Run implements ep.Kernel. What a scan output has beyond a sequence's length,
// which the specification leaves open, is zero.
func (k scan8) Run(ctx context.Context, inv *ep.Invocation) error {
	l := k.layout
	first := inv.In(1 + l.States)
	if first.Rank() < 2 {
		return fmt.Errorf("scan input 0 has shape %v, must have a batch and a step dimension", first.Shape())
	}
	batch, total := first.Shape()[0], first.Shape()[1]
	lens := indices(nil, inv.In(0))
	collect := func(b, i int, piece *tensor.Tensor, lead ...int) error {
		out, err := inv.NewOut(i, piece.DType(), append(lead, piece.Shape()...)...)
		if err != nil || out == nil {
			return err
		}
		n := 1
		for _, v := range lead {
			n *= v
		}
		rows, err := out.Reshape(n, piece.Size())
		if err != nil {
			return err
		}
		row, err := piece.Contiguous().Reshape(1, piece.Size())
		if err != nil {
			return err
		}
		return slice.CopyInto(ctx, k.pool, rows, row, 0, b)
	}
	seen := make([]bool, l.Outputs)
	for b := range batch {
		n := total
		if lens != nil {
			if lens[b] < 0 || lens[b] > int64(total) {
				return fmt.Errorf("sequence_lens[%d] is %d, allowed are 0 to %d", b, lens[b], total)
			}
			n = int(lens[b])
		}
		states := make([]tensor.Value, l.States)
		for i := range states {
			v, err := item(inv.In(1+i), b)
			if err != nil {
				return err
			}
			states[i] = v
		}
		scanned := make([]*tensor.Tensor, l.Inputs)
		for i := range scanned {
			v, err := item(inv.In(1+l.States+i), b)
			if err != nil {
				return err
			}
			scanned[i] = v
		}
		err := k.steps(ctx, inv, states, scanned, n, total, func(i, step int, piece *tensor.Tensor) error {
			if !seen[i] {
				seen[i] = true
				out, err := inv.NewOut(l.States+i, piece.DType(), append([]int{batch, total}, piece.Shape()...)...)
				if err != nil {
					return err
				}
				if out != nil {
					slice.Zero(out)
				}
			}
			return collect(b*total+step, l.States+i, piece, batch, total)
		})
		if err != nil {
			return fmt.Errorf("batch %d: %w", b, err)
		}
		for i, v := range states {
			t, ok := v.(*tensor.Tensor)
			if !ok {
				return fmt.Errorf("state %d is %v, must be a tensor", i, v)
			}
			if err := collect(b, i, t, batch); err != nil {
				return err
			}
		}
	}
	return k.empty(inv, batch, total, seen)
}

// empty makes the outputs that no step made.
func (k scan8) empty(inv *ep.Invocation, batch, total int, seen []bool) error {
	for i := range k.layout.States {
		if batch == 0 {
			t := inv.In(1 + i)
			if _, err := inv.NewOut(i, t.DType(), t.Shape()...); err != nil {
				return err
			}
		}
	}
	for i, t := range k.pieceType {
		if seen[i] {
			continue
		}
		out := inv.Out(k.layout.States + i)
		if out == nil {
			var err error
			shape := append(tensor.Shape{batch, total}, emptyShape(t)[1:]...)
			if out, err = inv.NewOut(k.layout.States+i, t.DType, shape...); err != nil {
				return err
			}
		}
		if out != nil {
			slice.Zero(out)
		}
	}
	return nil
}
