package conv

import (
	"context"

	"gort/internal/kernel/gemm"
)

// Float lists the element types of [Transposed] and [Deform].
type Float interface{ float32 | float64 }

// multiply computes C = op(A)*B on the calling thread.
func multiply[T Float](ctx context.Context, transA bool, m, n, k int, a []T, lda int, b []T, ldb int, c []T, ldc int) error {
	switch a := any(a).(type) {
	case []float32:
		return gemm.Float32(ctx, nil, transA, false, m, n, k, 1, a, lda, any(b).([]float32), ldb, 0, any(c).([]float32), ldc)
	case []float64:
		return gemm.Generic(ctx, nil, transA, false, m, n, k, 1, a, lda, any(b).([]float64), ldb, 0, any(c).([]float64), ldc)
	}
	return nil
}
