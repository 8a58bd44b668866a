package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// quantKernels writes the kernels over panels of quantized columns: sixteen columns
// in two registers, the rows of a word one after the other.
func quantKernels(g *gen) {
	for _, bits := range []int{2, 4, 8} {
		g.quantDot(bits)
	}
	for _, bits := range []int{2, 4, 8} {
		g.quantRows(bits)
	}
}

// wordMask selects the place-th element of each word.
func (g *gen) wordMask(bits, place int) operand.Mem {
	return g.bits(fmt.Sprintf("mask%dat%d", bits, place), (1<<bits-1)<<(bits*place))
}

// countDown runs body n times.
func (g *gen) countDown(n reg.Register, body func()) {
	loop := g.label("loop")
	g.Label(loop)
	body()
	g.DECQ(n)
	g.JNZ(operand.LabelRef(loop))
}

// quantDot leaves the elements where they are in their words, as multiples of a
// power of two that the vector was divided by; the topmost, which a conversion would
// take for a sign, is shifted down.
func (g *gen) quantDot(bits int) {
	g.function(fmt.Sprintf("quantDot%dAVX2", bits),
		"func(y, x, sums *float32, words *uint32, scales, zeros *float32, zstep, blocks, rows int)",
		"quantDot%dAVX2 is quantDot for elements of %d bits.", bits, bits)
	y, x, sums, words := g.param("y"), g.param("x"), g.param("sums"), g.param("words")
	scales, zeros, zstep, blocks := g.param("scales"), g.param("zeros"), g.param("zstep"), g.param("blocks")
	g.SHLQ(operand.U8(2), zstep)
	var total [2]reg.VecVirtual
	for i := range total {
		total[i] = g.YMM()
		g.VMOVUPS(at(y, 32*i), total[i])
	}
	per := 32 / bits
	g.countDown(blocks, func() {
		var sum [2][4]reg.VecVirtual // by half of the columns and chain
		for i := range sum {
			for c := range sum[i] {
				sum[i][c] = g.YMM()
				g.VXORPS(sum[i][c], sum[i][c], sum[i][c])
			}
		}
		rows := g.Load(g.Param("rows"), g.GP64())
		v, t0, t1, w0, w1 := g.YMM(), g.YMM(), g.YMM(), g.YMM(), g.YMM()
		g.countDown(rows, func() {
			g.VMOVDQU(at(words, 0), w0)
			g.VMOVDQU(at(words, 32), w1)
			for p := range per {
				g.VBROADCASTSS(at(x, 4*p), v)
				if p == per-1 {
					g.VPSRLD(operand.U8(32-bits), w0, t0)
					g.VPSRLD(operand.U8(32-bits), w1, t1)
				} else {
					g.VPAND(g.wordMask(bits, p), w0, t0)
					g.VPAND(g.wordMask(bits, p), w1, t1)
				}
				g.VCVTDQ2PS(t0, t0)
				g.VCVTDQ2PS(t1, t1)
				g.VFMADD231PS(t0, v, sum[0][p&3])
				g.VFMADD231PS(t1, v, sum[1][p&3])
			}
			g.ADDQ(operand.U32(64), words)
			g.ADDQ(operand.U32(4*per), x)
		})
		g.VBROADCASTSS(at(sums, 0), v)
		for i := range sum {
			g.VADDPS(sum[i][1], sum[i][0], sum[i][0])
			g.VADDPS(sum[i][3], sum[i][2], sum[i][2])
			g.VADDPS(sum[i][2], sum[i][0], sum[i][0])
			g.VFNMADD231PS(at(zeros, 32*i), v, sum[i][0])
			g.VFMADD231PS(at(scales, 32*i), sum[i][0], total[i])
		}
		g.ADDQ(operand.U32(4), sums)
		g.ADDQ(operand.U32(64), scales)
		g.ADDQ(zstep, zeros)
	})
	for i := range total {
		g.VMOVUPS(total[i], at(y, 32*i))
	}
	g.VZEROUPPER()
	g.RET()
}

func (g *gen) quantRows(bits int) {
	g.function(fmt.Sprintf("quantRows%dAVX2", bits),
		"func(dst *float32, words *uint32, scales, zeros *float32, zstep, blocks, rows int)",
		"quantRows%dAVX2 is quantRows for elements of %d bits.", bits, bits)
	dst, words := g.param("dst"), g.param("words")
	scales, zeros, zstep, blocks := g.param("scales"), g.param("zeros"), g.param("zstep"), g.param("blocks")
	g.SHLQ(operand.U8(2), zstep)
	per := 32 / bits
	mask := g.YMM()
	g.VMOVDQU(g.wordMask(bits, 0), mask)
	g.countDown(blocks, func() {
		var scale, zero, w [2]reg.VecVirtual
		for i := range scale {
			scale[i], zero[i], w[i] = g.YMM(), g.YMM(), g.YMM()
			g.VMOVUPS(at(scales, 32*i), scale[i])
			g.VMOVUPS(at(zeros, 32*i), zero[i])
		}
		rows := g.Load(g.Param("rows"), g.GP64())
		g.countDown(rows, func() {
			for i := range w {
				g.VMOVDQU(at(words, 32*i), w[i])
			}
			for p := range per {
				for i := range w {
					t := g.YMM()
					switch p {
					case 0:
						g.VPAND(mask, w[i], t)
					case per - 1:
						g.VPSRLD(operand.U8(32-bits), w[i], t)
					default:
						g.VPSRLD(operand.U8(bits*p), w[i], t)
						g.VPAND(mask, t, t)
					}
					g.VCVTDQ2PS(t, t)
					g.VSUBPS(zero[i], t, t)
					g.VMULPS(scale[i], t, t)
					g.VMOVUPS(t, at(dst, 64*p+32*i))
				}
			}
			g.ADDQ(operand.U32(64), words)
			g.ADDQ(operand.U32(64*per), dst)
		})
		g.ADDQ(operand.U32(64), scales)
		g.ADDQ(zstep, zeros)
	})
	g.VZEROUPPER()
	g.RET()
}
