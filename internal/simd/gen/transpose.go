package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// transpose writes the 8x8 block transposition: pairs of rows are interleaved,
// then pairs of pairs, then the halves are exchanged.
func transpose(g *gen) {
	g.function("transpose8x8AVX2", "func(dst *float32, ldd int, src *float32, lds int)", "transpose8x8AVX2 is transpose8x8.")
	dst, ldd, src, lds := g.param("dst"), g.param("ldd"), g.param("src"), g.param("lds")
	g.SHLQ(operand.U8(2), ldd)
	g.SHLQ(operand.U8(2), lds)
	var r [8]reg.VecVirtual
	for i := range r {
		r[i] = g.YMM()
		g.VMOVUPS(at(src, 0), r[i])
		if i < 7 {
			g.ADDQ(lds, src)
		}
	}
	for j, v := range g.transposed(r) {
		g.VMOVUPS(v, at(dst, 0))
		if j < 7 {
			g.ADDQ(ldd, dst)
		}
	}
	g.VZEROUPPER()
	g.RET()
}

// transposed returns the columns of the 8x8 matrix whose rows are r.
func (g *gen) transposed(r [8]reg.VecVirtual) (v [8]reg.VecVirtual) {
	var t [8]reg.VecVirtual
	for i := 0; i < 8; i += 2 {
		t[i], t[i+1] = g.YMM(), g.YMM()
		g.VUNPCKLPS(r[i+1], r[i], t[i])
		g.VUNPCKHPS(r[i+1], r[i], t[i+1])
	}
	// Each lane of u[j] holds column j (or j+4) of four rows.
	var u [8]reg.VecVirtual
	for half := range 2 {
		for i := range 2 {
			lo, hi := t[4*half+i], t[4*half+2+i]
			u[4*half+2*i], u[4*half+2*i+1] = g.YMM(), g.YMM()
			g.VSHUFPS(operand.U8(0x44), hi, lo, u[4*half+2*i])
			g.VSHUFPS(operand.U8(0xee), hi, lo, u[4*half+2*i+1])
		}
	}
	for j := range 8 {
		v[j] = g.YMM()
		lanes := operand.U8(0x20)
		if j >= 4 {
			lanes = 0x31
		}
		g.VPERM2F128(lanes, u[4+j%4], u[j%4], v[j])
	}
	return v
}
