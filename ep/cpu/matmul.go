package cpu

import (
	"context"
	"fmt"

	"gort/ep"
	"gort/internal/kernel/gemm"
	"gort/internal/kernel/matmul"
	"gort/internal/parallel"
	"gort/op"
	"gort/tensor"
)

var matmulTypes = ByType{
	tensor.Float32: newMatMulFloat32,
	tensor.Float64: newMatMul[float64],
	tensor.Int32:   newMatMul[int32],
	tensor.Int64:   newMatMul[int64],
	tensor.Uint32:  newMatMul[uint32],
	tensor.Uint64:  newMatMul[uint64],
}

var gemmTypes = ByType{
	tensor.Float32: newGemmFloat32,
	tensor.Float64: newGemm[float64],
	tensor.Int32:   newGemm[int32],
	tensor.Int64:   newGemm[int64],
	tensor.Uint32:  newGemm[uint32],
	tensor.Uint64:  newGemm[uint64],
}

var detTypes = ByType{
	tensor.Float32: newDet[float32],
	tensor.Float64: newDet[float64],
}

var matmulBindings = []Binding{
	{Op: "MatMul", Types: map[string]op.DTypes{"T": matmulTypes.Types()}, ViaFloat32: true, New: matmulTypes.Input(0)},
	{Op: "Gemm", Types: map[string]op.DTypes{"T": gemmTypes.Types()}, ViaFloat32: true, New: gemmTypes.Input(0)},
	{Op: "Einsum", Types: map[string]op.DTypes{"T": einsumTypes.Types()}, ViaFloat32: true, New: einsumTypes.Input(0)},
	{Op: "Det", Types: map[string]op.DTypes{"T": detTypes.Types()}, ViaFloat32: true, New: detTypes.Input(0)},
}

// matMul is MatMul for one element type.
type matMul[T matmul.Number] struct {
	pool    *parallel.Pool
	product *matmul.MatMul[T]
}

func newMatMul[T matmul.Number](b *Build) (ep.Kernel, error) {
	return &matMul[T]{b.Pool, matmul.NewMatMul[T]()}, nil
}

// Run implements ep.Kernel.
func (k *matMul[T]) Run(ctx context.Context, inv *ep.Invocation) error {
	a, b := inv.In(0), inv.In(1)
	return k.product.Run(ctx, k.pool, tensor.Elements[T](a), a.Shape(), tensor.Elements[T](b), b.Shape(), tensor.Elements[T](inv.Out(0)))
}

// matMulFloat32 also packs a constant right operand that is one matrix.
type matMulFloat32 struct {
	matMul[float32]
	packed *gemm.PackedB
	k, n   int
}

func newMatMulFloat32(b *Build) (ep.Kernel, error) {
	return &matMulFloat32{matMul: matMul[float32]{b.Pool, matmul.NewMatMul[float32]()}}, nil
}

// Prepack implements ep.Prepacker.
func (k *matMulFloat32) Prepack(_ context.Context, consts []*tensor.Tensor) ([]bool, error) {
	done := make([]bool, len(consts))
	if len(consts) < 2 || consts[1] == nil || consts[1].Rank() != 2 {
		return done, nil
	}
	b := consts[1].Contiguous()
	k.k, k.n = b.Shape()[0], b.Shape()[1]
	k.packed = gemm.PackB(false, k.k, k.n, tensor.Elements[float32](b), k.n)
	done[1] = true
	return done, nil
}

// Run implements ep.Kernel.
func (k *matMulFloat32) Run(ctx context.Context, inv *ep.Invocation) error {
	if k.packed == nil {
		return k.matMul.Run(ctx, inv)
	}
	a := inv.In(0)
	if s := a.Shape(); len(s) == 0 || s[len(s)-1] != k.k {
		return fmt.Errorf("input 0 has shape %v, its last dimension must be %d", s, k.k)
	}
	return matmul.RunPacked(ctx, k.pool, tensor.Elements[float32](a), k.k, k.packed, k.n, tensor.Elements[float32](inv.Out(0)))
}

// gemmKernel is Gemm for one element type.
type gemmKernel[T matmul.Number] struct {
	pool           *parallel.Pool
	multiply       matmul.Multiply[T]
	transA, transB bool
	alpha, beta    T
}

func newGemm[T matmul.Number](b *Build) (ep.Kernel, error) {
	k, err := gemmOf[T](b)
	return &k, err
}

