package op

import (
	"math"
	"math/bits"

	"gort/graph"
	"gort/tensor"
)

// Products with block-quantized weights (com.microsoft).
var contribBlockquantDefs = []Def{
	{Domain: "com.microsoft", Name: "MatMulNBits", Since: 1,
		Inputs:  "A: T1; B: T2; scales: T1; zero_points?: T3; g_idx?: T4; bias?: T1",
		Outputs: "Y: T1",
		Attrs:   "K!: int; N!: int; accuracy_level: int = 0; bits: int = 4; block_size!: int; weight_prepacked: int = 0",
		Types:   "T1 = float float16 bfloat16; T2 = uint8; T3 = uint8 float16 float bfloat16; T4 = int32",
		Infer:   inferMatMulNBits},
}

func inferMatMulNBits(c *Context) error {
	k, n, width, block := c.Int("K"), c.Int("N"), c.Int("bits"), c.Int("block_size")
	const limit = math.MaxInt32
	for name, v := range map[string]int{"K": k, "N": n} {
		if v < 1 || v > limit {
			return c.AttrErrorf(name, "is %d, allowed are 1 to %d", v, limit)
		}
	}
	if width != 2 && width != 4 && width != 8 {
		return c.AttrErrorf("bits", "is %d, allowed are 2, 4 and 8", width)
	}
	if block < 16 || block > limit || bits.OnesCount(uint(block)) != 1 {
		return c.AttrErrorf("block_size", "is %d, must be a power of two from 16 on", block)
	}
	if c.Bool("weight_prepacked") {
		return c.AttrErrorf("weight_prepacked", "is set: the weights are in a form of one device; export the model without it")
	}
	a := c.Shape(0)
	if err := c.wantRankFrom(1); err != nil {
		return err
	}
	if a.IsRanked() {
		if d, ok := a.Dim(-1).Size(); ok && d != k {
			return c.InputErrorf(0, "shape %v has rows of %d, attribute K says %d", a, d, k)
		}
	}
	blocks := (k + block - 1) / block
	zeros := (blocks*width + 7) / 8
	if d := c.DType(3); d != tensor.Uint8 {
		zeros = blocks
	}
	for _, in := range []struct{ i, elements int }{{1, n * blocks * block * width / 8}, {2, n * blocks}, {3, n * zeros}, {4, k}, {5, n}} {
		if s, ok := c.Shape(in.i).Concrete(); ok && c.HasInput(in.i) {
			got, err := s.NumElements()
			if padded := in.i == 4 && got == blocks*block; err != nil || got != in.elements && !padded {
				return c.InputErrorf(in.i, "shape %v must have %d elements for K = %d, N = %d, %d bits and blocks of %d", s, in.elements, k, n, width, block)
			}
		}
	}
	if rank, ok := a.Rank(); ok {
		c.SetDims(0, append(append([]graph.Dim{}, a.Dims()[:rank-1]...), graph.Known(n))...)
	}
	return nil
}
