package tokens

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"gort/internal/parallel"
)

// BlockRepeats sets the scores of those tokens to -Inf that would complete an n-gram
// which a sequence already has. ids holds rows of length, scores as many rows of
// vocabulary.
func BlockRepeats(ctx context.Context, pool *parallel.Pool, n, rows int, ids []int64, scores []float32) error {
	if rows == 0 {
		return nil
	}
	length, vocabulary := len(ids)/rows, len(scores)/rows
	if length < n {
		return nil
	}
	var wrong atomic.Pointer[error]
	err := pool.For(ctx, rows, max(1, 1<<14/length), func(lo, hi int) {
		for r := lo; r < hi; r++ {
			row := ids[r*length:][:length]
			last := row[length-n+1:]
			for i := 0; i+n <= length; i++ {
				if !slices.Equal(row[i:][:n-1], last) {
					continue
				}
				id := row[i+n-1]
				if id < 0 || id >= int64(vocabulary) {
					e := fmt.Errorf("input_ids[%d, %d] is %d, allowed are 0 to %d", r, i+n-1, id, vocabulary-1)
					wrong.CompareAndSwap(nil, &e)
					return
				}
				scores[r*vocabulary+int(id)] = float32(math.Inf(-1))
			}
		}
	})
	if e := wrong.Load(); e != nil && err == nil {
		return *e
	}
	return err
}