func gemmOf[T matmul.Number](b *Build) (gemmKernel[T], error) {
	k := gemmKernel[T]{pool: b.Pool, multiply: matmul.MultiplyOf[T](), transA: b.Bool("transA"), transB: b.Bool("transB")}
	for _, f := range []struct {
		name string
		to   *T
	}{{"alpha", &k.alpha}, {"beta", &k.beta}} {
		v := b.Float(f.name)
		if *f.to = T(v); float32(*f.to) != v && v == v {
			return k, b.AttrErrorf(f.name, "is %v, must be representable as %v to scale a product of that type", v, b.DType(0))
		}
	}
	return k, nil
}

// dims returns the sizes of the product.
func (k *gemmKernel[T]) dims(a, out tensor.Shape) (m, n, inner int, err error) {
	if len(a) != 2 || len(out) != 2 {
		return 0, 0, 0, fmt.Errorf("input 0 has shape %v and the output %v, both must be matrices", a, out)
	}
	inner = a[1]
	if k.transA {
		inner = a[0]
	}
	return out[0], out[1], inner, nil
}

// Run implements ep.Kernel.
func (k *gemmKernel[T]) Run(ctx context.Context, inv *ep.Invocation) error {
	a, b, c, y := inv.In(0), inv.In(1), inv.In(2), inv.Out(0)
	m, n, inner, err := k.dims(a.Shape(), y.Shape())
	if err != nil {
		return err
	}
	var bias []T
	var shape tensor.Shape
	if c != nil {
		bias, shape = tensor.Elements[T](c), c.Shape()
	}
	return matmul.Gemm(ctx, k.pool, k.multiply, k.transA, k.transB, m, n, inner, k.alpha, tensor.Elements[T](a), tensor.Elements[T](b), k.beta, bias, shape, tensor.Elements[T](y))
}

// gemmFloat32 also packs a constant B.
type gemmFloat32 struct {
	gemmKernel[float32]
	packed *gemm.PackedB
}

func newGemmFloat32(b *Build) (ep.Kernel, error) {
	k, err := gemmOf[float32](b)
	return &gemmFloat32{gemmKernel: k}, err
}

// Prepack implements ep.Prepacker.
func (k *gemmFloat32) Prepack(_ context.Context, consts []*tensor.Tensor) ([]bool, error) {
	done := make([]bool, len(consts))
	if len(consts) < 2 || consts[1] == nil || consts[1].Rank() != 2 {
		return done, nil
	}
	b := consts[1].Contiguous()
	rows, cols := b.Shape()[0], b.Shape()[1]
	inner, n := rows, cols
	if k.transB {
		inner, n = n, inner
	}
	packed := gemm.PackB(k.transB, inner, n, tensor.Elements[float32](b), cols)
	k.packed, done[1] = packed, true
	k.multiply = func(ctx context.Context, p *parallel.Pool, transA, _ bool, m, n, inner int, alpha float32, a []float32, lda int, _ []float32, _ int, beta float32, c []float32, ldc int) error {
		return gemm.Float32PackedB(ctx, p, transA, m, n, inner, alpha, a, lda, packed, beta, c, ldc)
	}
	return done, nil
}

// Run implements ep.Kernel.
func (k *gemmFloat32) Run(ctx context.Context, inv *ep.Invocation) error {
	if k.packed == nil {
		return k.gemmKernel.Run(ctx, inv)
	}
	a, c, y := inv.In(0), inv.In(2), inv.Out(0)
	m, n, inner, err := k.dims(a.Shape(), y.Shape())
	if err != nil {
		return err
	}
	var bias []float32
	var shape tensor.Shape
	if c != nil {
		bias, shape = tensor.Elements[float32](c), c.Shape()
	}
	return matmul.Gemm(ctx, k.pool, k.multiply, k.transA, k.transB, m, n, inner, k.alpha, tensor.Elements[float32](a), nil, k.beta, bias, shape, tensor.Elements[float32](y))
}

func newDet[T float32 | float64](b *Build) (ep.Kernel, error) {
	pool := b.Pool
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		x, y := inv.In(0), inv.Out(0)
		s := x.Shape()
		return matmul.Det(ctx, pool, s[len(s)-1], tensor.Elements[T](x), tensor.Elements[T](y))
	}), nil
}
