package difftest

import (
	"slices"
	"strings"

	"gort/tensor"
)

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
	{Op: "Gemm", Make: gemm, Wide: asFloats},
	{Op: "Einsum", Make: einsum, Wide: asInts},
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

// equations are forms of Einsum, with the letters of their operands' dimensions.
var equations = []struct {
	equation string
	operands []string
}{
	{"ij->ji", []string{"ij"}}, {"ij->i", []string{"ij"}}, {"ij->", []string{"ij"}}, {"ii->i", []string{"ii"}}, {"ii", []string{"ii"}},
	{"ij,jk->ik", []string{"ij", "jk"}}, {"ij,jk", []string{"ij", "jk"}}, {"bij,bjk->bik", []string{"bij", "bjk"}}, {"i,j->ij", []string{"i", "j"}},
	{"bhik,bhjk->bhij", []string{"bhik", "bhjk"}}, {"ij,ij->", []string{"ij", "ij"}}, {"bij,kj->bik", []string{"bij", "kj"}},
	{"ij,jk,kl->il", []string{"ij", "jk", "kl"}}, {"...ij,...jk->...ik", []string{"bij", "bjk"}}, {"...i->...", []string{"bhi"}}, {"b i j -> b j i", []string{"bij"}},
	{"...ij,jk->...ik", []string{"bhij", "jk"}}, {"i...,j...->ij...", []string{"ib", "jb"}}, {"bii->bi", []string{"bii"}}, {"ba,ca->bc", []string{"ba", "ca"}},
	{"...ij", []string{"bhij"}}, {"b...j,...jk->...k", []string{"bij", "ijk"}}, {"i,i", []string{"i", "i"}}, {",i->i", []string{"", "i"}},
	{"Ab,bC->AC", []string{"Ab", "bC"}}, {"ii,i->i", []string{"ii", "i"}}, {"ijk,jil->kl", []string{"ijk", "jil"}}, {"a,b,c->cab", []string{"a", "b", "c"}},
}

func einsum(g *G) {
	d := g.DType("T")
	e := Pick(g, equations...)
	operands, equation := e.operands, e.equation
	if g.Maybe() { // any operands, and any of their letters in the output
		var seen []byte
		operands = nil
		for range g.Between(1, 3) {
			var letters []byte
			for _, i := range g.Perm(5)[:g.Between(0, 3)] {
				letters = append(letters, "abcde"[i])
			}
			for _, l := range letters {
				if !slices.Contains(seen, l) {
					seen = append(seen, l)
				}
			}
			operands = append(operands, string(letters))
		}
		equation = strings.Join(operands, ",")
		if g.IntN(4) > 0 {
			g.Shuffle(len(seen), func(i, j int) { seen[i], seen[j] = seen[j], seen[i] })
			equation += "->" + string(seen[:g.IntN(len(seen)+1)])
		}
	}
	sizes := map[rune]int{}
	for _, operand := range operands {
		for _, l := range operand {
			sizes[l] = g.Between(1, 4)
		}
	}
	for i, operand := range operands {
		shape := []int{}
		for _, l := range operand {
			shape = append(shape, sizes[l])
		}
		if v := g.Range(d, -2, 2, shape...); i == 0 { // a model without inputs can not be asked
			g.In(v)
		} else {
			g.Either(v)
		}
	}
	g.Attr("equation", equation)
}
