package cpu

import (
	"context"
	"fmt"
	"sync"

	"gort/ep"
	"gort/internal/kernel/gemm"
	"gort/internal/kernel/quant"
	"gort/internal/parallel"
	"gort/tensor"
)

// byteType is an element type of the integer products.
type byteType interface {
	gemm.Byte
	tensor.Element
}

// byBytes picks among the four versions of a kernel by the element types of two
// inputs.
func byBytes(b *Build, i, j int, uu, us, su, ss func(b *Build) (ep.Kernel, error)) (ep.Kernel, error) {
	signedA, signedB := b.DType(i) == tensor.Int8, b.DType(j) == tensor.Int8
	switch {
	case signedA && signedB:
		return ss(b)
	case signedA:
		return su(b)
	case signedB:
		return us(b)
	}
	return uu(b)
}

// intProduct multiplies stacks of 8-bit matrices.
type intProduct[A, B byteType] struct {
	pool               *parallel.Pool
	a, zeroA, b, zeroB int // inputs
	products           perShape[*quant.Product]

	packed *gemm.PackedInt8B
	shape  tensor.Shape // of the packed matrix
}

// Prepack implements ep.Prepacker.
func (k *intProduct[A, B]) Prepack(_ context.Context, consts []*tensor.Tensor) ([]bool, error) {
	done := make([]bool, len(consts))
	b := consts[k.b]
	if b == nil || b.Rank() != 2 {
		return done, nil
	}
	var zero []B
	if k.zeroB < len(consts) {
		z := consts[k.zeroB]
		if z == nil {
			return done, nil
		}
		if zero = tensor.Elements[B](z.Contiguous()); len(zero) > 1 && len(zero) != b.Shape()[1] {
			return done, nil // Run says what is wrong
		}
		done[k.zeroB] = true
	}
	rows, cols := b.Shape()[0], b.Shape()[1]
	k.packed = gemm.PackInt8B(false, rows, cols, tensor.Elements[B](b.Contiguous()), cols, gemm.ZeroPoints[B](zero))
	k.shape = b.Shape().Clone()
	done[k.b] = true
	return done, nil
}

func deriveProduct(s ...tensor.Shape) (*quant.Product, error) { return quant.NewProduct(s[0], s[1]) }

// each computes the products one after the other: sums returns where product i goes,
// finish is called when it is there.
func (k *intProduct[A, B]) each(ctx context.Context, inv *ep.Invocation, sums func(p *quant.Product, i int) []int32, finish func(p *quant.Product, i int, sums []int32) error) error {
	shape := k.shape
	var b, zeroB []B
	if k.packed == nil {
		shape, b, zeroB = inv.In(k.b).Shape(), tensor.Elements[B](inv.In(k.b)), elementsOr[B](inv, k.zeroB)
	}
	p, err := k.products.get(deriveProduct, inv.In(k.a).Shape(), shape)
	if err != nil {
		return err
	}
	a, zeroA := tensor.Elements[A](inv.In(k.a)), elementsOr[A](inv, k.zeroA)
	for i := range p.Products() {
		out := sums(p, i)
		if err := quant.MatMul(ctx, k.pool, p, i, a, zeroA, b, zeroB, k.packed, out); err != nil {
			return err
		}
		if err := finish(p, i, out); err != nil {
			return err
		}
	}
	return nil
}

// matMulInteger is MatMulInteger.
type matMulInteger[A, B byteType] struct{ intProduct[A, B] }

func newMatMulInteger(b *Build) (ep.Kernel, error) {
	return byBytes(b, 0, 1, newMatMulIntegerOf[uint8, uint8], newMatMulIntegerOf[uint8, int8], newMatMulIntegerOf[int8, uint8], newMatMulIntegerOf[int8, int8])
}

func newMatMulIntegerOf[A, B byteType](b *Build) (ep.Kernel, error) {
	return &matMulInteger[A, B]{intProduct[A, B]{pool: b.Pool, a: 0, b: 1, zeroA: 2, zeroB: zeroInput(b, 3)}}, nil
}

