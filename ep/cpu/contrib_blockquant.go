package cpu

import (
	"context"
	"fmt"

	"gort/ep"
	"gort/internal/kernel/blockquant"
	"gort/internal/kernel/gemm"
	"gort/internal/kernel/matmul"
	"gort/internal/parallel"
	"gort/op"
	"gort/tensor"
)

var contribBlockquantBindings = []Binding{
	{Domain: microsoft, Op: "MatMulNBits", Types: map[string]op.DTypes{"T1": onlyFloat32}, ViaFloat32: true, New: newMatMulNBits},
}

// matMulNBits computes in float32 whatever accuracy_level allows. Constant weights
// are made float32 once, when the model is built.
type matMulNBits struct {
	pool    *parallel.Pool
	weights blockquant.Weights // without its operands
	given   [5]bool            // which of the inputs before bias the node has
	packed  *gemm.PackedB
}

func newMatMulNBits(b *Build) (ep.Kernel, error) {
	k := &matMulNBits{pool: b.Pool, weights: blockquant.Weights{N: b.Int("N"), K: b.Int("K"), Bits: b.Int("bits"), Block: b.Int("block_size")}}
	for i := range k.given {
		k.given[i] = b.HasInput(i)
	}
	return k, nil
}

// Prepack implements ep.Prepacker.
func (k *matMulNBits) Prepack(ctx context.Context, consts []*tensor.Tensor) ([]bool, error) {
	done := make([]bool, len(consts))
	at := func(i int) *tensor.Tensor {
		if i < len(consts) && consts[i] != nil {
			return consts[i].Contiguous()
		}
		return nil
	}
	for i := 1; i < len(k.given); i++ {
		if k.given[i] && at(i) == nil {
			return done, nil
		}
	}
	w, err := k.operands(at)
	if err != nil {
		return done, err
	}
	if k.packed, err = k.pack(ctx, w); err != nil {
		return done, err
	}
	for i := 1; i < len(k.given); i++ {
		if k.given[i] {
			done[i] = true
		}
	}
	return done, nil
}

// pack makes the weights float32, in the form of the product.
func (k *matMulNBits) pack(ctx context.Context, w *blockquant.Weights) (*gemm.PackedB, error) {
	rows := make([]float32, w.N*w.K)
	if err := w.Dequantize(ctx, k.pool, rows); err != nil {
		return nil, err
	}
	return gemm.PackB(true, w.K, w.N, rows, w.K), nil
}

// operands completes the weights with inputs 1 to 4.
func (k *matMulNBits) operands(in func(i int) *tensor.Tensor) (*blockquant.Weights, error) {
	w := k.weights
	w.Packed, w.Scales = tensor.Elements[uint8](in(1)), tensor.Elements[float32](in(2))
	if z := in(3); z != nil {
		if z.DType() == tensor.Uint8 {
			w.PackedZeros = tensor.Elements[uint8](z)
		} else {
			f, err := tensor.Convert(z, tensor.Float32, tensor.ConvertOptions{})
			if err != nil {
				return nil, err
			}
			w.Zeros = tensor.Elements[float32](f)
		}
	}
	if g := in(4); g != nil {
		w.Group = tensor.Elements[int32](g)
		for i, v := range w.Group {
			if v < 0 || int(v) >= w.Blocks() {
				return nil, fmt.Errorf("g_idx[%d] is %d, allowed are 0 to %d", i, v, w.Blocks()-1)
			}
		}
	}
	return &w, nil
}

// Run implements ep.Kernel.
func (k *matMulNBits) Run(ctx context.Context, inv *ep.Invocation) error {
	packed := k.packed
	if packed == nil {
		w, err := k.operands(inv.In)
		if err != nil {
			return err
		}
		if packed, err = k.pack(ctx, w); err != nil {
			return err
		}
	}
	y := tensor.Elements[float32](inv.Out(0))
	if err := matmul.RunPacked(ctx, k.pool, tensor.Elements[float32](inv.In(0)), k.weights.K, packed, k.weights.N, y); err != nil {
		return err
	}
	if bias := elementsOr[float32](inv, 5); bias != nil {
		for i := range y {
			y[i] += bias[i%len(bias)]
		}
	}
	return nil
}
