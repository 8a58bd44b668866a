package difftest

import (
	"math"

	"gort/tensor"
)

// poolGenerators call pooling operators.
var poolGenerators = []Generator{
	{Op: "AveragePool", Make: averagePool, Wide: asFloat32},
	{Op: "MaxPool", Make: maxPool, Wide: asFloat32},
	{Op: "LpPool", Make: lpPool, Wide: asFloat32},
	{Op: "GlobalAveragePool", Make: globalPool, Wide: asFloat32},
	{Op: "GlobalMaxPool", Make: globalPool, Wide: asFloat32},
	{Op: "GlobalLpPool", Make: globalLpPool, Wide: asFloat32},
	{Op: "MaxUnpool", Make: maxUnpool, Wide: asFloat32},
	{Op: "MaxRoiPool", Make: maxRoiPool, Wide: asFloat32},
	{Op: "RoiAlign", Make: roiAlign, Wide: asFloat32},
}

// pool draws the window of a pooling operator and an input for it, in which some of
// the values may stand.
func (g *G) pool(d tensor.DType, dilated bool, values ...float64) {
	v := g.window(g.Between(1, 3), dilated)
	g.In(g.Sprinkle(g.Tensor(d, append([]int{g.batch(), g.Between(1, 3)}, v.in...)...), values...))
	g.Attr("kernel_shape", v.kernel)
	g.attrs(v)
}

func averagePool(g *G) {
	g.pool(g.DType("T"), g.Since() >= 19, math.Inf(1), math.Inf(-1), math.NaN())
	if g.Since() >= 7 {
		g.MaybeAttr("count_include_pad", g.IntN(2))
	} else {
		g.AskVersion(7)
	}
	if g.Since() >= 10 {
		g.MaybeAttr("ceil_mode", g.IntN(2))
	}
}

func maxPool(g *G) {
	// NaN is left out: whether it wins depends on the order of comparisons. The largest
	// of -Inf alone is the lowest number in ONNX Runtime.
	g.pool(g.DType("T"), g.Since() >= 10, math.Inf(1))
	if g.Since() >= 10 {
		g.MaybeAttr("ceil_mode", g.IntN(2))
	}
	if g.Since() >= 8 && (g.Maybe() || g.Forces("I")) {
		g.MaybeAttr("storage_order", g.IntN(2))
		g.OutputCount(2)
	}
}

func lpPool(g *G) {
	g.pool(g.DType("T"), g.Since() >= 18, math.Inf(1), math.Inf(-1), math.NaN())
	g.power()
	if g.Since() >= 18 {
		g.MaybeAttr("ceil_mode", g.IntN(2))
	}
}

// power sets the attribute p, which is a float in version 1; ONNX Runtime begins at
// version 2.
func (g *G) power() {
	p := g.Between(1, 3)
	switch {
	case g.Since() > 1:
		g.MaybeAttr("p", p)
	default:
		t := g.AskVersion(2)
		if g.Maybe() {
			g.Attr("p", float32(p))
			t.Attr("p", p)
		}
	}
}

func globalPool(g *G) { g.In(g.Tensor(g.DType("T"), g.Sizes(3, 5)...)) }

func globalLpPool(g *G) {
	globalPool(g)
	g.power()
	if g.Since() == 22 { // which ONNX Runtime lacks, as of the next two
		g.AskVersion(2)
	}
}

func maxUnpool(g *G) {
	d := g.DType("T1")
	in, out := []int{g.Between(1, 2), g.Between(1, 3)}, []int{}
	kernel, strides := []int{}, []int{}
	plane := 1
	for range g.Between(1, 3) {
		k, s, n := g.Between(1, 3), g.Between(1, 2), g.Between(1, 3)
		kernel, strides, in = append(kernel, k), append(strides, s), append(in, n)
		out = append(out, (n-1)*s+k)
		plane *= out[len(out)-1]
	}
	g.In(g.Tensor(d, in...))
	// An element of the output comes from one of the input, as after MaxPool.
	total, n := in[0]*in[1]*plane, 1
	for _, s := range in {
		n *= s
	}
	if n > total {
		g.Skip()
	}
	g.In(tensor.Must(Ints(tensor.Int64, g.Perm(total)[:n]...).Reshape(in...)))
	if g.Maybe() {
		g.Either(Ints(tensor.Int64, append(append([]int(nil), in[:2]...), out...)...))
	}
	g.Attr("kernel_shape", kernel)
	g.Attr("strides", strides)
}

func maxRoiPool(g *G) {
	d := g.DType("T")
	batch := g.Between(1, 2)
	g.In(g.Tensor(d, batch, g.Between(1, 3), g.Between(4, 8), g.Between(4, 8)))
	var rois []float64
	n := g.Between(1, 3)
	for range n {
		x, y := g.IntN(4), g.IntN(4)
		rois = append(rois, float64(g.IntN(batch)), float64(x), float64(y), float64(x+g.IntN(4)), float64(y+g.IntN(4)))
	}
	g.In(tensor.Must(tensor.Convert(fromSlice(rois, []int{n, 5}), d, tensor.ConvertOptions{})))
	g.Attr("pooled_shape", []int{g.Between(1, 3), g.Between(1, 3)})
	g.MaybeAttr("spatial_scale", float32(0.5))
	if g.Since() == 22 {
		g.AskVersion(1)
	}
}

func roiAlign(g *G) {
	d := g.DType("T1")
	batch := g.Between(1, 2)
	g.In(g.Tensor(d, batch, g.Between(1, 3), g.Between(3, 6), g.Between(3, 6)))
	var rois []float64
	n := g.Between(1, 3)
	for range n {
		x, y := g.fraction(-1, 3), g.fraction(-1, 3)
		rois = append(rois, x, y, x+g.fraction(0.5, 3), y+g.fraction(0.5, 3))
	}
	g.In(tensor.Must(tensor.Convert(fromSlice(rois, []int{n, 4}), d, tensor.ConvertOptions{})))
	g.In(g.Range(tensor.Int64, 0, float64(batch-1), n))
	mode := "avg"
	if g.OneIn(3) {
		mode = "max"
	}
	if mode != "avg" || g.Maybe() {
		g.Attr("mode", mode)
	}
	g.MaybeAttr("output_height", g.Between(1, 3))
	g.MaybeAttr("output_width", g.Between(1, 3))
	g.MaybeAttr("sampling_ratio", g.IntN(3))
	g.MaybeAttr("spatial_scale", float32(0.5))
	if g.Since() >= 16 {
		g.MaybeAttr("coordinate_transformation_mode", Pick(g, "half_pixel", "output_half_pixel"))
	}
	if g.Since() == 22 {
		g.AskVersion(16)
	}
}