// zeroInput is the number of a zero point input, beyond all inputs when it is omitted.
func zeroInput(b *Build, i int) int {
	if b.HasInput(i) {
		return i
	}
	return len(b.Inputs)
}

// Run implements ep.Kernel.
func (k *matMulInteger[A, B]) Run(ctx context.Context, inv *ep.Invocation) error {
	y := tensor.Elements[int32](inv.Out(0))
	return k.each(ctx, inv,
		func(p *quant.Product, i int) []int32 { return y[i*p.M*p.N:][:p.M*p.N] },
		func(*quant.Product, int, []int32) error { return nil })
}

// sumsPool keeps the exact sums that are requantised.
var sumsPool = sync.Pool{New: func() any { return new([]int32) }}

// qlinearMatMul is QLinearMatMul.
type qlinearMatMul[A, B byteType] struct {
	intProduct[A, B]
	to tensor.DType
}

// checkQLinearMatMul leaves an output scale for each row to the function body.
func checkQLinearMatMul(b *Build) string {
	if n, ok := b.Inputs[6].Type.Shape.Concrete(); ok && len(n) == 1 && n[0] != 1 {
		return fmt.Sprintf("y_scale has %d elements, the CPU kernel takes 1", n[0])
	}
	return ""
}

func newQLinearMatMul(b *Build) (ep.Kernel, error) {
	return byBytes(b, 0, 3, newQLinearMatMulOf[uint8, uint8], newQLinearMatMulOf[uint8, int8], newQLinearMatMulOf[int8, uint8], newQLinearMatMulOf[int8, int8])
}

func newQLinearMatMulOf[A, B byteType](b *Build) (ep.Kernel, error) {
	return &qlinearMatMul[A, B]{intProduct[A, B]{pool: b.Pool, a: 0, zeroA: 2, b: 3, zeroB: 5}, b.OutDType(0)}, nil
}

// Run implements ep.Kernel.
func (k *qlinearMatMul[A, B]) Run(ctx context.Context, inv *ep.Invocation) error {
	if k.to == tensor.Int8 {
		return requantized[int8](ctx, k, inv)
	}
	return requantized[uint8](ctx, k, inv)
}

func requantized[Y byteType, A, B byteType](ctx context.Context, k *qlinearMatMul[A, B], inv *ep.Invocation) error {
	var scales [3][]float32
	for i, in := range []int{1, 4, 6} {
		var err error
		if scales[i], err = asFloats(inv.In(in)); err != nil {
			return err
		}
	}
	zero := tensor.Elements[Y](inv.In(7))
	if len(scales[2]) != 1 || len(zero) != 1 {
		return fmt.Errorf("y_scale and y_zero_point have %d and %d elements, the CPU kernel takes 1", len(scales[2]), len(zero))
	}
	lo, hi := quant.Limits[Y]()
	y := tensor.Elements[Y](inv.Out(0))
	buf := sumsPool.Get().(*[]int32)
	defer sumsPool.Put(buf)
	return k.each(ctx, inv, func(p *quant.Product, _ int) []int32 {
		if cap(*buf) < p.M*p.N {
			*buf = make([]int32, p.M*p.N)
		}
		return (*buf)[:p.M*p.N]
	}, func(p *quant.Product, i int, sums []int32) error {
		rows, err := quant.RowsOf(p, scales[0], i)
		if err != nil {
			return fmt.Errorf("a_scale: %w", err)
		}
		cols, err := quant.ColumnsOf(p, scales[1], i)
		if err != nil {
			return fmt.Errorf("b_scale: %w", err)
		}
		if len(rows) == 0 || len(cols) == 0 {
			return fmt.Errorf("a_scale and b_scale have %d and %d elements", len(rows), len(cols))
		}
		factor := make([]float32, len(cols))
		for m := range p.M {
			if m == 0 || len(rows) > 1 {
				for n := range factor {
					factor[n] = rows[m] * cols[n] / scales[2][0]
				}
			}
			quant.Requantize(sums[m*p.N:][:p.N], factor, int32(zero[0]), lo, hi, y[(i*p.M+m)*p.N:])
		}
		return nil
	})
}
