package gather

import (
	"context"

	"gort/internal/kernel/element"
	"gort/internal/parallel"
	"gort/tensor"
)

// kernels are this package's functions for one width of elements. A type that
// is generic and an interface together let one table choose all of them.
type kernels interface {
	blocks(ctx context.Context, pool *parallel.Pool, dst, data, indices *tensor.Tensor, b blocks) error
	elements(ctx context.Context, pool *parallel.Pool, dst, data, indices *tensor.Tensor, axis int) error
	slices(ctx context.Context, pool *parallel.Pool, dst, data, indices *tensor.Tensor, n nd) error
	scatterElements(ctx context.Context, dst, indices, updates *tensor.Tensor, axis int) error
	scatterSlices(ctx context.Context, dst, indices, updates *tensor.Tensor, n nd) error
	oneHot(ctx context.Context, pool *parallel.Pool, dst *tensor.Tensor, indices []int64, values *tensor.Tensor, depth, inner int) error
}

// words are the kernels for elements of the width of T.
type words[T element.Word] struct{}

var byWidth = map[int]kernels{
	0: words[string]{}, 8: words[uint8]{}, 16: words[uint16]{}, 32: words[uint32]{}, 64: words[uint64]{}, 128: words[[2]uint64]{},
}

func kernelsOf(t *tensor.Tensor) kernels { return byWidth[t.DType().Bits()] }

// chunk is how many elements are worth a thread's while.
const chunk = 8192
