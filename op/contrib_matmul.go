package op

import (
	"fmt"
	"slices"
	"strings"

	"gort/graph"
	"gort/tensor"
)

// Matrix products and distances that ONNX Runtime adds (com.microsoft).
var contribMatmulDefs = []Def{
	// A is a sparse tensor in a model, which the reader fills up with zeros.
	{Domain: "com.microsoft", Name: "SparseToDenseMatMul", Since: 1,
		Inputs:  "A: T1; B: T1",
		Outputs: "Y: T1",
		Attrs:   "alpha: float = 1; transA: int = 0; transB: int = 0",
		Types:   "T1 = float double int64 int32 uint64 uint32",
		Infer:   inferByBody,
		Body:    sparseMatMulBody},
	{Domain: "com.microsoft", Name: "Inverse", Since: 1,
		Inputs:  "X: T",
		Outputs: "Y: T",
		Types:   "T = float16 float double",
		Infer:   inferInverse},
	{Domain: "com.microsoft", Name: "FusedMatMul", Since: 1,
		Inputs:  "A: T; B: T",
		Outputs: "Y: T",
		Attrs:   "alpha: float = 1; transA: int = 0; transB: int = 0; transBatchA: int = 0; transBatchB: int = 0",
		Types:   "T = @floatbf",
		Infer:   inferByBody,
		Body:    fusedMatMulBody},
	{Domain: "com.microsoft", Name: "TransposeMatMul", Since: 1,
		Inputs:  "A: T; B: T",
		Outputs: "Y: T",
		Attrs:   "alpha: float = 1; transA: int = 0; transB: int = 0",
		Types:   "T = @floatbf",
		Infer:   inferByBody,
		Body:    fusedMatMulBody},
	{Domain: "com.microsoft", Name: "FusedGemm", Since: 1,
		Inputs:  "A: T; B: T; C?: T",
		Outputs: "Y: T",
		Attrs:   "activation: string; activation_alpha: float; activation_beta: float; activation_gamma: float; alpha: float = 1; beta: float = 1; transA: int = 0; transB: int = 0",
		Types:   "T = @float",
		Infer:   inferByBody,
		Body: func(c *Context) (Body, error) {
			end, err := c.fusedActivation("activation_alpha", "activation_beta", "activation_gamma")
			return Body{bodyOpset, `
				product = Gemm <alpha = @alpha, beta = @beta, transA = @transA, transB = @transB> (A, B, C)
				Y = ` + strings.ReplaceAll(end, "$", "product")}, err
		}},
	{Domain: "com.microsoft", Name: "CDist", Since: 1,
		Inputs:  "A: T; B: T",
		Outputs: "C: T",
		Attrs:   "metric: string = sqeuclidean",
		Types:   "T = float double",
		Infer:   inferByBody,
		Body:    cdistBody},
}

// fusedMatMulBody is alpha * op(A) * op(B): a factor of two dimensions and more is
// transposed in its last two, and with transBatch its first dimension is moved to
// the place before the last.
func fusedMatMulBody(c *Context) (Body, error) {
	a, err := c.fusedFactor(0, "A")
	if err != nil {
		return Body{}, err
	}
	b, err := c.fusedFactor(1, "B")
	if err != nil {
		return Body{}, err
	}
	text := "MatMul (" + a + ", " + b + ")"
	if c.Float("alpha") != 1 {
		text = "Mul (" + text + ", @alpha:A)"
	}
	return Body{bodyOpset, "Y = " + text}, nil
}

// fusedFactor writes one factor of a FusedMatMul as its attributes transpose it.
func (c *Context) fusedFactor(i int, name string) (string, error) {
	trans := c.Bool("trans" + name)
	batch := c.sig.Attr("transBatch"+name) != nil && c.Bool("transBatch"+name)
	if !trans && !batch {
		return name, nil
	}
	rank, ok := c.Shape(i).Rank()
	if !ok {
		return "", c.InputErrorf(i, "has an unknown number of dimensions, which the transposition depends on; declare its shape")
	}
	if rank < 2 { // transposing a vector changes nothing
		return name, nil
	}
	if batch && rank < 3 {
		return "", c.AttrErrorf("transBatch"+name, "is set, but %s has the shape %v without a batch", name, c.Shape(i))
	}
	perm := make([]int, rank)
	for d := range perm {
		perm[d] = d
	}
	if batch {
		copy(perm, perm[1:rank-1])
		perm[rank-2] = 0
	}
	if trans {
		perm[rank-2], perm[rank-1] = perm[rank-1], perm[rank-2]
	}
	list := strings.ReplaceAll(strings.Trim(fmt.Sprint(perm), "[]"), " ", ", ")
	return "Transpose <perm = [" + list + "]> (" + name + ")", nil
}

