package gather

import (
	"context"
	"fmt"

	"gort/internal/kernel/strided"
	"gort/internal/parallel"
	"gort/tensor"
)

// CountTrue returns how many conditions hold, after checking that none beyond
// the size of the axis does.
func CountTrue(condition []bool, size int) (int, error) {
	n := 0
	for i, c := range condition {
		if c {
			if i >= size {
				return 0, fmt.Errorf("condition %d is true, but the axis has size %d", i, size)
			}
			n++
		}
	}
	return n, nil
}

// Compress keeps the indices of an axis of which the condition holds.
func Compress(ctx context.Context, pool *parallel.Pool, dst, src *tensor.Tensor, condition []bool, axis int) error {
	outer, inner := around(src.Shape(), axis)
	rows := dst.Shape()[axis]
	to := 0
	for i := 0; i < len(condition); i++ {
		if !condition[i] {
			continue
		}
		first := i
		for i < len(condition) && condition[i] {
			i++
		}
		m := strided.Move{DstAt: to * inner, SrcAt: first * inner}
		m.Add(outer, rows*inner, src.Shape()[axis]*inner)
		m.Add((i-first)*inner, 1, 1)
		if err := strided.Copy(ctx, pool, dst, src, m); err != nil {
			return err
		}
		to += i - first
	}
	return ctx.Err()
}
