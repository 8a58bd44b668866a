package main

import "github.com/mmcloughlin/avo/operand"

// float16 writes the conversions; they handle whole vectors only.
func float16(g *gen) {
	g.function("float16ToFloat32F16C", "func(dst *float32, src *uint16, n int)", "float16ToFloat32F16C converts n values, a multiple of 8.")
	dst, src, n := g.param("dst"), g.param("src"), g.param("n")
	y := g.YMM()
	loop, done := g.label("loop"), g.label("done")
	g.Label(loop)
	g.CMPQ(n, operand.U32(8))
	g.JL(operand.LabelRef(done))
	g.VCVTPH2PS(at(src, 0), y)
	g.VMOVUPS(y, at(dst, 0))
	g.ADDQ(operand.U32(16), src)
	g.ADDQ(operand.U32(32), dst)
	g.SUBQ(operand.U32(8), n)
	g.JMP(operand.LabelRef(loop))
	g.Label(done)
	g.VZEROUPPER()
	g.RET()

	const nearestEven = 0
	g.function("float32ToFloat16F16C", "func(dst *uint16, src *float32, n int)", "float32ToFloat16F16C converts n values, a multiple of 8.")
	dst, src, n = g.param("dst"), g.param("src"), g.param("n")
	y, x := g.YMM(), g.XMM()
	loop, done = g.label("loop"), g.label("done")
	g.Label(loop)
	g.CMPQ(n, operand.U32(8))
	g.JL(operand.LabelRef(done))
	g.VMOVUPS(at(src, 0), y)
	g.VCVTPS2PH(operand.U8(nearestEven), y, x)
	g.VMOVUPS(x, at(dst, 0))
	g.ADDQ(operand.U32(32), src)
	g.ADDQ(operand.U32(16), dst)
	g.SUBQ(operand.U32(8), n)
	g.JMP(operand.LabelRef(loop))
	g.Label(done)
	g.VZEROUPPER()
	g.RET()
}
