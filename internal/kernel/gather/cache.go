package gather

import (
	"context"
	"fmt"

	"gort/internal/kernel/strided"
	"gort/internal/parallel"
	"gort/tensor"
)

// ScatterCache writes update into cache along an axis, for each batch (the first
// dimension) from the index that at names on; nil means from 0. A circular cache
// goes on at its start where it ends.
func ScatterCache(ctx context.Context, pool *parallel.Pool, cache, update *tensor.Tensor, at []int64, axis int, circular bool) error {
	shape := cache.Shape()
	size, count := shape[axis], update.Shape()[axis]
	outer, inner := 1, 1
	for _, n := range shape[1:axis] {
		outer *= n
	}
	for _, n := range shape[axis+1:] {
		inner *= n
	}
	if count == 0 || outer == 0 || inner == 0 {
		return nil
	}
	for b := range shape[0] {
		first := 0
		if at != nil {
			v := at[b]
			switch {
			case circular && v >= 0:
				v %= int64(size)
			case v < 0 || v > int64(size-count):
				return fmt.Errorf("write_indices[%d] is %d, allowed are 0 to %d: %d elements go into axis %d of size %d", b, v, size-count, count, axis, size)
			}
			first = int(v)
		}
		// The part up to the end, then what continues at the start.
		for done, to := 0, first; done < count; to = 0 {
			n := min(count-done, size-to)
			m := strided.Move{
				DstAt: b*outer*size*inner + to*inner,
				SrcAt: b*outer*count*inner + done*inner,
			}
			m.Add(outer, size*inner, count*inner)
			m.Add(n*inner, 1, 1)
			if err := strided.Copy(ctx, pool, cache, update, m); err != nil {
				return err
			}
			done += n
		}
	}
	return nil
}