// fusedActivations are the functions that ONNX Runtime joins to products and
// convolutions, with $ for the argument and the attributes that each reads.
var fusedActivations = map[string]struct {
	text   string
	params []string
}{
	"":            {"Identity ($)", nil},
	"Relu":        {"Relu ($)", nil},
	"Tanh":        {"Tanh ($)", nil},
	"Sigmoid":     {"Sigmoid ($)", nil},
	"Softplus":    {"Softplus ($)", nil},
	"Softsign":    {"Softsign ($)", nil},
	"LeakyRelu":   {"LeakyRelu <alpha = %s> ($)", []string{"alpha"}},
	"Elu":         {"Elu <alpha = %s> ($)", []string{"alpha"}},
	"HardSigmoid": {"HardSigmoid <alpha = %s, beta = %s> ($)", []string{"alpha", "beta"}},
	"Selu":        {"Selu <alpha = %s, gamma = %s> ($)", []string{"alpha", "gamma"}},
	// A float attribute can not be a bound of Clip in its newer versions.
	"Clip": {"Clip ($, %s:$, %s:$)", []string{"alpha", "beta"}},
}

// fusedActivation writes the function that attribute activation names, its
// parameters as these attributes give them.
func (c *Context) fusedActivation(alpha, beta, gamma string) (string, error) {
	name := c.String("activation")
	f, ok := fusedActivations[name]
	if !ok {
		var known []string
		for n := range fusedActivations {
			if n != "" {
				known = append(known, n)
			}
		}
		slices.Sort(known)
		return "", c.AttrErrorf("activation", "is %q, known are %s", name, strings.Join(known, ", "))
	}
	attr := map[string]string{"alpha": alpha, "beta": beta, "gamma": gamma}
	text := f.text
	for _, p := range f.params {
		if !c.Has(attr[p]) {
			return "", c.AttrErrorf(attr[p], "is missing, %s needs it", name)
		}
		text = strings.Replace(text, "%s", "@"+attr[p], 1)
	}
	return text, nil
}

// cdistBody computes the distance of each row of A to each row of B. The squared one
// is the sum of squared differences, not the faster |a|^2 - 2ab + |b|^2, which loses
// small distances.
func cdistBody(c *Context) (Body, error) {
	for i := range 2 {
		if err := c.WantRank(i, 2); err != nil {
			return Body{}, err
		}
	}
	end := ""
	switch metric := c.String("metric"); metric {
	case "sqeuclidean":
		end = "C = Identity (squared)"
	case "euclidean":
		end = "C = Sqrt (squared)"
	default:
		return Body{}, c.AttrErrorf("metric", "is %q, allowed are sqeuclidean and euclidean", metric)
	}
	return Body{bodyOpset, `
		difference = Sub (Unsqueeze (A, [1]), Unsqueeze (B, [0]))
		squared = ReduceSumSquare <keepdims = 0> (difference, [-1])
		` + end}, nil
}

// inferInverse takes stacks of square matrices.
func inferInverse(c *Context) error {
	if err := c.wantRankFrom(2); err != nil {
		return err
	}
	if x := c.Shape(0); x.IsRanked() {
		if _, ok := graph.MergeDim(x.Dim(-1), x.Dim(-2)); !ok {
			return c.InputErrorf(0, "shape %v must end in two equal dimensions", x)
		}
	}
	return inferSame(c)
}

// sparseMatMulBody multiplies two matrices, either of them transposed.
func sparseMatMulBody(c *Context) (Body, error) {
	factors := [2]string{"A", "B"}
	for i, name := range []string{"transA", "transB"} {
		if rank, ok := c.Shape(i).Rank(); ok && rank != 2 {
			return Body{}, c.InputErrorf(i, "shape %v has rank %d, must have 2", c.Shape(i), rank)
		}
		if c.Bool(name) {
			factors[i] = "Transpose <perm = [1, 0]> (" + factors[i] + ")"
		}
	}
	alpha := c.Float("alpha")
	if alpha == 1 {
		return Body{bodyOpset, fmt.Sprintf("Y = MatMul (%s, %s)", factors[0], factors[1])}, nil
	}
	if d := c.DType(0); d.Class() != tensor.ClassFloat && alpha != float32(int32(alpha)) {
		return Body{}, c.AttrErrorf("alpha", "is %v, must be a whole number for a product of %v", alpha, d)
	}
	return Body{bodyOpset, fmt.Sprintf("product = MatMul (%s, %s)\nY = Mul (product, CastLike (@alpha, product))", factors[0], factors[1])}, nil
}
