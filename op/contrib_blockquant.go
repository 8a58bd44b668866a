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

// maxBlock is more than any model's blocks have.
const maxBlock = 1 << 16

func inferMatMulNBits(c *Context) error {
	k, n, width, block := c.Int("K"), c.Int("N"), c.Int("bits"), c.Int("block_size")
	const limit = math.MaxInt32
	for _, name := range []string{"K", "N"} {
		if v := c.Int64(name); v < 1 || v > limit {
			return c.AttrErrorf(name, "is %d, allowed are 1 to %d", v, limit)
		}
	}
	if width != 2 && width != 4 && width != 8 {
		return c.AttrErrorf("bits", "is %d, allowed are 2, 4 and 8", width)
	}
	if block < 16 || block > maxBlock || bits.OnesCount(uint(block)) != 1 {
		return c.AttrErrorf("block_size", "is %d, must be a power of two from 16 to %d", block, maxBlock)
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
	blocks := (k-1)/block + 1
	zeros := (blocks*width-1)/8 + 1
	if d := c.DType(3); d != tensor.Uint8 {
		zeros = blocks
	}
	for _, in := range []struct {
		i    int
		want tensor.Shape // its number of elements counts
	}{{1, tensor.Shape{n, blocks, block * width / 8}}, {2, tensor.Shape{n, blocks}}, {3, tensor.Shape{n, zeros}}, {4, tensor.Shape{k}}, {5, tensor.Shape{n}}} {
		s, ok := c.Shape(in.i).Concrete()
		if !ok || !c.HasInput(in.i) {
			continue
		}
		got, err := s.NumElements()
		want, err2 := in.want.NumElements()
		padded := in.i == 4 && got == blocks*block
		if err != nil || err2 != nil || got != want && !padded {
			return c.InputErrorf(in.i, "shape %v must have as many elements as %v for K = %d, N = %d, %d bits and blocks of %d", s, in.want, k, n, width, block)
		}
	}
	if rank, ok := a.Rank(); ok {
		c.SetDims(0, append(append([]graph.Dim{}, a.Dims()[:rank-1]...), graph.Known(n))...)
	}
	return nil
}
