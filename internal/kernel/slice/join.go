package slice

import (
	"context"
	"fmt"

	"gort/internal/kernel/strided"
	"gort/internal/parallel"
	"gort/tensor"
)

// rows is what lies before, along and within an axis of a shape.
func rows(shape tensor.Shape, axis int) (outer, inner int) {
	outer, inner = 1, 1
	for _, n := range shape[:axis] {
		outer *= n
	}
	for _, n := range shape[axis+1:] {
		inner *= n
	}
	return outer, inner
}

// CopyInto writes src into dst from index at along an axis on.
func CopyInto(ctx context.Context, pool *parallel.Pool, dst, src *tensor.Tensor, axis, at int) error {
	outer, inner := rows(dst.Shape(), axis)
	run := src.Shape()[axis] * inner
	m := strided.Move{DstAt: at * inner}
	m.Add(outer, dst.Shape()[axis]*inner, run)
	m.Add(run, 1, 1)
	return strided.Copy(ctx, pool, dst, src, m)
}

// Concat writes the inputs one after another along an axis. nil inputs are skipped.
func Concat(ctx context.Context, pool *parallel.Pool, dst *tensor.Tensor, inputs []*tensor.Tensor, axis int) error {
	at := 0
	for i, in := range inputs {
		if in == nil {
			continue
		}
		n := in.Shape()[axis]
		if n > dst.Shape()[axis]-at {
			return fmt.Errorf("input %d of shape %v does not fit: dimension %d of the output %v has %d left", i, in.Shape(), axis, dst.Shape(), dst.Shape()[axis]-at)
		}
		if err := CopyInto(ctx, pool, dst, in, axis, at); err != nil {
			return err
		}
		at += n
	}
	return nil
}

// Part is the move that takes n indices of an axis from at on out of a
// contiguous tensor of a shape.
func Part(shape tensor.Shape, axis, at, n int) strided.Move {
	outer, inner := rows(shape, axis)
	m := strided.Move{SrcAt: at * inner}
	m.Add(outer, n*inner, shape[axis]*inner)
	m.Add(n*inner, 1, 1)
	return m
}

// Range is what a slice takes of one axis: Count indices from First on, Step apart.
type Range struct{ First, Count, Step int }

// Sliced is the move that takes ranges, one for each axis, out of a contiguous
// tensor of a shape.
func Sliced(shape tensor.Shape, ranges []Range) strided.Move {
	var m strided.Move
	from, to := 1, 1
	for i, r := range ranges {
		if r.Count == 0 {
			m.Add(0, 0, 0)
			return m
		}
		from *= shape[i]
		to *= r.Count
	}
	for i, r := range ranges {
		from /= shape[i]
		to /= r.Count
		m.SrcAt += r.First * from
		m.Add(r.Count, to, r.Step*from)
	}
	return m
}

// Tiled is the move that repeats a contiguous tensor of a shape along each axis.
func Tiled(shape tensor.Shape, repeats []int) strided.Move {
	var m strided.Move
	from, to := 1, 1
	for i, n := range shape {
		if n == 0 || repeats[i] == 0 {
			m.Add(0, 0, 0)
			return m
		}
		from *= n
		to *= n * repeats[i]
	}
	for i, n := range shape {
		from /= n
		to /= repeats[i]
		m.Add(repeats[i], to, 0)
		to /= n
		m.Add(n, to, from)
	}
	return m
}
