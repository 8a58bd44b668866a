package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// transcendental writes exp, tanh, sigmoid and erf. Every step has its twin, in
// the same order, in math_go.go; the constants are explained there.
func transcendental(g *gen) {
	for _, f := range []struct {
		name string
		body func(x reg.VecVirtual) reg.VecVirtual
	}{
		{"exp", g.exp},
		{"tanh", g.tanh},
		{"sigmoid", g.sigmoid},
		{"erf", g.erf},
	} {
		g.function(f.name+"AVX2", "func(dst, a *float32, n int, s, t float32)", "%sAVX2: dst[i] = %s(a[i]) for i in [0, n); s and t are not used.", f.name, f.name)
		dst, a, n := g.param("dst"), g.param("a"), g.param("n")
		g.stream(n, dst, []reg.Register{a}, false, func(in []reg.VecVirtual) reg.VecVirtual { return f.body(in[0]) })
	}
}

// load copies a constant into a register.
func (g *gen) load(m operand.Mem) reg.VecVirtual {
	y := g.YMM()
	g.VMOVUPS(m, y)
	return y
}

// poly evaluates a polynomial in x, highest coefficient first, by Horner's rule
// with fused steps.
func (g *gen) poly(name string, x reg.VecVirtual, coefficients ...float32) reg.VecVirtual {
	r := g.YMM()
	for i, c := range coefficients {
		m := g.float(name+string(rune('0'+i)), c)
		if i == 0 {
			g.VMOVUPS(m, r)
		} else {
			g.VFMADD213PS(m, x, r)
		}
	}
	return r
}

func (g *gen) abs(x reg.VecVirtual) reg.VecVirtual {
	r := g.YMM()
	g.VANDPS(g.bits("absmask", 0x7fffffff), x, r)
	return r
}

// copySign gives r, which is not negative, the sign of x.
func (g *gen) copySign(r, x reg.VecVirtual) {
	s := g.YMM()
	g.VANDPS(g.bits("signmask", 0x80000000), x, s)
	g.VORPS(s, r, r)
}

// expReduced splits x = n*ln2 + f and returns exp(f) and n, still in the low
// bits of a large float32.
func (g *gen) expReduced(x reg.VecVirtual) (p, t reg.VecVirtual) {
	t = g.load(g.float("log2e", 1.442695))
	g.VFMADD213PS(g.float("magic", 12582912), x, t)
	n, f := g.YMM(), g.YMM()
	g.VSUBPS(g.float("magic", 12582912), t, n)
	g.VMOVAPS(n, f)
	g.VFMADD213PS(x, g.load(g.float("ln2hi", -6.93145752e-1)), f)
	g.VFMADD231PS(g.float("ln2lo", -1.42860677e-6), n, f)
	p = g.poly("exp", f, 1.37805939e-3, 8.37312452e-3, 4.16695364e-2, 1.66664720e-1, 4.99999851e-1, 1, 1)
	return p, t
}

// pow2 returns 2^n for n in [-126, 127].
func (g *gen) pow2(n reg.VecVirtual) reg.VecVirtual {
	r := g.YMM()
	g.VPADDD(g.bits("bias", 127), n, r)
	g.VPSLLD(operand.U8(23), r, r)
	return r
}

func (g *gen) exp(x reg.VecVirtual) reg.VecVirtual {
	c := g.YMM()
	g.VMINPS(x, g.load(g.float("exphi", 89)), c)
	g.VMAXPS(c, g.load(g.float("explo", -104)), c)
	return g.expClamped(c)
}

func (g *gen) expClamped(x reg.VecVirtual) reg.VecVirtual {
	p, t := g.expReduced(x)
	n, n1 := g.YMM(), g.YMM()
	g.VPSUBD(g.bits("magicbits", 0x4b400000), t, n)
	g.VPSRAD(operand.U8(1), n, n1)
	g.VPSUBD(n1, n, n)
	g.VMULPS(g.pow2(n1), p, p)
	g.VMULPS(g.pow2(n), p, p)
	return p
}

// expModerate is exp for results in the normal range.
func (g *gen) expModerate(x reg.VecVirtual) reg.VecVirtual {
	p, t := g.expReduced(x)
	n := g.YMM()
	g.VPSUBD(g.bits("magicbits", 0x4b400000), t, n)
	g.VMULPS(g.pow2(n), p, p)
	return p
}

func (g *gen) tanh(x reg.VecVirtual) reg.VecVirtual {
	const lessThan = 1
	a := g.abs(x)
	// Large: 1 - 2/(exp(2a)+1).
	b := g.YMM()
	g.VMINPS(a, g.load(g.float("tanhhi", 10)), b)
	g.VADDPS(b, b, b)
	e := g.expModerate(b)
	one := g.load(g.float("one", 1))
	g.VADDPS(one, e, e)
	g.VDIVPS(e, g.load(g.float("two", 2)), e)
	g.VSUBPS(e, one, e)
	// Small: a + a*s*P(s), s = a*a.
	s := g.YMM()
	g.VMULPS(a, a, s)
	p := g.poly("tanh", s, -5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1)
	g.VMULPS(s, p, p)
	g.VFMADD213PS(a, a, p)
	small := g.YMM()
	g.VCMPPS(operand.U8(lessThan), g.float("tanhsmall", 0.625), a, small)
	g.VBLENDVPS(small, p, e, e)
	g.copySign(e, x)
	return e
}

func (g *gen) sigmoid(x reg.VecVirtual) reg.VecVirtual {
	neg := g.YMM()
	g.VORPS(g.bits("signmask", 0x80000000), x, neg)
	c := g.YMM()
	g.VMAXPS(neg, g.load(g.float("explo", -104)), c)
	e := g.expClamped(c)
	one := g.load(g.float("one", 1))
	num, den := g.YMM(), g.YMM()
	g.VADDPS(one, e, den)
	g.VBLENDVPS(x, e, one, num)
	g.VDIVPS(den, num, num)
	return num
}

func (g *gen) erf(x reg.VecVirtual) reg.VecVirtual {
	const lessThan = 1
	s := g.YMM()
	a := g.YMM()
	g.VMINPS(g.abs(x), g.load(g.float("erfhi", 4)), a)
	g.VMULPS(a, a, s)
	// Large: 1 - exp(-a - a*Q(a)).
	q := g.poly("erfl", a, -1.72853470e-5, 3.83197126e-4, -3.88396438e-3, 2.42546219e-2, -1.06777877e-1, -6.34846687e-1, -1.28717512e-1)
	l := g.YMM()
	g.VFMSUB213PS(a, a, q) // a*q - a
	g.VSUBPS(g.expModerate(q), g.load(g.float("one", 1)), l)
	// Small: a + a*P(s).
	p := g.poly("erfs", s, -5.96761703e-4, 4.99119423e-3, -2.67681349e-2, 1.12819925e-1, -3.76125336e-1, 1.28379166e-1)
	g.VFMADD213PS(a, a, p)
	small := g.YMM()
	g.VCMPPS(operand.U8(lessThan), g.float("erfsmall", 0.927734375), a, small)
	g.VBLENDVPS(small, p, l, l)
	g.copySign(l, x)
	return l
}
