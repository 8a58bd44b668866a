package difftest

import (
	"math"

	"gort/tensor"
)

// convGenerators call convolutions.
var convGenerators = []Generator{
	{Op: "Conv", Make: conv, Wide: asFloat32},
	{Op: "ConvTranspose", Make: convTranspose, Wide: asFloat32},
	{Op: "DeformConv", Make: deformConv, Wide: asFloat32},
	{Op: "Col2Im", Make: col2Im, Wide: allFloat32},
}

// window is a sliding window over a number of spatial dimensions.
type window struct {
	in, kernel, strides, dilations, pads []int
}

// window draws a window that fits its input.
func (g *G) window(rank int, dilated bool) *window {
	w := &window{pads: make([]int, 2*rank)}
	for i := range rank {
		k, d := g.Between(1, 3), 1
		if dilated && g.OneIn(3) {
			d = 2
		}
		w.kernel, w.dilations = append(w.kernel, k), append(w.dilations, d)
		w.strides = append(w.strides, g.Between(1, 2))
		w.pads[i], w.pads[rank+i] = g.IntN(k), g.IntN(k)
		w.in = append(w.in, d*(k-1)+g.Between(1, 4))
	}
	if g.OneIn(6) { // rows as wide as a vector of the processor
		w.in[rank-1] += g.Between(8, 20)
	}
	return w
}

// attrs writes the attributes of a window, but for the kernel's shape.
func (g *G) attrs(w *window) {
	if g.Maybe() {
		g.Attr("strides", w.strides)
	}
	dilated := false
	for _, d := range w.dilations {
		dilated = dilated || d > 1
	}
	if dilated {
		g.Attr("dilations", w.dilations)
	}
	switch g.IntN(4) {
	case 0:
		if dilated { // with SAME ONNX Runtime refuses it
			g.Attr("auto_pad", "VALID")
		} else {
			g.Attr("auto_pad", Pick(g, "SAME_UPPER", "SAME_LOWER", "VALID"))
		}
	case 1, 2:
		g.Attr("pads", w.pads)
	}
}

// convolution draws the shapes of the input and the filters, and the attributes.
func (g *G) convolution(rank int) (x, w []int) {
	group, per, out := g.Between(1, 2), g.Between(1, 3), g.Between(1, 3)
	switch g.IntN(8) {
	case 0, 1: // depthwise
		group, per = g.Between(2, 5), 1
	case 2: // more channels than a vector of the processor has elements
		per, out = g.Between(4, 9), g.Between(5, 17)
	}
	v := g.window(rank, true)
	g.attrs(v)
	if group > 1 || g.Maybe() {
		g.Attr("group", group)
	}
	g.MaybeAttr("kernel_shape", v.kernel)
	return append([]int{g.batch(), group * per}, v.in...), append([]int{group * out, per}, v.kernel...)
}

// batch is a number of images, seldom 0.
func (g *G) batch() int {
	if g.OneIn(24) {
		return 0
	}
	return g.Between(1, 2)
}

func conv(g *G) {
	d := g.DType("T")
	x, w := g.convolution(g.Between(1, 3))
	g.In(g.Sprinkle(g.Tensor(d, x...), math.Inf(1), math.Inf(-1), math.NaN()))
	g.Either(g.Range(d, 1.0/16, 1, w...)) // no 0: skipping it or not is told by an infinite factor
	if g.Maybe() {
		g.Either(g.Tensor(d, w[0]))
	}
}

