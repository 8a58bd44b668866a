package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// gen is a file being written. Instructions take their operands in the order of
// Go's assembler: sources first, destination last.
type gen struct {
	*build.Context
	name   string
	consts map[string]operand.Mem
	masks  *operand.Mem
	labels int
}

// function begins a function that keeps its pointers to itself.
func (g *gen) function(name, signature, doc string, args ...any) {
	g.Function(name)
	g.Attributes(attr.NOSPLIT)
	g.Pragma("noescape")
	g.Doc(fmt.Sprintf(doc, args...))
	g.SignatureExpr(signature)
}

// label returns a new name for a jump target of the current function.
func (g *gen) label(stem string) string {
	g.labels++
	return fmt.Sprintf("%s%d", stem, g.labels)
}

// param loads a parameter that fits a general register.
func (g *gen) param(name string) reg.Register { return g.Load(g.Param(name), g.GP64()) }

// broadcast loads a float32 parameter into all lanes.
func (g *gen) broadcast(name string) reg.VecVirtual {
	addr, err := g.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	y := g.YMM()
	g.VBROADCASTSS(addr.Addr, y)
	return y
}

// bits returns eight copies of a 32-bit pattern as read-only data.
func (g *gen) bits(name string, pattern uint32) operand.Mem {
	name = g.name + "_" + name
	if m, ok := g.consts[name]; ok {
		return m
	}
	m := g.StaticGlobal(name)
	g.DataAttributes(attr.RODATA | attr.NOPTR)
	for range 8 {
		g.AppendDatum(operand.U32(pattern))
	}
	if g.consts == nil {
		g.consts = map[string]operand.Mem{}
	}
	g.consts[name] = m
	return m
}

func (g *gen) float(name string, v float32) operand.Mem { return g.bits(name, math.Float32bits(v)) }

// tailMask returns the mask that selects the first rem (0..7) lanes.
func (g *gen) tailMask(rem reg.Register) reg.VecVirtual {
	if g.masks == nil {
		m := g.StaticGlobal(g.name + "_mask")
		g.DataAttributes(attr.RODATA | attr.NOPTR)
		for i := range 16 {
			if i < 8 {
				g.AppendDatum(operand.U32(math.MaxUint32))
			} else {
				g.AppendDatum(operand.U32(0))
			}
		}
		g.masks = &m
	}
	base, offset := g.GP64(), g.GP64()
	g.LEAQ(*g.masks, base)
	g.MOVQ(operand.U32(8), offset)
	g.SUBQ(rem, offset)
	mask := g.YMM()
	g.VMOVDQU(operand.Mem{Base: base, Index: offset, Scale: 4}, mask)
	return mask
}

func at(base reg.Register, disp int) operand.Mem { return operand.Mem{Base: base, Disp: disp} }

// stream writes the loop over n elements common to all element-wise functions:
// four vectors at a time if wide, then one, then a masked one. body computes
// the results from the inputs of one vector.
func (g *gen) stream(n reg.Register, dst reg.Register, src []reg.Register, wide bool, body func(in []reg.VecVirtual) reg.VecVirtual) {
	load := func(disp int) []reg.VecVirtual {
		in := make([]reg.VecVirtual, len(src))
		for i, p := range src {
			in[i] = g.YMM()
			g.VMOVUPS(at(p, disp), in[i])
		}
		return in
	}
	advance := func(bytes int) {
		for _, p := range src {
			g.ADDQ(operand.U32(bytes), p)
		}
		g.ADDQ(operand.U32(bytes), dst)
		g.SUBQ(operand.U32(bytes/4), n)
	}
	if wide {
		loop, end := g.label("wide"), g.label("wideend")
		g.Label(loop)
		g.CMPQ(n, operand.U32(32))
		g.JL(operand.LabelRef(end))
		for i := range 4 {
			g.VMOVUPS(body(load(32*i)), at(dst, 32*i))
		}
		advance(128)
		g.JMP(operand.LabelRef(loop))
		g.Label(end)
	}
	loop, end, done := g.label("loop"), g.label("tail"), g.label("done")
	g.Label(loop)
	g.CMPQ(n, operand.U32(8))
	g.JL(operand.LabelRef(end))
	g.VMOVUPS(body(load(0)), at(dst, 0))
	advance(32)
	g.JMP(operand.LabelRef(loop))
	g.Label(end)
	g.TESTQ(n, n)
	g.JZ(operand.LabelRef(done))
	mask := g.tailMask(n)
	in := make([]reg.VecVirtual, len(src))
	for i, p := range src {
		in[i] = g.YMM()
		g.VMASKMOVPS(at(p, 0), mask, in[i])
	}
	g.VMASKMOVPS(body(in), mask, at(dst, 0))
	g.Label(done)
	g.VZEROUPPER()
	g.RET()
}
