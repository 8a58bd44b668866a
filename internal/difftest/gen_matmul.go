package difftest

import "gort/tensor"

// matmulGenerators call products of matrices.
var matmulGenerators = []Generator{
	{Op: "MatMul", Wide: asFloat32, Make: func(g *G) {
		d := g.DType("T")
		a, b := g.product()
		if len(a) == 2 && g.OneIn(4) {
			a = a[1:]
		}
		if len(b) == 2 && g.OneIn(4) {
			b = b[:1]
		}
		g.In(g.Tensor(d, a...))
		g.Either(g.Tensor(d, b...))
	}},
	{Op: "Gemm", Make: gemm, Wide: asFloat32},
	{Op: "Einsum", Make: einsum, Wide: asFloat32},
	{Op: "Det", Wide: asFloat32, Make: func(g *G) {
		n := g.Between(1, 5)
		g.In(g.Tensor(g.DType("T"), append(g.Sizes(0, 2), n, n)...))
	}},
}

func gemm(g *G) {
	d := g.DType("T")
	a, b, m, n := g.gemm()
	g.In(g.Tensor(d, a...))
	g.Either(g.Tensor(d, b...))
	c := Pick(g, []int{m, n}, []int{n}, []int{1, n}, []int{m, 1}, []int{1}, []int{})
	switch {
	case g.Since() < 7:
		c = Pick(g, []int{m, n}, []int{n}, []int{1})
	case g.Since() < 11:
	case g.Maybe():
		c = nil
	}
	if c != nil {
		g.Either(g.Tensor(d, c...))
	}
	if d.Class() == tensor.ClassFloat {
		g.MaybeAttr("alpha", float32(0.5))
	} else {
		g.MaybeAttr("alpha", float32(3))
	}
	g.MaybeAttr("beta", float32(2))
	if g.Since() < 7 {
		g.AskVersion(7)
		if len(c) < 2 {
			g.Attr("broadcast", 1)
		}
	}
}

// equations are forms of Einsum, with the shapes of their operands by letter.
var equations = []struct {
	equation string
	operands []string
}{
	{"ij->ji", []string{"ij"}}, {"ij->i", []string{"ij"}}, {"ij->", []string{"ij"}}, {"ii->i", []string{"ii"}}, {"ii", []string{"ii"}},
	{"ij,jk->ik", []string{"ij", "jk"}}, {"ij,jk", []string{"ij", "jk"}}, {"bij,bjk->bik", []string{"bij", "bjk"}}, {"i,j->ij", []string{"i", "j"}},
	{"bhik,bhjk->bhij", []string{"bhik", "bhjk"}}, {"ij,ij->", []string{"ij", "ij"}}, {"bij,kj->bik", []string{"bij", "kj"}},
	{"ij,jk,kl->il", []string{"ij", "jk", "kl"}}, {"...ij,...jk->...ik", []string{"bij", "bjk"}}, {"...i->...", []string{"bhi"}}, {"b i j -> b j i", []string{"bij"}},
}

func einsum(g *G) {
	d := g.DType("T")
	sizes := map[rune]int{}
	for _, l := range "bhijkl" {
		sizes[l] = g.Between(1, 4)
	}
	e := Pick(g, equations...)
	for _, operand := range e.operands {
		var shape []int
		for _, l := range operand {
			shape = append(shape, sizes[l])
		}
		g.Either(g.Range(d, -2, 2, shape...))
	}
	g.Attr("equation", e.equation)
}
