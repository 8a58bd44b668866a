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
	{Domain: microsoft, Op: "MatMulBnb4", Types: map[string]op.DTypes{"T1": onlyFloat32}, ViaFloat32: true, New: newMatMulBnb4},
	{Domain: microsoft, Op: "MatMulFpQ4", Types: map[string]op.DTypes{"T1": onlyFloat32}, New: newMatMulFpQ4},
	{Domain: microsoft, Op: "GatherBlockQuantized", Types: map[string]op.DTypes{"T2": onlyFloat32}, ViaFloat32: true, New: newGatherBlockQuantized},
}

// blockWeights are the weights of a product, ready for it: as they are, or as numbers
// where their form allows no less.
type blockWeights struct {
	panels *blockquant.Panels
	packed *gemm.PackedB
	in     int // elements of a row of A
}

func (w *blockWeights) multiply(ctx context.Context, pool *parallel.Pool, a, bias, y []float32) error {
	if w.panels != nil {
		return w.panels.Multiply(ctx, pool, len(a)/max(w.in, 1), a, bias, y)
	}
	out := len(y) / max(len(a)/max(w.in, 1), 1)
	if err := matmul.RunPacked(ctx, pool, a, w.in, w.packed, out, y); err != nil {
		return err
	}
	for at := 0; len(bias) > 0 && at < len(y); at += len(bias) {
		for i, b := range bias {
			y[at+i] += b
		}
	}
	return nil
}

// blockProduct multiplies rows by block-quantized weights, in float32. Constant
// weights are made ready once, when the model is built.
type blockProduct struct {
	pool  *parallel.Pool
	parts []int // the inputs that weights are made from
	bias  int   // the input that is added, if there is one
	make  func(ctx context.Context, in func(i int) *tensor.Tensor) (*blockWeights, error)
	ready *blockWeights
}

// Prepack implements ep.Prepacker.
func (k *blockProduct) Prepack(ctx context.Context, consts []*tensor.Tensor) ([]bool, error) {
	done := make([]bool, len(consts))
	for _, i := range k.parts {
		if consts[i] == nil {
			return done, nil
		}
	}
	ready, err := k.make(ctx, func(i int) *tensor.Tensor {
		if i >= len(consts) || consts[i] == nil {
			return nil
		}
		return consts[i].Contiguous()
	})
	if err != nil {
		return done, err
	}
	k.ready = ready
	for _, i := range k.parts {
		done[i] = true
	}
	return done, nil
}

// Run implements ep.Kernel.
func (k *blockProduct) Run(ctx context.Context, inv *ep.Invocation) error {
	w := k.ready
	if w == nil {
		var err error
		if w, err = k.make(ctx, inv.In); err != nil {
			return err
		}
	}
	var bias []float32
	if k.bias > 0 {
		bias = elementsOr[float32](inv, k.bias)
	}
	return w.multiply(ctx, k.pool, tensor.Elements[float32](inv.In(0)), bias, tensor.Elements[float32](inv.Out(0)))
}

// newMatMulNBits computes in float32 whatever accuracy_level allows: that attribute
// lets a kernel be less accurate, and at level 4 ONNX Runtime's quantizes A as well.
func newMatMulNBits(b *Build) (ep.Kernel, error) {
	k := &blockProduct{pool: b.Pool, bias: 5}
	given := [5]bool{}
	for i := 1; i < len(given); i++ {
		if given[i] = b.HasInput(i); given[i] {
			k.parts = append(k.parts, i)
		}
	}
	shape := blockquant.Weights{N: b.Int("N"), K: b.Int("K"), Bits: b.Int("bits"), Block: b.Int("block_size")}
	k.make = func(ctx context.Context, in func(i int) *tensor.Tensor) (*blockWeights, error) {
		w := shape
		w.Packed, w.Scales = tensor.Elements[uint8](in(1)), tensor.Elements[float32](in(2))
		if given[3] {
			z := in(3)
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
		if !given[4] {
			p, err := blockquant.NewPanels(ctx, k.pool, &w)
			return &blockWeights{panels: p, in: w.K}, err
		}
		w.Group = tensor.Elements[int32](in(4))
		for i, v := range w.Group {
			if v < 0 || int(v) >= w.Blocks() {
				return nil, fmt.Errorf("g_idx[%d] is %d, allowed are 0 to %d", i, v, w.Blocks()-1)
			}
		}
		rows := make([]float32, w.N*w.K)
		if err := w.Dequantize(ctx, k.pool, rows); err != nil {
			return nil, err
		}
		return &blockWeights{packed: gemm.PackB(true, w.K, w.N, rows, w.K), in: w.K}, nil
	}
	return k, nil
}

// newMatMulBnb4 multiplies by the transposed weights, which are [N, K], or by them;
// training_mode changes nothing in a result. ONNX Runtime's CPU kernel transposes them
// either way, and so misreads them for transB = 0.
func newMatMulBnb4(b *Build) (ep.Kernel, error) {
	table := &blockquant.FP4
	if b.Int("quant_type") == 1 {
		table = &blockquant.NF4
	}
	n, inner, block, transposed := b.Int("N"), b.Int("K"), b.Int("block_size"), b.Bool("transB")
	k := &blockProduct{pool: b.Pool, parts: []int{1, 2}}
	k.make = func(ctx context.Context, in func(i int) *tensor.Tensor) (*blockWeights, error) {
		rows := make([]float32, n*inner)
		if err := blockquant.Bnb4(ctx, k.pool, table, tensor.Elements[uint8](in(1)), tensor.Elements[float32](in(2)), block, rows); err != nil {
			return nil, err
		}
		if transposed {
			return &blockWeights{packed: gemm.PackB(true, inner, n, rows, inner), in: inner}, nil
		}
		return &blockWeights{packed: gemm.PackB(false, n, inner, rows, inner), in: n}, nil
	}
	return k, nil
}

func newMatMulFpQ4(b *Build) (ep.Kernel, error) {
	zeros := b.Int("blk_quant_type") == 1
	k := &blockProduct{pool: b.Pool, parts: []int{1, 2}}
	k.make = func(ctx context.Context, in func(i int) *tensor.Tensor) (*blockWeights, error) {
		shape := tensor.Elements[int64](in(2))
		w, ok := blockquant.FromFpQ4(int(shape[0]), int(shape[1]), zeros, tensor.Elements[uint8](in(1)))
		if !ok {
			return nil, fmt.Errorf("input B has %d bytes, which are not %d x %d weights", in(1).Size(), shape[0], shape[1])
		}
		p, err := blockquant.NewPanels(ctx, k.pool, w)
		return &blockWeights{panels: p, in: w.K}, err
	}
	return k, nil
}
