package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// reductions writes the functions that end in one number, and the updates of
// a vector by multiples of others.
func reductions(g *gen) {
	g.dot()
	g.sum()
	g.maxReduce()
	g.axpy()
	g.axpy4()
}

// chains runs four accumulators over n elements: four vectors a turn, then up
// to three single ones and a masked one, each into the next accumulator, as
// the twins do. step adds the vector at the displacement; masked is nil but for
// the last one.
func (g *gen) chains(n reg.Register, ptrs []reg.Register, step func(chain, disp int, mask reg.Register)) {
	advance := func(bytes int) {
		for _, p := range ptrs {
			g.ADDQ(operand.U32(bytes), p)
		}
		g.SUBQ(operand.U32(bytes/4), n)
	}
	loop, rest, done := g.label("loop"), g.label("rest"), g.label("done")
	g.Label(loop)
	g.CMPQ(n, operand.U32(32))
	g.JL(operand.LabelRef(rest))
	for i := range 4 {
		step(i, 32*i, nil)
	}
	advance(128)
	g.JMP(operand.LabelRef(loop))
	g.Label(rest)
	for i := range 4 {
		tail := g.label("tail")
		full := g.label("next")
		g.CMPQ(n, operand.U32(8))
		g.JL(operand.LabelRef(tail))
		step(i, 0, nil)
		advance(32)
		g.JMP(operand.LabelRef(full))
		g.Label(tail)
		g.TESTQ(n, n)
		g.JZ(operand.LabelRef(done))
		step(i, 0, g.tailMask(n))
		g.JMP(operand.LabelRef(done))
		g.Label(full)
	}
	g.Label(done)
}

func (g *gen) four(m *operand.Mem) [4]reg.VecVirtual {
	var acc [4]reg.VecVirtual
	for i := range acc {
		acc[i] = g.YMM()
		if m != nil {
			g.VMOVUPS(*m, acc[i])
		} else {
			g.VXORPS(acc[i], acc[i], acc[i])
		}
	}
	return acc
}

// fold combines the accumulators ((0,1),(2,3)), then the lanes by halves, and
// returns the lowest lane.
func (g *gen) fold(acc [4]reg.VecVirtual, op func(b, a, r operand.Op)) reg.VecVirtual {
	op(acc[1], acc[0], acc[0])
	op(acc[3], acc[2], acc[2])
	op(acc[2], acc[0], acc[0])
	lo, hi := acc[0].AsX(), g.XMM()
	g.VEXTRACTF128(operand.U8(1), acc[0], hi)
	op(hi, lo, lo)
	g.VMOVHLPS(lo, lo, hi) // lanes 2, 3
	op(hi, lo, lo)
	g.VMOVSHDUP(lo, hi) // lane 1
	op(hi, lo, lo)
	return acc[0]
}

// input loads a vector, or the selected part of one.
func (g *gen) input(p reg.Register, disp int, mask reg.Register) reg.VecVirtual {
	y := g.YMM()
	if mask == nil {
		g.VMOVUPS(at(p, disp), y)
	} else {
		g.VMASKMOVPS(at(p, disp), mask, y)
	}
	return y
}

func (g *gen) dot() {
	g.function("dotAVX2", "func(a, b *float32, n int) float32", "dotAVX2 is dot.")
	a, b, n := g.param("a"), g.param("b"), g.param("n")
	acc := g.four(nil)
	g.chains(n, []reg.Register{a, b}, func(i, disp int, mask reg.Register) {
		x, y := g.input(a, disp, mask), g.input(b, disp, mask)
		g.VFMADD231PS(x, y, acc[i])
	})
	r := g.fold(acc, func(b, a, r operand.Op) { g.VADDPS(b, a, r) })
	g.Store(r.AsX(), g.ReturnIndex(0))
	g.VZEROUPPER()
	g.RET()
}

func (g *gen) sum() {
	g.function("sumAVX2", "func(a *float32, n int) float32", "sumAVX2 is sum.")
	a, n := g.param("a"), g.param("n")
	acc := g.four(nil)
	g.chains(n, []reg.Register{a}, func(i, disp int, mask reg.Register) {
		g.VADDPS(g.input(a, disp, mask), acc[i], acc[i])
	})
	r := g.fold(acc, func(b, a, r operand.Op) { g.VADDPS(b, a, r) })
	g.Store(r.AsX(), g.ReturnIndex(0))
	g.VZEROUPPER()
	g.RET()
}

func (g *gen) maxReduce() {
	const unordered = 3
	g.function("maxReduceAVX2", "func(a *float32, n int) float32", "maxReduceAVX2 is maxReduce.")
	a, n := g.param("a"), g.param("n")
	least := g.float("neginf", float32(math.Inf(-1)))
	acc := g.four(&least)
	nan, test := g.YMM(), g.YMM()
	g.VXORPS(nan, nan, nan)
	g.chains(n, []reg.Register{a}, func(i, disp int, mask reg.Register) {
		x := g.input(a, disp, mask)
		if mask != nil {
			low := g.YMM()
			g.VMOVUPS(least, low)
			g.VBLENDVPS(mask, x, low, x)
		}
		g.VMAXPS(x, acc[i], acc[i])
		g.VCMPPS(operand.U8(unordered), x, x, test)
		g.VORPS(test, nan, nan)
	})
	r := g.fold(acc, func(b, a, r operand.Op) { g.VMAXPS(b, a, r) })
	// Lanes of nan are all ones, itself a NaN, where one was seen.
	seen, end := g.GP32(), g.label("end")
	g.VMOVMSKPS(nan, seen)
	g.TESTL(seen, seen)
	g.JZ(operand.LabelRef(end))
	g.VMOVUPS(g.bits("nan", 0x7fc00000), r)
	g.Label(end)
	g.Store(r.AsX(), g.ReturnIndex(0))
	g.VZEROUPPER()
	g.RET()
}

func (g *gen) axpy() {
	g.function("axpyAVX2", "func(dst, a *float32, n int, s float32)", "axpyAVX2 is axpy.")
	dst, a, n := g.param("dst"), g.param("a"), g.param("n")
	s := g.broadcast("s")
	old := g.GP64()
	g.MOVQ(dst, old)
	g.stream(n, dst, []reg.Register{a, old}, true, func(in []reg.VecVirtual) reg.VecVirtual {
		g.VFMADD231PS(in[0], s, in[1])
		return in[1]
	})
}

func (g *gen) axpy4() {
	g.function("axpy4AVX2", "func(dst, b *float32, n, ldb int, s *float32)", "axpy4AVX2 is axpy4; ldb is in elements.")
	dst, b, n, ldb, sp := g.param("dst"), g.param("b"), g.param("n"), g.param("ldb"), g.param("s")
	var s [4]reg.VecVirtual
	for i := range s {
		s[i] = g.YMM()
		g.VBROADCASTSS(at(sp, 4*i), s[i])
	}
	src := make([]reg.Register, 5)
	src[0] = b
	for i := 1; i < 4; i++ {
		src[i] = g.GP64()
		g.LEAQ(operand.Mem{Base: src[i-1], Index: ldb, Scale: 4}, src[i])
	}
	src[4] = g.GP64()
	g.MOVQ(dst, src[4])
	g.stream(n, dst, src, false, func(in []reg.VecVirtual) reg.VecVirtual {
		for i := range s {
			g.VFMADD231PS(in[i], s[i], in[4])
		}
		return in[4]
	})
}
