package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// packing writes the copies into the panels that the matrix kernels read.
func packing(g *gen) {
	g.packB16()
	g.packA6()
}

func (g *gen) packB16() {
	g.function("packB16AVX2", "func(dst *float32, panel int, src *float32, lds, k, panels int)",
		"packB16AVX2 is packB16; k and panels are positive.")
	dst, panel, src, lds := g.param("dst"), g.param("panel"), g.param("src"), g.param("lds")
	k, panels := g.param("k"), g.param("panels")
	g.SHLQ(operand.U8(2), panel)
	g.SHLQ(operand.U8(2), lds)
	from, to, q := g.GP64(), g.GP64(), g.GP64()
	lo, hi := g.YMM(), g.YMM()
	row, next := g.label("row"), g.label("panel")
	g.Label(row)
	g.MOVQ(src, from)
	g.MOVQ(dst, to)
	g.MOVQ(panels, q)
	g.Label(next)
	g.VMOVUPS(at(from, 0), lo)
	g.VMOVUPS(at(from, 32), hi)
	g.VMOVUPS(lo, at(to, 0))
	g.VMOVUPS(hi, at(to, 32))
	g.ADDQ(operand.U32(64), from)
	g.ADDQ(panel, to)
	g.DECQ(q)
	g.JNZ(operand.LabelRef(next))
	g.ADDQ(lds, src)
	g.ADDQ(operand.U32(64), dst)
	g.DECQ(k)
	g.JNZ(operand.LabelRef(row))
	g.VZEROUPPER()
	g.RET()
}

// packA6 transposes blocks of six rows by eight columns. A column is stored as
// eight numbers, the last two of which the next column overwrites.
func (g *gen) packA6() {
	g.function("packA6AVX2", "func(dst, src *float32, lds, blocks int)",
		"packA6AVX2 packs 8*blocks columns of six rows; it writes two numbers beyond them. blocks is positive.")
	dst, src, lds, blocks := g.param("dst"), g.param("src"), g.param("lds"), g.param("blocks")
	g.SHLQ(operand.U8(2), lds)
	src3 := g.GP64()
	g.LEAQ(operand.Mem{Base: lds, Index: lds, Scale: 2}, src3)
	g.ADDQ(src, src3)
	loop := g.label("loop")
	g.Label(loop)
	var r [8]reg.VecVirtual
	for i := range 6 {
		r[i] = g.YMM()
		m := operand.Mem{Base: src}
		if i >= 3 {
			m.Base = src3
		}
		if i%3 > 0 {
			m.Index, m.Scale = lds, uint8(i%3)
		}
		g.VMOVUPS(m, r[i])
	}
	r[6], r[7] = r[0], r[0] // their columns are overwritten
	for j, v := range g.transposed(r) {
		g.VMOVUPS(v, at(dst, 24*j))
	}
	g.ADDQ(operand.U32(32), src)
	g.ADDQ(operand.U32(32), src3)
	g.ADDQ(operand.U32(8*24), dst)
	g.DECQ(blocks)
	g.JNZ(operand.LabelRef(loop))
	g.VZEROUPPER()
	g.RET()
}
