package op

import (
	"math"
	"math/bits"
	"slices"

	"gort/graph"
	"gort/tensor"
)

// maxWeights bounds the elements of a quantized matrix, so that sizes that follow
// from them fit an int.
const maxWeights = math.MaxInt / 16

// quantizedMatrix reads the attributes K and N of a product.
func (c *Context) quantizedMatrix() (k, n int, err error) {
	k, n = c.Int("K"), c.Int("N")
	if k < 1 || k > maxWeights {
		return 0, 0, c.AttrErrorf("K", "is %d, allowed are 1 to %d", k, maxWeights)
	}
	if n < 1 || n > maxWeights/k {
		return 0, 0, c.AttrErrorf("N", "is %d, allowed are 1 to %d for K = %d", n, maxWeights/k, k)
	}
	return k, n, nil
}

// maxBlock bounds block sizes; it is far above those in use.
const maxBlock = 1 << 24

// wantBlock checks a block size: a power of two from 16 on.
func (c *Context) wantBlock(name string) (int, error) {
	block := c.Int(name)
	if block < 16 || block > maxBlock || bits.OnesCount(uint(block)) != 1 {
		return 0, c.AttrErrorf(name, "is %d, must be a power of two from 16 to %d", block, maxBlock)
	}
	return block, nil
}

// wantElements checks how many elements input i has, whatever its shape.
func (c *Context) wantElements(i, n int) error {
	s, ok := c.Shape(i).Concrete()
	if !ok || !c.HasInput(i) {
		return nil
	}
	if got, err := s.NumElements(); err != nil || got != n {
		return c.InputErrorf(i, "shape %v must have %d elements", s, n)
	}
	return nil
}

// inferRowsTimes has rows of in elements in input 0 become rows of out elements.
func (c *Context) inferRowsTimes(in, out graph.Dim) error {
	if err := c.wantRankFrom(1); err != nil {
		return err
	}
	a := c.Shape(0)
	rank, ok := a.Rank()
	if !ok {
		return nil
	}
	if _, ok := graph.MergeDim(a.Dim(-1), in); !ok {
		return c.InputErrorf(0, "shape %v has rows of %v, the weights are for rows of %v", a, a.Dim(-1), in)
	}
	c.SetDims(0, append(append([]graph.Dim{}, a.Dims()[:rank-1]...), out)...)
	return nil
}

func inferMatMulNBits(c *Context) error {
	k, n, err := c.quantizedMatrix()
	if err != nil {
		return err
	}
	width := c.Int("bits")
	if width != 2 && width != 4 && width != 8 {
		return c.AttrErrorf("bits", "is %d, allowed are 2, 4 and 8", width)
	}
	block, err := c.wantBlock("block_size")
	if err != nil {
		return err
	}
	if l := c.Int("accuracy_level"); l < 0 || l > 4 {
		return c.AttrErrorf("accuracy_level", "is %d, allowed are 0 to 4", l)
	}
	if c.Bool("weight_prepacked") {
		return c.AttrErrorf("weight_prepacked", "is set: the weights are in a form of one device; export the model without it")
	}
	blocks := (k + block - 1) / block
	zeros := (blocks*width + 7) / 8
	if c.DType(3) != tensor.Uint8 {
		zeros = blocks
	}
	sizes := [...]int{1: blocks * block * width / 8, 2: blocks, 3: zeros, 5: 1}
	for i, size := range sizes {
		total, ok := mulSize(n, size)
		if !ok {
			return c.AttrErrorf("N", "is %d, too many for K = %d and blocks of %d", n, k, block)
		}
		if size == 0 || i == 3 && c.DType(3) == tensor.Undefined {
			continue
		}
		if err := c.wantElements(i, total); err != nil {
			return err
		}
	}
	if s, ok := c.Shape(4).Concrete(); ok && c.HasInput(4) {
		// Exporters write the groups of the padding too.
		if got, err := s.NumElements(); err != nil || got != k && got != blocks*block {
			return c.InputErrorf(4, "shape %v must have %d elements, or %d with those of the padding", s, k, blocks*block)
		}
	}
	return c.inferRowsTimes(graph.Known(k), graph.Known(n))
}

// inferMatMulBnb4 has the weights as [N, K] in one run of blocks: A times their
// transpose, or with transB = 0 A times them.
func inferMatMulBnb4(c *Context) error {
	k, n, err := c.quantizedMatrix()
	if err != nil {
		return err
	}
	block, err := c.wantBlock("block_size")
	if err != nil {
		return err
	}
	if t := c.Int("quant_type"); t != 0 && t != 1 {
		return c.AttrErrorf("quant_type", "is %d, allowed are 0 (fp4) and 1 (nf4)", t)
	}
	if err := c.wantElements(1, (k*n+1)/2); err != nil {
		return err
	}
	if err := c.wantElements(2, (k*n+block-1)/block); err != nil {
		return err
	}
	if c.Bool("transB") {
		return c.inferRowsTimes(graph.Known(k), graph.Known(n))
	}
	return c.inferRowsTimes(graph.Known(n), graph.Known(k))
}

// fpQ4Block and fpQ4Bytes are the elements and bytes of a block of MatMulFpQ4's
// weights, by blk_quant_type: a float32 scale, for type 1 a zero point, 32 nibbles.
const fpQ4Block = 32

var fpQ4Bytes = [...]int{4 + 16, 4 + 1 + 16}

