package slice

import (
	"context"
	"fmt"

	"gort/internal/kernel/strided"
	"gort/internal/parallel"
	"gort/tensor"
)

// ReverseSequence reverses the first lens[b] steps of each batch b and copies
// the others. time is 0 or 1, the batch axis is the other one.
func ReverseSequence(ctx context.Context, pool *parallel.Pool, dst, src *tensor.Tensor, lens []int64, time int) error {
	shape := src.Shape()
	inner := 1
	for _, n := range shape[2:] {
		inner *= n
	}
	steps := shape[time]
	step, batch := shape[1]*inner, inner
	if time == 1 {
		step, batch = batch, step
	}
	for b, n := range lens {
		if n < 0 || n > int64(steps) {
			return fmt.Errorf("sequence_lens[%d] is %d, allowed are 0 to %d, the size of time axis %d", b, n, steps, time)
		}
		at, k := b*batch, int(n)
		if k > 0 {
			m := strided.Move{DstAt: at, SrcAt: at + (k-1)*step}
			m.Add(k, step, -step)
			m.Add(inner, 1, 1)
			if err := strided.Copy(ctx, pool, dst, src, m); err != nil {
				return err
			}
		}
		if k < steps {
			m := strided.Move{DstAt: at + k*step, SrcAt: at + k*step}
			m.Add(steps-k, step, step)
			m.Add(inner, 1, 1)
			if err := strided.Copy(ctx, pool, dst, src, m); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}
