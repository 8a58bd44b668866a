package slice

import (
	"context"

	"gort/internal/kernel/strided"
	"gort/internal/parallel"
	"gort/tensor"
)

// Centre writes the middle of src into the middle of dst; what dst has more of
// is zero (empty strings). An odd difference leaves the larger part behind.
func Centre(ctx context.Context, pool *parallel.Pool, dst, src *tensor.Tensor) error {
	var m strided.Move
	to, from := dst.Size(), src.Size()
	pad := false
	for i, n := range dst.Shape() {
		pad = pad || n > src.Shape()[i]
	}
	if pad {
		Zero(dst)
	}
	if to == 0 || from == 0 {
		return nil
	}
	for i, n := range dst.Shape() {
		k := src.Shape()[i]
		to, from = to/n, from/k
		if n > k {
			m.DstAt += (n - k) / 2 * to
		} else {
			m.SrcAt += (k - n) / 2 * from
		}
		m.Add(min(n, k), to, from)
	}
	return strided.Copy(ctx, pool, dst, src, m)
}

// Zero makes all elements of a contiguous tensor zero, false or empty.
func Zero(t *tensor.Tensor) {
	if t.DType() == tensor.String {
		clear(tensor.Elements[string](t))
		return
	}
	if b, err := t.Bytes(); err == nil {
		clear(b)
	}
}
