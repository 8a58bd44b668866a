package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// elementwise writes the arithmetic of one and two slices.
func elementwise(g *gen) {
	for _, f := range []struct {
		name, doc string
		body      func(a, b, r reg.VecVirtual)
	}{
		{"add", "a[i] + b[i]", func(a, b, r reg.VecVirtual) { g.VADDPS(b, a, r) }},
		{"sub", "a[i] - b[i]", func(a, b, r reg.VecVirtual) { g.VSUBPS(b, a, r) }},
		{"mul", "a[i] * b[i]", func(a, b, r reg.VecVirtual) { g.VMULPS(b, a, r) }},
		{"div", "a[i] / b[i]", func(a, b, r reg.VecVirtual) { g.VDIVPS(b, a, r) }},
		{"max", "max(a[i], b[i])", func(a, b, r reg.VecVirtual) { g.VMAXPS(b, a, r); g.keepNaN(a, r) }},
		{"min", "min(a[i], b[i])", func(a, b, r reg.VecVirtual) { g.VMINPS(b, a, r); g.keepNaN(a, r) }},
	} {
		g.function(f.name+"AVX2", "func(dst, a, b *float32, n int)", "%sAVX2: dst[i] = %s for i in [0, n).", f.name, f.doc)
		dst, a, b, n := g.param("dst"), g.param("a"), g.param("b"), g.param("n")
		g.stream(n, dst, []reg.Register{a, b}, true, func(in []reg.VecVirtual) reg.VecVirtual {
			r := g.YMM()
			f.body(in[0], in[1], r)
			return r
		})
	}

	for _, f := range []struct {
		name, doc string
		body      func(a, s, t, r reg.VecVirtual)
	}{
		{"addScalar", "a[i] + s", func(a, s, _, r reg.VecVirtual) { g.VADDPS(s, a, r) }},
		{"scalarSub", "s - a[i]", func(a, s, _, r reg.VecVirtual) { g.VSUBPS(a, s, r) }},
		{"mulScalar", "a[i] * s", func(a, s, _, r reg.VecVirtual) { g.VMULPS(s, a, r) }},
		{"divScalar", "a[i] / s", func(a, s, _, r reg.VecVirtual) { g.VDIVPS(s, a, r) }},
		{"scalarDiv", "s / a[i]", func(a, s, _, r reg.VecVirtual) { g.VDIVPS(a, s, r) }},
		// MAXPS and MINPS return their second source when one is NaN: that is a.
		{"maxScalar", "s if s > a[i], else a[i]", func(a, s, _, r reg.VecVirtual) { g.VMAXPS(a, s, r) }},
		{"minScalar", "s if s < a[i], else a[i]", func(a, s, _, r reg.VecVirtual) { g.VMINPS(a, s, r) }},
		{"clamp", "a[i] held within [s, t]", func(a, s, t, r reg.VecVirtual) { g.VMAXPS(a, s, r); g.VMINPS(r, t, r) }},
		{"scaleShift", "a[i]*s + t, fused", func(a, s, t, r reg.VecVirtual) { g.VMOVAPS(a, r); g.VFMADD213PS(t, s, r) }},
	} {
		g.function(f.name+"AVX2", "func(dst, a *float32, n int, s, t float32)", "%sAVX2: dst[i] = %s for i in [0, n).", f.name, f.doc)
		dst, a, n := g.param("dst"), g.param("a"), g.param("n")
		s, t := g.broadcast("s"), g.broadcast("t")
		g.stream(n, dst, []reg.Register{a}, true, func(in []reg.VecVirtual) reg.VecVirtual {
			r := g.YMM()
			f.body(in[0], s, t, r)
			return r
		})
	}
}

// keepNaN puts the elements of a that are NaN into r.
func (g *gen) keepNaN(a, r reg.VecVirtual) {
	const unordered = 3
	nan := g.YMM()
	g.VCMPPS(operand.U8(unordered), a, a, nan)
	g.VBLENDVPS(nan, a, r, r)
}
