package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const tileRows = 6

// gemmKernels writes the matrix kernels for 1 to 6 rows by 16 columns: two
// sums a row, the sixteen columns of B in two registers, and the elements of A
// broadcast one after the other.
func gemmKernels(g *gen) {
	for rows := 1; rows <= tileRows; rows++ {
		g.gemmFloat(rows)
	}
	for rows := 1; rows <= tileRows; rows++ {
		g.gemmInt16(rows)
	}
}

func (g *gen) sums(rows int) [][2]reg.VecVirtual {
	sum := make([][2]reg.VecVirtual, rows)
	for i := range sum {
		sum[i] = [2]reg.VecVirtual{g.YMM(), g.YMM()}
		for _, s := range sum[i] {
			g.VXORPS(s, s, s)
		}
	}
	return sum
}

func (g *gen) gemmFloat(rows int) {
	g.function(fmt.Sprintf("gemm%dx16AVX2", rows),
		"func(k int, a *float32, ars, acs int, b *float32, ldb int, c *float32, ldc int, alpha float32, accumulate bool)",
		"gemm%dx16AVX2 is gemmKernel for rows == %d.", rows, rows)
	k, a, ars, acs := g.param("k"), g.param("a"), g.param("ars"), g.param("acs")
	b, ldb, c, ldc := g.param("b"), g.param("ldb"), g.param("c"), g.param("ldc")
	for _, stride := range []reg.Register{ars, acs, ldb, ldc} {
		g.SHLQ(operand.U8(2), stride)
	}
	// Three rows are reached from a, three from a3.
	a3 := g.GP64()
	if rows > 3 {
		g.LEAQ(operand.Mem{Base: ars, Index: ars, Scale: 2}, a3)
		g.ADDQ(a, a3)
	}
	row := func(i int) operand.Mem {
		base := a
		if i >= 3 {
			base, i = a3, i-3
		}
		if i == 0 {
			return operand.Mem{Base: base}
		}
		return operand.Mem{Base: base, Index: ars, Scale: uint8(i)}
	}
	prefetch := g.GP64()
	g.MOVQ(c, prefetch)
	for i := range rows {
		g.PREFETCHT0(operand.Mem{Base: prefetch})
		g.PREFETCHT0(operand.Mem{Base: prefetch, Disp: 60})
		if i+1 < rows {
			g.ADDQ(ldc, prefetch)
		}
	}
	sum := g.sums(rows)
	b0, b1, x := g.YMM(), g.YMM(), g.YMM()
	step := func() {
		g.VMOVUPS(at(b, 0), b0)
		g.VMOVUPS(at(b, 32), b1)
		g.ADDQ(ldb, b)
		for i := range rows {
			g.VBROADCASTSS(row(i), x)
			g.VFMADD231PS(b0, x, sum[i][0])
			g.VFMADD231PS(b1, x, sum[i][1])
		}
		g.ADDQ(acs, a)
		if rows > 3 {
			g.ADDQ(acs, a3)
		}
	}
	const unroll = 4
	loop, rest, store := g.label("loop"), g.label("rest"), g.label("store")
	g.Label(loop)
	g.CMPQ(k, operand.U32(unroll))
	g.JL(operand.LabelRef(rest))
	for range unroll {
		step()
	}
	g.SUBQ(operand.U32(unroll), k)
	g.JMP(operand.LabelRef(loop))
	g.Label(rest)
	g.TESTQ(k, k)
	g.JZ(operand.LabelRef(store))
	step()
	g.DECQ(k)
	g.JMP(operand.LabelRef(rest))
	g.Label(store)

	alpha := g.broadcast("alpha")
	accumulate := g.Load(g.Param("accumulate"), g.GP8())
	add, end := g.label("add"), g.label("end")
	g.TESTB(accumulate, accumulate)
	g.JNZ(operand.LabelRef(add))
	g.storeRows(c, ldc, sum, func(s reg.VecVirtual, _ operand.Mem) { g.VMULPS(alpha, s, s) })
	g.JMP(operand.LabelRef(end))
	g.Label(add)
	g.storeRows(c, ldc, sum, func(s reg.VecVirtual, m operand.Mem) { g.VFMADD213PS(m, alpha, s) })
	g.Label(end)
	g.VZEROUPPER()
	g.RET()
}

// storeRows finishes each sum, which may look at the element of C it is for,
// and stores it. It moves c.
func (g *gen) storeRows(c, ldc reg.Register, sum [][2]reg.VecVirtual, finish func(s reg.VecVirtual, m operand.Mem)) {
	for i := range sum {
		for h, s := range sum[i] {
			m := at(c, 32*h)
			finish(s, m)
			g.VMOVUPS(s, m)
		}
		if i+1 < len(sum) {
			g.ADDQ(ldc, c)
		}
	}
}

func (g *gen) gemmInt16(rows int) {
	g.function(fmt.Sprintf("int16gemm%dx16AVX2", rows),
		"func(pairs int, a, b *int16, c *int32, ldc int, accumulate bool)",
		"int16gemm%dx16AVX2 is int16Kernel for rows == %d.", rows, rows)
	pairs, a, b := g.param("pairs"), g.param("a"), g.param("b")
	c, ldc := g.param("c"), g.param("ldc")
	g.SHLQ(operand.U8(2), ldc)
	sum := g.sums(rows)
	b0, b1, x, t := g.YMM(), g.YMM(), g.YMM(), g.YMM()
	loop, store := g.label("loop"), g.label("store")
	g.Label(loop)
	g.TESTQ(pairs, pairs)
	g.JZ(operand.LabelRef(store))
	g.VMOVDQU(at(b, 0), b0)
	g.VMOVDQU(at(b, 32), b1)
	for i := range rows {
		g.VPBROADCASTD(at(a, 4*i), x)
		g.VPMADDWD(b0, x, t)
		g.VPADDD(t, sum[i][0], sum[i][0])
		g.VPMADDWD(b1, x, t)
		g.VPADDD(t, sum[i][1], sum[i][1])
	}
	g.ADDQ(operand.U32(4*tileRows), a)
	g.ADDQ(operand.U32(64), b)
	g.DECQ(pairs)
	g.JMP(operand.LabelRef(loop))
	g.Label(store)

	accumulate := g.Load(g.Param("accumulate"), g.GP8())
	add, end := g.label("add"), g.label("end")
	g.TESTB(accumulate, accumulate)
	g.JNZ(operand.LabelRef(add))
	g.storeRows(c, ldc, sum, func(reg.VecVirtual, operand.Mem) {})
	g.JMP(operand.LabelRef(end))
	g.Label(add)
	g.storeRows(c, ldc, sum, func(s reg.VecVirtual, m operand.Mem) { g.VPADDD(m, s, s) })
	g.Label(end)
	g.VZEROUPPER()
	g.RET()
}