func inferMatMulFpQ4(c *Context) error {
	kind := c.Int("blk_quant_type")
	if kind != 0 && kind != 1 {
		return c.AttrErrorf("blk_quant_type", "is %d, allowed are 0 (scales) and 1 (scales and zero points)", kind)
	}
	if err := c.WantRank(1, 1); err != nil {
		return err
	}
	if err := c.wantVector(2, graph.Known(2), "dimensions of the weights"); err != nil {
		return err
	}
	k, n := graph.Dim{}, graph.Dim{}
	if shape, ok := c.KnownInts(2); ok && len(shape) == 2 {
		for _, d := range shape {
			if d < 0 || d > maxWeights || shape[0] > maxWeights/max(shape[1], 1) {
				return c.InputErrorf(2, "is %v, dimensions must not be negative nor have more than %d elements", shape, maxWeights)
			}
		}
		rows, cols := int(shape[0]), int(shape[1])
		bytes, ok := mulSize(cols, (rows+fpQ4Block-1)/fpQ4Block*fpQ4Bytes[kind])
		if !ok {
			return c.InputErrorf(2, "is %v, which is more than there can be", shape)
		}
		if err := c.wantElements(1, bytes); err != nil {
			return err
		}
		k, n = graph.Known(rows), graph.Known(cols)
	}
	return c.inferRowsTimes(k, n)
}

// inferGatherBlockQuantized follows Gather; bytes that hold several elements are as
// many elements along the last dimension.
func inferGatherBlockQuantized(c *Context) error {
	data := c.Shape(0)
	c.SetDType(0, c.DType(2))
	d := c.DType(0)
	rank, ok := data.Rank()
	if !ok || d == tensor.Undefined {
		return nil
	}
	if rank < 2 {
		return c.InputErrorf(0, "shape %v has rank %d, the operator needs 2 or more", data, rank)
	}
	gather, err := c.Axis("gather_axis", rank)
	if err != nil {
		return err
	}
	quantize, err := c.Axis("quantize_axis", rank)
	if err != nil {
		return err
	}
	width, block, zeros := c.Int("bits"), c.Int("block_size"), c.HasInput(3)
	perByte, float := 1, d.Class() == tensor.ClassFloat
	switch {
	case float:
		if zeros {
			return c.InputErrorf(3, "is given, but data of %v has no zero points", d)
		}
	case d == tensor.Uint8:
		if width != 2 && width != 4 && width != 8 {
			return c.AttrErrorf("bits", "is %d, allowed are 2, 4 and 8 for data of uint8", width)
		}
		if gather != 0 || quantize != rank-1 {
			return c.Errorf("gather_axis is %d and quantize_axis %d; data of uint8 is gathered along dimension 0 and quantized along another, the last", c.Int("gather_axis"), c.Int("quantize_axis"))
		}
		perByte = 8 / width
	case width != 4:
		return c.AttrErrorf("bits", "is %d, must be 4 for data of %v", width, d)
	}
	if !float || block != 0 {
		if _, err := c.wantBlock("block_size"); err != nil {
			return err
		}
	}
	dims := slices.Clone(data.Dims())
	dims[rank-1] = times(dims[rank-1], perByte)
	if err := c.wantBlockScales(dims, quantize, float); err != nil {
		return err
	}
	if s := c.Shape(2); zeros && s.IsRanked() {
		want := slices.Clone(s.Dims())
		want[quantize] = units(want[quantize], perByte)
		if _, ok := graph.Merge(c.Shape(3), graph.ShapeOf(want...)); !ok {
			return c.InputErrorf(3, "shape %v must be %v, one zero point for each of the scales, %d in a byte", c.Shape(3), graph.ShapeOf(want...), perByte)
		}
	}
	if at := c.Shape(1); at.IsRanked() {
		c.SetDims(0, slices.Concat(dims[:gather], at.Dims(), dims[gather+1:])...)
	}
	return nil
}

// wantBlockScales checks input 2 against the dimensions of the elements: one scale a
// block along the quantized axis; along others as many, or one if it may repeat.
func (c *Context) wantBlockScales(dims []graph.Dim, quantize int, repeats bool) error {
	scales, block := c.Shape(2), c.Int("block_size")
	if err := c.WantRank(2, len(dims)); err != nil {
		return err
	}
	if !scales.IsRanked() {
		return nil
	}
	for i, d := range dims {
		switch {
		case i != quantize:
		case block > 0:
			d = units(d, block)
		default: // one block, even of nothing
			d = graph.Known(1)
			if n, ok := dims[i].Size(); ok && n == 0 {
				d = graph.Known(0)
			}
		}
		if _, ok := graph.MergeDim(d, scales.Dim(i)); !ok && !(repeats && i != quantize && scales.Dim(i).Is(1)) {
			return c.InputErrorf(2, "shape %v must have %v in dimension %d: data has %v there, in blocks of %d along dimension %d", scales, d, i, dims[i], block, quantize)
		}
	}
	return nil
}

// times is a dimension n times as large, and units how many of n elements it takes.
func times(d graph.Dim, n int) graph.Dim {
	if n == 1 {
		return d
	}
	if size, ok := d.Size(); ok {
		if p, ok := mulSize(size, n); ok {
			return graph.Known(p)
		}
	}
	return graph.Dim{}
}

func units(d graph.Dim, n int) graph.Dim {
	if n == 1 {
		return d
	}
	if size, ok := d.Size(); ok {
		return graph.Known(size/n + min(size%n, 1))
	}
	return graph.Dim{}
}