func convTranspose(g *G) {
	d, rank := g.DType("T"), g.Between(1, 3)
	group, per, out := g.Between(1, 2), g.Between(1, 3), g.Between(1, 3)
	v := g.window(rank, true)
	x, w := []int{g.batch(), group * per}, []int{group * per, out}
	for i, k := range v.kernel {
		n := g.Between(1, 4)
		x, w = append(x, n), append(w, k)
		// At least one element is left between the pads.
		if whole := (n-1)*v.strides[i] + v.dilations[i]*(k-1) + 1; v.pads[i]+v.pads[rank+i] >= whole {
			v.pads[i], v.pads[rank+i] = 0, 0
		}
	}
	g.In(g.Tensor(d, x...))
	g.Either(g.Range(d, -1, 1, w...))
	if g.Maybe() {
		g.Either(g.Tensor(d, group*out))
	}
	g.Attr("strides", v.strides)
	g.Attr("dilations", v.dilations)
	g.Attr("group", group)
	g.MaybeAttr("kernel_shape", v.kernel)
	switch g.IntN(5) {
	case 0:
		g.Attr("auto_pad", "VALID")
	case 1:
		g.Attr("pads", v.pads)
	case 2:
		extra := make([]int, rank)
		for i := range extra {
			extra[i] = g.IntN(max(v.strides[i], v.dilations[i]))
		}
		g.Attr("pads", v.pads)
		g.Attr("output_padding", extra)
	case 3: // pads follow from the shape
		shape := make([]int, rank)
		for i, k := range v.kernel {
			whole := (x[2+i]-1)*v.strides[i] + v.dilations[i]*(k-1) + 1
			shape[i] = max(1, whole-g.IntN(2))
		}
		g.Attr("output_shape", shape)
		g.MaybeAttr("auto_pad", Pick(g, "SAME_UPPER", "SAME_LOWER"))
	}
}

func deformConv(g *G) {
	d := g.DType("T")
	group, per, out := g.Between(1, 2), g.Between(1, 2), g.Between(1, 2)
	v := g.window(2, true)
	offsets := 1
	if (group*per)%2 == 0 && g.Maybe() {
		offsets = 2
	}
	batch, taps := g.batch(), v.kernel[0]*v.kernel[1]
	spatial := make([]int, 2)
	for i, k := range v.kernel {
		spatial[i] = (v.in[i]+v.pads[i]+v.pads[2+i]-v.dilations[i]*(k-1)-1)/v.strides[i] + 1
	}
	g.In(g.Tensor(d, append([]int{batch, group * per}, v.in...)...))
	g.Either(g.Range(d, -1, 1, append([]int{group * out, per}, v.kernel...)...))
	g.In(g.Range(d, -2, 2, append([]int{batch, offsets * taps * 2}, spatial...)...))
	bias := g.Maybe()
	if bias {
		g.Either(g.Tensor(d, group*out))
	}
	if g.Maybe() {
		if !bias {
			g.Omit()
		}
		g.In(g.Range(d, 0, 1, append([]int{batch, offsets * taps}, spatial...)...))
	}
	g.Attr("pads", v.pads) // the default differs: ONNX Runtime wants them
	g.Attr("strides", v.strides)
	g.Attr("dilations", v.dilations)
	g.Attr("group", group)
	if offsets > 1 || g.Maybe() {
		g.Attr("offset_group", offsets)
	}
	g.MaybeAttr("kernel_shape", v.kernel)
}

func col2Im(g *G) {
	d, rank := g.DType("T"), g.Between(1, 3)
	// Blocks of one or three dimensions that are dilated ONNX Runtime puts in wrong
	// places: the first element of a channel is not the first of its first block.
	v := g.window(rank, rank == 2)
	taps, blocks := 1, 1
	for i, k := range v.kernel {
		taps *= k
		blocks *= (v.in[i]+v.pads[i]+v.pads[rank+i]-v.dilations[i]*(k-1)-1)/v.strides[i] + 1
	}
	g.In(g.Range(d, lowest(d, 4), 4, g.batch(), g.Between(1, 3)*taps, blocks)) // sums fit 8 bits
	g.Either(Ints(tensor.Int64, v.in...))
	g.Either(Ints(tensor.Int64, v.kernel...))
	g.Attr("pads", v.pads)
	g.Attr("strides", v.strides)
	g.Attr("dilations", v.dilations)
}
